"""The memory as a turn is told of it: recorded while the turn runs, given again when the turn is replayed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import asdict
from typing import Any, Self, TypeVar

from troly.recording import given, noted
from troly_dental.memory.types import MAX_MESSAGES, Fact, MemoryClient, Message, OldMessages, Role

T = TypeVar("T")
LABEL = "dental.memory."


class TapedMemory:
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
