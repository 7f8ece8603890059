"""Agent 4: compares the question with the query, by parse tree first, then by the model (002-25 to 002-29, 002 C5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from troly.plugin.context import Step, TurnContext
from troly_rental.agents.state import QueryExecution, RentalQuestion, Verdict
from troly_rental.sql.comparison import mismatch
from troly_rental.strings import prompts, say

State = Mapping[str, Any]


class ValidatorReply(BaseModel):
    """The model's verdict (002-28)."""

    isValid: bool  # noqa: N815 (the document's name)
    reason: str = Field(default="", max_length=300)


async def result_validator(state: State, turn: TurnContext, step: Step) -> State:
    """isValid and reason (002-28); None where it could not be told: such an answer is shown and never stored."""
    execution: QueryExecution | None = state["execution"]
    question: RentalQuestion = state["question"]
    if execution is None or execution.origin == "user":
        step.note(say("step.nothing_to_check", turn.language), "rules")
        return {"verdict": Verdict("unchecked"), "isValid": None, "reason": None}
    reason = mismatch(question.parsed, execution.checked, turn.language)
    if reason or execution.origin == "rules":
        verdict = Verdict("invalid" if reason else "valid", reason)
        step.note(reason or say("step.agrees", turn.language), "rules")
    else:
        verdict = await _opinion(question, execution, turn, step)
    known = {"valid": True, "invalid": False, "unchecked": None}[verdict.state]
    return {"verdict": verdict, "isValid": known, "reason": verdict.reason or None}


async def _opinion(
    question: RentalQuestion, execution: QueryExecution, turn: TurnContext, step: Step
) -> Verdict:
    """What the model thinks of a query that the parse tree has nothing against; a confirmed pair needs no other opinion."""
    if execution.origin == "reuse":
        step.note(say("step.agrees", turn.language), "rules")
        return Verdict("valid")
    kind = f"{question.parsed.mode}, {execution.result.total} rows"
    messages = prompts().messages(
        "result_validator", turn.language, question=question.text, sql=execution.checked.sql, kind=kind
    )
    decision = await turn.model.decide(
        "result_validator", ValidatorReply, messages, lambda: ValidatorReply(isValid=True), role="small"
    )
    if decision.source == "rules":
        step.note(say("step.unchecked", turn.language, reason=decision.reason), "rules")
        return Verdict("unchecked")
    step.note(decision.value.reason or say("step.agrees", turn.language), "model")
    return Verdict("valid" if decision.value.isValid else "invalid", decision.value.reason)
