"""What to look for and where: a follow-up gets its subject back, the web is asked where that is wanted, the notes always can be."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import date

from troly.errors import StoreError
from troly.llm.session import OFFLINE
from troly.plugin.context import TurnContext
from troly.text.catalogue import Lang
from troly.text.days import format_date
from troly_dental import notes as bundled
from troly_dental.guard import judge
from troly_dental.notes import Note
from troly_dental.search import SearchOutcome, search
from troly_dental.steps_log import StepLog
from troly_dental.working import Before

NOTES = 2


@dataclass(frozen=True, slots=True)
class Web:
    """One search of the web: what it gave, and its milliseconds."""

    outcome: SearchOutcome
    ms: float = 0.0


def wants_web(turn: TurnContext) -> bool:
    """Whether this turn may send a query: the setting `dental.search` and `--offline` are asked."""
    return turn.services.settings.dental.search == "on" and turn.model.reason_unavailable != OFFLINE


def follows(question: str, before: Before) -> str:
    """The question with the subject it follows up ("còn giá thì sao?"); as it is where it stands for itself."""
    if not before.topic or not before.dental or judge(question, None, False).dental:
        return question
    return f"{before.topic} {question}"


async def look(turn: TurnContext, query: str) -> Web:
    """Search the web (003-17 to 003-19); never raises."""
    began = time.perf_counter()
    outcome = await search(query, services=turn.services, lang=turn.language)
    return Web(outcome, (time.perf_counter() - began) * 1000)


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
