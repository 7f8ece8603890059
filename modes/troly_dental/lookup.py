"""What to look for and where: a follow-up gets its subject back, the web is asked where that is wanted, the notes always can be."""

from __future__ import annotations

import textwrap
import time
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from troly.errors import StoreError
from troly.llm.session import OFFLINE
from troly.plugin.context import TurnContext
from troly.recording import given, measured
from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.match import Lexicon
from troly_dental import notes as bundled
from troly_dental.guard import judge
from troly_dental.notes import Note
from troly_dental.search import SearchOutcome, packed, unpacked
from troly_dental.settings import DentalSettings
from troly_dental.steps_log import StepLog
from troly_dental.working import Before

NOTES, TOPIC_CHARS = 2, 120
_POINTING = Path(__file__).parent / "lexicons" / "pointing.txt"


@dataclass(frozen=True, slots=True)
class Web:
    """One search of the web: what it gave, and its milliseconds."""

    outcome: SearchOutcome
    ms: float = 0.0


def wants_web(turn: TurnContext) -> bool:
    """Whether this turn may send a query: the setting `dental.search` and `--offline` are asked."""
    return (
        turn.services.settings.of(DentalSettings).search == "on" and turn.model.reason_unavailable != OFFLINE
    )


def follows(question: str, before: Before) -> str:
    """The question with the subject it follows up ("còn giá thì sao?", "răng đó"); as it is where it stands for itself."""
    if not before.topic or not before.dental:
        return question
    if judge(question, None, False).dental and not _pointing().find(question):
        return question
    return f"{textwrap.shorten(before.topic, TOPIC_CHARS, placeholder='')} {question}".strip()


async def look(turn: TurnContext, query: str) -> Web:
    """Search the web by the tool-server (003-17 to 003-19); never raises."""
    from troly_dental.mcp_search import search_tool

    began = time.perf_counter()
    outcome = await given(
        "dental.search",
        lambda: search_tool(turn.services, query, turn.language),
        packed,
        unpacked,
        lambda: SearchOutcome(problem="off"),
    )
    return Web(outcome, measured("dental.search", (time.perf_counter() - began) * 1000))


async def look_in_notes(turn: TurnContext, query: str) -> tuple[Note, ...]:
    """The bundled notes that fit `query`, by words, and by meaning where words find nothing and an embedder is there."""
    try:
        found = await bundled.find_in(
            turn.services, query, NOTES, turn.language, permissions=turn.profile.permissions
        )
        if not found and turn.model.reason_unavailable is None:
            found = await bundled.find(turn, query, NOTES)
    except StoreError as error:
        StepLog(turn).trouble("6.2", f"Notes not readable: {error}")
        return ()
    return found


def day_of(day: str, lang: Lang) -> str:
    """A note's day (YYYY-MM-DD) as it is shown: D/M/YYYY in Vietnamese."""
    if lang == "en":
        return day
    try:
        return format_date(date.fromisoformat(day))
    except ValueError:
        return day


@cache
def _pointing() -> Lexicon:
    return Lexicon.load(_POINTING)
