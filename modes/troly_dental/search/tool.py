"""The search that answers a question (003-17, 003-18): the program's own, or the tool of an MCP server elsewhere."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.text.catalogue import Lang
from troly_dental.mcp_client import (
    LANGUAGE_META,
    LONGEST_TEXT,
    SEARCH_META,
    Caller,
    McpCallError,
    McpConnection,
    ToolResult,
)
from troly_dental.search.pages import one_line, parse_pages
from troly_dental.search.web_search import MAX_CHARS, PROBLEMS, SearchOutcome, clean_query, search
from troly_dental.settings import DentalSettings

if TYPE_CHECKING:
    from troly.plugin.services import Services

TOOL, SERVER, ENGINE = "duckduckgo_search", "tool-server", "DuckDuckGo"
_LONGEST_NAME = 40
log = logging.getLogger(__name__)


def choose_tool(_query: str) -> str:
    """Which tool of the tool-server answers a question (003-17): chosen by code, always the search; a model's choice would stand here."""
    return TOOL


async def search_tool(services: Services, query: str, lang: Lang) -> SearchOutcome:
    """Up to five pages for `query` by the tool-server; never raises but when it is cancelled.

    That of MCP_SERVER_URL is asked where it offers a search, else the one inside the program.
    """
    sent = await asyncio.to_thread(clean_query, query)
    tool = choose_tool(sent)
    settings = services.settings.of(DentalSettings)
    if settings.mcp_server_url and sent:
        seconds = settings.search_seconds + settings.mcp_seconds
        elsewhere = McpConnection(settings.mcp_server_url, settings.mcp_server_token or "", seconds)
        try:
            if await elsewhere.offers(tool):
                return await ask_tool(elsewhere, sent, lang, tool)
        except McpCallError as error:
            # The memory says that this server is down; the search does not depend on it.
            log.warning("%s: %s", SERVER, error)
        finally:
            await elsewhere.close()
    return await search(sent, services=services, lang=lang)


async def ask_tool(server: Caller, query: str, lang: Lang, tool: str = TOOL) -> SearchOutcome:
    """The outcome of one call of the search; a server that fails is logged and has `problem` "server"."""
    try:
        answer = await server.call(tool, {"query": query}, {LANGUAGE_META: lang})
    except McpCallError as error:
        told = _told(error.meta)
        if not (error.answered and told.problem):
            log.error("%s %s: %s", SERVER, tool, error, exc_info=error)  # noqa: TRY400 (the trace is given)
            return SearchOutcome(query=query, problem="server", engine=ENGINE)
        return told
    return await asyncio.to_thread(_read, answer, query)


def _read(answer: ToolResult, query: str) -> SearchOutcome:
    """The outcome from the tool's text; what the server says of itself is believed as far as it can be shown."""
    text = answer.found.get("result")
    pages = parse_pages((text if isinstance(text, str) else answer.text)[:LONGEST_TEXT])
    told = _told(answer.meta)
    return SearchOutcome(
        pages, told.query or query, "" if pages else "empty", told.engine, told.cached, told.left_out
    )


def _told(meta: Mapping[str, Any]) -> SearchOutcome:
    said = meta.get(SEARCH_META)
    said = said if isinstance(said, Mapping) else {}
    problem, left_out = said.get("problem"), said.get("left_out")
    return SearchOutcome(
        query=one_line(str(said.get("query", "")), MAX_CHARS),
        problem=problem if problem in PROBLEMS else "",
        engine=one_line(str(said.get("engine") or ENGINE), _LONGEST_NAME),
        cached=said.get("cached") is True,
        left_out=left_out if isinstance(left_out, int) and 0 <= left_out <= 100 else 0,
    )
