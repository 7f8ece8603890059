"""Reads a whole message over one sheet: the steps in order, and the question they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from troly_analysis.planner.assumed import assume_measure
from troly_analysis.planner.doubt import measure_doubt
from troly_analysis.planner.forms import direction, form_of, limit_of
from troly_analysis.planner.mentions import find_mentions, leftovers
from troly_analysis.planner.read_conditions import read_numbers
from troly_analysis.planner.read_groups import read_groups, read_loose_groups
from troly_analysis.planner.read_measures import read_measures
from troly_analysis.planner.read_periods import read_periods
from troly_analysis.planner.read_values import look_up, read_values
from troly_analysis.planner.schema import Schema
from troly_analysis.planner.shapes import Ask, Condition, Group, Lookup, Unit
from troly_analysis.planner.state import State
from troly_analysis.planner.wording import read_wording

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


def _finish(state: State) -> Ask:
    counted = _counts_groups(state)
    form = "groups" if counted else form_of(state)
    state.said = tuple(state.measures)
    assume_measure(state, form)
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
    return Ask(
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
        limit=limit_of(state, form),
        entity=state.entity,
        part=part,
        trend=state.any("trend") or (form == "trend"),
        seller=state.any("seller", "slow seller"),
        count_groups=counted,
    )


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


def _counts_groups(state: State) -> bool:
    """ "Có bao nhiêu khách hàng mua trên 5 triệu": the groups that pass are counted."""
    if not state.having:
        return False
    for measure in list(state.measures):
        if measure.distinct and measure.ref:
            state.measures.remove(measure)
            state.groups.append(Group(measure.ref))
            assume_measure(state, "groups")
            return True
    return False


def unit_for(first: date, last: date) -> Unit:
    """The unit that shows the course of a period in a readable number of points."""
    days = (last - first) / timedelta(days=1)
    return "day" if days <= 45 else "week" if days <= 120 else "month" if days <= 1200 else "year"
