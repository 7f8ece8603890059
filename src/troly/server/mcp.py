"""The assistants as tools of one MCP server: on stdio for who sits at this machine, at `/mcp` of the HTTP server by key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from troly.conversation.turn import MAX_CHARS, TurnRequest
from troly.errors import TrolyError
from troly.plugin.contract import Mode
from troly.plugin.events import Event, Progress, StepStarted, TurnCompleted, TurnFailed
from troly.plugin.sample_loading import SampleLoader
from troly.server.access import Caller
from troly.server.answers import answer_markdown
from troly.server.metrics import Metrics
from troly.server.streams import TooSlowError, TurnHub
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from troly.conversation.session import Session
    from troly.server.streams import TurnStream

PATH = "/mcp"
NAME = "troly"
_INPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "message": {"type": "string", "minLength": 1, "maxLength": MAX_CHARS, "description": "What to ask, in Vietnamese or English."},
        "conversation": {"type": "string", "maxLength": 100, "description": "The id that an earlier answer named, to go on with it."},
    },
    "required": ["message"],
    "additionalProperties": False,
}  # fmt: skip
_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "description": "Markdown, tables and sources included."},
        "answered": {
            "type": "boolean",
            "description": "False where the assistant says that it cannot answer.",
        },
        "conversation": {"type": "string"},
        "turn": {"type": "string"},
    },
    "required": ["answer", "answered", "conversation", "turn"],
}


def build_server(session: Session, hub: TurnHub, caller: Callable[[Any], Caller]) -> Server[Any]:
    """The MCP server; `caller` says who asks from the HTTP request, None on stdio.

    Each assistant that the caller may use is a tool by its id. What the program refuses (somebody else's conversation,
    a busy one) and a turn that failed are tool errors, sentences that a model can read; an unknown tool and wrong
    arguments are -32602. A call that its client cancels stops its turn.
    """

    def tools(who: Caller) -> list[Tool]:
        return [_tool(mode) for mode in session.registry if who.may_use(mode.id)]

    async def list_tools(
        context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=tools(caller(context.request)))

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        who, given = caller(context.request), params.arguments or {}
        if params.name not in {tool.name for tool in tools(who)}:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {sanitize(params.name)[:80]}")
        message, conversation = given.get("message"), given.get("conversation") or None
        if (
            not isinstance(message, str)
            or not isinstance(conversation, str | None)
            or not given.keys() <= _INPUT["properties"].keys()
        ):
            raise MCPError(INVALID_PARAMS, "Invalid params: message, conversation")
        try:
            stream = await hub.ask(who, TurnRequest(params.name, sanitize(message), conversation))
            events = await _followed(stream, context)
        except TrolyError as error:
            return _refusal(error.render("en").line())
        return _result(stream, events)

    return Server(
        NAME,
        version=version("troly"),
        title="Troly",
        instructions="Assistants of a Vietnamese shop, rental office and clinic. Pass on answers with their sources.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _tool(mode: Mode) -> Tool:
    examples = "; ".join(f"“{question}”" for question in mode.first_questions["vi"][:3])
    return Tool(
        name=mode.id,
        title=mode.names["en"],
        description=f"{mode.summaries['en']} ({mode.summaries['vi']}) For example: {examples}",
        input_schema=_INPUT,
        output_schema=_OUTPUT,
    )


async def _followed(stream: TurnStream, context: ServerRequestContext[Any]) -> list[Event]:
    """All events of the turn; the client is told of each step that begins, if it asked to be."""
    steps = 0
    try:
        async with aclosing(stream.read()) as batches:
            async for first, batch in batches:
                for event in batch if first else ():
                    if isinstance(event, (StepStarted, Progress)):
                        steps += 1
                        said = event.message if isinstance(event, Progress) else event.agent or event.node
                        await context.session.report_progress(steps, message=said)
    except TooSlowError:  # the client does not take its progress: the answer alone
        return await stream.whole()
    except asyncio.CancelledError:
        stream.turn.cancel()
        raise
    return list(stream.events)


def _result(stream: TurnStream, events: list[Event]) -> CallToolResult:
    """The answer as text, then the conversation to go on with; the same as one value."""
    turn, end, text = stream.turn, events[-1], answer_markdown(events, "en")
    if isinstance(end, TurnFailed):
        return _refusal("\n\n".join(part for part in (text, end.title, end.message, end.remedy) if part))
    answered = isinstance(end, TurnCompleted) and bool(end.metadata.get("answered", True))
    found = {
        "answer": text, "answered": answered, "conversation": turn.conversation_id, "turn": turn.turn_id,
    }  # fmt: skip
    said = (text, f"conversation: {turn.conversation_id}")
    return CallToolResult(
        content=[TextContent(type="text", text=one) for one in said], structured_content=found
    )


def _refusal(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=sanitize(sentence))], is_error=True)


def serve_stdio(session: Session) -> None:
    """Serve the program that started this one until it closes stdin; the person is the session's. Blocking."""

    async def serve() -> None:
        hub = TurnHub(session, SampleLoader(session.services, session.registry), Metrics())
        server = build_server(session, hub, lambda _request: Caller(session.profile))
        hub.begin()
        try:
            async with stdio_server() as (read, write):
                await server.run(read, write, server.create_initialization_options())
        finally:
            await hub.close()
            await session.services.llm.aclose()

    asyncio.run(serve())
