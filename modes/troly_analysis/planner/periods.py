"""Reads when: the periods of a question, the one to compare with, and the date column they are meant of."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from troly.text.dates import DateRange, Unit, add, find_ranges, months, whole
from troly.text.fold import fold, folded_words, tokens
from troly_analysis.planner.lexicon import concept, marks, turn_words, words
from troly_analysis.planner.mentions import is_same_days
from troly_analysis.planner.types import Condition, Group, Period, Ref
from troly_analysis.types import TEMPORAL

if TYPE_CHECKING:
    from troly_analysis.planner.reader import Reader
    from troly_analysis.planner.schema import Schema

_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_HALF = re.compile(r"(?:nua|6 thang|sau thang) (?:dau|cuoi|sau) nam")
_UNITS: tuple[Unit, ...] = ("day", "week", "month", "quarter", "year")
_ENDS = ("max", "min", "seller", "slow seller", "top", "superlative")
_RELATIVE = frozenset({
    "nay", "qua", "truoc", "roi", "ngoai", "kia", "hien", "gan", "vua", "tro", "cung", "dau", "this", "last",
    "past", "previous", "today", "yesterday", "recent", "current", "same", "so", "date",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class When:
    """The days of a question: `period`, in a comparison the earlier `versus`, and the date column they are meant of.

    `versus_only` says that only the period to compare with was named ("so với tháng trước"), `same_days` that equally many
    days of both are meant ("cùng kỳ"). `yearless` is how the only period was typed, where its year was left to be found.
    """

    date_ref: Ref | None = None
    period: Period | None = None
    versus: Period | None = None
    versus_only: bool = False
    same_days: bool = False
    same_year: bool = False
    yearless: str = ""
    coming: bool = False
    """Whether the period is said to be one to come: "tháng 12 tới"."""


def read_periods(reader: Reader) -> When:
    """Find the period and, in a comparison, the earlier one; choose the date column; say what was assumed."""
    said = _not_refused(reader, [at for at in range(len(reader.mentions)) if _is_period(reader, at)])
    said = [at for at in said if not _is_each_before(reader, at)]
    fields = [ref for ref in reader.schema.refs.values() if ref.kind in TEMPORAL and not ref.sheet]
    if not fields:  # what a sheet without days holds is what it holds today
        days = ((at, reader.mentions[at].period) for at in said)
        reader.take("frame", *(at for at, each in days if each and each.start == each.end == reader.today))
        return When()
    ref = _date_ref(reader, fields, said)
    if len(said) > 1 and len(_dates_named(reader)) > 1:
        said = said[:1]  # a second period of a second date column stays unread
    found = [_anchored(reader, at, said, ref) for at in said]
    reader.take("period", *said)
    said, found = _restated(reader, said, found)
    compared = reader.any("compare", "growth", "gap") or (len(said) == 2 and reader.any("gt", "lt"))
    when = When(ref)
    if len(found) >= 2:
        when = _several(reader, when, said, found, compared=compared)
    elif found:
        when = _single(reader, when, said[0], found[0], compared=compared)
        typed = reader.mentions[said[0]].text
        coming = next_behind(reader, said[0]) >= 0
        when = replace(when, yearless="" if _has_year(typed) or coming else typed, coming=coming)
    if len(fields) > 1 and (when.period or when.versus):
        reader.note("date_field", field=ref.name)
    return when


def _restated(reader: Reader, said: list[int], found: list[Period]) -> tuple[list[int], list[Period]]:
    """One period for two that are said side by side, "hôm kia (21/11)": the dates, and where the two differ that is told."""
    kept: list[int] = []
    for nth, at in enumerate(said):
        beside = bool(kept) and at == said[kept[-1]] + 1
        days = beside and all(found[each].start == found[each].end for each in (kept[-1], nth))
        days = days and not re.search("[0-9]/[0-9]", found[kept[-1]].label)  # "1/11, 2/11" are two
        if beside and reader.bracketed(said[kept[-1]], at, days=days):
            first, second = found[kept.pop()], found[nth]
            if (first.start, first.end) != (second.start, second.end):
                reader.note("restated", said=second.label, start=second.start, end=second.end)
        kept.append(nth)
    return [said[nth] for nth in kept], [found[nth] for nth in kept]


def of_the_year_before(when: When, before: Period | None, today: date) -> When:
    """A period without a year, after a question about days of a year that was named, is of that year.

    It was named where the same days of a later year have begun: nothing else would have meant the earlier ones.
    """
    if before is None or not when.yearless or when.period is None or add(before.start, 1, "year") > today:
        return when
    bare = re.sub(r"\s+n[ăa]m$", "", when.yearless)
    again = find_ranges(f"{bare} năm {before.start.year}", today)
    return replace(when, period=Period(again[0].start, again[0].end, again[0].label)) if again else when


def _has_year(typed: str) -> bool:
    """Whether the words of a period say its year, or count it from today."""
    if _HALF.fullmatch(fold(typed).strip()):
        return False
    return _YEAR.search(typed) is not None or not _RELATIVE.isdisjoint(folded_words(typed))


def _not_refused(reader: Reader, said: list[int]) -> list[int]:
    """The periods that are meant: "tháng 4 chứ không phải tháng 3" names the second only to refuse it."""
    refused = [at for at in said if (before := reader.beside(at, -1)) >= 0 and reader.has(before, "not this")]
    if not refused or len(refused) == len(said):
        return said
    for at in refused:
        reader.take("negation", reader.beside(at, -1), at)
    reader.parts.corrects = True
    return [at for at in said if at not in refused]


_MONTH_KEY, _QUARTER_KEY = re.compile(r"(\d{4})-(\d{2})"), re.compile(r"(\d{4})-Q([1-4])")


def period_of_key(text: str) -> tuple[date, date] | None:
    """First and last day of what a result is grouped by ("2024-01", "2024-Q1", "2024", a day); None for others."""
    if (match := _MONTH_KEY.fullmatch(text)) and 1 <= int(match[2]) <= 12:
        return months(int(match[1]), int(match[2]))
    if match := _QUARTER_KEY.fullmatch(text):
        return months(int(match[1]), int(match[2]) * 3 - 2, 3)
    if _YEAR.fullmatch(text):
        return months(int(text), 1, 12)
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return None
    return day, day


def read_weekdays(reader: Reader) -> list[Condition]:
    """ "Thứ bảy", "cuối tuần", "weekdays only": which days of the week."""
    days: list[int] = []
    said: list[int] = []
    ref = reader.parts.when.date_ref
    for at, mention in enumerate(reader.mentions):
        label = next((each for each in sorted(mention.labels) if re.fullmatch("day [0-9]+", each)), "")
        thing = reader.has(at - 1, "thing", "people", "unit week")  # "người thứ hai", "tuần thứ 3"
        if thing or not label or mention.role or mention.period or ref is None or mention.targets:
            continue
        named = [int(digit) for digit in label[4:]]
        if days and len(named) == 1 and reader.has(at - 1, "to"):  # "từ thứ hai đến thứ sáu"
            named = [1 + (days[-1] + step) % 7 for step in range((named[0] - days[-1]) % 7)]
            reader.take("period", at - 1)
        days += named
        said.append(at)
    if not days or ref is None:
        return []
    reader.take("period", *said)
    for at in list(reader.free()):
        if reader.mentions[at].unit in {"week", "day"} and not reader.mentions[at].targets:
            before = at - 1 in said or at + 1 in said
            reader.take("period", *([at] if before else []))  # "thứ 2 hàng tuần"
    _mean_of_days(reader, ref, days, said)
    text, days_said = ", ".join(reader.mentions[at].text for at in said), reader.parts.when.period
    if days_said is not None and (days_said.end - days_said.start).days < 6:
        span = range((days_said.end - days_said.start).days + 1)
        held = {(days_said.start + timedelta(step)).isoweekday() for step in span}
        if held.isdisjoint(days):  # a Saturday of a Sunday: no day is both
            for at in said:
                reader.mentions[at].role = ""
            return []
    one_day = days_said is None and _is_one_day(reader, days, said)
    return [] if one_day else [Condition(ref, "in", sorted(set(days)), text, "weekday")]


def read_hours(reader: Reader) -> list[Condition]:
    """ "Từ 15h đến 18h", "buổi sáng": the one stretch of the day that is named, where a column says at which hour; several and
    what is left out stay unread.
    """
    ref, found = reader.schema.timed, list[tuple[int, int, int]]()
    for at, mention in enumerate(reader.mentions):
        days = mention.period is not None and mention.role == "period"
        labels = _part_of_day(mention.period) if days else mention.labels
        part = next((each[6:].split("-") for each in labels if each.startswith("hours ")), None)
        if mention.hours:
            found.append((at, mention.hours.first, mention.hours.last))
        elif part and (days or not (mention.role or mention.targets or mention.values)):
            found.append((at, 60 * int(part[0]), 60 * int(part[1])))
            if days and ref is None:
                reader.note("whole_days", said=mention.text)
    if ref is None or len(found) != 1:
        return []
    at, first, last = found[0]
    ends = [(op, minute) for op, minute in (("gte", first), ("lt", last)) if 0 < minute < 24 * 60]
    padded = ref.kind == "text" and all(each[1:2] != ":" for each in reader.schema.key(ref).examples)
    exact = padded or not (first % 60 or last % 60)
    denied = reader.has(reader.beside(at, -1), "not", "deny", "minus", "not this", "blank")
    if first >= last or last > 24 * 60 or not (ends and exact) or denied:
        return []
    nouns = (place for place in reader.sides(at) if reader.mentions[place].unit == "hour")
    reader.take("condition", at, *nouns)
    said, unit = reader.mentions[at].text, "" if padded else "hour"
    if not reader.mentions[at].hours:
        reader.note("hours_meant", said=said, first=first // 60, last=last // 60)
    value = (
        (lambda minute: f"{minute // 60:02}:{minute % 60:02}") if padded else (lambda minute: minute // 60)
    )
    return [Condition(ref, op, value(minute), said, unit) for op, minute in ends]  # type: ignore[arg-type]


def _part_of_day(days: DateRange | None) -> set[str]:
    """What a period of one day says of its hours: "tối qua", "last night"."""
    said = days.label if days is not None and days.start == days.end else ""
    return {hit.payload for hit in words().find(said, tokens(said), careful=False)}


def _mean_of_days(reader: Reader, ref: Ref, days: list[int], said: list[int]) -> None:
    """ "Trung bình mỗi thứ bảy": one mean over those days, of a weekend over those weeks."""
    led = {at for at in said if reader.has(at - 1, "per", "by")}
    each = [at for at in said if at in led or reader.mentions[at].said.startswith("moi ")]
    known = concept(reader.schema.row_concept)
    rows = {word for phrase in (known.phrases if known else ()) for word in folded_words(phrase)}
    ahead = {word for mention in reader.mentions[: said[0]] for word in folded_words(mention.text)}
    # "giá trị đơn trung bình" is of each order
    alone = reader.has(said[0] - 1, "avg") and rows.isdisjoint(ahead)
    if reader.any("avg") and (each or alone):
        weekends = sorted(set(days)) == [6, 7] and len(said) == 1
        reader.parts.per.append(Group(ref, "week" if weekends else "day"))
        reader.take("per", *(at - 1 for at in led))


def _is_one_day(reader: Reader, days: list[int], said: list[int]) -> bool:
    """Whether "hôm thứ bảy" is one day, the last that was; it is then the period."""
    if len(days) != 1 or reader.at(said[0] - 1).said not in {"hom", "bua"}:
        return False
    day = reader.today - timedelta((reader.today.isoweekday() - days[0] - 1) % 7 + 1)
    reader.parts.when = replace(reader.parts.when, period=Period(day, day))
    return True


def _dates_named(reader: Reader) -> set[str]:
    first = (each.targets[0].ref for each in reader.mentions if each.targets and not each.unit)
    return {ref.name for ref in first if ref and ref.kind in TEMPORAL}


def _is_period(reader: Reader, at: int) -> bool:
    mention = reader.mentions[at]
    if mention.period is None:
        return False
    if mention.amount is None:
        return True
    before, after = reader.beside(at, -1), reader.beside(at, 1)
    signs = ("gt", "gte", "lt", "lte", "top", "bottom")
    if after >= 0 and reader.has(at - 1, *signs) and reader.is_rows(after):
        return False  # "trên 2000 đơn"
    if reader.has(before, *signs):
        return reader.mentions[before].has("filler")
    return not (after >= 0 and reader.has(after, "upward", "downward"))


def _is_each_before(reader: Reader, at: int) -> bool:
    """Whether "so với tháng trước" beside "tháng nào", "từng tháng" holds each against the one before, and names no month."""
    before, days = reader.beside(at, -1), reader.mentions[at].period
    said = {fold(word) for word in turn_words("last")}.intersection(folded_words(reader.mentions[at].text))
    units = {each.unit for each in reader.mentions if not each.period}
    if days is None or before < 0 or not (said and reader.has(before, "compare", "gt", "lt")):
        return False
    if not any(whole(days.start, unit) == (days.start, days.end) for unit in _UNITS if unit in units):
        return False
    reader.mentions[before].labels = frozenset({"filler" if reader.any("growth") else "growth"})
    reader.take("frame", before, at)
    return True


def _date_ref(reader: Reader, fields: list[Ref], said: list[int]) -> Ref:
    """The date column that is named, or hinted at by a verb of its header ("giao trong tháng 3"), or the sheet's own."""
    picked = next((ref for ref in fields if ref.name == reader.choices.get("date")), None)
    if picked is not None:
        return picked
    own = reader.schema.sheet.date_field
    default = next((ref for ref in fields if ref.name == own), fields[0])
    if default.concept in marks("of things"):
        default = next((ref for ref in fields if ref.concept not in marks("of things")), default)
    for at, mention in enumerate(reader.mentions):
        if at in said or mention.role or mention.unit:
            continue
        times = [target for target in mention.targets if target.ref and target.ref.kind in TEMPORAL]
        if not times or times[0].ref is None or times[0].weight < mention.targets[0].weight - 0.05:
            continue
        near = {each.ref.name for each in times if times[0].weight - each.weight < 0.1 and each.ref}
        if len(fields) > 1 and len(near) > 1:
            continue
        around = [*reader.around(at, -1, 1), *reader.around(at, 1, 1)]
        asking = ("by", "which", "per", "latest", "earliest", "blank", "deny", "filled", "empty")
        asked = any(reader.has(each, *asking) for each in around)
        if said and not asked:
            reader.take("period", at)
        return times[0].ref
    return default


def _anchored(reader: Reader, at: int, said: list[int], ref: Ref) -> Period:
    """The period of a mention: without a year of its own it takes the other's, or the latest one with data."""
    mention = reader.mentions[at]
    found = mention.period or DateRange(reader.today, reader.today, "", (0, 0))
    typed = mention.text
    if (after := next_behind(reader, at)) >= 0:
        reader.take("period", after)
        again = find_ranges(typed, add(reader.today, 1, "year")) if found.start <= reader.today else []
        found = next(iter(again), found)
    elif not _has_year(typed):
        others = (reader.mentions[other].text for other in said if other != at)
        years = {year for text in others for year in _YEAR.findall(text)}
        if len(years) == 1 and (again := find_ranges(f"{typed} năm {next(iter(years))}", reader.today)):
            return Period(again[0].start, again[0].end, again[0].label)
        span = span_of(reader.schema, ref)
        if span and (found.start > span[1] or found.end < span[0]) and reader.today > span[1]:
            again = find_ranges(typed, span[1])
            if again and span[0] <= again[0].start <= span[1]:
                reader.note("year_of_data", said=typed, start=again[0].start, end=again[0].end)
                return Period(again[0].start, again[0].end, again[0].label)
        ahead = _coming(typed, found, reader.today) if span and span[1] > reader.today else None
        if ahead:
            reader.note("year_coming", said=typed, start=ahead.start, end=ahead.end)
            return Period(ahead.start, ahead.end, ahead.label)
    return Period(found.start, found.end, found.label or typed)


def next_behind(reader: Reader, at: int) -> int:
    """The place of "tới" behind days without a year, which are then to come; -1 for none."""
    if _has_year(reader.mentions[at].text):
        return -1
    after, behind = reader.mentions[at + 1 : at + 2], reader.mentions[at + 2 : at + 3]
    said = bool(after) and fold(after[0].text) in turn_words("next")
    return at + 1 if said and not (behind and (behind[0].period or behind[0].amount)) else -1


def _coming(typed: str, found: DateRange, today: date) -> DateRange | None:
    """The same days of the coming year, where they are nearer than those gone by: things expire in the time ahead."""
    again = find_ranges(typed, add(today, 1, "year"))
    if not again or again[0].start <= found.start:
        return None
    return again[0] if again[0].start - today < today - found.end else None


def span_of(schema: Schema, ref: Ref | None) -> tuple[date, date] | None:
    """The first and last day of a date column, None where they are not known."""
    sheet = schema.sheet
    if ref is None or ref.sheet or ref.name == sheet.date_field:
        return sheet.span
    found = schema.key(ref)
    try:
        return date.fromisoformat(found.least[:10]), date.fromisoformat(found.most[:10])
    except ValueError:
        return None


def _several(reader: Reader, when: When, said: list[int], found: list[Period], *, compared: bool) -> When:
    distinct = list({(each.start, each.end): each for each in reversed(found)}.values())[::-1]
    if len(distinct) == 1:
        return replace(when, period=distinct[0])
    inside = [a for a in distinct if any(a != b and b.start <= a.start and a.end <= b.end for b in distinct)]
    if not compared and inside and len(distinct) == 2:  # "ngày 5 tháng 3 trong quý 1"
        outer = next(each for each in distinct if each != inside[0])
        until = inside[0].start == inside[0].end == outer.end  # "bữa ni tính từ đầu tháng" ends today
        return replace(when, period=outer if until and outer.end == reader.today else inside[0])
    ordered = sorted(distinct, key=lambda period: (period.start, period.end))
    if not compared and len(ordered) == 2 and ordered[0].start < ordered[1].start <= ordered[0].end:
        # "năm nay tính đến hôm nay": the days of both
        return replace(when, period=Period(ordered[1].start, min(each.end for each in ordered)))
    joined = all(b.start == a.end + timedelta(days=1) for a, b in pairwise(ordered))
    unit = next((each for each in _UNITS if all(is_whole(one, each) for one in ordered)), None)
    joint = Period(ordered[0].start, ordered[-1].end, ", ".join(each.label for each in ordered))
    several = joined and len(ordered) > 2 and not reader.any("sum", "by", "growth", "gap", *_ENDS)
    if several and unit and when.date_ref:
        reader.parts.groups.append(Group(when.date_ref, unit))  # "doanh thu quý 1, quý 2, quý 3"
        return replace(when, period=joint)
    if joined and not compared and (len(ordered) > 2 or reader.any("sum")):
        reader.note("joined_periods", start=joint.start, end=joint.end)
        return replace(when, period=joint)
    first, second = sorted(said)[:2]
    tied = any(reader.has(at, "and", "to", "compare", "either", "minus") for at in range(first, second))
    if not (compared or tied or len(ordered) > 2) and not reader.listed(first, second):
        reader.mentions[second].role = ""  # "đơn hủy tuần trước giao tháng này": of which days is not said
        ordered = [found[said.index(first)]] * 2
    if len(ordered) > 2:
        for at, each in zip(said, found, strict=True):
            if each in ordered[:-2]:
                reader.mentions[at].role = ""  # only two can be held against each other
    same = any(is_same_days(reader.mentions[at].text) for at in said)
    versus = ordered[-2] if ordered[-2] != ordered[-1] else None
    return replace(when, versus=versus, period=ordered[-1], same_days=same)


def _single(reader: Reader, when: When, at: int, found: Period, *, compared: bool) -> When:
    before = reader.beside(at, -1)
    earlier = [place for place in reader.free() if place > at and reader.has(place, "preceding")]
    if earlier and compared:  # "last week vs the week before"
        reader.take("period", *earlier[:1])
        reader.mentions[earlier[0]].labels = frozenset()
        return replace(when, period=found, versus=preceding(found))
    same = is_same_days(reader.mentions[at].text)
    held = before >= 0 and reader.has(before, "compare") and not reader.has(before, "and")
    beside = reader.at(at - 1).said
    held = held or (beside in {"vs", "voi"} and reader.any("growth"))  # "up or down vs May"
    more = before >= 0 and before == at - 1 and reader.has(before, "gt", "lt")
    more = more and reader.mentions[before].said.endswith(("hon", "than"))  # "nhiều hơn tháng trước"
    two = sum(1 for each in reader.mentions if each.values) >= 2
    # "Shopee hay Lazada cao hơn tháng 10", "Hà Nội với Đà Nẵng bên nào nhiều hơn tháng 10"
    more = more and not (two and reader.any("either", "which one", "which", "who"))
    if held or more or same:
        said = reader.mentions[at].said
        year = not any(unit in said for unit in ("tuan", "week", "thang", "month", "quy", "quarter"))
        return replace(when, versus=found, versus_only=True, same_days=same, same_year=year)
    timed = any(each.unit and not each.period for each in reader.mentions)
    if compared and not two and not timed and reader.any("growth"):
        versus = preceding(found)
        reader.note("preceding", start=versus.start, end=versus.end)
        return replace(when, period=found, versus=versus)
    return replace(when, period=found)


def same_days(period: Period, versus: Period, last: date) -> tuple[Period, Period]:
    """Both periods cut to equally many days, those that have come by `last` (rule: "cùng kỳ" compares equal days)."""
    end = min(period.end, last)
    days = end - period.start
    if end < period.start or period.end == end:
        return period, versus
    return replace(period, end=end), replace(versus, end=min(versus.start + days, versus.end))


def preceding(period: Period) -> Period:
    """The period of the same kind before this one: the month before a month, else as many days before."""
    return _moved(period, -1)


def following(period: Period) -> Period:
    """The period of the same kind after this one."""
    return _moved(period, 1)


def _moved(period: Period, step: int) -> Period:
    for unit in _UNITS:
        if is_whole(period, unit):
            return Period(*whole(add(period.start, step, unit), unit))
    after = period.end + timedelta(days=1)
    if period.start.day == after.day == 1:
        count = step * ((after.year - period.start.year) * 12 + after.month - period.start.month)
        return Period(add(period.start, count, "month"), add(after, count, "month") - timedelta(days=1))
    days = step * (after - period.start)
    return Period(period.start + days, period.end + days)


def counterpart(base: Period, today: date) -> Period:
    """What is compared with `base` when only that was named: the present period of the same kind."""
    now = (Period(*whole(today, unit)) for unit in _UNITS if is_whole(base, unit))
    return next(now, following(base))


def is_partial(period: Period | None, today: date) -> bool:
    """Whether a period has begun and is not over: its figures will still change."""
    begun = period is not None and period.start <= today <= period.end
    return period is not None and begun and any(is_whole(period, unit) for unit in _UNITS)


def is_ahead(period: Period | None, last: date | None, today: date) -> bool:
    """Whether nothing of a period has come, and the data end by today (`last`): its figures could only be forecast."""
    if period is None or (last is not None and last > today):
        return False
    return period.start > today or (period.start == today < period.end and not is_partial(period, today))


def is_whole(period: Period, unit: str) -> bool:
    """Whether a period is exactly one such unit: a month, a quarter."""
    return unit in _UNITS and (period.start, period.end) == whole(period.start, unit)
