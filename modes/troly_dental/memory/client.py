"""The memory as tools of an MCP server that the client knows nothing of (003-36), and as a turn records it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import asdict
from typing import Any, Self, TypeVar

from troly.errors import AccessError
from troly.recording import given, noted
from troly_dental.mcp.caller import ERROR_META, Caller, McpCallError
from troly_dental.memory.types import KINDS, MAX_MESSAGES, Fact, MemoryClient, Message, OldMessages, Role

T = TypeVar("T")
Result = Mapping[str, Any]
log = logging.getLogger(__name__)
SERVER, NOT_YOURS = "memory-server", "store.not_yours"
_MOST_MESSAGES = 10_000
# Begins the labels under which a turn records what the memory gave.
LABEL = "dental.memory."


class McpMemory:
    """A `MemoryClient` of an MCP server, inside the program or elsewhere (003-43).

    What fails is logged and answered as empty (003-39), but a conversation of somebody else is refused: AccessError.
    """

    def __init__(self, server: Caller) -> None:
        self._server = server
        self._problem = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._server.close()

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
            return read((await self._server.call(tool, given)).found)
        except (McpCallError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, McpCallError) and error.meta.get(ERROR_META) == NOT_YOURS:
                raise AccessError(NOT_YOURS) from error
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


class RecordedMemory:
    """A `MemoryClient` around `inner`; None in a replay, which reads the recording and keeps nothing.

    `wrong` gives the answers of a conversation that were marked as wrong: no turn is told of them.
    """

    def __init__(
        self, inner: MemoryClient | None, wrong: Callable[[str], Collection[str]] = lambda _conversation: ()
    ) -> None:
        self._inner = inner
        self._wrong = wrong

    async def __aenter__(self) -> Self:
        if self._inner is not None:
            await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._inner is not None:
            await self._inner.__aexit__(*exc)

    @property
    def problem(self) -> str:
        """The last trouble in one line, "" while all is well."""
        inner = self._inner
        return str(noted(f"{LABEL}problem", lambda: "" if inner is None else inner.problem))

    async def get_or_create(self, conversation_id: str) -> str:
        """See `MemoryClient`."""
        return await self._plain(
            "get_or_create", lambda inner: inner.get_or_create(conversation_id), conversation_id
        )

    async def get_context(self, conversation_id: str, max_messages: int = MAX_MESSAGES) -> list[Message]:
        """See `MemoryClient`."""

        async def read(inner: MemoryClient) -> list[Message]:
            found = await inner.get_context(conversation_id, max_messages)
            return await self._right(conversation_id, found)

        return await self._plain("get_context", read, [])

    async def get_all_messages(self, conversation_id: str) -> list[Message]:
        """See `MemoryClient`."""
        return await self._plain(
            "get_all_messages", lambda inner: inner.get_all_messages(conversation_id), []
        )

    async def get_summary(self, conversation_id: str) -> str:
        """See `MemoryClient`."""
        return await self._plain("get_summary", lambda inner: inner.get_summary(conversation_id), "")

    async def get_old_messages(self, conversation_id: str) -> OldMessages:
        """See `MemoryClient`."""

        async def read(inner: MemoryClient) -> OldMessages:
            found = await inner.get_old_messages(conversation_id)
            kept = await self._right(conversation_id, list(found.messages))
            return OldMessages(tuple(kept), found.total_count)

        return await self._taken(
            "get_old_messages",
            read,
            asdict,
            lambda saved: OldMessages(tuple(saved["messages"]), saved["total_count"]),
            OldMessages(),
        )

    async def get_facts(self, conversation_id: str) -> tuple[Fact, ...]:
        """See `MemoryClient`."""
        nothing: tuple[Fact, ...] = ()
        return await self._taken(
            "get_facts",
            lambda inner: inner.get_facts(conversation_id),
            lambda facts: [asdict(fact) for fact in facts],
            lambda saved: tuple(Fact(**fact) for fact in saved),
            nothing,
        )

    async def set_summary(self, conversation_id: str, summary: str, compress: bool = False) -> None:
        """See `MemoryClient`."""
        if self._inner is not None:
            await self._inner.set_summary(conversation_id, summary, compress)

    async def add_message(self, conversation_id: str, role: Role, content: str) -> None:
        """See `MemoryClient`."""
        if self._inner is not None:
            await self._inner.add_message(conversation_id, role, content)

    async def _right(self, conversation_id: str, messages: list[Message]) -> list[Message]:
        """The messages without answers that were marked as wrong."""
        if not messages:
            return messages
        wrong = {text.strip() for text in await asyncio.to_thread(self._wrong, conversation_id)}
        return [one for one in messages if one["role"] == "user" or one["content"].strip() not in wrong]

    async def _plain(self, name: str, ask: Callable[[MemoryClient], Awaitable[T]], otherwise: T) -> T:
        return await self._taken(name, ask, lambda value: value, lambda value: value, otherwise)

    async def _taken(
        self,
        name: str,
        ask: Callable[[MemoryClient], Awaitable[T]],
        pack: Callable[[T], Any],
        unpack: Callable[[Any], T],
        otherwise: T,
    ) -> T:
        inner = self._inner

        async def work() -> T:
            return otherwise if inner is None else await ask(inner)

        return await given(f"{LABEL}{name}", work, pack, unpack)
