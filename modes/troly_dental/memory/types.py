"""The shapes of the dental memory: messages and facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

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

    `value` is what it is about ("penicillin"), `text` the clause as it was said, with whom it is of where that was said
    before; `id` is 0 before it is kept, `earlier` marks what was told in another conversation.
    """

    kind: FactKind
    value: str
    text: str
    id: int = 0
    conversation_id: str = ""
    earlier: bool = False
