"""Turns an understood question into calls of the five tools, the simple ones wherever they can do it (001-25)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from troly_analysis.planner import pipelines
from troly_analysis.planner.pipelines import Writer, label, measure_label
from troly_analysis.planner.schema import Schema
from troly_analysis.planner.shapes import Ask, Chart, Condition, Group, Measure, Period
from troly_analysis.types import ToolCall

_SHARE_SLICES = 12


def compose(ask: Ask, schema: Schema, text: str) -> tuple[ToolCall, ...]:
    """The calls that answer `ask`; none when it asks for nothing."""
    if ask.form == "schema":
        return (ToolCall("get_data_schema", {"connection_name": ask.sheet}),)
    if not ask.measures and ask.form != "distinct":
        return ()
    if _needs_pipeline(ask):
        return _pipelines(ask, schema, text)
    if ask.form == "compare":
        return tuple(_compare(ask, measure) for measure in ask.measures)
    if ask.form == "rows":
        return (_rows(ask),)
    if ask.form == "top":
        return (_top(ask),)
    if ask.form == "distinct":
        return (_aggregate(ask, Measure("count")),)
    return tuple(_aggregate(ask, measure) for measure in ask.measures)


def chart_of(ask: Ask) -> Chart | None:
    """The chart that helps: a line over time, shares of a whole, bars for groups; None for one figure or for rows."""
    if ask.form == "share" and ask.groups and not ask.part:
        return "share"
    if ask.form in {"scalar", "rows", "per", "distinct", "schema"} or not ask.groups or ask.count_groups:
        return None
    if any(group.unit in {"day", "week", "month", "quarter", "year"} for group in ask.groups):
        return "bar" if ask.form == "top" else "line"
    return "bar"


def _needs_pipeline(ask: Ask) -> bool:
    refs = [*(c.ref for c in (*ask.conditions, *ask.part)), *(g.ref for g in ask.groups)]
    refs += [measure.ref for measure in ask.measures if measure.ref]
    if any(ref.sheet for ref in refs) or ask.form in {"share", "per"} or ask.having:
        return True
    if any(measure.distinct or measure.times for measure in ask.measures):
        return True
    if ask.form == "compare":
        return False
    if ask.form == "top" and any(m.op not in {"sum", "count"} and not m.metric for m in ask.measures):
        return True
    return len(ask.measures) > 1 and bool(ask.groups) and ask.form != "rows"


def _pipelines(ask: Ask, schema: Schema, text: str) -> tuple[ToolCall, ...]:
    if ask.form == "compare":
        return tuple(
            call
            for period in (ask.versus, ask.period)
            for call in _pipelines(
                replace(ask, form="groups" if ask.groups else "scalar", period=period, versus=None),
                schema,
                text,
            )
        )

    def call(stages: list[dict[str, Any]]) -> ToolCall:
        return ToolCall(
            "execute_aggregation",
            {"connection_name": ask.sheet, "pipeline": stages, "description": text[:200]},
        )

    def writer(part: Ask) -> Writer:
        return Writer(part, schema.sheet, schema.joins)

    if ask.form == "rows":
        sort = ask.measures[0].ref
        made = writer(ask)
        stages = made.rows(period=ask.period)
        if sort:
            stages.append({"$sort": {made.path(sort): 1 if ask.order == "asc" else -1}})
        return (call([*stages, {"$limit": ask.limit or pipelines.MOST}]),)
    if ask.form == "share":
        return (call(pipelines.share(writer(ask), ask)),)
    if ask.form == "per":
        return (call(pipelines.per(writer(ask), ask)),)
    if ask.groups or ask.having:
        return (call(pipelines.grouped(writer(ask), ask)),)
    calls = []
    for measure in ask.measures:
        one = replace(ask, measures=(measure,))
        if measure.distinct and measure.ref:
            calls.append(call(pipelines.distinct(writer(one), one)))
        elif measure.times or _joined(one):
            calls.append(call(pipelines.grouped(writer(one), one)))
        else:
            calls.append(_aggregate(one, measure))
    return tuple(calls)


def _joined(ask: Ask) -> bool:
    refs = [*(c.ref for c in ask.conditions), *(m.ref for m in ask.measures if m.ref)]
    return any(ref.sheet for ref in refs)


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


def _aggregate(ask: Ask, measure: Measure) -> ToolCall:
    arguments = {
        "connection_name": ask.sheet,
        "operation": measure.op,
        "field": _field(measure),
        "group_by": _names(ask.groups),
        "filters": _filters(ask.conditions),
        **_dates(ask),
    }
    return ToolCall("aggregate_data", _given(arguments))


def _dates(ask: Ask) -> dict[str, Any]:
    if not (ask.period and ask.date_ref):
        return {}
    return {
        "date_field": ask.date_ref.name,
        "date_from": ask.period.start.isoformat(),
        "date_to": ask.period.end.isoformat(),
    }


def _dated(ask: Ask) -> dict[str, Any]:
    """The filters of a tool that has no dates of its own: the period is one of them."""
    found = _filters(ask.conditions)
    if ask.period and ask.date_ref:
        days = [ask.period.start.isoformat(), ask.period.end.isoformat()]
        found[ask.date_ref.name] = {"between": days}
    return found


def _top(ask: Ask) -> ToolCall:
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


def _rows(ask: Ask) -> ToolCall:
    sort = ask.measures[0].ref
    arguments = {
        "connection_name": ask.sheet,
        "sort_field": sort.name if sort else "",
        "sort_order": ask.order or "desc",
        "limit": ask.limit,
        "filters": _dated(ask),
    }
    return ToolCall("get_top_items", _given(arguments))


def _compare(ask: Ask, measure: Measure) -> ToolCall:
    first, second = ask.versus, ask.period
    assert first and second and ask.date_ref
    arguments = {
        "connection_name": ask.sheet,
        "operation": measure.op,
        "field": _field(measure),
        "date_field": ask.date_ref.name,
        **_span("period1", first),
        **_span("period2", second),
        "group_by": _names(ask.groups),
        "filters": _filters(ask.conditions),
    }
    return ToolCall("compare_periods", _given(arguments))


def _span(name: str, period: Period) -> dict[str, str]:
    return {f"{name}_from": period.start.isoformat(), f"{name}_to": period.end.isoformat()}


__all__ = ["chart_of", "compose", "measure_label"]
