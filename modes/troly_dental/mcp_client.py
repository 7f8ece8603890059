"""The mode's MCP client: the memory of another process, over streamable HTTP; knows nothing of the server (003-36)."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from troly_dental.memory.types import KINDS, MAX_MESSAGES, Fact, Message, OldMessages, Role

T = TypeVar("T")
Result = Mapping[str, Any]
log = logging.getLogger(__name__)
SERVER, ENDPOINT = "memory-server", "/mcp"
_MOST_MESSAGES = 10_000


class McpCallError(Exception):
    """The server did not answer a call as it should; the message says why in one line."""


@dataclass(slots=True)
class _Asked:
    """One call on its way: a tool, its arguments, and where the answer goes."""

    tool: str
    arguments: Mapping[str, Any]
    answer: asyncio.Future[Result] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class McpConnection:
    """One session with an MCP server, kept by a task of its own so that its end never touches the caller.

    `call` raises McpCallError when the server cannot be reached, refuses, breaks off, or is silent for `seconds`.
    After a server was found unreachable or silent the calls that follow fail at once. `busy` says that a call is with
    the server now.
    """

    def __init__(self, url: str, token: str, seconds: float) -> None:
        self._url = url if url.rstrip("/").endswith(ENDPOINT) else url.rstrip("/") + ENDPOINT
        self._near = (urlsplit(url).hostname or "") in {"127.0.0.1", "localhost", "::1"}
        self._token = token
        self._seconds = seconds
        self._queue: asyncio.Queue[_Asked | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._gone = ""
        self.busy = False

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        """The structured result of a tool."""
        if self._gone:
            raise McpCallError(self._gone)
        if self._task is None:
            # Reading the library takes a second: not on the loop, and not on the server's time.
            await asyncio.to_thread(_libraries)
        if self._task is None:
            self._task = asyncio.create_task(self._serve())
        asked = _Asked(tool, arguments)
        self._queue.put_nowait(asked)
        waiting: set[asyncio.Future[Any]] = {asked.answer, self._task}
        done, _ = await asyncio.wait(waiting, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        if asked.answer.done():
            return asked.answer.result()
        asked.answer.cancel()
        if not done:
            self._gone = f"no answer within {self._seconds:g} s"
        raise McpCallError(self._gone or "the connection was closed")

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
            self._gone = self._gone or _line(error)

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
                    result = await client.call_tool(asked.tool, dict(asked.arguments))
                except Exception as error:  # noqa: BLE001 (one failed call does not end the session)
                    _settle(asked, McpCallError(_line(error)))
                    continue
                finally:
                    self.busy = False
                _settle(asked, _structured(result))


def _libraries() -> tuple[Any, Any, Any]:
    """The HTTP client, the MCP client and its transport."""
    from httpx2 import AsyncClient
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    return AsyncClient, Client, streamable_http_client


def _settle(asked: _Asked, answer: Result | McpCallError) -> None:
    if asked.answer.done():
        return
    if isinstance(answer, McpCallError):
        asked.answer.set_exception(answer)
    else:
        asked.answer.set_result(answer)


def _structured(result: Any) -> Result | McpCallError:
    text = " ".join(getattr(part, "text", "") for part in result.content)
    if result.is_error:
        return McpCallError(" ".join(text.split())[:300] or "the tool failed")
    found = result.structured_content
    if not isinstance(found, dict):
        with suppress(ValueError):
            found = json.loads(text)
    return found if isinstance(found, dict) else McpCallError("an answer without an object")


def _line(error: BaseException) -> str:
    """The reason in one line; of a group the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


class McpMemory:
    """A `MemoryClient` at an MCP server (003-43); what fails is logged and answered as empty (003-39)."""

    def __init__(self, url: str, token: str = "", seconds: float = 5.0) -> None:
        self._connection = McpConnection(url, token, seconds)
        self._problem = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._connection.close()

    @property
    def problem(self) -> str:
        """The last trouble in one line, "" while all is well."""
        return self._problem

    async def get_or_create(self, conversation_id: str) -> str:
        """See `MemoryClient`; without the server the id that was given."""
        given = {"conversation_id": conversation_id}
        return await self._ask("get_or_create", given, lambda r: str(r["conversation_id"]), conversation_id)

    async def get_context(self, conversation_id: str, max_messages: int = MAX_MESSAGES) -> list[Message]:
        """See `MemoryClient`."""
        given = {"conversation_id": conversation_id, "max_messages": max_messages}
        return await self._ask("get_context", given, lambda r: _messages(r["messages"])[-max_messages:], [])

    async def get_old_messages(self, conversation_id: str) -> OldMessages:
        """See `MemoryClient`."""

        def read(result: Result) -> OldMessages:
            return OldMessages(tuple(_messages(result["old_messages"])), int(result["total_count"]))

        return await self._ask("get_old_messages", {"conversation_id": conversation_id}, read, OldMessages())

    async def get_all_messages(self, conversation_id: str) -> list[Message]:
        """See `MemoryClient`."""
        given = {"conversation_id": conversation_id}
        return await self._ask("get_all_messages", given, lambda r: _messages(r["messages"]), [])

    async def get_summary(self, conversation_id: str) -> str:
        """See `MemoryClient`."""
        given = {"conversation_id": conversation_id}
        return await self._ask("get_summary", given, lambda r: str(r["summary"]), "")

    async def set_summary(self, conversation_id: str, summary: str, compress: bool = False) -> None:
        """See `MemoryClient`."""
        given = {"conversation_id": conversation_id, "summary": summary, "compress": compress}
        await self._ask("set_summary", given, lambda _result: None, None)

    async def add_message(self, conversation_id: str, role: Role, content: str) -> None:
        """See `MemoryClient`."""
        given = {"conversation_id": conversation_id, "role": role, "content": content}
        await self._ask("add_message", given, lambda _result: None, None)

    async def get_facts(self, conversation_id: str) -> tuple[Fact, ...]:
        """See `MemoryClient`; a server that pins no facts has none."""
        given = {"conversation_id": conversation_id}
        nothing: tuple[Fact, ...] = ()
        return await self._ask("get_summary", given, lambda r: _facts(r.get("facts", ())), nothing)

    async def _ask(self, tool: str, given: Mapping[str, Any], read: Callable[[Result], T], otherwise: T) -> T:
        try:
            return read(await self._connection.call(tool, given))
        except (McpCallError, KeyError, TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, McpCallError) else "an answer of another shape"
            self._problem = f"{SERVER} {tool}: {reason}"
            log.error("Memory error, going on without it: %s", self._problem, exc_info=error)  # noqa: TRY400 (given)
            return otherwise


def _messages(found: Any) -> list[Message]:
    return [
        {"role": "user" if one["role"] == "user" else "assistant", "content": str(one["content"])}
        for one in list(found)[:_MOST_MESSAGES]
    ]


def _facts(found: Any) -> tuple[Fact, ...]:
    return tuple(
        Fact(one["kind"], str(one["value"]), str(one["text"]), int(one.get("id", 0)))
        for one in found
        if one["kind"] in KINDS
    )
