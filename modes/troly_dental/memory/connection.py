"""Where a turn recalls and keeps: the person's own store, or a memory-server elsewhere, and all of it recorded (003-12 to 003-29)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from troly.errors import TrolyError
from troly.recording import recorded_call
from troly.stores.wrong_answers import WrongAnswers
from troly_dental.mcp_client import ERROR_META, McpCallError, McpConnection, ToolResult, line_of
from troly_dental.memory.client import MemoryClient
from troly_dental.memory.store import MemoryStore, methods
from troly_dental.memory.types import MAX_MESSAGES, Fact, Message
from troly_dental.settings import DentalSettings

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What the memory gave: the last messages, how many older ones there are and how many in all, summary and pinned facts.

    Empty where the memory cannot be asked (003-39); `problem` then says why in one line.
    """

    conversation_id: str = ""
    messages: tuple[Message, ...] = ()
    old: int = 0
    total_count: int = 0
    summary: str = ""
    facts: tuple[Fact, ...] = ()
    problem: str = ""


class StoreCaller:
    """A `Caller` of the person's own store: the memory-server's methods, each in a thread."""

    def __init__(self, store: MemoryStore) -> None:
        self._methods = {method.__name__: method for method in methods(store)}

    async def call(
        self, tool: str, arguments: Mapping[str, Any], _meta: Mapping[str, Any] | None = None
    ) -> ToolResult:
        """See `Caller`."""
        try:
            return ToolResult(await asyncio.to_thread(self._methods[tool], **arguments))
        except Exception as error:
            key = error.key if isinstance(error, TrolyError) else ""
            raise McpCallError(line_of(error), answered=True, meta={ERROR_META: key}) from error

    async def close(self) -> None:
        """Nothing was opened."""


def open_memory(services: Services, profile: Profile) -> MemoryClient:
    """The memory of `profile`: of the own store, or over streamable HTTP when MCP_SERVER_URL is set (003-43)."""
    settings = services.settings.of(DentalSettings)
    if settings.mcp_server_url:
        return MemoryClient(
            McpConnection(settings.mcp_server_url, settings.mcp_server_token or "", settings.mcp_seconds)
        )
    return MemoryClient(StoreCaller(MemoryStore.of(services.state, services.clock, profile.login, settings)))


async def recall(turn: TurnContext) -> MemoryContext:
    """What the memory has of the conversation, without answers that were marked as wrong."""

    async def read() -> MemoryContext:
        async with open_memory(turn.services, turn.profile) as memory:
            known = await memory.get_or_create(turn.conversation.id)
            messages = await memory.get_context(known, MAX_MESSAGES)
            old = await memory.get_old_messages(known)
            summary = await memory.get_summary(known)
            facts = await memory.get_facts(known)
        if messages:
            texts = await asyncio.to_thread(WrongAnswers(turn.services.conversations).texts, known)
            # An answer is kept with its section of sources behind what was shown.
            wrong = tuple(text.strip() for text in texts if text.strip())
            messages = [
                one for one in messages if one["role"] == "user" or not one["content"].startswith(wrong)
            ]
        return MemoryContext(
            known, tuple(messages), len(old.messages), old.total_count, summary, facts, memory.problem
        )

    def unpack(saved: Mapping[str, Any]) -> MemoryContext:
        facts = tuple(Fact(**fact) for fact in saved["facts"])
        return MemoryContext(**{**saved, "messages": tuple(saved["messages"]), "facts": facts})

    return await recorded_call(
        "dental.memory.recalled", read, asdict, unpack, lambda: MemoryContext(turn.conversation.id)
    )


async def save_messages(turn: TurnContext, conversation_id: str, question: str, answer: str) -> str:
    """Keep question and answer (003-27); returns what went wrong in one line, "" when nothing did."""

    async def write(memory: MemoryClient) -> None:
        await memory.add_message(conversation_id, "user", question)
        await memory.add_message(conversation_id, "assistant", answer)

    return await _written(turn, write)


async def save_summary(turn: TurnContext, conversation_id: str, summary: str, *, compress: bool) -> str:
    """Replace the summary (003-29); returns what went wrong in one line, "" when nothing did."""
    return await _written(turn, lambda memory: memory.set_summary(conversation_id, summary, compress))


async def _written(turn: TurnContext, write: Callable[[MemoryClient], Awaitable[None]]) -> str:
    """What `write` met; a replay is told it again and writes nothing."""

    async def work() -> str:
        async with open_memory(turn.services, turn.profile) as memory:
            await write(memory)
        return memory.problem

    return await recorded_call("dental.memory.saved", work, str, str, str)
