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
from troly_rental.question.types import ShownRows
from troly_rental.reuse.matches import QuestionReuse, reuse_key
from troly_rental.strings import say

State = Mapping[str, Any]


async def persist(state: State, turn: TurnContext, step: Step) -> State:
    """Keep what may be reused, log what was run, remember the query for the next question."""
    question: RentalQuestion = state["question"]
    execution: QueryExecution | None = state.get("execution")
    verdict: Verdict = state.get("verdict") or Verdict("unchecked")
    parsed = question.parsed
    if parsed.ready and not question.sql and not parsed.picked:
        previous = {**parsed.to_dict(), "shown": _shown_rows(question, execution)}
        await asyncio.to_thread(sessions.keep_query, turn.services.state, turn.conversation.id, previous)
    kept = execution is not None and await _store_pair(question, execution, verdict, turn)
    if execution is not None:
        await asyncio.to_thread(_log, question, execution, turn)
    step.note(say("step.kept" if kept else "step.not_kept", turn.language, state=verdict.state), "rules")
    return {}


async def _store_pair(
    question: RentalQuestion, execution: QueryExecution, verdict: Verdict, turn: TurnContext
) -> bool:
    """Whether the pair was kept; a change of the query before it does not stand for itself."""
    fresh = execution.origin in ("rules", "model") and not question.parsed.edited
    if question.reuse is None or not fresh or verdict.state != "valid":
        return False
    number = await QuestionReuse(turn.services).store(
        question.reuse,
        execution.checked.lasting,
        verdict.state,
        user=question.who.login,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        now=turn.now,
    )
    if number is not None:
        made(reuse_key(number))
    return number is not None


def _shown_rows(question: RentalQuestion, execution: QueryExecution | None) -> dict[str, Any] | None:
    """The rows of a list, so that the next question can point at them."""
    parsed = question.parsed
    if execution is None or parsed.measures or parsed.mode == "CHART":
        return None
    result = execution.result
    shown = ShownRows.of(result.records(), parsed.entity, result.total, parsed.skip)
    return None if shown is None else shown.to_dict()


def _log(question: RentalQuestion, execution: QueryExecution, turn: TurnContext) -> None:
    Audit(turn.services).log(
        question=question.text,
        sql=execution.checked.sql,
        rows=execution.result.total,
        role=question.who.role,
        user=question.who.login,
        at=turn.now,
    )
