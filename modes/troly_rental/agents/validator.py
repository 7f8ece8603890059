"""Agent 4: examines the query and its rows before they are shown (002-25 to 002-29, 002 C5, C9)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from troly.plugin.context import Step, TurnContext
from troly_rental.agents.conversation import prompt_context, without_empty
from troly_rental.agents.sql_generation import sorted_request
from troly_rental.agents.state import QueryExecution, RentalQuestion, Verdict
from troly_rental.answer.payload import ResultSet
from troly_rental.settings import RentalSettings
from troly_rental.strings import prompts, say

State = Mapping[str, Any]
ROWS_FOR_MODEL = 8
_ROW_CHARS = 2_400
# Of a row these say nothing to somebody who writes a sentence.
_UNTOLD = ("path", "entity", "city", "status", "posted_at")


class ValidatorReply(BaseModel):
    """The model's verdict (002-28), and what it says of the rows that it examined."""

    isValid: bool  # noqa: N815 (the document's name)
    reason: str = Field(default="", max_length=300)
    message: str = Field(default="", max_length=900)


async def result_validator(state: State, turn: TurnContext, step: Step) -> State:
    """isValid and reason (002-28); None where it could not be told: such an answer is shown and never stored.

    `again` sends a query that is not valid back to be written anew, once.
    """
    execution: QueryExecution | None = state["execution"]
    question: RentalQuestion = state["question"]
    lang = turn.language
    if execution is None or execution.origin == "user":
        step.note(say("step.nothing_to_check", lang), "rules")
        return {"verdict": Verdict("unchecked"), "isValid": None, "reason": None, "again": False}
    if execution.origin == "model":
        verdict = await _examined(question, execution, state, turn, step)
    elif question.parsed.certain or execution.origin == "reuse":
        verdict = Verdict("valid")
        step.note(say("step.agrees", lang), "rules")
    else:
        verdict = Verdict("unchecked")
        step.note(say("step.unread", lang, words=", ".join(question.parsed.unread)), "rules")
    attempts = turn.services.settings.of(RentalSettings).attempts
    again = verdict.state == "invalid" and not state.get("again") and execution.attempts < attempts
    again = again and turn.model.reason_unavailable is None
    known = {"valid": True, "invalid": False, "unchecked": None}[verdict.state]
    return {"verdict": verdict, "isValid": known, "reason": verdict.reason or None, "again": again}


async def _examined(
    question: RentalQuestion, execution: QueryExecution, state: State, turn: TurnContext, step: Step
) -> Verdict:
    """What the model thinks of a query and its rows."""
    messages = without_empty(
        prompts().messages(
            "result_validator",
            turn.language,
            sorted=sorted_request(question, state),
            sql=execution.checked.lasting,
            **rows_for_model(execution.result, execution),
            **prompt_context(question, turn),
        )
    )
    decision = await turn.model.decide(
        "result_validator", ValidatorReply, messages, lambda: ValidatorReply(isValid=True)
    )
    if decision.source == "rules":
        step.note(say("step.unchecked", turn.language, reason=decision.reason), "rules")
        return Verdict("unchecked")
    reply = decision.value
    step.note(reply.reason or say("step.agrees", turn.language), "model")
    return Verdict("valid" if reply.isValid else "invalid", reply.reason, reply.message.strip())


def rows_for_model(result: ResultSet, execution: QueryExecution) -> dict[str, object]:
    """The first rows, how many of how many, and in which order."""
    lines: list[str] = []
    room = _ROW_CHARS
    for record in result.records()[:ROWS_FOR_MODEL]:
        told = {
            name: value
            for name, value in record.items()
            if name not in _UNTOLD and value not in (None, "", 0)
        }
        line = json.dumps(told, ensure_ascii=False, default=str)
        room -= len(line)
        if room < 0 and lines:
            break
        lines.append(line)
    order = execution.checked.tree.args.get("order")
    ordered = order.sql(dialect="duckdb").strip() if order is not None else "in no order"
    return {"rows": "\n".join(lines) or "-", "total": result.total, "seen": len(lines), "order": ordered}
