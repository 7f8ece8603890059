"""What one node of a dental turn leaves for the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from troly_dental.memory import Fact, Message
    from troly_dental.notes import Note
    from troly_dental.search import Page

# Kept with the conversation: the last question, whether it was dental, and the last one that stood for itself.
KEPT = "dental"


@dataclass(frozen=True, slots=True)
class Before:
    """The turn before this one; `topic` is the last dental question that is understood without another."""

    question: str = ""
    dental: bool = False
    topic: str = ""

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Before:
        """As `kept` saved it; anything else counts as nothing said before."""
        saved = metadata.get(KEPT)
        if not isinstance(saved, Mapping):
            return cls()
        return cls(str(saved.get("question", "")), bool(saved.get("dental")), str(saved.get("topic", "")))

    def kept(self) -> dict[str, Any]:
        """Plain values for the conversation's metadata."""
        return {"question": self.question, "dental": self.dental, "topic": self.topic}


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the memory gave: the last messages, the summary and pinned facts; all empty where it cannot be asked (003-39)."""

    messages: tuple[Message, ...] = ()
    summary: str = ""
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What the answer may rest on: web pages, bundled notes, and what was sent to the search engine."""

    pages: tuple[Page, ...] = ()
    notes: tuple[Note, ...] = ()
    query: str = ""
    engine: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """What was said: `text` without the sources, and what it rests on, in the order of their numbers: pages, then notes.

    `gist` is the part of it that the summary is made of.
    """

    text: str
    gist: str
    pages: tuple[Page, ...] = ()
    notes: tuple[Note, ...] = ()
