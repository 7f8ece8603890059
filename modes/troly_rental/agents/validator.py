"""Agent 4: examines the query and its rows before they are shown (002-25 to 002-29, 002 C5, C9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly_rental.agents.conversation import FEW_ROWS, conditions_sql, rows_text
from troly_rental.agents.state import QueryExecution, RentalQuestion, Verdict
from troly_rental.strings import say

State = Mapping[str, Any]
ROWS_FOR_MODEL = 8
ROW_CHARS, FEW_ROW_CHARS = 400, 520


async def result_validator(state: State, turn: TurnContext, step: Step) -> State:
    """isValid and reason (002-28); None where it could not be told: such an answer is shown and never stored.

    What a model wrote is examined by the model that tells its rows, which sends a query back that misses something
    (002-25 to 002-27): a call of its own would read the same once more.
    """
    execution: QueryExecution | None = state["execution"]
    question: RentalQuestion = state["question"]
    lang = turn.language
    verdict = Verdict("unchecked")
    if execution is None or execution.origin == "user":
        step.note(say("step.nothing_to_check", lang), "rules")
    elif execution.origin == "model":
        step.note(say("step.told", lang), "model")
    elif question.parsed.certain or execution.origin == "reuse":
        verdict = Verdict("valid")
        step.note(say("step.agrees", lang), "rules")
    else:
        step.note(say("step.unread", lang, words=", ".join(question.parsed.unread)), "rules")
    return {"verdict": verdict, "isValid": verdict.known, "reason": None}


def found_for_model(question: RentalQuestion, execution: QueryExecution) -> dict[str, str]:
    """The query, its first rows, how many of how many, and in which order."""
    result, tree = execution.result, execution.checked.tree
    records = result.records()[:ROWS_FOR_MODEL]
    named = [{name: v for name, v in one.items() if name != "id"} for one in records]
    parsed = question.parsed
    # What a model selects it wants to tell.
    asked = {*parsed.details, *(one.field for one in parsed.order), *(one.field for one in parsed.asked)}
    asked = {"city", "posted_at", "description"} if execution.origin == "model" else asked
    told, seen = rows_text(named, ROW_CHARS if len(named) > FEW_ROWS else FEW_ROW_CHARS, asked)
    order = tree.args.get("order")
    ordered = order.sql(dialect="duckdb").strip() if order is not None else "in no order"
    rows = f"{result.total} in all, {seen} of them here, {ordered}{told}" if told else "none"
    return {"As sorted": question.sorted, "Query": conditions_sql(execution), "Rows": rows}
