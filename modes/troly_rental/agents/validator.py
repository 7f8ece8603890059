"""Agent 4: examines the query and its rows before they are shown (002-25 to 002-29, 002 C5, C9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from troly.plugin.context import Step, TurnContext
from troly_rental.agents.conversation import conditions_sql, rows_text, shortened, task_messages
from troly_rental.agents.state import QueryExecution, RentalQuestion, Verdict
from troly_rental.settings import RentalSettings
from troly_rental.strings import say

State = Mapping[str, Any]
ROWS_FOR_MODEL = 8
ROW_CHARS, QUERY_CHARS = 400, 240


class ValidatorReply(BaseModel):
    """The model's verdict (002-28), and what it says of the rows that it examined."""

    isValid: bool  # noqa: N815 (the document's name)
    reason: str = Field(default="", max_length=300)
    message: str = Field(default="", max_length=900)


async def result_validator(state: State, turn: TurnContext, step: Step) -> State:
    """isValid and reason (002-28); None where it could not be told: such an answer is shown and never stored.

    By the setting `validator` the rows are examined by whoever tells them ("rows": a query that misses something comes back
    from there) or by a model call of their own ("model"). `again` sends a query that is not valid back, once.
    """
    execution: QueryExecution | None = state["execution"]
    question: RentalQuestion = state["question"]
    lang, limits = turn.language, turn.services.settings.of(RentalSettings)
    if execution is None or execution.origin == "user":
        step.note(say("step.nothing_to_check", lang), "rules")
        return {"verdict": Verdict("unchecked"), "isValid": None, "reason": None, "again": False}
    asks = execution.origin == "model" and limits.validator == "model"
    if asks:
        verdict = await _examined(question, execution, turn, step)
    elif execution.origin == "model":
        verdict = Verdict("unchecked")
        step.note(say("step.told", lang), "model")
    elif question.parsed.certain or execution.origin == "reuse":
        verdict = Verdict("valid")
        step.note(say("step.agrees", lang), "rules")
    else:
        verdict = Verdict("unchecked")
        step.note(say("step.unread", lang, words=", ".join(question.parsed.unread)), "rules")
    again = verdict.state == "invalid" and not state.get("returned") and execution.attempts < limits.attempts
    again = again and turn.model.reason_unavailable is None
    known = {"valid": True, "invalid": False, "unchecked": None}[verdict.state]
    returned = bool(state.get("returned")) or again
    found = {"verdict": verdict, "isValid": known, "reason": verdict.reason or None}
    return {**found, "again": again, "returned": returned}


async def _examined(
    question: RentalQuestion, execution: QueryExecution, turn: TurnContext, step: Step
) -> Verdict:
    """What the model thinks of a query and its rows."""
    messages = task_messages("CHECK", question, turn, found_for_model(question, execution))
    decision = await turn.model.decide(
        "result_validator", ValidatorReply, messages, lambda: ValidatorReply(isValid=True)
    )
    if decision.source == "rules":
        step.note(say("step.unchecked", turn.language, reason=decision.reason), "rules")
        return Verdict("unchecked")
    reply = decision.value
    step.note(reply.reason or say("step.agrees", turn.language), "model")
    return Verdict("valid" if reply.isValid else "invalid", reply.reason, reply.message.strip())


def found_for_model(question: RentalQuestion, execution: QueryExecution) -> dict[str, str]:
    """The query, its first rows, how many of how many, and in which order."""
    result, tree = execution.result, execution.checked.tree
    records = result.records()[:ROWS_FOR_MODEL]
    told, seen = rows_text(
        [{name: v for name, v in one.items() if name != "id"} for one in records], ROW_CHARS
    )
    order = tree.args.get("order")
    ordered = order.sql(dialect="duckdb").strip() if order is not None else "in no order"
    rows = f"{result.total} in all, {seen} of them here, {ordered}{told}" if told else "none"
    return {
        "As sorted": question.sorted,
        "Query": shortened(conditions_sql(execution), QUERY_CHARS),
        "Rows": rows,
    }
