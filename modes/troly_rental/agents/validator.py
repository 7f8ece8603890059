"""Agent 4: compares the question with the query, by parse tree first, then by the model (002-25 to 002-29, 002 C5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.context import Step, TurnContext
from troly_rental.agents.shape import of_other_records
from troly_rental.agents.working import Answered, Asked, Verdict
from troly_rental.ask import Filter, Reading, filters_of
from troly_rental.strings import prompts, say

if TYPE_CHECKING:
    from troly.sandbox import CheckedQuery
    from troly.text.catalogue import Lang

State = Mapping[str, Any]


async def result_validator(state: State, turn: TurnContext, step: Step) -> State:
    """isValid and reason (002-28); None where it could not be told: such an answer is shown and never stored."""
    answered: Answered | None = state["answered"]
    asked: Asked = state["asked"]
    if answered is None or answered.origin == "user":
        step.note(say("step.nothing_to_check", turn.language), "rules")
        return {"verdict": Verdict("unchecked"), "isValid": None, "reason": None}
    found = mismatch(asked.reading, answered.checked, turn.language)
    if found or answered.origin == "rules":
        verdict = Verdict("invalid" if found else "valid", found)
        step.note(found or say("step.agrees", turn.language), "rules")
    else:
        verdict = await _opinion(asked, answered, turn, step)
    known = {"valid": True, "invalid": False, "unchecked": None}[verdict.state]
    return {"verdict": verdict, "isValid": known, "reason": verdict.reason or None}


def mismatch(reading: Reading, checked: CheckedQuery, lang: Lang) -> str:
    """Why a query does not answer the question, told from its parse tree; "" where nothing contradicts it.

    A condition that was asked for must stand in the query with the same value (002-26), and statistics are no list
    (002-27). A query with conditions that nobody asked for is no answer either.
    """
    if of_other_records(reading, checked):
        return say("invalid.records", lang, records=say(f"thing.{reading.entity}", lang))
    asked, queried = set(reading.filters), set(filters_of(checked.tree))
    missing = [one for one in asked if not _stands(one, queried)]
    if missing:
        return say("invalid.missing", lang, filters=_told(missing))
    added = [one for one in queried if one.field in _NAMED and not _stands(one, asked)]
    if added:
        return say("invalid.added", lang, filters=_told(added))
    if bool(reading.measures) != _is_figures(checked) and (reading.measures or reading.mode == "LIST"):
        return say("invalid.figures" if reading.measures else "invalid.list", lang)
    return ""


_NAMED = frozenset({"city", "district", "ward", "type", "price", "area"})


def _stands(one: Filter, among: set[Filter]) -> bool:
    return one in among or any(_same(one, other) for other in among if other.field == one.field)


def _same(one: Filter, other: Filter) -> bool:
    """Whether two conditions say the same in other words: one name of a list, a bound with or without its end."""
    if one.field != other.field:
        return False
    strict = {"<": "<=", ">": ">=", "in": "=", "not_in": "!="}
    if strict.get(one.op, one.op) != strict.get(other.op, other.op):
        return False
    return _values(one.value) == _values(other.value)


def _values(value: object) -> frozenset[str]:
    many = value if isinstance(value, tuple) else (value,)
    return frozenset(f"{float(one):g}" if isinstance(one, (int, float)) else str(one) for one in many)


def _told(filters: list[Filter]) -> str:
    return "; ".join(f"{one.field} {one.op} {one.value}" for one in sorted(filters, key=str))


def _is_figures(checked: CheckedQuery) -> bool:
    """Whether the outermost SELECT gives figures over groups rather than things."""
    from sqlglot import exp

    tree = checked.tree
    select = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    if select is None:
        return False
    if select.args.get("group"):
        return True
    figures = (found for one in select.expressions for found in one.find_all(exp.AggFunc))
    return any(found.find_ancestor(exp.Select) is select for found in figures)


async def _opinion(asked: Asked, answered: Answered, turn: TurnContext, step: Step) -> Verdict:
    """What the model thinks of a query that the parse tree has nothing against; a confirmed pair needs no other opinion."""
    from troly_rental.schemas import ValidatorReply

    if answered.origin == "reuse":
        step.note(say("step.agrees", turn.language), "rules")
        return Verdict("valid")
    kind = f"{asked.reading.mode}, {answered.found.total} rows"
    messages = prompts().messages(
        "result_validator", turn.language, question=asked.question, sql=answered.checked.sql, kind=kind
    )
    decision = await turn.model.decide(
        "result_validator", ValidatorReply, messages, lambda: ValidatorReply(isValid=True), role="small"
    )
    if decision.source == "rules":
        step.note(say("step.unchecked", turn.language, reason=decision.reason), "rules")
        return Verdict("unchecked")
    step.note(decision.value.reason or say("step.agrees", turn.language), "model")
    return Verdict("valid" if decision.value.isValid else "invalid", decision.value.reason)
