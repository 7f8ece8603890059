"""Writes the Mongo-style pipelines for what the simple tools cannot do: joins, shares, different values, two steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from troly_analysis.planner.shapes import Ask, Condition, Group, Measure, Period, Ref
from troly_analysis.types import Sheet

Stage = dict[str, Any]
MOST = 1000
_OPS = {"ne": "$ne", "gt": "$gt", "gte": "$gte", "lt": "$lt", "lte": "$lte", "in": "$in", "nin": "$nin"}


class Writer:
    """Writes the stages for one question over `sheet`; `joins` gives for a joined sheet the columns here and there."""

    def __init__(self, ask: Ask, sheet: Sheet, joins: Mapping[str, tuple[str, str]]) -> None:
        self.ask = ask
        self.sheet = sheet
        self.joins = joins
        self._from: dict[str, str] = {}

    def path(self, ref: Ref) -> str:
        """Where a column stands in a row, as `$match` names it."""
        return f"{self._as(ref.sheet)}.{ref.name}" if ref.sheet else ref.name

    def value(self, ref: Ref) -> Any:
        """A column in an expression."""
        if "." in ref.name or ref.name.startswith("$"):
            if ref.sheet:
                return {"$getField": {"field": ref.name, "input": f"${self._as(ref.sheet)}"}}
            return {"$getField": {"$literal": ref.name}}
        return f"${self.path(ref)}"

    def rows(self, extra: Sequence[Condition] = (), period: Period | None = None) -> list[Stage]:
        """The stages that choose the rows: conditions, joins, conditions on what was joined."""
        conditions = [*self.ask.conditions, *extra]
        used = [*(c.ref for c in conditions), *(g.ref for g in self.ask.groups)]
        used += [m.ref for m in self.ask.measures if m.ref]
        here = self._match([c for c in conditions if not c.ref.sheet], period)
        stages: list[Stage] = [{"$match": here}] if here else []
        for name in dict.fromkeys(ref.sheet for ref in used if ref.sheet):
            mine, theirs = self.joins[name]
            alias = self._as(name)
            stages.append(
                {"$lookup": {"from": name, "localField": mine, "foreignField": theirs, "as": alias}}
            )
            stages.append({"$unwind": f"${alias}"})
        there = self._match([c for c in conditions if c.ref.sheet], None)
        if there:
            stages.append({"$match": there})
        return stages

    def _as(self, sheet: str) -> str:
        return self._from.setdefault(sheet, f"joined{len(self._from) + 1 if self._from else ''}")

    def _match(self, conditions: Sequence[Condition], period: Period | None) -> Stage:
        parts = [part for condition in conditions for part in self.conditions(condition)]
        if period and self.ask.date_ref:
            parts.append({self.path(self.ask.date_ref): {"$gte": _day(period.start), "$lt": _after(period)}})
        for measure in self.ask.measures[:1]:
            parts += [part for name, wanted in measure.where.items() for part in _where(name, wanted)]
        return parts[0] if len(parts) == 1 else {"$and": parts} if parts else {}

    def conditions(self, condition: Condition) -> list[Stage]:
        """One condition as `$match` takes it."""
        path = self.path(condition.ref)
        if condition.op == "eq":
            return [{path: condition.value}]
        if condition.op == "between":
            return [{path: {"$gte": condition.value[0], "$lte": condition.value[1]}}]
        return [{path: {_OPS[condition.op]: condition.value}}]

    def test(self, condition: Condition) -> Any:
        """One condition as an expression that is true or false."""
        value = self.value(condition.ref)
        wanted = condition.value
        if condition.op == "eq":
            return {"$eq": [value, wanted]}
        if condition.op == "in":
            return {"$in": [value, list(wanted)]}
        if condition.op == "nin":
            return {"$not": [{"$in": [value, list(wanted)]}]}
        if condition.op == "between":
            return {"$and": [{"$gte": [value, wanted[0]]}, {"$lte": [value, wanted[1]]}]}
        return {_OPS[condition.op]: [value, wanted]}

    def key(self, group: Group) -> Any:
        """What a group is grouped by."""
        value = self.value(group.ref)
        if group.unit == "month":
            return {"$dateToString": {"format": "%Y-%m", "date": value}}
        if group.unit == "year":
            return {"$year": value}
        if group.unit == "hour":
            return {"$hour": value}
        if group.unit == "weekday":
            return {"$isoDayOfWeek": value}
        if group.unit in {"day", "week", "quarter"}:
            trunc: Stage = {"date": value, "unit": group.unit}
            if group.unit == "week":
                trunc["startOfWeek"] = "monday"
            return {"$dateTrunc": trunc}
        return value

    def figure(self, measure: Measure) -> Any:
        """What a measure adds up in `$group`; different values are gathered (`size` counts them)."""
        if measure.distinct and measure.ref:
            return {"$addToSet": self.value(measure.ref)}
        if measure.op == "count" or measure.ref is None:
            return {"$sum": 1}
        value = self.value(measure.ref)
        if measure.times:
            value = {"$multiply": [value, self.value(measure.times)]}
        return {f"${measure.op}": value}


def ids(writer: Writer, groups: Sequence[Group]) -> Any:
    """The `_id` of `$group`."""
    if not groups:
        return None
    if len(groups) == 1:
        return writer.key(groups[0])
    return {f"g{nth}": writer.key(group) for nth, group in enumerate(groups)}


def shown_keys(groups: Sequence[Group]) -> Stage:
    """The groups' names in `$project`."""
    found: Stage = {"_id": 0}
    for nth, group in enumerate(groups):
        found[_safe(label(group))] = "$_id" if len(groups) == 1 else f"$_id.g{nth}"
    return found


def label(group: Group) -> str:
    """The name of a group's column, as the simple tools give it."""
    return f"{group.ref.name}:{group.unit}" if group.unit else group.ref.name


def measure_label(measure: Measure) -> str:
    """The name of a figure's column, as the simple tools give it."""
    if measure.metric:
        return measure.metric
    if measure.ref is None:
        return "count"
    if measure.distinct:
        return f"count({measure.ref.name})"
    return f"{measure.op}({measure.ref.name})"


def _safe(name: str) -> str:
    return name.replace(".", " ").lstrip("$") or "value"


def grouped(writer: Writer, ask: Ask) -> list[Stage]:
    """Groups with one or more figures; conditions on the figures, order and length of the list."""
    stages = writer.rows(period=ask.period)
    gather: Stage = {"_id": ids(writer, ask.groups)}
    for nth, measure in enumerate(ask.measures):
        gather[f"v{nth}"] = writer.figure(measure)
    counts = [c for c in ask.having if c.ref.kind == "rows"]
    others = [c for c in ask.having if c.ref.kind != "rows"]
    for nth, condition in enumerate(others):
        gather[f"h{nth}"] = {"$sum": writer.value(condition.ref)}
    if counts:
        gather["rows"] = {"$sum": 1}
    stages.append({"$group": gather})
    for nth, condition in enumerate(others):
        stages.append({"$match": _having(f"h{nth}", condition)})
    stages += [{"$match": _having("rows", condition)} for condition in counts]
    if ask.count_groups:
        return [*stages, {"$count": "count"}]
    shown = shown_keys(ask.groups)
    for nth, measure in enumerate(ask.measures):
        shown[_safe(measure_label(measure))] = {"$size": f"$v{nth}"} if measure.distinct else f"$v{nth}"
    stages.append({"$project": shown})
    return [*stages, *_order(ask)]


def _order(ask: Ask) -> list[Stage]:
    if not ask.groups:
        return []
    first = _safe(measure_label(ask.measures[0])) if ask.measures else ""
    keys = {_safe(label(group)): 1 for group in ask.groups}
    if ask.order and first:
        order: Stage = {first: -1 if ask.order == "desc" else 1, **keys}
    elif any(group.unit for group in ask.groups) or not first:
        order = dict(keys)
    else:
        order = {first: -1, **keys}
    return [{"$sort": order}, {"$limit": ask.limit or MOST}]


def _having(name: str, condition: Condition) -> Stage:
    if condition.op == "between":
        return {name: {"$gte": condition.value[0], "$lte": condition.value[1]}}
    return {name: condition.value if condition.op == "eq" else {_OPS[condition.op]: condition.value}}


def rows(writer: Writer, ask: Ask) -> list[Stage]:
    """Single rows, sorted by the first figure."""
    stages = writer.rows(period=ask.period)
    for ref in (measure.ref for measure in ask.measures[:1] if measure.ref):
        stages.append({"$sort": {writer.path(ref): 1 if ask.order == "asc" else -1}})
    return [*stages, {"$limit": ask.limit or MOST}]


def share(writer: Writer, ask: Ask) -> list[Stage]:
    """What part of the whole something is, in per cent; with groups and no part, of every group."""
    measure = ask.measures[0]
    stages = writer.rows(period=ask.period)
    name = _safe(measure_label(measure))
    if ask.part:
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
        keys = {_safe(label(group)): 1 for group in ask.groups}
        timed = any(group.unit for group in ask.groups)
        return [*stages, {"$sort": keys if timed else {"share": -1, **keys}}, {"$limit": ask.limit or MOST}]
    stages.append({"$group": {"_id": ids(writer, ask.groups), "v": writer.figure(measure)}})
    stages.append(
        {"$group": {"_id": None, "total": {"$sum": "$v"}, "all": {"$push": {"k": "$_id", "v": "$v"}}}}
    )
    stages.append({"$unwind": "$all"})
    shown = {"_id": 0}
    for nth, group in enumerate(ask.groups):
        shown[_safe(label(group))] = "$all.k" if len(ask.groups) == 1 else f"$all.k.g{nth}"
    stages.append({"$project": {**shown, name: "$all.v", "share": _percent("$all.v", "$total")}})
    keys = {_safe(label(group)): 1 for group in ask.groups}
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
        stages.append({"$project": {"v": {"$size": "$v"}}})
    name = _safe(f"avg({measure.ref.name})" if measure.ref else "avg")
    key: Any = None
    if outer:
        key = "$_id.g0" if len(outer) == 1 else {f"g{nth}": f"$_id.g{nth}" for nth in range(len(outer))}
    stages.append({"$group": {"_id": key, name: {"$avg": "$v"}}})
    stages.append({"$project": {**shown_keys(outer), name: 1}})
    return [*stages, {"$sort": {name: -1}}] if outer else stages


def distinct(writer: Writer, ask: Ask) -> list[Stage]:
    """How many different values a column has."""
    stages = writer.rows(period=ask.period)
    for ref in (measure.ref for measure in ask.measures[:1] if measure.ref):
        stages.append({"$match": {writer.path(ref): {"$ne": None}}})
        stages.append({"$group": {"_id": writer.value(ref)}})
    return [*stages, {"$count": "count"}]


def _day(day: Any) -> Any:
    return {"$date": day.isoformat()}


def _after(period: Period) -> Any:
    from datetime import timedelta

    return _day(period.end + timedelta(days=1))


def _where(name: str, wanted: Any) -> list[Stage]:
    if isinstance(wanted, Mapping):
        return [{name: {f"${op.lstrip('$')}": value}} for op, value in wanted.items()]
    return [{name: {"$in": list(wanted)} if isinstance(wanted, (list, tuple)) else wanted}]
