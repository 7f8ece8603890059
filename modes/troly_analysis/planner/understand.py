"""Reads a whole message over one sheet: the steps in order, what form the answer takes, what was not understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from troly.text.fold import fold
from troly_analysis.planner.doubt import measure_doubt
from troly_analysis.planner.mentions import find_mentions, leftovers
from troly_analysis.planner.read_conditions import SUPERLATIVE, read_numbers
from troly_analysis.planner.read_groups import read_groups, read_loose_groups
from troly_analysis.planner.read_measures import read_measures
from troly_analysis.planner.read_periods import read_periods
from troly_analysis.planner.read_values import look_up, read_values
from troly_analysis.planner.schema import Schema
from troly_analysis.planner.shapes import Ask, Condition, Form, Group, Lookup, Measure, averaged
from troly_analysis.planner.state import State, dimension, is_link, is_rows
from troly_analysis.planner.wording import read_wording
from troly_analysis.types import NUMERIC

TOP, SOME, ROWS = 10, 5, 20
GOODS = frozenset({"product", "category", "brand", "size", "color"})
_PLAIN = {"high": "max", "low": "min"}


@dataclass(slots=True)
class Heard:
    """A message over one sheet: the state it left, the question made of it, and how much was understood (0 to 1)."""

    state: State
    ask: Ask
    confidence: float
    covered: float


def hear(
    message: str, schema: Schema, today: date, choices: Mapping[str, str], lookup: Lookup | None = None
) -> Heard:
    """Read `message` as a question over the schema's sheet."""
    vocabulary = schema.names.vocabulary() | schema.values.vocabulary()
    wording = read_wording(message, vocabulary)
    mentions = find_mentions(wording, schema, today)
    state = State(wording, schema, mentions, today, choices, lookup)
    for typed, meant in wording.repairs:
        state.note("read_as", typed=typed, meant=meant)
    _mark_high(state)
    read_periods(state)
    read_numbers(state)
    read_values(state)
    left = look_up(state, leftovers(state.mentions, wording))
    read_groups(state)
    read_measures(state)
    read_loose_groups(state)
    ask = _finish(state)
    confidence, covered = measure_doubt(state, left)
    return Heard(state, ask, confidence, covered)


def _mark_high(state: State) -> None:
    """ "nhiều đơn nhất": the two halves of a superlative mean what they mean together."""
    for nth, mention in enumerate(state.mentions):
        if not mention.has("superlative"):
            continue
        for back in range(nth - 1, max(nth - 4, -1), -1):
            label = next((full for half, full in _PLAIN.items() if state.mentions[back].has(half)), None)
            if label and not state.mentions[back].targets:
                mention.labels |= {label}
                break


def direction(state: State) -> Literal["asc", "desc", ""]:
    """Which end of a ranking is asked for, "" when nothing is ranked."""
    if state.any("slow seller", "bottom"):
        return "asc"
    if state.any("seller", "top"):
        return "asc" if state.any("min") and not state.any("max") else "desc"
    for mention in state.mentions:
        if mention.used and mention.targets:
            continue
        if mention.has("max", "latest", "slow"):
            return "desc"
        if mention.has("min", "earliest", "fast"):
            return "asc"
    return "desc" if state.limit and not state.any("list") else ""


def _finish(state: State) -> Ask:
    form = _form(state)
    state.said = tuple(state.measures)
    _default_measure(state, form)
    order = direction(state)
    part: tuple[Condition, ...] = ()
    conditions = list(state.conditions)
    if form == "share":
        part, conditions = _part(state)
        if not part and not state.groups:
            form = "scalar"
    period, versus = state.period, state.versus
    if form == "compare" and not versus:
        form = "groups" if state.groups else "scalar"
    ask = Ask(
        sheet=state.schema.sheet.name,
        form=form,
        measures=tuple(state.measures),
        groups=tuple(state.groups) if form != "per" else (*state.groups, *([state.per] if state.per else [])),
        conditions=tuple(conditions),
        having=tuple(state.having),
        date_ref=state.date_ref,
        period=period,
        versus=versus,
        order=order if form in {"top", "rows"} else "",
        limit=_limit(state, form),
        entity=state.entity,
        part=part,
        trend=state.any("trend") or (form == "trend"),
        seller=state.any("seller", "slow seller"),
        count_groups=_counts_groups(state),
    )
    return ask


def _form(state: State) -> Form:
    ranked = bool(direction(state)) or (bool(state.limit) and not state.any("list"))
    if state.any("columns") and not state.measures and not state.conditions and not state.groups:
        return "schema"
    if state.versus or (state.versus_only and state.period):
        return "compare"
    if state.per and state.measures:
        return "per"
    if state.any("share") and not _shareless(state):
        return "share"
    if (
        state.groups
        and state.measures
        and ranked
        and not all(group.unit and state.any("trend") for group in state.groups)
    ):
        return "top"
    if state.groups and ranked and not state.measures:
        return "top"
    if _listing(state):
        return "distinct"
    if state.groups:
        return "groups"
    if _rows_wanted(state, ranked=ranked):
        return "rows"
    if state.any("trend", "growth") and state.date_ref and not state.versus and state.any("trend", "growth"):
        return "trend"
    return "scalar"


def _shareless(state: State) -> bool:
    """Whether the share is a column of its own (a rate), which is then just averaged."""
    return any(measure.ref is not None and measure.ref.kind == "percent" for measure in state.measures)


def _listing(state: State) -> bool:
    """Whether the values of a column are asked for ("có những nền tảng nào")."""
    if state.measures or state.having or state.any("count", "compare"):
        return False
    if state.groups:
        return state.any("which", "list", "plural") and not state.any("by") and not state.groups[0].unit
    if not state.any("list", "which", "plural"):
        return False
    for mention in state.mentions:
        if mention.used or is_rows(mention) or not mention.targets:
            continue
        target = dimension(state, mention)
        if target and target.ref and target.ref.kind in {"text", "boolean", "list"}:
            mention.used = True
            state.groups.append(Group(target.ref))
            return True
    return False


def _rows_wanted(state: State, *, ranked: bool) -> bool:
    rows = [mention for mention in state.mentions if is_rows(mention)]
    for mention in rows:
        state.entity = state.entity or mention.text
    counted = any(measure.op == "count" for measure in state.measures)
    if counted:
        return False
    if rows and (state.any("list") or (ranked and not any(m.op in {"max", "min"} for m in state.measures))):
        return True
    if rows and state.limit:
        return True
    return bool(rows) and state.any("which") and bool(state.conditions) and not state.measures


def _default_measure(state: State, form: Form) -> None:
    """What is meant when no figure is named."""
    if state.measures or form in {"distinct", "schema"}:
        return
    schema = state.schema
    rows = next((mention for mention in state.mentions if is_rows(mention) and not mention.used), None)
    quantity = schema.of("quantity", "stock")
    goods = any(
        ref.concept in GOODS for ref in (*(g.ref for g in state.groups), *(c.ref for c in state.conditions))
    )
    seller = state.any("seller", "slow seller")
    events = state.any("sold", "bought", "count", "max", "min", "superlative", "much") or form == "top"
    if rows is None and (seller or (quantity and goods and events)):
        chosen = (quantity if goods or not state.groups else None) or schema.main_measure()
        if chosen:
            state.measures.append(Measure("sum", chosen))
            state.note(
                "seller_measure" if state.any("seller", "slow seller") else "measure", field=chosen.name
            )
            return
    for condition in state.having:
        if condition.ref.kind in NUMERIC:
            state.measures.append(Measure("sum", condition.ref))
            return
    if state.any("fast", "slow") and (took := schema.of("duration", "hours", "late minutes")):
        state.measures.append(Measure("avg", took))
        state.note("measure", field=took.name)
        return
    main = schema.main_measure()
    if main and state.any("avg") and form != "rows":
        state.measures.append(Measure("avg", main))
        state.note("measure", field=main.name)
        return
    if form == "rows":
        latest = state.any("latest", "earliest")
        ref = (
            state.date_ref if (latest or not direction(state)) and state.date_ref else main or state.date_ref
        )
        if ref:
            state.measures.append(Measure("max", ref))
            if not latest and direction(state):
                state.note("measure", field=ref.name)
        return
    if rows is not None or state.any("count") or form == "share" or not main:
        state.measures.append(Measure("count", noun=rows.text if rows else ""))
        return
    if form == "top" and any(c.ref.concept in {"status", "reason"} for c in state.conditions):
        state.measures.append(Measure("count"))
        state.note("counted_rows")
        return
    if form in {"top", "compare"} or state.any("bought", "sold"):
        state.measures.append(Measure("avg" if averaged(main) else "sum", main))
        state.note("measure", field=main.name)
        return
    if state.groups or state.conditions or form == "trend":
        state.measures.append(Measure("count"))
        state.note("counted_rows")
        state.doubt += 0.1


def _part(state: State) -> tuple[tuple[Condition, ...], list[Condition]]:
    """For a share, the conditions that make the part: the one nearest to the word of sharing; the rest are the whole."""
    positive = [c for c in state.conditions if c.op in {"eq", "in", "gt", "gte", "lt", "lte", "between"}]
    if not positive:
        return (), list(state.conditions)
    if len(positive) == 1:
        part = positive[0]
    else:
        at = next((m.start for m in state.mentions if m.has("share")), 0)
        places = {m.text: m.start for m in state.mentions}
        part = min(positive, key=lambda c: abs(places.get(c.said.split(", ")[0], 99) - at))
    if part.op == "in" and state.groups and state.groups[0].ref == part.ref:
        return (), list(state.conditions)
    return (part,), [condition for condition in state.conditions if condition is not part]


def _limit(state: State, form: Form) -> int:
    if state.limit:
        return state.limit
    if form == "top":
        many = state.any("plural") or state.any("top", "bottom")
        if state.any("which") and not state.any("plural"):
            return 1
        if many:
            limit = TOP if state.any("top", "bottom") else SOME
            state.note("limit", limit=limit)
            return limit
        return 1
    if form == "rows":
        if state.any("plural", "list"):
            state.note("limit", limit=ROWS)
            return ROWS
        return 1 if direction(state) else ROWS
    return 0


def _counts_groups(state: State) -> bool:
    """ "Có bao nhiêu khách hàng mua trên 5 triệu": the groups that pass are counted."""
    if not state.having:
        return False
    for measure in list(state.measures):
        if measure.distinct and measure.ref:
            state.measures.remove(measure)
            state.groups.append(Group(measure.ref))
            _default_measure(state, "groups") if not state.measures else None
            return True
    return False


def unit_for(first: date, last: date) -> Literal["day", "week", "month", "quarter", "year"]:
    """The unit that shows the course of a period in a readable number of points."""
    days = (last - first) / timedelta(days=1)
    return "day" if days <= 45 else "week" if days <= 120 else "month" if days <= 1200 else "year"


__all__ = ["SUPERLATIVE", "Heard", "direction", "hear", "unit_for"]
