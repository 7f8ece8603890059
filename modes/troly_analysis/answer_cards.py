"""What is shown with an answer: the table of its result, and a chart where one helps."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from troly.plugin.events import Chart, Series, Table
from troly_analysis.answer import asks_for, is_empty, periods_of, title
from troly_analysis.answer_names import Asked, cell_text, column_name, period_name, value_text
from troly_analysis.strings import say
from troly_analysis.types import TEMPORAL, Result, Sheet, ToolCall

MOST_BARS, MOST_POINTS, MOST_SHARES = 20, 400, 8
IN_TIME = ("day", "week", "month", "quarter", "year", "hour", "weekday")


def table_of(call: ToolCall, result: Result, sheet: Sheet | None, asked: Asked) -> Table | None:
    """The result as a table; None where one figure says it all."""
    described = call.tool == "get_data_schema" and sheet is not None
    if is_empty(result) or result.kind == "scalar" or _single(result) or described:
        return None
    if result.kind == "compare" and not result.rows:
        return _periods(call, result, asked)
    lang = asked.lang
    units = [result.units[at] if at < len(result.units) else "" for at in range(len(result.columns))]
    rows = tuple(
        tuple(
            cell_text(value, name, unit, lang)
            for value, name, unit in zip(row, result.columns, units, strict=False)
        )
        for row in result.rows
    )
    numeric = tuple(at for at in range(len(result.columns)) if _all_numbers(result, at))
    columns = tuple(column_name(name, sheet, lang) for name in result.columns)
    return Table(columns, rows, title(call, sheet, asked), numeric)


def _periods(call: ToolCall, result: Result, asked: Asked) -> Table:
    """A comparison as a table: the two periods, then the change."""
    lang = asked.lang
    unit = result.unit
    (start2, end2), (start1, end1) = periods_of(call)
    rows = [
        (period_name(start1, end1, asked), value_text(result.period1_value, unit, lang)),
        (period_name(start2, end2, asked), value_text(result.period2_value, unit, lang)),
        (say("compare.change", lang), value_text(result.difference, unit, lang)),
        (say("compare.percent", lang), value_text(result.percentage_change, "%", lang)),
    ]
    return Table((say("compare.period", lang), say("compare.value", lang)), tuple(rows), "", (1,))


def chart_of(
    call: ToolCall, result: Result, sheet: Sheet | None, asked: Asked, wanted: str | None = None
) -> Chart | None:
    """A chart of the result, or None where it would say no more than the words; `wanted` is what the plan asks for."""
    if result.kind == "compare":
        return _side_by_side(call, result, asked) if result.rows else _two_bars(call, result, asked)
    if result.kind != "rows" or len(result.rows) < 2 or call.tool == "get_data_schema":
        return None
    values = _values(call, result)
    if not values:
        return None
    labels = tuple(
        cell_text(row[0], result.columns[0], result.units[0] if result.units else "", asked.lang)
        for row in result.rows
    )
    kind = _kind(result, sheet, asked, values, wanted)
    if kind is None:
        return None
    series = tuple(
        Series(
            column_name(result.columns[at], sheet, asked.lang), tuple(float(row[at]) for row in result.rows)
        )
        for at in values[:1]
    )
    unit = result.units[values[0]] if values[0] < len(result.units) else ""
    return Chart(kind, labels, series, title(call, sheet, asked), unit, language=asked.lang)


def _two_bars(call: ToolCall, result: Result, asked: Asked) -> Chart | None:
    if result.period1_value is None or result.period2_value is None:
        return None
    (start2, end2), (start1, end1) = periods_of(call)
    labels = (period_name(start1, end1, asked), period_name(start2, end2, asked))
    values = (float(result.period1_value), float(result.period2_value))
    return Chart(
        "bar",
        labels,
        (Series(say("compare.value", asked.lang), values),),
        "",
        result.unit,
        language=asked.lang,
    )


def _side_by_side(call: ToolCall, result: Result, asked: Asked) -> Chart | None:
    """A comparison by group: two bars for each group."""
    places = [at for at, name in enumerate(result.columns) if name in {"period1_value", "period2_value"}]
    if len(places) != 2 or not 2 <= len(result.rows) <= MOST_BARS:
        return None
    names = [period_name(start, end, asked) for start, end in reversed(periods_of(call))]
    labels = tuple(cell_text(row[0], result.columns[0], "", asked.lang) for row in result.rows)
    series = tuple(
        Series(name, tuple(float(row[at] or 0) for row in result.rows))
        for name, at in zip(names, places, strict=True)
    )
    return Chart("bar", labels, series, "", result.unit, language=asked.lang)


def _kind(result: Result, sheet: Sheet | None, asked: Asked, values: list[int], wanted: str | None) -> Any:
    count = len(result.rows)
    positive = all(row[values[0]] >= 0 for row in result.rows) and any(row[values[0]] for row in result.rows)
    if (wanted == "share" or asks_for(asked.text, "share")) and positive and count <= MOST_SHARES:
        return "share"
    if wanted == "line" or _is_time(result.columns[0], sheet):
        return "line" if 3 <= count <= MOST_POINTS else "bar" if count <= MOST_BARS else None
    return "bar" if count <= MOST_BARS else None


def _is_time(name: str, sheet: Sheet | None) -> bool:
    head, colon, grain = name.rpartition(":")
    if colon and head and grain in IN_TIME:
        return grain not in {"weekday", "hour"}
    field = sheet.field(name) if sheet else None
    return field is not None and field.kind in TEMPORAL


def _values(call: ToolCall, result: Result) -> list[int]:
    """The columns of figures, those asked for first; none where the first column is a figure itself."""
    if call.tool != "execute_aggregation" and _all_numbers(result, 0) and ":" not in result.columns[0]:
        return []
    found = [at for at in range(1, len(result.columns)) if _all_numbers(result, at)]
    last = str(call.arguments.get("sort_field") or "")
    return sorted(found, key=lambda at: result.columns[at] != last)


def _all_numbers(result: Result, at: int) -> bool:
    cells = [row[at] for row in result.rows if at < len(row)]
    return bool(cells) and all(
        isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) for cell in cells
    )


def _single(result: Result) -> bool:
    """Whether the sentence says all there is: one row of a name and a figure, or of a figure."""
    return result.kind == "rows" and len(result.rows) == 1 and len(result.columns) <= 2
