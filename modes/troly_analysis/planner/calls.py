"""Turns an understood question into calls of the five tools, the simple ones wherever they can do it (001-25)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from troly_analysis.planner import pipelines
from troly_analysis.planner.pipelines import (
    Stage,
    Writer,
    compared,
    differing,
    label,
    per,
    share,
    unreachable,
)
from troly_analysis.planner.schema import Schema
from troly_analysis.planner.types import Condition, DataQuery, Group, Measure, Period
from troly_analysis.types import ToolCall


def out_of_reach(ask: DataQuery) -> tuple[str, ...]:
    """The columns that keep `ask` from being answered: those a pipeline it needs cannot name."""
    return unreachable(ask) if _needs_pipeline(ask) else ()


def compose(ask: DataQuery, schema: Schema, text: str) -> tuple[ToolCall, ...]:
    """The calls that answer `ask`; none when it asks for nothing."""
    if ask.form == "schema":
        return (ToolCall("get_data_schema", {"connection_name": ask.sheet}),)
    if not ask.measures and ask.form != "distinct":
        return ()
    if len({str(measure.where) for measure in ask.measures}) > 1:
        # The rows of a named metric are not those of the other figures: a call for each.
        each_alone = (replace(ask, measures=(measure,)) for measure in ask.measures)
        return tuple(call for one in each_alone for call in compose(one, schema, text))
    if _needs_pipeline(ask):
        return tuple(_pipelines(ask, schema, text))
    if ask.form in {"rows", "top", "distinct"}:
        one = {"rows": _rows, "top": _top, "distinct": _values}[ask.form]
        return (one(ask),)
    each = _compare if ask.form == "compare" else _aggregate
    return tuple(each(ask, measure) for measure in ask.measures)


def _values(ask: DataQuery) -> ToolCall:
    return _aggregate(ask, Measure("count"))


def _needs_pipeline(ask: DataQuery) -> bool:
    refs = [*(c.ref for c in (*ask.conditions, *ask.part)), *(g.ref for g in ask.groups)]
    refs += [measure.ref for measure in ask.measures if measure.ref]
    if any(condition.unit or condition.other for condition in ask.conditions):
        return True
    if any(ref.sheet or ref.parts for ref in refs) or ask.rank or ask.having or ask.form in {"share", "per"}:
        return True
    if any(measure.distinct or measure.over or measure.median for measure in ask.measures) or ask.gap:
        return True
    if ask.form == "compare":
        return False
    if ask.form == "top" and any(m.op not in {"sum", "count"} and not m.metric for m in ask.measures):
        return True
    return len(ask.measures) > 1 and bool(ask.groups) and ask.form != "rows"


def _pipelines(ask: DataQuery, schema: Schema, text: str) -> Iterator[ToolCall]:
    if ask.form == "compare" or ask.gap:
        writer = Writer(ask, schema.sheet, schema.joins)
        for measure in ask.measures:
            one = replace(ask, measures=(measure,))
            stages = compared(writer, one) if ask.form == "compare" else differing(writer, one, ask.gap[0])
            yield _piped(ask, stages, text)
    elif ask.groups or ask.having or ask.form in {"rows", "share", "per"}:
        yield _pipeline(ask, schema, text)
    else:
        for measure in ask.measures:
            one = replace(ask, measures=(measure,))
            simple = not (measure.distinct or measure.over or measure.median or _joined(one))
            yield _aggregate(one, measure) if simple else _pipeline(one, schema, text)


def _pipeline(ask: DataQuery, schema: Schema, text: str) -> ToolCall:
    writer = Writer(ask, schema.sheet, schema.joins)
    counted = any(measure.distinct for measure in ask.measures) and not (ask.groups or ask.having)
    write = {"rows": pipelines.rows, "share": share, "per": per}.get(ask.form)
    stages = (write or (pipelines.distinct if counted else pipelines.grouped))(writer, ask)
    return _piped(ask, stages, text)


def _piped(ask: DataQuery, stages: list[Stage], text: str) -> ToolCall:
    arguments = {"connection_name": ask.sheet, "pipeline": stages, "description": text[:200]}
    return ToolCall("execute_aggregation", arguments)


def _joined(ask: DataQuery) -> bool:
    refs = [*(c.ref for c in ask.conditions), *(m.ref for m in ask.measures if m.ref)]
    hard = any(ref.sheet or ref.parts for ref in refs)
    return hard or any(c.unit or c.other for c in ask.conditions)


def _filters(conditions: tuple[Condition, ...]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for condition in conditions:
        found.setdefault(condition.ref.name, {})[condition.op] = condition.value
    return {name: ops["eq"] if set(ops) == {"eq"} else ops for name, ops in found.items()}


def _names(groups: tuple[Group, ...]) -> str | list[str] | None:
    names = [label(group) for group in groups]
    if any("," in name for name in names):
        return names
    return ", ".join(names) if names else None


def _field(measure: Measure) -> str | None:
    if measure.metric:
        return measure.metric
    return measure.ref.name if measure.ref else None


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value not in (None, {}, "")}


def _aggregate(ask: DataQuery, measure: Measure) -> ToolCall:
    arguments = {
        "connection_name": ask.sheet,
        "operation": measure.op,
        "field": _field(measure),
        "group_by": _names(ask.groups),
        "filters": _filters(ask.conditions),
        **_dates(ask),
        "order": ask.order if ask.groups and ask.form == "groups" else "",
    }
    return ToolCall("aggregate_data", _given(arguments))


def _dates(ask: DataQuery) -> dict[str, Any]:
    if not (ask.period and ask.date_ref):
        return {}
    return {
        "date_field": ask.date_ref.name,
        "date_from": ask.period.start.isoformat(),
        "date_to": ask.period.end.isoformat(),
    }


def _dated(ask: DataQuery) -> dict[str, Any]:
    """The filters of a tool that has no dates of its own: the period is one of them."""
    found = _filters(ask.conditions)
    if ask.period and ask.date_ref:
        days = [ask.period.start.isoformat(), ask.period.end.isoformat()]
        found[ask.date_ref.name] = {"between": days}
    return found


def _top(ask: DataQuery) -> ToolCall:
    measure = ask.measures[0]
    sort = _field(measure) or "count"
    arguments = {
        "connection_name": ask.sheet,
        "sort_field": sort,
        "sort_order": ask.order or "desc",
        "limit": ask.limit,
        "group_by": _names(ask.groups),
        "aggregate_field": _field(measure),
        "filters": _dated(ask),
    }
    return ToolCall("get_top_items", _given(arguments))


def _rows(ask: DataQuery) -> ToolCall:
    sort = ask.measures[0].ref
    arguments = {
        "connection_name": ask.sheet,
        "sort_field": sort.name if sort else "",
        "sort_order": ask.order or "desc",
        "limit": ask.limit,
        "filters": _dated(ask),
    }
    return ToolCall("get_top_items", _given(arguments))


def _compare(ask: DataQuery, measure: Measure) -> ToolCall:
    arguments = {
        "connection_name": ask.sheet,
        "operation": measure.op,
        "field": _field(measure),
        "date_field": ask.date_ref.name if ask.date_ref else None,
        **_span("period1", ask.versus),
        **_span("period2", ask.period),
        "group_by": _names(ask.groups),
        "filters": _filters(ask.conditions),
    }
    return ToolCall("compare_periods", _given(arguments))


def _span(name: str, period: Period | None) -> dict[str, str]:
    if period is None:
        return {}
    return {f"{name}_from": period.start.isoformat(), f"{name}_to": period.end.isoformat()}
