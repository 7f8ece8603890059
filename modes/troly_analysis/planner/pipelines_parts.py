"""Writes the pipelines of two steps: shares of a whole, averages over days or customers, two periods side by side."""

from __future__ import annotations

from typing import Any

from troly_analysis.planner.pipelines import (
    MOST,
    counted,
    ids,
    label,
    measure_label,
    safe,
    shown_keys,
)
from troly_analysis.planner.shapes import Ask, Condition, Measure, Period
from troly_analysis.planner.writer import Stage, Writer, after_day, on_day


def share(writer: Writer, ask: Ask) -> list[Stage]:
    """What part of the whole something is, in per cent; with groups and no part, of every group."""
    measure = ask.measures[0]
    stages = writer.rows(period=ask.period)
    name = safe(measure_label(measure))
    if ask.part:
        if measure.distinct and measure.ref:
            return [*stages, *_distinct_share(writer, ask, writer.value(measure.ref))]
        one = 1 if measure.op == "count" or measure.ref is None else writer.value(measure.ref)
        tests = [writer.test(condition) for condition in ask.part]
        test = tests[0] if len(tests) == 1 else {"$and": tests}
        gather = {
            "_id": ids(writer, ask.groups),
            "part": {"$sum": {"$cond": [test, one, 0]}},
            "total": {"$sum": one},
        }
        stages.append({"$group": gather})
        shown = {**shown_keys(ask.groups), "share": _percent("$part", "$total"), "part": 1, "total": 1}
        stages.append({"$project": shown})
        if not ask.groups:
            return stages
        keys = {safe(label(group)): 1 for group in ask.groups}
        timed = any(group.unit for group in ask.groups)
        return [*stages, {"$sort": keys if timed else {"share": -1, **keys}}, {"$limit": ask.limit or MOST}]
    stages.append({"$group": {"_id": ids(writer, ask.groups), "v": writer.figure(measure)}})
    if measure.distinct:
        stages.append({"$project": {"v": counted("v")}})
    stages.append(
        {"$group": {"_id": None, "total": {"$sum": "$v"}, "all": {"$push": {"k": "$_id", "v": "$v"}}}}
    )
    stages.append({"$unwind": "$all"})
    shown = {"_id": 0}
    for nth, group in enumerate(ask.groups):
        shown[safe(label(group))] = "$all.k" if len(ask.groups) == 1 else f"$all.k.g{nth}"
    stages.append({"$project": {**shown, name: "$all.v", "share": _percent("$all.v", "$total")}})
    keys = {safe(label(group)): 1 for group in ask.groups}
    order = -1 if ask.order != "asc" else 1
    return [*stages, {"$sort": {"share": order, **keys}}, {"$limit": ask.limit or MOST}]


def _percent(part: str, total: str) -> Stage:
    return {"$cond": [{"$eq": [total, 0]}, None, {"$multiply": [{"$divide": [part, total]}, 100]}]}


def per(writer: Writer, ask: Ask) -> list[Stage]:
    """The average over the days, customers … of a figure added up for each (the last group is the one gone over)."""
    measure, inner, outer = ask.measures[0], ask.groups[-1], ask.groups[:-1]
    added = Measure("count" if measure.op == "count" else "sum", measure.ref, distinct=measure.distinct)
    stages = writer.rows(period=ask.period)
    stages.append({"$group": {"_id": ids(writer, [*outer, inner]), "v": writer.figure(added)}})
    if added.distinct:
        stages.append({"$project": {"v": counted("v")}})
    name = safe(f"avg({measure.ref.name})" if measure.ref else "avg")
    key: Any = None
    if outer:
        key = "$_id.g0" if len(outer) == 1 else {f"g{nth}": f"$_id.g{nth}" for nth in range(len(outer))}
    stages.append({"$group": {"_id": key, name: {"$avg": "$v"}}})
    stages.append({"$project": {**shown_keys(outer), name: 1}})
    return [*stages, {"$sort": {name: -1}}] if outer else stages


def _distinct_share(writer: Writer, ask: Ask, value: Any) -> list[Stage]:
    """The share of different things (bills, customers) of which a row passes."""
    tests = [writer.test(condition) for condition in ask.part]
    test = tests[0] if len(tests) == 1 else {"$and": tests}
    gather = {
        "_id": ids(writer, ask.groups),
        "part": {"$addToSet": {"$cond": [test, value, None]}},
        "total": {"$addToSet": value},
    }
    sizes = {**shown_keys(ask.groups), "part": counted("part"), "total": counted("total")}
    names = {safe(label(group)): 1 for group in ask.groups}
    shown = {**names, "share": _percent("$part", "$total"), "part": 1, "total": 1}
    stages: list[Stage] = [{"$group": gather}, {"$project": sizes}, {"$project": shown}]
    return [*stages, {"$sort": {"share": -1, **names}}] if ask.groups else stages


def compared(writer: Writer, ask: Ask) -> list[Stage]:
    """One figure in two periods, and the difference, as `compare_periods` gives them."""
    sides = {"period1": ask.versus, "period2": ask.period}
    days = [period for period in sides.values() if period]
    first, last = min(each.start for each in days), max(each.end for each in days)
    date = ask.date_ref
    tests = {name: _within(writer, ask, period) for name, period in sides.items() if period and date}
    return _beside(writer, ask, tests, Period(first, last))


def differing(writer: Writer, ask: Ask, condition: Condition) -> list[Stage]:
    """One figure for two values of a column, and the difference of the first from the second."""
    tests = {
        safe(str(value)): writer.test(Condition(condition.ref, "eq", value)) for value in condition.value
    }
    return _beside(writer, ask, tests, ask.period)


def _within(writer: Writer, ask: Ask, period: Period) -> Any:
    value = writer.value(ask.date_ref) if ask.date_ref else None
    return {"$and": [{"$gte": [value, on_day(period.start)]}, {"$lt": [value, after_day(period)]}]}


def _beside(writer: Writer, ask: Ask, tests: dict[str, Any], period: Period | None) -> list[Stage]:
    measure = ask.measures[0]
    gather: Stage = {"_id": ids(writer, ask.groups)}
    for nth, test in enumerate(tests.values()):
        gather[f"v{nth}"] = _where(writer, measure, test)
    sizes = [counted(f"v{nth}") if measure.distinct else f"$v{nth}" for nth in range(len(tests))]
    shown = {**shown_keys(ask.groups), **dict(zip(tests, sizes, strict=True))}
    names = list(tests)
    keys = {name: 1 for name in shown if name != "_id"}
    gap = {"$subtract": [f"${names[-1]}", f"${names[0]}"]}
    if not all(name in {"period1", "period2"} for name in names):
        gap = {"$subtract": [f"${names[0]}", f"${names[-1]}"]}
    stages = [*writer.rows(period=period), {"$group": gather}, {"$project": shown}]
    return [*stages, {"$project": {**keys, "difference": gap}}]


def _where(writer: Writer, measure: Measure, test: Any) -> Any:
    if measure.distinct and measure.ref:
        return {"$addToSet": {"$cond": [test, writer.value(measure.ref), None]}}
    if measure.op == "count" or measure.ref is None:
        return {"$sum": {"$cond": [test, 1, 0]}}
    other = 0 if measure.op == "sum" else None
    return {f"${measure.op}": {"$cond": [test, writer.value(measure.ref), other]}}
