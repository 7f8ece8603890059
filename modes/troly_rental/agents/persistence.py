"""After the answer: a validated pair goes to the knowledge store, every query to the audit log (002-29, 002-40)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.recording import made
from troly_rental import sessions
from troly_rental.agents.state import QueryExecution, RentalQuestion, Verdict
from troly_rental.audit import Audit
from troly_rental.data.schema import schema_version
from troly_rental.question.types import ShownRows
from troly_rental.reuse.matches import QuestionReuse, reuse_key
from troly_rental.strings import say

State = Mapping[str, Any]


async def persist(state: State, turn: TurnContext, step: Step) -> State:
    """Keep what may be reused, log what was run, remember the query for the next question."""
    asked: RentalQuestion = state["asked"]
    answered: QueryExecution | None = state.get("answered")
    verdict: Verdict = state.get("verdict") or Verdict("unchecked")
    kept = await _keep(asked, answered, verdict, turn)
    if answered is not None:
        await asyncio.to_thread(_log, asked, answered, turn)
    step.note(say("step.kept" if kept else "step.not_kept", turn.language, state=verdict.state), "rules")
    return {}


async def _keep(
    asked: RentalQuestion, answered: QueryExecution | None, verdict: Verdict, turn: TurnContext
) -> bool:
    if asked.reading.ready and not asked.sql and not asked.reading.picked:
        previous = {**asked.reading.to_dict(), "shown": _shown(asked, answered)}
        await asyncio.to_thread(sessions.keep_query, turn.services.state, turn.conversation.id, previous)
    fresh = answered is not None and answered.origin in ("rules", "model")
    # A change of the query before it does not stand for itself.
    if not fresh or answered is None or verdict.state != "valid" or asked.reading.edited:
        return False
    number = await QuestionReuse(turn.services).store(
        asked.question,
        asked.reading.state_filters(),
        asked.who.role,
        asked.reading.mode,
        schema_version(),
        answered.checked.lasting,
        verdict.state,
        user=asked.who.login,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        now=turn.now,
    )
    if number is not None:
        made(reuse_key(number))
    return number is not None


def _shown(asked: RentalQuestion, answered: QueryExecution | None) -> dict[str, Any] | None:
    """The rows of a list, so that the next question can point at them."""
    reading = asked.reading
    if answered is None or reading.measures or reading.mode == "CHART":
        return None
    shown = ShownRows.of(answered.found.records(), reading.entity, answered.found.total, reading.skip)
    return None if shown is None else shown.to_dict()


def _log(asked: RentalQuestion, answered: QueryExecution, turn: TurnContext) -> None:
    Audit(turn.services).log(
        question=asked.question,
        sql=answered.checked.sql,
        rows=answered.found.total,
        role=asked.who.role,
        user=asked.who.login,
        at=turn.now,
    )
