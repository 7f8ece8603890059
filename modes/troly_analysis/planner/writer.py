"""Writes conditions, columns and figures the way Mongo-style pipelines take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from troly_analysis.planner.shapes import Ask, Condition, Group, Measure, Period, Ref
from troly_analysis.types import Sheet

Stage = dict[str, Any]
_OPS = {"ne": "$ne", "gt": "$gt", "gte": "$gte", "lt": "$lt", "lte": "$lte", "in": "$in", "nin": "$nin"}


def _joined(condition: Condition) -> bool:
    """Whether a condition speaks of a joined sheet, so that it can only hold after the join."""
    return bool(condition.ref.sheet) or bool(condition.other and _joined(condition.other))


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
        """A column in an expression, or what is worked out from two."""
        if not ref.parts:
            return f"${self.path(ref)}"
        parts = [self.value(part) for part in ref.parts]
        if ref.sign == "*":
            return {"$multiply": parts}
        return {"$subtract": [{"$ifNull": [part, 0]} for part in parts]}

    def rows(self, extra: Sequence[Condition] = (), period: Period | None = None) -> list[Stage]:
        """The stages that choose the rows: conditions, joins, conditions on what was joined."""
        conditions = [*self.ask.conditions, *extra]
        used = [*(c.ref for c in (*conditions, *self.ask.part)), *(g.ref for g in self.ask.groups)]
        used += [ref for m in self.ask.measures for ref in (m.ref, m.over) if ref]
        used += [part for ref in used for part in ref.parts]
        here = self._match([c for c in conditions if not _joined(c)], period)
        stages: list[Stage] = [{"$match": here}] if here else []
        for name in dict.fromkeys(ref.sheet for ref in used if ref.sheet):
            mine, theirs = self.joins[name]
            alias = self._as(name)
            stages.append(
                {"$lookup": {"from": name, "localField": mine, "foreignField": theirs, "as": alias}}
            )
            stages.append({"$unwind": f"${alias}"})
        there = self._match([c for c in conditions if _joined(c)], None)
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
        if condition.other:
            return [
                {"$or": [*self.conditions(replace(condition, other=None)), *self.conditions(condition.other)]}
            ]
        if condition.unit or condition.ref.parts:
            return [{"$expr": self.test(condition)}]
        return [{self.path(condition.ref): compare_with(condition.op, condition.value)}]

    def test(self, condition: Condition) -> Any:
        """One condition as an expression that is true or false."""
        if condition.other:
            return {"$or": [self.test(replace(condition, other=None)), self.test(condition.other)]}
        return _test(condition, self.key(Group(condition.ref, condition.unit)))

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
        return {"$push": value} if measure.median else {f"${measure.op}": value}


def compare_with(op: str, value: Any) -> Any:
    """What a field is held against in `$match`: a value, or an operator with one."""
    if op == "between":
        return {"$gte": value[0], "$lte": value[1]}
    return value if op == "eq" else {_OPS[op]: value}


def on_day(day: Any) -> Any:
    """A day as a pipeline writes it."""
    return {"$date": day.isoformat()}


def after_day(period: Period) -> Any:
    """The day after a period."""
    return on_day(period.end + timedelta(days=1))


def _where(name: str, wanted: Any) -> list[Stage]:
    if isinstance(wanted, Mapping):
        return [{name: {f"${op.lstrip('$')}": value}} for op, value in wanted.items()]
    return [{name: {"$in": list(wanted)} if isinstance(wanted, (list, tuple)) else wanted}]


def _test(condition: Condition, value: Any) -> Any:
    wanted, op = condition.value, condition.op
    if op in {"in", "nin"}:
        inside = {"$in": [value, list(wanted)]}
        return inside if op == "in" else {"$not": [inside]}
    if op == "between":
        return {"$and": [{"$gte": [value, wanted[0]]}, {"$lte": [value, wanted[1]]}]}
    found = {"$eq" if op == "eq" else _OPS[op]: [value, wanted]}
    if op in {"lt", "lte"}:  # an empty cell is less than any number
        return {"$and": [{"$ne": [value, None]}, found]}
    return found
