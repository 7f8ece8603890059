"""Reads when: the periods of a question, the one to compare with, and the date column they are meant of."""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import pairwise

from troly.text.dates import DateRange, Unit, add, find_ranges, whole
from troly.text.fold import fold, tokens
from troly_analysis.planner.draft import QueryDraft, is_time
from troly_analysis.planner.lexicon import marks
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.types import Condition, Period, Ref

_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_UNITS: tuple[Unit, ...] = ("day", "week", "month", "quarter", "year")
_RELATIVE = frozenset(
    [
        "nay",
        "qua",
        "truoc",
        "roi",
        "ngoai",
        "kia",
        "hien",
        "gan",
        "vua",
        "tro",
        "cung",
        "dau",
        "this",
        "last",
        "past",
        "previous",
        "today",
        "yesterday",
        "recent",
        "current",
        "same",
        "so",
        "date",
    ]
)
RECENT_DAYS = 30


def read_periods(draft: QueryDraft) -> None:
    """Find the period and, in a comparison, the earlier one; choose the date column; say what was assumed."""
    said = [mention for mention in draft.mentions if _is_period(draft, mention)]
    fields = [ref for ref in draft.schema.refs.values() if is_time(ref) and not ref.sheet]
    if not fields:
        for mention in said:
            mention.used = True
            draft.missing.append(mention.text)
        return
    draft.date_ref = _date_ref(draft, fields, said)
    said = _of_one_column(draft, said)
    found = [_anchored(draft, mention, said) for mention in said]
    for mention in said:
        mention.used = True
    compared = draft.any("compare", "growth", "gap")
    if len(found) >= 2:
        _several(draft, found, compared=compared)
    elif found:
        _single(draft, said[0], found[0], compared=compared)
    elif draft.any("recent"):
        first = draft.today - timedelta(days=RECENT_DAYS - 1)
        draft.period = Period(first, draft.today, "")
        draft.note("recent", days=RECENT_DAYS, start=first, end=draft.today)
    if len(fields) > 1 and (draft.period or draft.versus) and draft.date_ref:
        draft.note("date_field", field=draft.date_ref.name)


def read_weekdays(draft: QueryDraft) -> None:
    """ "Thứ bảy", "cuối tuần", "weekdays only": which days of the week."""
    days: list[int] = []
    said: list[str] = []
    for nth, mention in enumerate(draft.mentions):
        label = next((each for each in sorted(mention.labels) if each.startswith("day ")), "")
        if not label or mention.used or mention.period or draft.date_ref is None or mention.targets:
            continue
        named = [int(digit) for digit in label[4:]]
        if days and len(named) == 1 and draft.mentions[nth - 1].has("to"):  # "từ thứ hai đến thứ sáu"
            named = [1 + (days[-1] + step) % 7 for step in range((named[0] - days[-1]) % 7)]
            draft.mentions[nth - 1].used = True
        days += named
        said.append(mention.text)
        mention.used = True
    for mention in draft.mentions if days else ():
        if mention.unit in {"week", "day"} and not mention.targets and not mention.period:
            mention.used = True  # "thứ 2 hàng tuần"
    if days and draft.date_ref:
        wanted = sorted(set(days))
        draft.conditions.append(Condition(draft.date_ref, "in", wanted, ", ".join(said), "weekday"))


def _of_one_column(draft: QueryDraft, said: list[Mention]) -> list[Mention]:
    """With a second date column named for a second period, only the first is read, and the rest is said to be missing."""
    named = {
        mention.targets[0].ref.name
        for mention in draft.mentions
        if mention.targets and mention.targets[0].ref and is_time(mention.targets[0].ref) and not mention.unit
    }
    if len(said) < 2 or len(named) < 2:
        return said
    for mention in said[1:]:
        mention.used = True
        draft.missing.append(mention.text)
    return said[:1]


def _is_period(draft: QueryDraft, mention: Mention) -> bool:
    if mention.period is None:
        return False
    if mention.amount is None:
        return True
    at = draft.mentions.index(mention)
    before = next(draft.before(at, 1), None)
    if before and before.has("gt", "gte", "lt", "lte", "top", "bottom") and not before.has("filler"):
        return False
    after = next(draft.after(at, 1), None)
    return not (after and after.has("upward", "downward"))


def _date_ref(draft: QueryDraft, fields: list[Ref], said: list[Mention]) -> Ref | None:
    """The date column that is named, or hinted at by a verb of its header ("giao trong tháng 3"), or the sheet's own."""
    picked = draft.choices.get("date")
    for ref in fields:
        if picked == ref.name:
            return ref
    own = draft.schema.sheet.date_field
    default = next((ref for ref in fields if ref.name == own), fields[0])
    if default.concept in marks("of things"):
        default = next((ref for ref in fields if ref.concept not in marks("of things")), default)
    for mention in draft.mentions:
        if mention in said or mention.used:
            continue
        times = [target for target in mention.targets if target.ref and is_time(target.ref)]
        if not times or times[0].weight < mention.targets[0].weight - 0.05:
            continue
        generic = (
            len(fields) > 1
            and len({t.ref.name for t in times if times[0].weight - t.weight < 0.1 and t.ref}) > 1
        )
        if mention.unit or generic:
            continue
        if said and not mention.has("by"):
            mention.used = _only_time(draft, mention)
        return times[0].ref
    return default


def _only_time(draft: QueryDraft, mention: Mention) -> bool:
    at = draft.mentions.index(mention)
    near = [*draft.before(at, 1), *draft.after(at, 1)]
    return not any(each.has("by", "which", "per", "latest", "earliest") and not each.period for each in near)


def _anchored(draft: QueryDraft, mention: Mention, said: list[Mention]) -> Period:
    """The period of a mention: without a year of its own it takes the other's, or the latest one with data."""
    found = mention.period or DateRange(draft.today, draft.today, "", (0, 0))
    typed = mention.text
    relative = not _RELATIVE.isdisjoint(token.folded for token in tokens(typed))
    if not _YEAR.search(typed) and not relative:
        years = {match for other in said if other is not mention for match in _YEAR.findall(other.text)}
        if len(years) == 1 and (again := find_ranges(f"{typed} năm {next(iter(years))}", draft.today)):
            return Period(again[0].start, again[0].end, again[0].label)
        span = span_of(draft, draft.date_ref)
        if span and (found.start > span[1] or found.end < span[0]) and draft.today > span[1]:
            again = find_ranges(typed, span[1])
            if again and again[0].start >= span[0]:
                draft.note("year_of_data", said=typed, start=again[0].start, end=again[0].end)
                return Period(again[0].start, again[0].end, again[0].label)
        ahead = _coming(typed, found, draft.today) if span and span[1] > draft.today else None
        if ahead:
            draft.note("year_coming", said=typed, start=ahead.start, end=ahead.end)
            return Period(ahead.start, ahead.end, ahead.label)
    return Period(found.start, found.end, found.label or typed)


def _coming(typed: str, found: DateRange, today: date) -> DateRange | None:
    """The same days of the coming year, where they are nearer than those gone by: things expire in the time ahead."""
    again = find_ranges(typed, add(today, 1, "year"))
    if not again or again[0].start <= found.start:
        return None
    return again[0] if again[0].start - today < today - found.end else None


def span_of(draft: QueryDraft, ref: Ref | None) -> tuple[date, date] | None:
    """The first and last day of a date column, None where they are not known."""
    sheet = draft.schema.sheet
    if ref is None or ref.sheet or ref.name == sheet.date_field:
        return sheet.span
    found = draft.schema.key(ref)
    try:
        return date.fromisoformat(found.least[:10]), date.fromisoformat(found.most[:10])
    except ValueError:
        return None


def _several(draft: QueryDraft, found: list[Period], *, compared: bool) -> None:
    distinct = list(dict.fromkeys(found))
    if len(distinct) == 1:
        draft.period = distinct[0]
        return
    inside = [a for a in distinct if any(a != b and b.start <= a.start and a.end <= b.end for b in distinct)]
    if not compared and inside and len(distinct) == 2:  # "ngày 5 tháng 3 trong quý 1"
        draft.period = inside[0]
        return
    ordered = sorted(distinct, key=lambda period: (period.start, period.end))
    joined = all(b.start == a.end + timedelta(days=1) for a, b in pairwise(ordered))
    if joined and not compared and (len(ordered) > 2 or draft.any("sum")):
        draft.period = Period(ordered[0].start, ordered[-1].end, ", ".join(each.label for each in ordered))
        draft.note("joined_periods", start=draft.period.start, end=draft.period.end)
        return
    if len(ordered) > 2:
        draft.missing.append(", ".join(period.label for period in ordered[:-2]))
    draft.versus, draft.period = ordered[-2], ordered[-1]


def _single(draft: QueryDraft, mention: Mention, found: Period, *, compared: bool) -> None:
    at = draft.mentions.index(mention)
    before = next(draft.before(at, 1), None)
    against = before is not None and before.has("compare") and not before.has("and")
    same = "cung k" in fold(mention.text) or "same period" in fold(mention.text)
    two_values = sum(1 for each in draft.mentions if each.values) >= 2
    if against or (same and compared) or same:
        draft.versus, draft.versus_only = found, True
        return
    draft.period = found
    if compared and not two_values and draft.any("growth") and not _by_time(draft):
        draft.versus = preceding(found)
        draft.note("preceding", start=draft.versus.start, end=draft.versus.end)


def _by_time(draft: QueryDraft) -> bool:
    return any(mention.unit and not mention.period for mention in draft.mentions)


def preceding(period: Period) -> Period:
    """The period of the same kind before this one: the month before a month, else as many days before."""
    for unit in _UNITS:
        if (period.start, period.end) == whole(period.start, unit):
            start, end = whole(period.start - timedelta(days=1), unit)
            return Period(start, end)
    if period.start.day == 1 and period.end == whole(period.end, "month")[1]:
        count = (period.end.year - period.start.year) * 12 + period.end.month - period.start.month + 1
        return Period(add(period.start, -count, "month"), period.start - timedelta(days=1))
    days = (period.end - period.start).days + 1
    return Period(period.start - timedelta(days=days), period.start - timedelta(days=1))


def counterpart(base: Period, today: date) -> Period:
    """What is compared with `base` when only that was named: the present period of the same kind."""
    for unit in _UNITS:
        if (base.start, base.end) == whole(base.start, unit):
            start, end = whole(today, unit)
            return Period(start, end)
    days = (base.end - base.start).days
    return Period(base.end + timedelta(days=1), base.end + timedelta(days=1 + days))


def is_partial(period: Period | None, today: date) -> bool:
    """Whether a period has begun and is not over: its figures will still change."""
    return period is not None and period.start <= today <= period.end and _whole_unit(period)


def _whole_unit(period: Period) -> bool:
    return any((period.start, period.end) == whole(period.start, unit) for unit in _UNITS)
