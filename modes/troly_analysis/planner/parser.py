"""Parses a message over one sheet: its words, what they can mean, and the query that they make together.

The readers fill one `QueryDraft`, each marking the mentions that it used, so that what is read first cannot be taken for
something else. Their order:

1. `read_wording`, `find_mentions`, `long_values`: words put right, then everything they can mean. Values of long columns
   are looked up only for words that nothing else was found for, since a lookup reads the sheet.
2. `_mark_high`, `read_ranks`: superlatives of two words and places of a ranking get one label, which all others look at;
   a rank must be told from a weekday ("thứ hai") before weekdays are read.
3. `read_periods`, `read_weekdays`: days first, since their numbers ("5/10", "2023") are no amounts, and since the date
   column that they choose is what blanks, ends and groups of time are about.
4. `read_blanks`, `read_ends`: whole phrases about a column ("chưa có …", "lần gần nhất") before its name could be taken
   for a figure or a dimension.
5. `read_numbers`, `read_values`: the rows that are meant. Amounts before values, so that "trên 5" is no product "5";
   `read_either` joins what these two have found.
6. `read_groups`, then `read_measures`: what is still free. Groups first, since the operation of a figure depends on
   them ("cao nhất" ranks groups, and is a maximum only without any).
7. `read_loose_groups`: a dimension that is only named, once it is known to be no figure.
8. `_finish`: form, assumed figure, order and limit; `measure_doubt` names what no reader used.
"""

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
    draft = QueryDraft(wording, schema, mentions, today, choices)
    for typed, meant in wording.repairs:
        draft.note("read_as", typed=typed, meant=meant)
    _mark_high(draft)
    read_ranks(draft)
    read_periods(draft)
    read_weekdays(draft)
    read_blanks(draft)
    read_ends(draft)
    read_numbers(draft)
    read_values(draft)
    read_either(draft)
    left = leftovers(draft.mentions, wording)
    read_groups(draft)
    read_measures(draft)
    read_loose_groups(draft)
    ask = _finish(draft)
    return ParsedQuestion(draft, ask, confidence=measure_doubt(draft, left))


def _mark_high(draft: QueryDraft) -> None:
    """ "nhiều đơn nhất": the two halves of a superlative mean what they mean together."""
    for nth, mention in enumerate(draft.mentions):
        if not mention.has("superlative"):
            continue
        for back in range(nth - 1, max(nth - 4, -1), -1):
            label = next((full for half, full in _PLAIN.items() if draft.mentions[back].has(half)), None)
            if label and not draft.mentions[back].targets:
                mention.labels |= {label}
                break
        else:
            if nth and draft.mentions[nth - 1].targets:  # "tốn tiền nhất"
                mention.labels |= {"max"}


def _finish(draft: QueryDraft) -> DataQuery:
    counted = _counts_groups(draft)
    form = "groups" if counted else form_of(draft)
    draft.said = tuple(draft.measures)
    assume_measure(draft, form)
    order = direction(draft)
    part: tuple[Condition, ...] = ()
    conditions = list(draft.conditions)
    if form == "share":
        part, conditions = _part(draft)
        draft.measures = [_shared(measure) for measure in draft.measures]
        if not part and not draft.groups:
            form = "scalar"
    _leave_out(draft, form)
    period, versus = draft.period, draft.versus
    if form == "compare" and not versus:
        form = "groups" if draft.groups else "scalar"
    gap = _gap(draft, form)
    if form == "top":
        conditions += _filled(draft)
    return DataQuery(
        sheet=draft.schema.sheet.name,
        form=form,
        measures=tuple(draft.measures),
        groups=tuple(draft.groups) if form != "per" else (*draft.groups, *([draft.per] if draft.per else [])),
        conditions=tuple(conditions),
        having=tuple(draft.having),
        date_ref=draft.date_ref,
        period=period,
        versus=versus,
        order=order if form in {"top", "rows", "share"} else "",
        limit=limit_of(draft, form),
        rank=draft.rank if form in {"top", "rows"} else 0,
        entity=draft.entity,
        part=part,
        trend=draft.any("trend") or (form == "trend"),
        seller=draft.any("seller", "slow seller"),
        count_groups=counted,
        gap=gap,
    )


def _leave_out(draft: QueryDraft, form: str) -> None:
    """Say that a place of a ranking, or a condition on groups, is missing from an answer that has none."""
    if draft.rank and form not in {"top", "rows"}:
        draft.missing.append(draft.rank_said)
    if len(draft.said) == 2 and form == "scalar" and not draft.any("and", "sum", "avg", "max", "min"):
        rows = [each for each in draft.said if each.op == "count"]
        others = [each.noun for each in draft.said if each.op != "count" and each.noun]
        if rows and "," not in draft.wording.text:  # "bao nhiêu lượt có tip" asks for no sum of tips
            draft.missing += others
    if draft.having and not draft.groups:
        draft.missing += [each.said for each in draft.having]
        draft.having.clear()


def _shared(measure: Measure) -> Measure:
    """What a share is of: of what does not add up it is of the rows ("tỷ lệ đánh giá 5 sao")."""
    return Measure("count") if measure.ref and averaged(measure.ref) else measure


def _filled(draft: QueryDraft) -> list[Condition]:
    """That what is ranked has a name: empty cells are no place of a ranking."""
    found = []
    for group in draft.groups:
        blank = not group.ref.sheet and not group.unit and draft.schema.key(group.ref).blanks
        if blank and not any(condition.ref == group.ref for condition in draft.conditions):
            draft.note("filled_groups", field=group.ref.name)
            found.append(Condition(group.ref, "ne", None))
    return found


def _gap(draft: QueryDraft, form: str) -> tuple[Condition, ...]:
    """ "Quận 1 hơn Quận 7 bao nhiêu": the two values whose figures are taken from each other."""
    pairs = [
        each for each in draft.conditions if each.op == "in" and len(each.value) == 2 and "," in each.said
    ]
    halves = draft.any("gt", "lt") and draft.any("count", "much")
    if len(pairs) != 1 or not (draft.any("gap") or halves) or form not in {"groups", "scalar", "compare"}:
        return ()
    if draft.versus or len(draft.measures) != 1 or any(group.ref != pairs[0].ref for group in draft.groups):
        return ()
    if not draft.said and not any(is_rows(mention) or mention.has("how much") for mention in draft.mentions):
        offer(draft, draft.schema.main_measure())
    for mention in draft.mentions:
        if mention.has("gap", "gt", "lt"):
            mention.used = True
    draft.groups.clear()
    return (pairs[0],)


def _part(draft: QueryDraft) -> tuple[tuple[Condition, ...], list[Condition]]:
    """For a share, the conditions that make the part: the one nearest to the word of sharing; the rest are the whole."""
    positive = [c for c in draft.conditions if c.op in {"eq", "in", "gt", "gte", "lt", "lte", "between"}]
    if not positive:
        return (), list(draft.conditions)
    if len(positive) == 1:
        part = positive[0]
    else:
        at = next((m.start for m in draft.mentions if m.has("share")), 0)
        places = {m.text: m.start for m in draft.mentions}
        part = min(positive, key=lambda c: abs(places.get(c.said.split(", ")[0], 99) - at))
    if part.op == "in" and draft.groups and draft.groups[0].ref == part.ref:
        return (), list(draft.conditions)
    return (part,), [condition for condition in draft.conditions if condition is not part]


def _counts_groups(draft: QueryDraft) -> bool:
    """ "Có bao nhiêu khách hàng mua trên 5 triệu": the groups that pass are counted."""
    if not draft.having:
        return False
    for measure in list(draft.measures):
        if measure.distinct and measure.ref:
            draft.measures.remove(measure)
            draft.groups.append(Group(measure.ref))
            assume_measure(draft, "groups")
            return True
    return False


def unit_for(first: date, last: date) -> Unit:
    """The unit that shows the course of a period in a readable number of points."""
    days = (last - first) / timedelta(days=1)
    return "day" if days <= 45 else "week" if days <= 120 else "month" if days <= 1200 else "year"
