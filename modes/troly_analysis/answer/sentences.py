"""The answer in words, from the result alone: what the documents' formatter says, to the letter (001-27 to 001-36)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.fold import fold
from troly.text.match import Lexicon
from troly.text.numbers import format_number
from troly_analysis.answer.names import (
    AnswerContext,
    cell_text,
    column_name,
    day_of,
    field_name,
    figure_name,
    filters_text,
    group_name,
    meant,
    partial,
    period_name,
    period_of,
    rows_are,
    small,
    value_text,
)
from troly_analysis.strings import say
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Result, Sheet, ToolCall

# The columns of a sheet in words: name, kind, range or most frequent values.


_COLUMNS_LISTED, _EXAMPLES_SHOWN = 40, 5


def describe(sheet: Sheet, lang: Lang) -> str:
    """A sheet as a numbered list of its columns, and its named metrics."""
    lines = [say("schema.sheet", lang, sheet=sheet.name, rows=format_number(sheet.rows, lang))]
    lines += [
        f"{number}. {_column(field, lang)}" for number, field in enumerate(sheet.fields[:_COLUMNS_LISTED], 1)
    ]
    lines += _more(len(sheet.fields) - _COLUMNS_LISTED, lang)
    if sheet.metrics:
        lines.append(say("schema.metrics", lang, names=", ".join(metric.name for metric in sheet.metrics)))
    return "\n".join(lines)


def _column(field: Field, lang: Lang) -> str:
    kind = say(f"sheets.kind_{field.kind}", lang)
    line = say("schema.line", lang, field=field.name, kind=f"{kind} {field.unit}".rstrip())
    if field.kind in NUMERIC | TEMPORAL and field.least:
        least, most = (_bound(text, field, lang) for text in (field.least, field.most))
        return say("schema.range", lang, line=line, least=least, most=most)
    if field.examples and not field.is_contact:
        return say("schema.examples", lang, line=line, values=", ".join(field.examples[:_EXAMPLES_SHOWN]))
    return line


def _bound(text: str, field: Field, lang: Lang) -> str:
    if field.kind in TEMPORAL:
        return value_text(day_of(text) or text, "", lang)
    try:
        return value_text(float(text), "%" if field.kind == "percent" else field.unit, lang)
    except ValueError:
        return text


LISTED, DETAILS = 10, 4
KNOWN_VALUES = 12


def render_answer(call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext) -> str:
    """The whole answer to one call: the figures, then what a relative or unfinished period stands for."""
    if call.tool == "get_data_schema" and sheet is not None:
        return describe(sheet, asked.lang)
    if is_empty(result):
        said = _nothing(call, sheet, asked)
    elif result.kind == "scalar":
        unit = _unit(result, call, sheet, asked.lang)
        said = f"{title(call, sheet, asked)}: {value_text(result.value, unit, asked.lang)}"
    elif result.kind == "compare":
        said = _comparison_text(call, result, sheet, asked)
    else:
        said = _rows_text(call, result, sheet, asked)
    return "\n\n".join(part for part in (said, "\n".join(notes(call, result, asked))) if part)


def is_empty(result: Result) -> bool:
    """Whether nothing was found (001-33)."""
    return (
        result.kind == "empty"
        or (result.kind == "scalar" and result.value is None)
        or (result.kind == "rows" and not result.rows)
        or (result.kind == "compare" and result.period1_value is None and result.period2_value is None)
    )


def is_listed(result: Result) -> bool:
    """Whether the words list the whole result: a few rows of a name and a figure. Any other stands in a table."""
    gap = len(result.rows) == 1 and "difference" in result.columns
    return result.kind == "rows" and len(result.rows) <= LISTED and (len(result.columns) <= 2 or gap)


def notes(call: ToolCall, result: Result, asked: AnswerContext) -> list[str]:
    """Sentences that go with every answer, whoever wrote it: days meant, unfinished periods, rows left out."""
    said = []
    periods = [period for period in periods_of(call) if any(period)] or [asked.span or (None, None)]
    for start, end in periods:
        said += [f"{day[:1].upper()}{day[1:]}." for day in [meant(start, end, asked)] if day]
        said += [line for line in [partial(start, end, asked)] if line]
    limit = call.arguments.get("limit")
    if call.tool == "get_top_items" and isinstance(limit, int) and len(result.rows) > limit:
        said.append(say("answer.ties", asked.lang, count=len(result.rows) - limit))
    if result.truncated:
        said.append(say("answer.truncated", asked.lang, count=value_text(len(result.rows), "", asked.lang)))
    return list(dict.fromkeys(said))


def periods_of(call: ToolCall) -> list[tuple[Any, Any]]:
    """The periods that a call is about, the later of two that are compared first."""
    if call.tool == "compare_periods":
        return [
            (day_of(call.arguments.get(f"period{n}_from")), day_of(call.arguments.get(f"period{n}_to")))
            for n in (2, 1)
        ]
    return [period_of(call)]


def title(call: ToolCall, sheet: Sheet | None, asked: AnswerContext) -> str:
    """What was computed as a heading: "Tổng doanh thu tháng 1/2024", "Top 3 sản phẩm bán chạy"."""
    if asked.heading and call.tool in {"execute_aggregation", "get_top_items", "get_data_schema"}:
        return asked.heading
    if call.tool == "execute_aggregation":
        words = " ".join(str(call.arguments.get("description") or "").split())
        return _capital(words.rstrip(".:")) or say("title.pipeline", asked.lang)
    if call.tool == "get_top_items":
        return _top_title(call, sheet, asked)
    name = figure_name(call, sheet, asked.lang)
    when = period_name(*period_of(call), asked) if call.tool == "aggregate_data" else ""
    if group := str(call.arguments.get("group_by") or ""):
        name = say("title.by", asked.lang, figure=name, group=group_name(group, sheet, asked.lang))
        when = when and f", {when}"
        return _capital(f"{name}{when}") + filters_text(call, sheet, asked.lang)
    return _capital(f"{name} {when}".strip()) + filters_text(call, sheet, asked.lang)


def _top_title(call: ToolCall, sheet: Sheet | None, asked: AnswerContext) -> str:
    arguments = call.arguments
    group = str(arguments.get("group_by") or "")
    what = group_name(group, sheet, asked.lang) if group else rows_are(sheet, asked.lang)
    field = str(arguments.get("aggregate_field") or arguments.get("sort_field") or "")
    counted = field.casefold() in {"", "count", "_count"}
    by = (
        say("title.counted", asked.lang, rows=rows_are(sheet, asked.lang))
        if counted
        else field_name(field, sheet, asked.lang)
    )
    last = str(arguments.get("sort_order") or "desc") == "asc"
    key = "title.lowest" if last else "title.best" if _has(asked.text, "best selling") else "title.top"
    said = say(key, asked.lang, count=arguments.get("limit") or LISTED, what=what, by=by)
    when = period_name(*period_of(call), asked)
    return f"{said}{when and f', {when}'}" + filters_text(call, sheet, asked.lang)


def _unit(result: Result, call: ToolCall, sheet: Sheet | None, lang: Lang) -> str:
    if result.unit or call.arguments.get("operation") != "count":
        return result.unit
    return rows_are(sheet, lang)


def _comparison_text(call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext) -> str:
    (start2, end2), (start1, end1) = periods_of(call)
    names = {"later": period_name(start2, end2, asked), "earlier": period_name(start1, end1, asked)}
    bare = ToolCall(call.tool, {**call.arguments, "operation": "count"})
    counted = call.arguments.get("operation") in {"count", None}
    figure = figure_name(bare if counted else call, sheet, asked.lang)
    field = field_name(str(call.arguments.get("field") or ""), sheet, asked.lang)
    if call.arguments.get("operation") == "sum" and figure == say("figure.sum", asked.lang, field=field):
        figure = field
    said = _capital(_change(figure, result, _unit(result, call, sheet, asked.lang), names, asked.lang))
    few = _lines(result, sheet, asked.lang) if len(result.rows) == 1 else []
    return "\n".join([said, *few])


def _change(figure: str, result: Result, unit: str, names: dict[str, str], lang: Lang) -> str:
    before, after = result.period1_value, result.period2_value
    later, earlier = value_text(after, unit, lang), value_text(before, unit, lang)
    if before is None:
        return say("compare.none_before", lang, figure=figure, **names, value=later)
    if after is None:
        return say("compare.none_after", lang, figure=figure, **names, before=earlier)
    if result.percentage_change is None:
        return say("compare.zero", lang, figure=figure, **names, value=later, before=earlier)
    if before == after:
        return say("compare.same", lang, figure=figure, **names, value=later)
    key = "up" if after > before else "down"
    # The amounts share the unit that stands after the second.
    bare = earlier.removesuffix(unit).rstrip() if unit != "%" else earlier
    return say(
        f"compare.{key}",
        lang,
        figure=figure,
        **names,
        percent=value_text(abs(result.percentage_change), "%", lang),
        before=bare,
        value=later,
    )


def _rows_text(call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext) -> str:
    head = title(call, sheet, asked)
    if len(result.rows) == 1 and len(result.columns) == 1:
        return f"{head}: {_cell(result, 0, 0, asked.lang)}"
    if len(result.rows) == 1 and result.columns[0] == "share":
        share, *parts = (_cell(result, 0, at, asked.lang) for at in range(len(result.columns)))
        return f"{head}: {share} ({' / '.join(parts)})"
    if len(result.rows) == 1 and not isinstance(result.rows[0][0], str) and "difference" in result.columns:
        named = (column_name(name, sheet, asked.lang) for name in result.columns)
        cells = (_cell(result, 0, at, asked.lang) for at in range(len(result.columns)))
        return f"{head}: " + ", ".join(f"{name}: {cell}" for name, cell in zip(named, cells, strict=True))
    counts = call.arguments.get("operation") == "count" and not any(result.units)
    noun = rows_are(sheet, asked.lang) if counts else ""
    if counts and len(result.columns) == 2 and all(row[1] == 1 for row in result.rows):
        result = replace(result, columns=result.columns[:1], rows=tuple(row[:1] for row in result.rows))
    if call.tool == "get_top_items" and not call.arguments.get("group_by"):
        result = _ranked_first(result, str(call.arguments.get("sort_field") or ""))
    if is_listed(result):
        return f"{head}:\n" + "\n".join(_lines(result, sheet, asked.lang, noun))
    first = _lines(replace(result, rows=result.rows[:1]), sheet, asked.lang, noun)
    return "\n".join([f"{head}:", *first, *_more(len(result.rows) - 1, asked.lang)])


def _ranked_first(result: Result, field: str) -> Result:
    """Ranked rows with what they are ranked by right behind their first column."""
    at = next((at for at, name in enumerate(result.columns) if fold(name) == fold(field)), 0)
    places = [*dict.fromkeys([0, at, *range(len(result.columns))])]

    def arranged(cells: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(cells[place] for place in places if place < len(cells))

    rows = tuple(map(arranged, result.rows))
    return replace(result, columns=arranged(result.columns), rows=rows, units=arranged(result.units))


def _lines(result: Result, sheet: Sheet | None, lang: Lang, noun: str = "") -> list[str]:
    """The rows as a numbered list (001-32, 001-35)."""
    lines = []
    for number, row in enumerate(result.rows, 1):
        label = _cell(result, number - 1, 0, lang)
        if result.columns[0].endswith(":month"):
            label = say("period.of_month", lang, month=label)
        rest = [
            (column_name(result.columns[at], sheet, lang), _cell(result, number - 1, at, lang, noun))
            for at in range(1, min(len(row), DETAILS + 1))
        ]
        told = rest[0][1] if len(rest) == 1 else ", ".join(f"{name}: {value}" for name, value in rest)
        lines.append(f"{number}. {label} - {told}" if told else f"{number}. {label}")
    return lines


def _more(count: int, lang: Lang) -> list[str]:
    return [say("answer.more", lang, count=value_text(count, "", lang))] if count > 0 else []


def _cell(result: Result, row: int, at: int, lang: Lang, noun: str = "") -> str:
    unit = result.units[at] if at < len(result.units) else ""
    return cell_text(result.rows[row][at], result.columns[at], unit or noun, lang)


def _nothing(call: ToolCall, sheet: Sheet | None, asked: AnswerContext) -> str:
    if call.tool == "compare_periods":
        (start2, end2), (start1, end1) = periods_of(call)
        names = " / ".join([period_name(start2, end2, asked), period_name(start1, end1, asked)])
        what = f"{figure_name(call, sheet, asked.lang)} {names}"
    else:
        head = title(call, sheet, asked)
        what = small(head) if call.tool == "aggregate_data" else head
    said = [say("answer.nothing", asked.lang, what=what)]
    dated = any(day for period in periods_of(call) for day in period)
    if dated and sheet is not None and sheet.span is not None:
        first, last = (format_date(day) for day in sheet.span)
        said.append(say("answer.span", asked.lang, sheet=sheet.name, first=first, last=last))
    said += _values_there_are(call, sheet, asked.lang)
    return " ".join(said)


def _values_there_are(call: ToolCall, sheet: Sheet | None, lang: Lang) -> list[str]:
    """For a filter that nothing fits: the values that the field has."""
    filters = call.arguments.get("filters")
    said = []
    for name, wanted in filters.items() if isinstance(filters, dict) and sheet else ():
        field = sheet.field(name) if sheet else None
        if field is None or not field.examples or field.distinct > KNOWN_VALUES:
            continue
        if isinstance(wanted, str) and wanted not in field.examples:
            said.append(
                say("answer.values", lang, field=name, values=", ".join(field.examples[:KNOWN_VALUES]))
            )
    return said


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _has(text: str, label: str) -> bool:
    return _lexicon().has(text, label)


@cache
def _lexicon() -> Lexicon:
    return Lexicon.load(Path(__file__).parent / "lexicons" / "answers.txt")
