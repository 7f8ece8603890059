"""What a call of an MCP tool is to this mode, and the connection to a server of another process over streamable HTTP."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
ENDPOINT = "/mcp"
# Beside a tool's answer: the key of the house's error behind a refusal, and what a search tells of itself.
ERROR_META, SEARCH_META, LANGUAGE_META = "troly/error", "troly/search", "troly/language"
LONGEST_TEXT = 200_000


class McpCallError(Exception):
    """The server did not answer a call as it should; the message says why in one line.

    `answered` tells a tool that refused from a server that cannot be asked, `meta` is what the tool said beside it.
    """

    def __init__(self, reason: str, *, answered: bool = False, meta: Mapping[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.answered = answered
        self.meta: Mapping[str, Any] = meta or {}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave: its structured result, its text, and what stands beside them."""

    found: Mapping[str, Any]
    text: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


class Caller(Protocol):
    """Something that calls the methods of one server, inside the program or elsewhere."""

    async def call(
        self, tool: str, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None = None
    ) -> ToolResult:
        """The answer of `tool`; raises McpCallError, never anything else."""
        ...

    async def close(self) -> None:
        """End what was opened for this caller alone."""
        ...


async def _answer_of(
    client: Any, tool: str, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None
) -> ToolResult:
    """Call `tool` with the SDK's `client`; raises McpCallError for whatever is no answer."""
    try:
        result = await client.call_tool(tool, dict(arguments), meta=dict(meta) if meta else None)
    except Exception as error:
        raise McpCallError(line_of(error)) from error
    text = "\n".join(getattr(part, "text", "") for part in result.content)[:LONGEST_TEXT]
    beside = result.meta if isinstance(result.meta, dict) else {}
    if result.is_error:
        raise McpCallError(" ".join(text.split())[:300] or "the tool failed", answered=True, meta=beside)
    found = result.structured_content
    if not isinstance(found, dict):
        with suppress(ValueError):
            found = json.loads(text)
    return ToolResult(found if isinstance(found, dict) else {}, text, beside)


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def line_of(error: BaseException) -> str:
    """The reason in one line; of a group the first."""
    error = _first(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


class McpConnection:
    """Calls of an MCP server, each in a session and a task of its own, so that its end never touches the caller.

    `call` raises McpCallError when the server cannot be reached, refuses, breaks off, or is silent for `seconds`.
    After a server was found unreachable or silent the calls that follow fail at once. `asked` says that a call was
    made, `busy` that one is with the server now.
    """

    def __init__(self, url: str, token: str, seconds: float) -> None:
        self._url = url if url.rstrip("/").endswith(ENDPOINT) else url.rstrip("/") + ENDPOINT
        self._near = (urlsplit(url).hostname or "") in {"127.0.0.1", "localhost", "::1"}
        self._token = token
        self._seconds = seconds
        self._gone = ""
        self._late: set[asyncio.Task[Any]] = set()
        self.asked = self.busy = False

    async def call(
        self, tool: str, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None = None
    ) -> ToolResult:
        """See `Caller`."""
        return await self._within_time(lambda client: _answer_of(client, tool, arguments, meta))

    async def offers(self, tool: str) -> bool:
        """Whether the server has `tool`; raises McpCallError."""
        listed = await self._within_time(lambda client: client.list_tools())
        return tool in {one.name for one in listed.tools}

    async def close(self) -> None:
        """Wait until calls that were given up have let go of the server."""
        if self._late:
            await asyncio.wait(self._late, timeout=self._seconds)

    async def _within_time(self, work: Callable[[Any], Awaitable[T]]) -> T:
        if self._gone:
            raise McpCallError(self._gone)
        # Reading the library takes a second: not on the loop, and not on the server's time.
        await asyncio.to_thread(_libraries)
        task = asyncio.create_task(self._in_session(work))
        self.asked = True
        try:
            await asyncio.wait({task}, timeout=self._seconds)
        finally:
            # Whoever stopped the call, or waited long enough, does not wait for the server to notice.
            if not task.done():
                self._gone = f"no answer within {self._seconds:g} s"
                task.cancel()
                self._late.add(task)
        if task.cancelled() or not task.done():
            raise McpCallError(self._gone or "the connection was closed")
        return task.result()

    async def _in_session(self, work: Callable[[Any], Awaitable[T]]) -> T:
        http_client, session, transport = _libraries()
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        # A proxy of the environment has no business between two processes of one machine.
        # Without TLS the machine's certificates, 20 ms to read, are of no use; this context trusts none.
        plain = self._near and self._url.startswith("http://")
        verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True
        http = http_client(headers=headers, timeout=self._seconds, trust_env=not self._near, verify=verify)
        self.busy = True
        try:
            async with http, session(transport(self._url, http_client=http)) as client:
                return await work(client)
        except McpCallError:
            raise
        except Exception as error:  # (whatever the library meets, the turn goes on)
            if isinstance(found := _first(error), McpCallError):
                raise found from None
            self._gone = line_of(error)
            raise McpCallError(self._gone) from error
        finally:
            self.busy = False


def _libraries() -> tuple[Any, Any, Any]:
    """The HTTP client, the MCP client and its transport."""
    from httpx2 import AsyncClient
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    return AsyncClient, Client, streamable_http_client
