"""What a call of an MCP tool is to this mode, and the connection to a server of another process over streamable HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

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


def line_of(error: BaseException) -> str:
    """The reason in one line; of a group the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


@dataclass(slots=True)
class _PendingCall:
    """One call on its way: a tool (none: whether `arguments["tool"]` is there), and where the answer goes."""

    tool: str
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any] | None
    answer: asyncio.Future[ToolResult] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class McpConnection:
    """One session with an MCP server, kept by a task of its own so that its end never touches the caller.

    `call` raises McpCallError when the server cannot be reached, refuses, breaks off, or is silent for `seconds`.
    After a server was found unreachable or silent the calls that follow fail at once. `asked` says that a call was
    made, `busy` that one is with the server now.
    """

    def __init__(self, url: str, token: str, seconds: float) -> None:
        self._url = url if url.rstrip("/").endswith(ENDPOINT) else url.rstrip("/") + ENDPOINT
        self._near = (urlsplit(url).hostname or "") in {"127.0.0.1", "localhost", "::1"}
        self._token = token
        self._seconds = seconds
        self._queue: asyncio.Queue[_PendingCall | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._gone = ""
        self.asked = self.busy = False

    async def call(
        self, tool: str, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None = None
    ) -> ToolResult:
        """See `Caller`."""
        if self._gone:
            raise McpCallError(self._gone)
        if self._task is None:
            # Reading the library takes a second: not on the loop, and not on the server's time.
            await asyncio.to_thread(_libraries)
        if self._task is None:
            self._task = asyncio.create_task(self._serve())
        asked = _PendingCall(tool, arguments, meta)
        self._queue.put_nowait(asked)
        self.asked = True
        waiting: set[asyncio.Future[Any]] = {asked.answer, self._task}
        try:
            done, _ = await asyncio.wait(waiting, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # Whoever stopped the call does not wait for the server to notice.
            self._gone = "the call was stopped"
            asked.answer.cancel()
            raise
        if asked.answer.done():
            return asked.answer.result()
        asked.answer.cancel()
        if not done:
            self._gone = f"no answer within {self._seconds:g} s"
        raise McpCallError(self._gone or "the connection was closed")

    async def offers(self, tool: str) -> bool:
        """Whether the server has `tool`; raises McpCallError."""
        return bool((await self.call("", {"tool": tool})).found["offered"])

    async def close(self) -> None:
        """End the session; a server that does not let go is left."""
        if self._task is None:
            return
        if self._gone:
            self._task.cancel()
        self._queue.put_nowait(None)
        _, late = await asyncio.wait({self._task}, timeout=self._seconds)
        for task in late:
            task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._task

    async def _serve(self) -> None:
        try:
            await self._hold()
        except Exception as error:  # noqa: BLE001 (whatever the library meets, the turn goes on)
            self._gone = self._gone or line_of(error)

    async def _hold(self) -> None:
        http_client, session, transport = _libraries()
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        # A proxy of the environment has no business between two processes of one machine.
        http = http_client(headers=headers, timeout=self._seconds, trust_env=not self._near)
        async with http, session(transport(self._url, http_client=http)) as client:
            while (asked := await self._queue.get()) is not None:
                if asked.answer.done():
                    continue
                self.busy = True
                try:
                    answer = await _done(client, asked)
                except McpCallError as error:
                    if not asked.answer.done():
                        asked.answer.set_exception(error)
                    continue
                finally:
                    self.busy = False
                if not asked.answer.done():
                    asked.answer.set_result(answer)


async def _done(client: Any, asked: _PendingCall) -> ToolResult:
    if asked.tool:
        return await _answer_of(client, asked.tool, asked.arguments, asked.meta)
    try:
        offered = {one.name for one in (await client.list_tools()).tools}
    except Exception as error:
        raise McpCallError(line_of(error)) from error
    return ToolResult({"offered": asked.arguments["tool"] in offered})


def _libraries() -> tuple[Any, Any, Any]:
    """The HTTP client, the MCP client and its transport."""
    from httpx2 import AsyncClient
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    return AsyncClient, Client, streamable_http_client
