"""What is looked up for an answer: the subject of a follow-up, the web where that is wanted, the bundled notes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.errors import StoreError
from troly.llm.session import OFFLINE
from troly.plugin.context import TurnContext
from troly.recording import recorded_call
from troly.text.fold import fold
from troly.text.match import Lexicon
from troly_dental import notes as bundled
from troly_dental.guard import judge
from troly_dental.notes import Note
from troly_dental.search.web_search import SearchOutcome, outcome_from_json
from troly_dental.settings import DentalSettings
from troly_dental.step_log import StepLog

if TYPE_CHECKING:
    from troly_dental.search.pages import Page


# -- What one node of a turn leaves for the next.

# Kept with the conversation: the last question, whether it was dental, the last one that stood for itself.
KEPT = "dental"


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """The turn before this one; `topic` is the last dental question that is understood without another, `notes` are the
    topics of the notes that answered."""

    question: str = ""
    dental: bool = False
    topic: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> PreviousTurn:
        """As `kept` saved it; anything else counts as nothing said before."""
        saved = metadata.get(KEPT)
        if not isinstance(saved, Mapping):
            return cls()
        notes = tuple(map(str, saved.get("notes") or ()))
        return cls(
            str(saved.get("question", "")), bool(saved.get("dental")), str(saved.get("topic", "")), notes
        )

    def kept(self) -> dict[str, Any]:
        """Plain values for the conversation's metadata."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Findings:
    """What the answer may rest on: web pages, bundled notes, and what was sent to the search engine."""

    pages: tuple[Page, ...] = ()
    notes: tuple[Note, ...] = ()
    query: str = ""
    engine: str = ""
    # What the notes were searched for, and those kept for when the model does not answer from the pages.
    subject: str = ""
    spare: tuple[Note, ...] = ()
    # Those of the answer before, which a follow-up may be about.
    before: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class SpokenAnswer:
    """What was said: `text` without the sources, and what it rests on, in the order of their numbers: pages, then notes.

    `gist` is the part of it that the summary is made of, `red_flag` the emergency that the model told of,
    `cited` the numbers that are listed (None: all).
    """

    text: str
    gist: str
    pages: tuple[Page, ...] = ()
    notes: tuple[Note, ...] = ()
    red_flag: str | None = None
    cited: frozenset[int] | None = None


NOTES, MOST_NOTES, TOPIC_CHARS = 2, 3, 120
_POINTING = Path(__file__).parent / "lexicons" / "pointing.txt"


def wants_web(turn: TurnContext) -> bool:
    """Whether this turn may send a query: the setting `dental.search` and `--offline` are asked."""
    return (
        turn.services.settings.of(DentalSettings).search == "on" and turn.model.reason_unavailable != OFFLINE
    )


def with_subject(question: str, before: PreviousTurn, earlier: Sequence[str] = ()) -> str:
    """The question with the subject it follows up ("còn giá thì sao?", "răng đó", "cách đầu" of two that an `earlier` message
    names); as it is where it stands for itself."""
    if not before.topic or not before.dental:
        return question
    if picked := option(question, earlier):
        return f"{picked} {question}"
    if judge(question, None, False).dental and not _pointing().find(question):
        return question
    return f"{textwrap.shorten(before.topic, TOPIC_CHARS, placeholder='')} {question}".strip()


_CHOICE = re.compile(
    r"\b(?:(?:cach|cai|loai|kieu|y|dieu|dong|muc|gach dau dong|phuong phap|lua chon|thang|con)\s+(?:thu\s+)?(dau(?: tien)?|nhat|mot|hai|ba|tu|sau|cuoi(?: cung)?|con lai)"
    r"|the\s+(first|former|second|latter|third|fourth|last|other)(?:\s+(?:one|option|way|point|thing|item))?)\b"
)
# A place in a list: "cái đầu" may ache, "con đầu tiên" is a child.
_IN_A_LIST = re.compile(r"^(?!con )(?!.*\b(?:con lai|other)$).*\b(?:thu|tien|cung|the)\b")
_BETWEEN = re.compile(
    r",|\b(?:hay|hoặc|hoac|so với|so voi|khác(?: gì)?(?: với)?|khac(?: gi)?(?: voi)?|compared (?:to|with)|or|vs|versus|and|và)\b",
    re.IGNORECASE,
)
_NO_NAME = re.compile(r"(?:(?<=^)|(?<=,))\s*[^\s,]+(?:\s+(?!(?:hay|hoặc|hoac|or|vs)\b)[^\s,]+){3,},")
# The place that each of these picks; all others pick the last.
_PLACES = {
    "dau": 0, "dau tien": 0, "nhat": 0, "mot": 0, "first": 0, "former": 0, "hai": 1, "second": 1, "ba": 2, "third": 2, "tu": 3, "fourth": 3,
}  # fmt: skip


def option(question: str, earlier: Sequence[str]) -> str:
    """The subject that `question` picks by its place among those that the last of `earlier` messages with several names."""
    found = _CHOICE.search(fold(question))
    for text in reversed(earlier) if found else ():
        # What stands before a comma is one of several where it is a bare name: "implant, cầu răng hay hàm giả".
        named = [bundled.subjects(part) for part in _BETWEEN.split(_NO_NAME.sub("", text))]
        parts = [one for topics in named if (one := {k: v for k, v in topics.items() if k != bundled.PRICE})]
        if found and len(parts) > 1:
            place = _PLACES.get(found[1] or found[2], -1)
            topics = parts[place] if place < len(parts) else {}
            return _subject(topics)
        asked = [part for part in _BETWEEN.split(text) if bundled.asks(part)] if text is earlier[-1] else []
        place = _PLACES.get(found[1] or found[2], len(asked) - 1) if found else 0
        if len(asked) > max(place, 1):
            # "Niềng mất bao lâu, có đau không": the second thing is whether it hurts.
            return f"{_subject(bundled.subjects(text))} {asked[place]}".strip()
    return ""


def _subject(topics: Mapping[str, int]) -> str:
    """The title of the note that most words name; "" of none."""
    best = sorted(topics, key=lambda one: -topics[one])[:1]
    return "".join(note.title for note in bundled.of_topics(best, "vi"))


def listed(question: str, said: str) -> tuple[int, str] | None:
    """The place, from 1, and the line of the list in `said`, the last answer, that `question` picks and names nothing else;
    "" where the list is shorter, None where nothing is picked."""
    found = _CHOICE.search(fold(question))
    lines = [line.removeprefix("- ") for line in said.splitlines() if line.startswith("- ")]
    if found is None or not lines or bundled.subjects(question) or not _IN_A_LIST.search(found[0]):
        return None
    place = _PLACES.get(found[1] or found[2], len(lines) - 1)
    return place + 1, lines[place] if place < len(lines) else ""


async def search_web(turn: TurnContext, query: str) -> SearchOutcome:
    """Search the web by the tool-server (003-17 to 003-19); never raises."""
    from troly_dental.search.tool import search_tool

    return await recorded_call(
        "dental.search",
        lambda: search_tool(turn.services, query, turn.language),
        asdict,
        outcome_from_json,
        lambda: SearchOutcome(problem="off"),
    )


async def search_notes(turn: TurnContext, query: str) -> tuple[Note, ...]:
    """The bundled notes that fit `query`, by words, and by meaning where words find nothing and an embedder is there."""
    services, lang, allowed = turn.services, turn.language, turn.profile.permissions
    try:
        found = await bundled.find_in(services, query, NOTES, lang, permissions=allowed)
        if not found and turn.model.reason_unavailable is None:
            embedder = services.settings.models.for_mode(turn.mode.id, "embed")
            found = await bundled.find_in(
                services, query, NOTES, lang, permissions=allowed, embed=turn.model.embed, embedder=embedder
            )
    except StoreError as error:
        StepLog(turn).trouble("6.2", f"Notes not readable: {error}")
        return ()
    return found


@cache
def _pointing() -> Lexicon:
    return Lexicon.load(_POINTING)
