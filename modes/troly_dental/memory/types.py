"""The shapes of the dental memory: messages, facts, and the protocol that nodes talk to, wherever it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, Self, TypedDict

Role = Literal["user", "assistant"]
FactKind = Literal["allergy", "medicine", "pregnancy", "disease", "age", "name", "tooth", "date", "number"]
# In the order in which they are told: what can do harm first.
KINDS: tuple[FactKind, ...] = (
    "allergy", "medicine", "pregnancy", "disease", "age", "name", "tooth", "date", "number",
)  # fmt: skip
MAX_MESSAGES = 20


class Message(TypedDict):
    """One message as models take it."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class OldMessages:
    """Messages before the recent ones that are not compressed yet, and how many messages there are in all (003-15)."""

    messages: tuple[Message, ...] = ()
    total_count: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the user stated that no compression may touch (C5).

    `value` is what it is about ("penicillin"), `text` the clause as it was said; `id` is 0 before it is kept.
    """

    kind: FactKind
    value: str
    text: str
    id: int = 0
    conversation_id: str = ""


class MemoryClient(Protocol):
    """The memory server's methods with the documents' parameters (003-12 to 003-29), and the pinned facts.

    A memory that is down, slow or broken is logged, and the answer is as if it were empty (003-39). Only a conversation
    of somebody else is refused: AccessError.
    `problem` is the last such trouble in one line, "" while all is well. Used as `async with … as memory`.
    """

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_exc: object) -> None: ...

    @property
    def problem(self) -> str: ...

    async def get_or_create(self, conversation_id: str) -> str:
        """The id of an existing conversation, or of a new one under the given id (003-12)."""
        ...

    async def get_context(self, conversation_id: str, max_messages: int = MAX_MESSAGES) -> list[Message]:
        """The last messages, oldest first: the smaller of `max_messages` and KEEP_RECENT_MESSAGES (003-13, C2)."""
        ...

    async def get_old_messages(self, conversation_id: str) -> OldMessages:
        """The messages before those; none once they are compressed (003-15)."""
        ...

    async def get_all_messages(self, conversation_id: str) -> list[Message]:
        """The whole history, for display (003-14, C4)."""
        ...

    async def get_summary(self, conversation_id: str) -> str:
        """The accumulated summary, "" before the first answer (003-20)."""
        ...

    async def set_summary(self, conversation_id: str, summary: str, compress: bool = False) -> None:
        """Replace the summary; with `compress` old messages leave the context (003-29, C4)."""
        ...

    async def add_message(self, conversation_id: str, role: Role, content: str) -> None:
        """Keep a message; the facts of a user's message are pinned (003-27)."""
        ...

    async def get_facts(self, conversation_id: str) -> tuple[Fact, ...]:
        """The pinned facts that a prompt has room for, by kind, oldest first."""
        ...
