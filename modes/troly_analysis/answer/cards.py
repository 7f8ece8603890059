"""What is shown with an answer: the table of its result, and a chart where one helps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from troly.plugin.events import Chart, Computation, Series, Table
from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.numbers import format_number
from troly_analysis.answer.sentences import (
    AnswerContext,
    cell_text,
    column_name,
    day_of,
    field_name,
    figure_name,
    filters_text,
    group_name,
    is_empty,
    is_listed,
    meant,
    period_name,
    period_of,
    periods_of,
    title,
    with_keys,
)
from troly_analysis.query.aggregates import COLUMNS as COMPARED
from troly_analysis.query.fields import GRAINS
from troly_analysis.strings import say
from troly_analysis.types import TEMPORAL, Result, Sheet, ToolCall, ToolRecord, is_number

MOST_BARS, MOST_POINTS, MOST_SHARES = 20, 400, 12


def table_of(call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext) -> Table | None:
    """The result as a table; None where the words say it all."""
    result = with_keys(call, result, asked.lang)
    described = call.tool == "get_data_schema" and sheet is not None
    if is_empty(result) or not result.rows or is_listed(result) or described:
        return None
    lang = asked.lang
    named = [(name, result.unit_at(at)) for at, name in enumerate(result.columns)]
    told = (((value, *each) for value, each in zip(row, named, strict=False)) for row in result.rows)
    rows = tuple(tuple(cell_text(*cell, lang) for cell in row) for row in told)
    numeric = tuple(at for at in range(len(result.columns)) if _all_numbers(result, at))
    columns = tuple(column_name(name, sheet, lang) for name in result.columns)
    return Table(columns, rows, title(call, sheet, asked, len(rows)), numeric)


def chart_of(
    call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext, wanted: str | None = None
) -> Chart | None:
    """The chart that was asked for (`wanted`: its kind, "any" for none in particular); None for none."""
    if not wanted:
        return None
    result = with_keys(call, result, asked.lang)
    if result.kind == "compare":
        return _two_periods(call, result, asked)
    if result.kind != "rows" or len(result.rows) < 2 or call.tool == "get_data_schema":
        return None
    values = _figure_columns(call, result)
    if not values:
        return None
    first = (result.columns[0], result.unit_at(0), asked.lang)
    labels = tuple(cell_text(row[0], *first) for row in result.rows)
    kind = _chart_kind(result, sheet, values, wanted)
    if kind is None:
        return None
    at = values[0]
    figures = tuple(round(float(row[at]), 2) for row in result.rows)
    series = (Series(column_name(result.columns[at], sheet, asked.lang), figures),)
    heading, unit = title(call, sheet, asked, len(labels)), result.unit_at(at)
    return Chart(kind, labels, series, heading, unit, language=asked.lang)


def _two_periods(call: ToolCall, result: Result, asked: AnswerContext) -> Chart | None:
    """Two periods as two bars, or the groups of both as two series; None where a figure is missing."""
    (start2, end2), (start1, end1) = periods_of(call, asked)
    periods = (period_name(start1, end1, asked), period_name(start2, end2, asked))
    keys = len(result.columns) - len(COMPARED)
    both = [row[keys : keys + 2] for row in result.rows] or [(result.period1_value, result.period2_value)]
    if len(both) > MOST_BARS or any(cell is None for row in both for cell in row):
        return None
    values = [tuple(float(row[at]) for row in both) for at in (0, 1)]
    series = [Series(name, figures) for name, figures in zip(periods, values, strict=True)]
    named = result.columns[:keys]
    cells = (
        (cell_text(row[at], name, "", asked.lang) for at, name in enumerate(named)) for row in result.rows
    )
    labels = tuple(map(" / ".join, cells))
    if not labels:
        series, labels = [Series(say("compare.value", asked.lang), (*values[0], *values[1]))], periods
    return Chart("bar", labels, tuple(series), "", result.unit, language=asked.lang)


def _chart_kind(result: Result, sheet: Sheet | None, values: list[int], wanted: str) -> Any:
    count = len(result.rows)
    positive = all(row[values[0]] >= 0 for row in result.rows) and any(row[values[0]] for row in result.rows)
    # Means and ends are no parts of a whole.
    summed = result.columns[values[0]].partition("(")[0] not in {"avg", "min", "max", "median"}
    if wanted == "share" and positive and summed and count <= MOST_SHARES:
        return "share"
    timed = _is_time(result.columns[0], sheet) and not (wanted == "bar" and count <= MOST_BARS)
    if wanted == "line" or timed:
        return "line" if 3 <= count <= MOST_POINTS else "bar" if count <= MOST_BARS else None
    return "bar" if count <= MOST_BARS else None


def _is_time(name: str, sheet: Sheet | None) -> bool:
    head, colon, grain = name.rpartition(":")
    if colon and head and grain in GRAINS:
        return grain not in {"weekday", "hour"}
    field = sheet.field(name) if sheet else None
    return field is not None and field.kind in TEMPORAL


def _figure_columns(call: ToolCall, result: Result) -> list[int]:
    """The columns of figures, those asked for first; none where the first column is a figure itself."""
    if call.tool != "execute_aggregation" and _all_numbers(result, 0) and ":" not in result.columns[0]:
        return []
    found = [at for at in range(1, len(result.columns)) if _all_numbers(result, at)]
    last = str(call.arguments.get("sort_field") or "")
    return sorted(found, key=lambda at: result.columns[at] != last)


def _all_numbers(result: Result, at: int) -> bool:
    cells = [row[at] for row in result.rows if at < len(row)]
    return bool(cells) and all(map(is_number, cells))


# How an answer was computed: the query that ran, what it does step by step, and facts about its run.


RERUN = "/pipeline "
SHOWN = 300
_STAGES = {
    "$match": "match", "$group": "group", "$sort": "sort", "$limit": "limit",
    "$project": "project", "$lookup": "lookup", "$unwind": "unwind", "$count": "counted",
}  # fmt: skip


def computations(record: ToolRecord, sheet: Sheet | None, asked: AnswerContext) -> list[Computation]:
    """What is shown of one call: the SQL that ran, for a pipeline the pipeline too, ready to be edited and run again."""
    call = ToolCall(record.tool_name, record.arguments)
    facts = tuple(_facts(record, sheet, asked))
    shown = []
    if call.tool == "execute_aggregation":
        name = sheet.name if sheet else str(call.arguments.get("connection_name") or "")
        code = pipeline_text(name, call.arguments.get("pipeline"))
        explained = tuple(_stages(call, asked.lang))
        shown.append(Computation("json", code, explained, facts, RERUN))
    if record.run is not None and record.run.sql:
        explained = () if shown else tuple(_steps(call, sheet, asked))
        shown.append(Computation("sql", record.run.sql, explained, () if shown else facts))
    return shown


def pipeline_text(sheet: str, pipeline: Any) -> str:
    """A pipeline with its sheet as it is typed after `/pipeline`: one stage a line."""
    stages = pipeline if isinstance(pipeline, list) else []
    lines = ",\n".join(f"    {_json(stage)}" for stage in stages)
    body = f"[\n{lines}\n  ]" if lines else "[]"
    return f'{{\n  "sheet": {_json(sheet)},\n  "pipeline": {body}\n}}'


def _facts(record: ToolRecord, sheet: Sheet | None, asked: AnswerContext) -> list[tuple[str, str]]:
    lang = asked.lang
    facts = [(say("card.tool", lang), record.tool_name)]
    if sheet is not None:
        facts.append((say("card.sheet", lang), sheet.name))
    given = {name: value for name, value in record.arguments.items() if value not in (None, "", {}, [])}
    if given := {name: value for name, value in given.items() if name not in {"pipeline", "connection_name"}}:
        facts.append((say("card.arguments", lang), _shortened(_json(given))))
    call = ToolCall(record.tool_name, record.arguments)
    days = [text for start, end in periods_of(call, asked) if (text := meant(start, end, asked))]
    if days:
        facts.append((say("card.meant", lang), "; ".join(days)))
    if record.run is not None:
        facts.append((say("card.read", lang), format_number(record.run.rows_read, lang)))
        if record.run.span is not None:
            facts.append((say("card.span", lang), " - ".join(format_date(day) for day in record.run.span)))
        facts.append((say("card.ms", lang), f"{format_number(record.run.ms, lang, 1)} ms"))
    return facts


def _steps(call: ToolCall, sheet: Sheet | None, asked: AnswerContext) -> list[str]:
    """One sentence a step for the simple tools."""
    lang, arguments = asked.lang, call.arguments
    lines = [say("how.sheet", lang, sheet=sheet.name)] if sheet else []
    if what := filters_text(call, sheet, lang).strip(" ()"):
        lines.append(say("how.filter", lang, what=what))
    field = str(arguments.get("date_field") or (sheet.date_field if sheet else ""))
    start, end = period_of(call) if call.tool == "aggregate_data" else (None, None)
    if start or end:
        first, last = (format_date(day) if day else "…" for day in (start, end))
        name = field or say("how.date_default", lang)
        lines.append(say("how.dates", lang, field=name, first=first, last=last))
    if call.tool == "get_top_items":
        return lines + _ranking(arguments, sheet, lang)
    group = str(arguments.get("group_by") or "")
    named = {"group": group_name(group, sheet, lang)} if group else {}
    key = "how.compute_by" if group else "how.compute"
    lines.append(say(key, lang, figure=figure_name(call, sheet, lang), **named))
    if call.tool == "compare_periods":
        for number in (1, 2):
            days = [day_of(arguments.get(f"period{number}_{end}")) for end in ("from", "to")]
            first, last = (format_date(day) if day else "…" for day in days)
            lines.append(say("how.period", lang, number=number, first=first, last=last))
        lines.append(say("how.percent", lang))
    return lines


def _ranking(arguments: Mapping[str, Any], sheet: Sheet | None, lang: Lang) -> list[str]:
    by, count = str(arguments.get("sort_field") or ""), arguments.get("limit") or 10
    order = "asc" if arguments.get("sort_order") == "asc" else "desc"
    lines = [say(f"how.sort_{order}", lang, field=field_name(by, sheet, lang), count=count)]
    if group := str(arguments.get("group_by") or ""):
        summed = field_name(str(arguments.get("aggregate_field") or by), sheet, lang)
        lines.insert(0, say("how.group_sum", lang, group=group_name(group, sheet, lang), field=summed))
    return lines


def _stages(call: ToolCall, lang: Lang) -> list[str]:
    pipeline = call.arguments.get("pipeline")
    lines = []
    for stage in pipeline if isinstance(pipeline, list) else []:
        for name, body in stage.items() if isinstance(stage, Mapping) else ():
            key = _STAGES.get(str(name), "other")
            more = {"stage": name} if key == "other" else {}
            lines.append(say(f"how.{key}", lang, what=_shortened(_stage_words(str(name), body)), **more))
    return lines


def _stage_words(name: str, body: Any) -> str:
    if name == "$group" and isinstance(body, Mapping):
        made = ", ".join(str(key) for key in body if key != "_id")
        return f"{_json(body.get('_id'))}" + (f" → {made}" if made else "")
    if name == "$lookup" and isinstance(body, Mapping):
        return f"{body.get('from')} ({body.get('localField')} = {body.get('foreignField')})"
    if name == "$project" and isinstance(body, Mapping):
        return ", ".join(str(key) for key, kept in body.items() if kept not in (0, False))
    if name == "$sort" and isinstance(body, Mapping):
        return ", ".join(f"{key} {'↓' if way == -1 else '↑'}" for key, way in body.items())
    return body if isinstance(body, str) else _json(body)


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
