"""Reads a whole message over one sheet: the steps in order, and the question they make."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from troly_analysis.planner.conditions import read_blanks, read_either, read_numbers
from troly_analysis.planner.coverage import measure_doubt
from troly_analysis.planner.draft import ParsedQuestion, QueryDraft, is_rows
from troly_analysis.planner.forms import direction, form_of, limit_of, read_ends, read_ranks
from troly_analysis.planner.groups import read_groups, read_loose_groups
from troly_analysis.planner.measures import assume_measure, offer, read_measures
from troly_analysis.planner.mentions import find_mentions, leftovers, long_values
from troly_analysis.planner.periods import read_periods, read_weekdays
from troly_analysis.planner.schema import Schema
from troly_analysis.planner.types import Condition, DataQuery, Group, Lookup, Measure, Unit, averaged
from troly_analysis.planner.values import read_values
from troly_analysis.planner.wording import read_wording

_PLAIN = {"high": "max", "low": "min"}


def parse_question(
    message: str, schema: Schema, today: date, choices: Mapping[str, str], lookup: Lookup | None = None
) -> ParsedQuestion:
    """Read `message` as a question over the schema's sheet."""
    vocabulary = schema.names.vocabulary() | schema.values.vocabulary()
    wording = read_wording(message, vocabulary)
    mentions = find_mentions(wording, schema, today)
    if extra := long_values(wording, schema, mentions, lookup):
        mentions = find_mentions(wording, schema, today, extra)
    state = QueryDraft(wording, schema, mentions, today, choices)
    for typed, meant in wording.repairs:
        state.note("read_as", typed=typed, meant=meant)
    _mark_high(state)
    read_ranks(state)
    read_periods(state)
    read_weekdays(state)
    read_blanks(state)
    read_ends(state)
    read_numbers(state)
    read_values(state)
    read_either(state)
    left = leftovers(state.mentions, wording)
    read_groups(state)
    read_measures(state)
    read_loose_groups(state)
    ask = _finish(state)
    confidence, covered = measure_doubt(state, left)
    return ParsedQuestion(state, ask, confidence, covered)


def _mark_high(state: QueryDraft) -> None:
    """ "nhiều đơn nhất": the two halves of a superlative mean what they mean together."""
    for nth, mention in enumerate(state.mentions):
        if not mention.has("superlative"):
            continue
        for back in range(nth - 1, max(nth - 4, -1), -1):
            label = next((full for half, full in _PLAIN.items() if state.mentions[back].has(half)), None)
            if label and not state.mentions[back].targets:
                mention.labels |= {label}
                break
        else:
            if nth and state.mentions[nth - 1].targets:  # "tốn tiền nhất"
                mention.labels |= {"max"}


def _finish(state: QueryDraft) -> DataQuery:
    counted = _counts_groups(state)
    form = "groups" if counted else form_of(state)
    state.said = tuple(state.measures)
    assume_measure(state, form)
    order = direction(state)
    part: tuple[Condition, ...] = ()
    conditions = list(state.conditions)
    if form == "share":
        part, conditions = _part(state)
        state.measures = [_shared(measure) for measure in state.measures]
        if not part and not state.groups:
            form = "scalar"
    _leave_out(state, form)
    period, versus = state.period, state.versus
    if form == "compare" and not versus:
        form = "groups" if state.groups else "scalar"
    gap = _gap(state, form)
    if form == "top":
        conditions += _filled(state)
    return DataQuery(
        sheet=state.schema.sheet.name,
        form=form,
        measures=tuple(state.measures),
        groups=tuple(state.groups) if form != "per" else (*state.groups, *([state.per] if state.per else [])),
        conditions=tuple(conditions),
        having=tuple(state.having),
        date_ref=state.date_ref,
        period=period,
        versus=versus,
        order=order if form in {"top", "rows", "share"} else "",
        limit=limit_of(state, form),
        rank=state.rank if form in {"top", "rows"} else 0,
        entity=state.entity,
        part=part,
        trend=state.any("trend") or (form == "trend"),
        seller=state.any("seller", "slow seller"),
        count_groups=counted,
        gap=gap,
    )


def _leave_out(state: QueryDraft, form: str) -> None:
    """Say that a place of a ranking, or a condition on groups, is missing from an answer that has none."""
    if state.rank and form not in {"top", "rows"}:
        state.missing.append(state.rank_said)
    if len(state.said) == 2 and form == "scalar" and not state.any("and", "sum", "avg", "max", "min"):
        rows = [each for each in state.said if each.op == "count"]
        others = [each.noun for each in state.said if each.op != "count" and each.noun]
        if rows and "," not in state.wording.text:  # "bao nhiêu lượt có tip" asks for no sum of tips
            state.missing += others
    if state.having and not state.groups:
        state.missing += [each.said for each in state.having]
        state.having.clear()


def _shared(measure: Measure) -> Measure:
    """What a share is of: of what does not add up it is of the rows ("tỷ lệ đánh giá 5 sao")."""
    return Measure("count") if measure.ref and averaged(measure.ref) else measure


def _filled(state: QueryDraft) -> list[Condition]:
    """That what is ranked has a name: empty cells are no place of a ranking."""
    found = []
    for group in state.groups:
        blank = not group.ref.sheet and not group.unit and state.schema.key(group.ref).blanks
        if blank and not any(condition.ref == group.ref for condition in state.conditions):
            state.note("filled_groups", field=group.ref.name)
            found.append(Condition(group.ref, "ne", None))
    return found


def _gap(state: QueryDraft, form: str) -> tuple[Condition, ...]:
    """ "Quận 1 hơn Quận 7 bao nhiêu": the two values whose figures are taken from each other."""
    pairs = [
        each for each in state.conditions if each.op == "in" and len(each.value) == 2 and "," in each.said
    ]
    halves = state.any("gt", "lt") and state.any("count", "much")
    if len(pairs) != 1 or not (state.any("gap") or halves) or form not in {"groups", "scalar", "compare"}:
        return ()
    if state.versus or len(state.measures) != 1 or any(group.ref != pairs[0].ref for group in state.groups):
        return ()
    if not state.said and not any(is_rows(mention) or mention.has("how much") for mention in state.mentions):
        offer(state, state.schema.main_measure())
    for mention in state.mentions:
        if mention.has("gap", "gt", "lt"):
            mention.used = True
    state.groups.clear()
    return (pairs[0],)


def _part(state: QueryDraft) -> tuple[tuple[Condition, ...], list[Condition]]:
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


def _counts_groups(state: QueryDraft) -> bool:
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
