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
        return f"${self.path(ref)}"

    def rows(self, extra: Sequence[Condition] = (), period: Period | None = None) -> list[Stage]:
        """The stages that choose the rows: conditions, joins, conditions on what was joined."""
        conditions = [*self.ask.conditions, *extra]
        used = [*(c.ref for c in (*conditions, *self.ask.part)), *(g.ref for g in self.ask.groups)]
        used += [ref for m in self.ask.measures for ref in (m.ref, m.over) if ref]
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
            parts.append(
                {self.path(self.ask.date_ref): {"$gte": on_day(period.start), "$lt": after_day(period)}}
            )
        for measure in self.ask.measures[:1]:
            parts += [part for name, wanted in measure.where.items() for part in _where(name, wanted)]
        return parts[0] if len(parts) == 1 else {"$and": parts} if parts else {}

    def conditions(self, condition: Condition) -> list[Stage]:
        """One condition as `$match` takes it."""
        if condition.unit:
            return [{"$expr": self.test(condition)}]
        path = self.path(condition.ref)
        if condition.op == "eq":
            return [{path: condition.value}]
        if condition.op == "between":
            return [{path: {"$gte": condition.value[0], "$lte": condition.value[1]}}]
        return [{path: {_OPS[condition.op]: condition.value}}]

    def test(self, condition: Condition) -> Any:
        """One condition as an expression that is true or false."""
        value = self.key(Group(condition.ref, condition.unit))
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


def unreachable(ask: Ask) -> tuple[str, ...]:
    """The columns of `ask` that no pipeline can name: those that begin with "$", and joined ones with a dot."""
    refs = [*(c.ref for c in (*ask.conditions, *ask.part, *ask.having)), *(g.ref for g in ask.groups)]
    refs += [ref for m in ask.measures for ref in (m.ref, m.over) if ref]
    hidden = (ref.name for ref in refs if ref.name.startswith("$") or (ref.sheet and "." in ref.name))
    return tuple(dict.fromkeys(hidden))


def counted(name: str) -> Any:
    """How many values that are not empty the list of this name holds."""
    return {"$size": {"$filter": {"input": f"${name}", "as": "one", "cond": {"$ne": ["$$one", None]}}}}


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
        found[safe(label(group))] = "$_id" if len(groups) == 1 else f"$_id.g{nth}"
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
    if measure.over:
        return f"{measure.ref.name} / {measure.over.name}"
    return f"{measure.op}({measure.ref.name})"


def safe(name: str) -> str:
    """A name that a pipeline can give a column."""
    return name.replace(".", " ").lstrip("$") or "value"


def grouped(writer: Writer, ask: Ask) -> list[Stage]:
    """Groups with one or more figures; conditions on the figures, order and length of the list."""
    stages = writer.rows(period=ask.period)
    gather: Stage = {"_id": ids(writer, ask.groups)}
    for nth, measure in enumerate(ask.measures):
        gather[f"v{nth}"] = writer.figure(measure)
        if measure.over:
            gather[f"w{nth}"] = {"$sum": writer.value(measure.over)}
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
        shown[safe(measure_label(measure))] = _shown(measure, nth)
    stages.append({"$project": shown})
    return [*stages, *_order(ask)]


def _shown(measure: Measure, nth: int) -> Any:
    if measure.distinct:
        return counted(f"v{nth}")
    if measure.over:
        return {"$cond": [{"$eq": [f"$w{nth}", 0]}, None, {"$divide": [f"$v{nth}", f"$w{nth}"]}]}
    return f"$v{nth}"


def _order(ask: Ask) -> list[Stage]:
    if not ask.groups:
        return []
    first = safe(measure_label(ask.measures[0])) if ask.measures else ""
    keys = {safe(label(group)): 1 for group in ask.groups}
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


def distinct(writer: Writer, ask: Ask) -> list[Stage]:
    """How many different values a column has."""
    stages = writer.rows(period=ask.period)
    for ref in (measure.ref for measure in ask.measures[:1] if measure.ref):
        stages.append({"$match": {writer.path(ref): {"$ne": None}}})
        stages.append({"$group": {"_id": writer.value(ref)}})
    return [*stages, {"$count": "count"}]


def on_day(day: Any) -> Any:
    """A day as a pipeline writes it."""
    return {"$date": day.isoformat()}


def after_day(period: Period) -> Any:
    """The day after a period."""
    from datetime import timedelta

    return on_day(period.end + timedelta(days=1))


def _where(name: str, wanted: Any) -> list[Stage]:
    if isinstance(wanted, Mapping):
        return [{name: {f"${op.lstrip('$')}": value}} for op, value in wanted.items()]
    return [{name: {"$in": list(wanted)} if isinstance(wanted, (list, tuple)) else wanted}]
