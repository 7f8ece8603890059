"""The memory inside the program: the protocol over the state database, in threads, never fatal (003-39)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Self, TypeVar

from troly.errors import AccessError, TrolyError
from troly_dental.memory.store import MemoryStore
from troly_dental.memory.telling import worth_telling
from troly_dental.memory.types import MAX_MESSAGES, Fact, Message, OldMessages, Role

T = TypeVar("T")
log = logging.getLogger(__name__)


class LocalMemory:
    """A `MemoryClient` over one user's `MemoryStore`."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._problem = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        """There is nothing to close: the state database belongs to the services."""

    @property
    def problem(self) -> str:
        """The last trouble in one line, "" while all is well."""
        return self._problem

    async def get_or_create(self, conversation_id: str) -> str:
        """See `MemoryClient`; without the memory the id that was given."""
        return await self._try(lambda: self._store.get_or_create(conversation_id), conversation_id)

    async def get_context(self, conversation_id: str, max_messages: int = MAX_MESSAGES) -> list[Message]:
        """See `MemoryClient`."""
        return await self._try(lambda: self._store.get_context(conversation_id, max_messages), [])

    async def get_old_messages(self, conversation_id: str) -> OldMessages:
        """See `MemoryClient`."""
        return await self._try(lambda: self._store.get_old_messages(conversation_id), OldMessages())

    async def get_all_messages(self, conversation_id: str) -> list[Message]:
        """See `MemoryClient`."""
        return await self._try(lambda: self._store.get_all_messages(conversation_id), [])

    async def get_summary(self, conversation_id: str) -> str:
        """See `MemoryClient`."""
        return await self._try(lambda: self._store.get_summary(conversation_id), "")

    async def set_summary(self, conversation_id: str, summary: str, compress: bool = False) -> None:
        """See `MemoryClient`."""
        await self._try(lambda: self._store.set_summary(conversation_id, summary, compress=compress), None)

    async def add_message(self, conversation_id: str, role: Role, content: str) -> None:
        """See `MemoryClient`."""
        nothing: tuple[Fact, ...] = ()
        await self._try(lambda: self._store.add_message(conversation_id, role, content), nothing)

    async def get_facts(self, conversation_id: str) -> tuple[Fact, ...]:
        """See `MemoryClient`."""
        nothing: tuple[Fact, ...] = ()
        return await self._try(lambda: worth_telling(self._store.facts(conversation_id)), nothing)

    async def _try(self, work: Callable[[], T], otherwise: T) -> T:
        try:
            return await asyncio.to_thread(work)
        except AccessError:
            raise
        except TrolyError as error:
            self._problem = str(error)
            log.error("Memory error, going on without it: %s", error, exc_info=error)  # noqa: TRY400 (the trace is given)
            return otherwise
