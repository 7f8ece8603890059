"""After the answer: what was shown becomes the focus, a valid pair goes to the knowledge store, every query to the audit log
(002-29, 002-40).
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.focus import FocusRow
from troly.recording import kept_for_reuse
from troly.text.shorten import one_line
from troly_rental.agents.conversation import CELL_CHARS, UNTOLD, conditions_sql
from troly_rental.agents.state import QueryExecution, RentalQuestion, Verdict
from troly_rental.audit import Audit
from troly_rental.reuse.matches import QuestionReuse, reuse_key
from troly_rental.strings import say

State = Mapping[str, Any]
MOST_SHOWN = 50
"""Rows that the next question can point at."""
_NAMES = frozenset({"id", "title", "name"})
# Remarks that tell how a condition was applied; all others tell of one that was not, or was guessed.
_APPLIED = frozenset({"said.cheap", "said.metered", "said.without_beds", "said.about"})


async def persist(state: State, turn: TurnContext, step: Step) -> State:
    """Keep what may be reused, log what was run, remember what was shown for the next question."""
    question: RentalQuestion = state["question"]
    execution: QueryExecution | None = state.get("execution")
    verdict: Verdict = state.get("verdict") or Verdict("unchecked")
    if execution is not None and not question.sql:
        _show(question, execution, turn)
    kept = await _store_pair(question, execution, verdict, turn) if execution is not None else None
    if execution is not None:
        await asyncio.to_thread(_log, question, execution, turn)
    if kept is None or execution is None:
        text = say("step.not_kept", turn.language, state=verdict.state)
    else:
        key = "kept_unconfirmed" if execution.origin == "model" else "kept"
        text = say(f"step.{key}", turn.language, state=verdict.state, number=kept)
    step.note(text, "rules")
    return {}


async def _store_pair(
    question: RentalQuestion, execution: QueryExecution, verdict: Verdict, turn: TurnContext
) -> int | None:
    """The number of the pair that was kept: what was certain is reused from now on, what a model wrote is not before a person
    confirmed it. What the rules did not read whole, or from signs that stand for others ("² triệu"), is not kept.
    """
    if question.reuse is None or execution.origin not in ("rules", "model"):
        return None
    if execution.origin == "rules" and not _is_certain(question):
        return None
    number = await QuestionReuse(turn.services).store(
        question.reuse,
        execution.checked.lasting,
        verdict.state,
        confirmed=execution.origin == "rules",
        user=question.who.login,
        now=turn.now,
    )
    if number is not None:
        kept_for_reuse(reuse_key(number))
    return number


def _is_certain(question: RentalQuestion) -> bool:
    """Whether the rules read every word, applied each condition, and took each sign for itself."""
    parsed, text = question.parsed, question.text
    plain = unicodedata.normalize("NFKC", text) == unicodedata.normalize("NFC", text)
    return plain and parsed.certain and {one.key for one in parsed.remarks} <= _APPLIED


def _show(question: RentalQuestion, execution: QueryExecution, turn: TurnContext) -> None:
    """The rows, and the query that the next message may change, with the words of it that were not read; after a look at one row
    the list still stands.
    """
    parsed, result, focus = question.parsed, execution.result, turn.focus
    chosen = next((one for one in parsed.filters if one.field == "id"), None)
    if chosen is not None and focus is not None:
        asked = {name: parsed.to_dict()[name] for name in ("asked", "details")}
        several = {"picked_ids": [*chosen.values], "picked_id": ""} if len(chosen.values) > 1 else {}
        picked = {"picked_id": str(chosen.value), **asked} if parsed.picked else several
        turn.show(focus.kind, focus.question, focus.rows, {**focus.query, **picked})
        return
    if focus is not None and parsed.skip and not result.rows:  # what was shown to its end still stands
        turn.show(focus.kind, focus.question, focus.rows, focus.query)
        return
    rows = tuple(_row(record, at) for at, record in enumerate(result.records()[:MOST_SHOWN], 1))
    query: dict[str, Any] = {"sql": conditions_sql(execution), "total": result.total}
    if not question.decided:
        query |= replace(parsed, open=tuple(dict.fromkeys((*parsed.open, *parsed.unread)))).to_dict()
    same = focus is not None and focus.kind == result.entity
    if focus is not None and same and parsed.edited and parsed.limit == len(rows) == 1:
        # After the cheapest of a list its other rows can still be pointed at.
        kept = tuple(one for one in focus.rows if one.id != rows[0].id)
        known = len(kept) < len(focus.rows)
        rows, query = focus.rows if known else (*kept, *rows), {**query, "picked_id": rows[0].id}
    turn.show(result.entity, question.text, rows, query)


def _row(record: Mapping[str, Any], at: int) -> FocusRow:
    """One row by its id, with what is known of it; a row of figures, which has none, by its group."""
    known = {name: v for name, v in record.items() if v not in (None, "") and name not in UNTOLD | _NAMES}
    values = {
        name: float(v) if isinstance(v, int | float) else one_line(str(v), CELL_CHARS)
        for name, v in known.items()
    }
    if record.get("id") is not None:
        title = record.get("title") or record.get("name") or record.get("tenant") or record["id"]
        return FocusRow(str(record["id"]), str(title), values)
    group = next((str(value) for value in record.values() if isinstance(value, str)), f"row {at}")
    return FocusRow(group, group, values)


def _log(question: RentalQuestion, execution: QueryExecution, turn: TurnContext) -> None:
    Audit(turn.services).log(
        question=question.text,
        sql=execution.checked.sql,
        rows=execution.result.total,
        role=question.who.role,
        user=question.who.login,
        at=turn.now,
    )
