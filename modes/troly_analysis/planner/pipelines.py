"""Writes the Mongo-style pipelines for what the simple tools cannot do: joins, shares, different values, two steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from troly_analysis.planner.shapes import Ask, Condition, Group, Measure
from troly_analysis.planner.writer import Stage, Writer, compare_with

MOST = 1000


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
    if measure.median:
        return f"median({measure.ref.name})"
    if measure.over:
        return f"{measure.ref.name} / {measure.over.name}"
    return f"{measure.op}({measure.ref.name})"


def safe(name: str) -> str:
    """A name that a pipeline can give a column."""
    return name.replace(".", " ").lstrip("$") or "value"


def grouped(writer: Writer, ask: Ask) -> list[Stage]:
    """Groups with one or more figures; conditions on the figures, order and length of the list."""
    stages = writer.rows(period=ask.period)
    for ref in (measure.ref for measure in ask.measures if measure.median and measure.ref):
        stages += [{"$match": {writer.path(ref): {"$ne": None}}}, {"$sort": {writer.path(ref): 1}}]
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
    if measure.median:
        return _middle(f"$v{nth}")
    if measure.over:
        return {"$cond": [{"$eq": [f"$w{nth}", 0]}, None, {"$divide": [f"$v{nth}", f"$w{nth}"]}]}
    return f"$v{nth}"


def _middle(values: str) -> Any:
    """The middle of a sorted list, of two the mean: `$median` would take the lower one."""
    size = {"$size": values}
    at = [{"$floor": {"$divide": [each, 2]}} for each in ({"$subtract": [size, 1]}, size)]
    return {"$avg": [{"$arrayElemAt": [values, {"$toInt": each}]} for each in at]}


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
    return [{"$sort": order}, {"$limit": ask.limit or MOST}] if not ask.rank else _place(order, ask.rank)


def _place(order: Stage, rank: int) -> list[Stage]:
    """One place of a ranking: the last of the first `rank`."""
    turned = {name: -way for name, way in order.items()}
    return [{"$sort": order}, {"$limit": rank}, {"$sort": turned}, {"$limit": 1}]


def _having(name: str, condition: Condition) -> Stage:
    return {name: compare_with(condition.op, condition.value)}


def rows(writer: Writer, ask: Ask) -> list[Stage]:
    """Single rows, sorted by the first figure."""
    stages = writer.rows(period=ask.period)
    for ref in (measure.ref for measure in ask.measures[:1] if measure.ref):
        if ref.parts:
            shown = {field.name: 1 for field in writer.sheet.fields if safe(field.name) == field.name}
            stages.append({"$project": {**shown, safe(ref.name): writer.value(ref)}})
        order = {safe(ref.name) if ref.parts else writer.path(ref): 1 if ask.order == "asc" else -1}
        if ask.rank:
            return [*stages, *_place(order, ask.rank)]
        stages.append({"$sort": order})
    return [*stages, {"$limit": ask.limit or MOST}]


def distinct(writer: Writer, ask: Ask) -> list[Stage]:
    """How many different values a column has."""
    stages = writer.rows(period=ask.period)
    for ref in (measure.ref for measure in ask.measures[:1] if measure.ref):
        stages.append({"$match": {writer.path(ref): {"$ne": None}}})
        stages.append({"$group": {"_id": writer.value(ref)}})
    return [*stages, {"$count": "count"}]
