"""The dental memory as a client sees it: the documents' methods, of a server that it knows nothing of (003-36)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

from troly.errors import AccessError
from troly_dental.mcp_client import ERROR_META, Caller, McpCallError
from troly_dental.memory.types import KINDS, MAX_MESSAGES, Fact, Message, OldMessages, Role

T = TypeVar("T")
Result = Mapping[str, Any]
log = logging.getLogger(__name__)
SERVER, NOT_YOURS = "memory-server", "store.not_yours"
_MOST_MESSAGES = 10_000


class MemoryClient:
    """The memory-server's methods with the documents' parameters (003-12 to 003-29), and the pinned facts.

    A memory that is down, slow or broken is logged and answers as if it were empty (003-39); only a conversation of
    somebody else is refused: AccessError. Used as `async with … as memory`.
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
        """The id of an existing conversation, or of a new one under the given id (003-12), which a dead server gives back."""
        given = {"conversation_id": conversation_id}
        return await self._ask("get_or_create", given, lambda r: str(r["conversation_id"]), conversation_id)

    async def get_context(self, conversation_id: str, max_messages: int = MAX_MESSAGES) -> list[Message]:
        """The last messages, oldest first: the smaller of `max_messages` and KEEP_RECENT_MESSAGES (003-13, C2)."""
        given = {"conversation_id": conversation_id, "max_messages": max_messages}
        return await self._ask("get_context", given, lambda r: _messages(r["messages"])[-max_messages:], [])

    async def get_old_messages(self, conversation_id: str) -> OldMessages:
        """The messages before those; none once they are compressed (003-15)."""

        def read(result: Result) -> OldMessages:
            return OldMessages(tuple(_messages(result["old_messages"])), int(result["total_count"]))

        return await self._ask("get_old_messages", {"conversation_id": conversation_id}, read, OldMessages())

    async def get_all_messages(self, conversation_id: str) -> list[Message]:
        """The whole history, for display (003-14, C4)."""
        given = {"conversation_id": conversation_id}
        return await self._ask("get_all_messages", given, lambda r: _messages(r["messages"]), [])

    async def get_summary(self, conversation_id: str) -> str:
        """The accumulated summary, "" before the first answer (003-20)."""
        given = {"conversation_id": conversation_id}
        return await self._ask("get_summary", given, lambda r: str(r["summary"]), "")

    async def set_summary(self, conversation_id: str, summary: str, compress: bool = False) -> None:
        """Replace the summary; with `compress` old messages leave the context (003-29, C4)."""
        given = {"conversation_id": conversation_id, "summary": summary, "compress": compress}
        await self._ask("set_summary", given, lambda _result: None, None)

    async def add_message(self, conversation_id: str, role: Role, content: str) -> None:
        """Keep a message; the facts of a user's message are pinned (003-27)."""
        given = {"conversation_id": conversation_id, "role": role, "content": content}
        await self._ask("add_message", given, lambda _result: None, None)

    async def get_facts(self, conversation_id: str) -> tuple[Fact, ...]:
        """The pinned facts that a prompt has room for, by kind, oldest first."""
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
        Fact(
            one["kind"],
            str(one["value"]),
            str(one["text"]),
            int(one.get("id", 0)),
            earlier=one.get("earlier") is True,
        )
        for one in found
        if one["kind"] in KINDS
    )
