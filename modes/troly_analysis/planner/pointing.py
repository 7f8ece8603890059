"""Resolves what a message points at in the answer before: one thing that was shown, two of them, or its days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from troly.text.dates import add, whole
from troly_analysis.planner.periods import is_whole, period_of_key
from troly_analysis.planner.reader import GOODS, PLACES, STATES, Parts, Pointer
from troly_analysis.planner.types import FOCUS_ROWS, Condition, DataQuery, Group, Period, Ref, values_of

_NO_PERSONS = GOODS | PLACES | STATES | {"order", "ticket", "visit", "payment"}


def shown_in(before: DataQuery, shown: Sequence[str]) -> DataQuery:
    """`before` about the one day, week or month that it found ("ngày nào … cao nhất"), else as it is."""
    one = before.groups[0] if len(before.groups) == 1 else None
    if one is None or not one.unit or before.form != "top" or len(shown) != 1:
        return before
    days = period_of_key(shown[0])
    days = whole(days[0], "week") if days and one.unit == "week" else days
    return before if days is None else replace(figure_alone(before), period=Period(*days, shown[0]))


def widened(before: DataQuery, kept: Sequence[str]) -> DataQuery:
    """`before` in the whole month, quarter or year that its days are in, where those are pointed at ("cả tháng đó")."""
    unit = next((each.removeprefix("whole ") for each in kept if each.startswith("whole ")), "")
    if not unit or before.period is None:
        return before
    start, end = whole(before.period.start, unit)  # type: ignore[arg-type]
    return replace(before, period=Period(start, end)) if before.period.end <= end else before


def pointed_query(
    parts: Parts, before: DataQuery, earlier: DataQuery | None, shown: Sequence[str], key: Ref | None = None
) -> DataQuery | None:
    """`before`, narrowed to what the message points at; None where it is not clear which thing is meant.

    `earlier` is the query that `before` is a change of, `shown` the first cell of each row of the last answer, `key` the
    column that names the rows of the sheet.
    """
    pointer = parts.pointer
    if pointer is None or pointer.out:
        return before if pointer is None else _without(parts, before, shown, key)
    if pointer.count != 1:
        two = _both(parts, before, earlier) if pointer.both else None
        return two or _several(parts, before, shown, key)
    thing = _thing(pointer, before, shown, key)
    if before.versus or before.gap or before.having or before.form in {"share", "per", "compare", "distinct"}:
        return _worked_out(parts, before, thing)
    days = shown_in(before, shown) if pointer == Pointer() else before
    of_one = _is_of_one_thing(pointer, before) or (before.form == "scalar" and pointer == Pointer())
    if days is not before or of_one:
        return days
    if thing is None:
        held = [each for each in before.conditions if each.op == "eq" and each.ref.kind == "text"]
        whose = [each for each in held if pointer.ref is not None and _fits(pointer.ref, each.ref)]
        named = len(whose) == 1 and not (pointer.place or pointer.end)
        return figure_alone(before) if named else None  # "nhóm đó", of whose things one was found
    return replace(figure_alone(before), conditions=(*before.conditions, thing))


def _worked_out(parts: Parts, before: DataQuery, thing: Condition | None) -> DataQuery | None:
    """A share that is asked for again, or the comparison of one of what was compared."""
    pointer = parts.pointer or Pointer()
    if thing is not None and before.form == "compare" and pointer.place and not (before.gap or before.having):
        return replace(
            before, conditions=(*before.conditions, thing), groups=(), order="", limit=0, turn="", chart=""
        )
    again = before.form == "share" and pointer == Pointer() and parts.has("share")
    return before if again else None


def _thing(pointer: Pointer, before: DataQuery, shown: Sequence[str], key: Ref | None) -> Condition | None:
    """The one of what was shown that is meant; None where none is."""
    ref, at = _place(pointer, before, shown, key) or (None, -1)
    later = pointer.place and before.rank > 1  # the third alone is the first of nothing
    if ref is None or later or not 0 <= at < len(shown) or not _fits(pointer.ref, ref):
        return None
    return Condition(ref, "eq", shown[at], shown[at])


def _without(parts: Parts, before: DataQuery, shown: Sequence[str], key: Ref | None) -> DataQuery | None:
    """`before` without the one thing or the things that were shown: "bỏ kênh đó ra thì kênh nào dẫn đầu"."""
    ref, pointer = _listed(before, key), parts.pointer or Pointer()
    if ref is None or pointer.place or pointer.end or not _fits(pointer.ref, ref):
        return None
    if not shown or pointer.count not in {0, len(shown)} or before.form not in {"top", "groups"}:
        return None
    rest = [each for each in before.conditions if each.ref != ref or each.value is None]
    left_out = (each for each in before.conditions if each.ref == ref and each.op in {"ne", "nin"})
    out = [value for each in left_out for value in values_of(each)]
    values = list(dict.fromkeys([*(value for value in out if value is not None), *shown]))
    return replace(before, conditions=(*rest, Condition(ref, "nin", values, ", ".join(values))))


def _several(parts: Parts, before: DataQuery, shown: Sequence[str], key: Ref | None) -> DataQuery | None:
    """The figure of each of several things that were listed, or that the question before named; None where they are others."""
    pointer = parts.pointer or Pointer()
    named = [each for each in before.conditions if each.ref.kind == "text" and each.op in {"eq", "in"}]
    ref = _listed(before, key)
    if before.form in {"scalar", "share"} and named and not before.groups:
        thing = named[-1]
        count = len(thing.value) if thing.op == "in" else 1
    elif ref is not None and 0 < len(shown) < FOCUS_ROWS:
        values, count = list(shown), len(shown)
        one = Condition(ref, "eq", shown[0])
        thing = Condition(ref, "in", values, ", ".join(values)) if count > 1 else one
    else:
        return None
    if pointer.count not in {0, count} or not _fits(pointer.ref, thing.ref):
        return None
    rest = tuple(each for each in before.conditions if each.ref != thing.ref)
    query = replace(figure_alone(before), conditions=(*rest, thing))
    if count == 1 or parts.has("sum") or parts.op == "sum":
        return query
    return replace(query, form=query.worked or "groups", groups=(Group(thing.ref),))


def _listed(before: DataQuery, key: Ref | None) -> Ref | None:
    """The column of the things that an answer listed; None where it listed none."""
    one = before.groups[0].ref if len(before.groups) == 1 and not before.groups[0].unit else None
    listed = key if before.form == "rows" else one
    listing = before.form in {"top", "groups", "rows", "distinct", "compare"}
    return listed if listed is not None and listed.kind == "text" and listing else None


def _is_of_one_thing(pointer: Pointer, before: DataQuery) -> bool:
    """Whether a question is about one thing that it names, which is what is pointed at: "đơn của khách KH0004"."""
    things = [each for each in before.conditions if each.ref.kind == "text"]
    several = before.form == "rows" and (bool(before.order) or before.limit != 1 or len(things) != 1)
    grouped = before.form != "rows" and any(group.ref != one.ref for group in before.groups for one in things)
    listed = grouped or several or pointer.place or pointer.end
    return not listed and len(things) == 1 and things[0].op == "eq" and _fits(pointer.ref, things[0].ref)


def _place(
    pointer: Pointer, before: DataQuery, shown: Sequence[str], key: Ref | None
) -> tuple[Ref, int] | None:
    """The column of what was listed and the place of the one meant; None where nothing was listed."""
    listed = _listed(before, key)
    if listed is None or before.form == "distinct":
        return None
    if pointer.place:
        return listed, pointer.place - 1
    if pointer.end and pointer.ref and before.form == "groups":  # all of them, the highest first
        return listed, 0 if pointer.end == "max" else len(shown) - 1 if len(shown) < FOCUS_ROWS else -1
    if pointer.end and before.form != "groups" and len(shown) > 1:
        first = {"desc": "max", "asc": "min"}.get(before.order)
        return listed, 0 if first == pointer.end else -1
    asked = {"desc": "max", "asc": "min"}.get(before.order) if before.form != "groups" else ""
    return listed, 0 if len(shown) == 1 and pointer.end in {"", asked} else -1


def _fits(noun: Ref | None, ref: Ref) -> bool:
    """Whether a noun can mean a thing of that column: one that is no column can, but "người" is no order and "nhóm" no product."""
    if noun is not None and not noun.name:
        other = _NO_PERSONS if noun.concept == "person" else frozenset({"order", "product", "crop", "book"})
        return ref.concept not in other
    return noun is None or noun.name == ref.name or (bool(noun.concept) and noun.concept == ref.concept)


def figure_alone(before: DataQuery) -> DataQuery:
    """`before` as one figure, without what it was broken down by."""
    return replace(
        before, form=before.worked or "scalar", groups=(), order="", limit=0, rank=0, having=(), count_groups=False, growth=False, chart="",
        seller=False,
    )  # fmt: skip


def _both(parts: Parts, before: DataQuery, earlier: DataQuery | None) -> DataQuery | None:
    """The two things of the answer before, or of it and the one before it, side by side; added up where a sum is asked for."""
    if before.versus:
        return before
    pairs = [each for each in before.conditions if each.op == "in" and len(each.value) == 2]
    if len(pairs) == 1:
        return _side_by_side(parts, before, pairs[0])
    if earlier is None or before.groups or earlier.groups:
        return None
    if before.conditions == earlier.conditions:
        return _both_periods(parts, before, earlier)
    old = [each for each in earlier.conditions if each not in before.conditions]
    new = [each for each in before.conditions if each not in earlier.conditions]
    alike = len(old) == len(new) == 1 and old[0].ref == new[0].ref and {old[0].op, new[0].op} == {"eq"}
    if before.period != earlier.period or not alike:
        return None
    two = Condition(new[0].ref, "in", [old[0].value, new[0].value], f"{old[0].value}, {new[0].value}")
    made = replace(before, conditions=tuple(two if each is new[0] else each for each in before.conditions))
    return _side_by_side(parts, made, two)


def two_periods_shown(parts: Parts, before: DataQuery | None, earlier: DataQuery | None) -> DataQuery | None:
    """The two questions before, side by side, where the message names the quarters, months or years of both ("quý 4 vs quý 1
    chênh nhau bao nhiêu"), or no more than a change ("tăng bao nhiêu phần trăm?"); None for others.
    """
    if before is None or earlier is None or any(each.groups or each.versus for each in (before, earlier)):
        return None
    alike = replace(earlier, period=before.period, date_ref=before.date_ref, chart=before.chart) == before
    again = [each.ref for each in parts.measures] == [each.ref for each in before.measures]
    bare = nothing_named(replace(parts, measures=[]) if again else parts)
    if alike and bare and parts.has("growth", "gap"):
        return _both_periods(parts, before, earlier)
    when, held = parts.when, (before.period, earlier.period)
    other = parts.conditions or parts.groups or parts.loose or parts.numbers or parts.extremes
    if other or not (when.period and when.versus and all(held)):
        return None
    both = ((when.period, when.versus), held)
    named, told = ({(one.start.month, one.end.month) for one in two if one} for two in both)
    years = sorted(one.start.year for one in held if one)
    whole = is_whole(when.period, "year") and is_whole(when.versus, "year") and len(told) == 1
    # "năm nay tăng bao nhiêu so với năm ngoái" after the same months of both
    same = named == told or (whole and years == [when.versus.start.year, when.period.start.year])
    return _both_periods(parts, before, earlier) if same and alike else None


def another_place(parts: Parts, before: DataQuery | None, earlier: DataQuery | None) -> DataQuery | None:
    """Another place of a ranking after one of it was asked about: "kênh thứ ba thì sao?" after the second; None for others."""
    place = parts.pointer.place if parts.pointer else 0
    listed = earlier is not None and earlier.form in {"top", "groups"} and len(earlier.groups) == 1
    one = earlier.groups[0].ref if earlier and listed and not earlier.groups[0].unit else None
    if before is None or earlier is None or one is None or not place or before.form != "scalar":
        return None
    held = any(each.ref == one and each.op == "eq" for each in before.conditions)
    rest = replace(parts, groups=[each for each in parts.groups if each.ref != one], loose=[])
    alone = replace(figure_alone(earlier), date_ref=before.date_ref)
    same = replace(before, conditions=earlier.conditions) == alone
    if not (held and same and nothing_named(rest)):
        return None
    return replace(earlier, form="top", order=earlier.order or "desc", rank=place, limit=1)


def ends_apart(parts: Parts, before: DataQuery | None, figures: Mapping[str, float]) -> DataQuery | None:
    """The highest and the lowest of what was listed, held against each other ("tháng cao nhất hơn tháng thấp nhất bao nhiêu")."""
    listed = before is not None and before.form in {"groups", "top"}
    listed = listed and before is not None and len(before.groups) == len(before.measures) == 1
    named = parts.measures or parts.conditions or parts.numbers or parts.when.period or parts.unread
    both = set(parts.extremes) == {"max", "min"} and parts.has("gap", "gt", "lt", "compare")
    if not (before and listed and both):
        return None
    if named or len(figures) < 2:
        return None
    group, high = before.groups[0], max(figures, key=figures.__getitem__)
    low = min(figures, key=figures.__getitem__)
    one = replace(figure_alone(before), versus=None)
    if group.unit:
        days = [period_of_key(each) for each in (high, low)]
        dated = zip(days, (high, low), strict=True)
        first, second = (Period(*each, name) if each else None for each, name in dated)
        return replace(one, form="compare", period=first, versus=second) if first and second else None
    two = Condition(group.ref, "in", [high, low], f"{high}, {low}")
    return replace(one, conditions=(*one.conditions, two), gap=(two,))


def nothing_named(parts: Parts) -> bool:
    """Whether no figure, thing, number or day is named, only how one is asked for."""
    named = (
        parts.measures, parts.groups, parts.loose, parts.conditions, parts.numbers, parts.rows, parts.limit, parts.extremes,
        parts.order, parts.op, parts.when.period, parts.when.versus, parts.unread,
    )  # fmt: skip
    return not any(named)


def _both_periods(parts: Parts, before: DataQuery, earlier: DataQuery) -> DataQuery | None:
    if before.period is None or earlier.period is None:
        return None
    first, last = sorted((earlier.period, before.period), key=lambda each: each.start)
    if parts.has("sum"):
        joined = (last.start - first.end).days == 1
        return replace(before, period=Period(first.start, last.end)) if joined else None
    apart = first.end < last.start
    return replace(figure_alone(before), form="compare", period=last, versus=first) if apart else None


def _side_by_side(parts: Parts, query: DataQuery, two: Condition) -> DataQuery | None:
    if parts.pointer is not None and not _fits(parts.pointer.ref, two.ref):
        return None
    query = figure_alone(query)
    if parts.has("gap"):
        return replace(query, gap=(two,), measures=query.measures[:1])
    if parts.has("sum") or parts.op == "sum":
        money = [each for each in query.measures if each.ref is not None]
        asked = money if parts.has("how much") and money else list(query.measures)
        return replace(query, measures=tuple(asked), gap=())
    return replace(query, form=query.worked or "groups", groups=(Group(two.ref),), gap=())


def points_at_days(parts: Parts, before: DataQuery) -> bool:
    """Whether the days that the message points at are those of the query before: "quý đó" after a quarter."""
    return all(_is_period(before.period, unit) for unit in parts.kept if unit)


def _is_period(period: Period | None, unit: str) -> bool:
    if period is None or unit == "any":
        return period is not None
    count, _, name = unit.rpartition(" ")
    if count in {"", "whole"}:
        return is_whole(period, name)
    return (add(period.start, int(count), name) - period.end).days == 1  # type: ignore[arg-type]
