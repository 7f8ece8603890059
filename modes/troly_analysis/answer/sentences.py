"""The answer in words, from the result alone: what the documents' formatter says, to the letter (001-27 to 001-36), and what its figures are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from troly.text.catalogue import Lang
from troly.text.dates import DateRange, find_ranges, format_date, months
from troly.text.fold import fold, folded_words
from troly.text.match import Lexicon
from troly.text.numbers import find_amounts, format_money, format_number, format_percent
from troly.text.wordlist import read_lists
from troly_analysis.planner.periods import is_whole
from troly_analysis.planner.schema import concept_of, in_number, plain, shown_name
from troly_analysis.planner.types import Period
from troly_analysis.query.aggregates import COLUMNS as COMPARED
from troly_analysis.query.aggregates import percentage_change
from troly_analysis.query.fields import GRAINS
from troly_analysis.query.sql import MAX_ROWS
from troly_analysis.sheets.overview import shown as end_text
from troly_analysis.strings import say
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Metric, Result, Sheet, ToolCall

SHOWN_VALUES = 3
DIVISOR = "/ "
"""What the name of a column begins with that a mean was divided by: "/ Ngày:day"."""
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)|\d{1,2}[/.-]\d{1,2}")
_MARKS = {"eq": "=", "ne": "≠", "gt": ">", "gte": "≥", "lt": "<", "lte": "≤"}


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer is an answer to: the question, its language, and the periods it names (001 C7).

    `heading`, `span` and `versus` are what the plan says of a query that does not say it itself: a name, the first and last
    day, and those of the period that it is compared with.
    """

    text: str
    lang: Lang
    today: date
    periods: tuple[DateRange, ...] = ()
    heading: str = ""
    headings: tuple[tuple[ToolCall, str], ...] = ()
    """What each of several figures is called, by its call."""
    span: tuple[date, date] | None = None
    versus: tuple[date, date] | None = None
    columns: tuple[str, ...] = ()
    """The columns that are asked of one row; empty for all."""

    @classmethod
    def of(cls, text: str, lang: Lang, now: datetime) -> AnswerContext:
        """The question `text` asked at `now`."""
        return cls(text, lang, now.date(), tuple(find_ranges(text, now.date())))

    def own_name(self, call: ToolCall) -> str:
        """What a query is called among several; "" where it has no name of its own."""
        return next((name for made, name in self.headings if made == call), "")


def value_text(value: Any, unit: str, lang: Lang) -> str:
    """A cell as an answer writes it (001-27, 001-30, 001-31): "1.000.000 VND", "15,5%", "1/2/2024", "–" for none."""
    if value is None or value == "":
        return "–"
    if isinstance(value, (bool, int, float, Decimal)):
        return _number_text(value, unit, lang)
    if isinstance(value, date):
        timed = isinstance(value, datetime) and (value.hour or value.minute or value.second)
        return format_date(value) + (f" {value:%H:%M}" if timed else "")
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {value_text(item, '', lang)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(value_text(item, unit, lang) for item in value)
    return " ".join(str(value).split())


def is_currency(unit: str) -> bool:
    """Whether a unit is one of money, by its code: "VND"."""
    return unit.isalpha() and unit.isupper() and len(unit) == 3


def _number_text(value: float | Decimal, unit: str, lang: Lang) -> str:
    if isinstance(value, bool):
        return say("cell.yes" if value else "cell.no", lang)
    if not Decimal(str(value)).is_finite():
        return "–"
    if unit == "%":
        return format_percent(value, lang)
    if is_currency(unit):
        return format_money(value, lang, unit)
    return f"{format_number(value, lang)} {unit}".rstrip()


def cell_text(value: Any, column: str, unit: str, lang: Lang) -> str:
    """A cell of a result; the key of a period (`Ngày:month`) is written as people name it: "1/2024", "thứ hai"."""
    grain = column.rpartition(":")[2] if ":" in column else ""
    text = str(value)
    if grain == "month" and re.fullmatch(r"\d{4}-\d{2}", text):
        return f"{int(text[5:])}/{text[:4]}"
    if grain == "quarter" and re.fullmatch(r"\d{4}-Q\d", text):
        return say("period.quarter", lang, quarter=f"{text[6:]}/{text[:4]}")
    if grain == "weekday" and text in {"1", "2", "3", "4", "5", "6", "7"}:
        return say(f"weekday.d{text}", lang)
    if grain in {"year", "hour"} and value is not None:
        return text if grain == "year" else say("period.hour", lang, hour=text)
    return value_text(value, unit, lang)


def as_told(call: ToolCall, result: Result, sheet: Sheet | None) -> Result:
    """The result with its units; a pipeline's rows begin with what they are called, where one of their columns says it."""
    result = with_units(result, sheet)
    names = [at for at in range(len(result.columns)) if any(isinstance(row[at], str) for row in result.rows)]
    numbered = names and any(isinstance(row[0], int | float) for row in result.rows)
    return _arranged(result, names) if numbered and call.tool == "execute_aggregation" else result


def with_units(result: Result, sheet: Sheet | None) -> Result:
    """The result with the units of columns that a pipeline computed: `sum(Doanh thu)` is in the unit of "Doanh thu"."""
    units = list(result.units) + [""] * (len(result.columns) - len(result.units))
    for at, name in enumerate(result.columns):
        made = _COLUMN.fullmatch(name)
        if name in _PERCENTS:
            units[at] = "%"
        elif not units[at] and made and made[1] != "count":
            held = (each.unit for each in sheet.fields if each.unit and each.name in made[2]) if sheet else ()
            units[at] = unit_of(sheet, made[2]) or next(iter(held), "")
    return replace(result, units=tuple(units))


def with_changes(result: Result, order: str = "", turn: str = "") -> Result:
    """Figures by period with the change of each against the one before, in per cent; with an order the end of the changes that is
    asked for first, with a turn only what fell ("asc") or rose.
    """
    if result.kind != "rows" or len(result.columns) != 2:
        return result
    rows: list[tuple[Any, ...]] = []
    before: Any = None
    for key, value in result.rows:
        rows.append((key, value, percentage_change(before, value)))
        before = value
    columns, units = (*result.columns, "percentage_change"), (*result.units[:2], "%")
    changed = replace(result, columns=columns, rows=tuple(rows), units=units)
    if not (order or turn):
        return changed
    ranked = sorted(moved(changed, turn), key=lambda row: row[2], reverse=(order or turn) == "desc")
    return replace(changed, rows=tuple(ranked))


def moved(result: Result, turn: str) -> tuple[tuple[Any, ...], ...]:
    """The rows of compared figures that fell ("asc"), that rose ("desc") or, for "", of which a change is known."""
    named = (at for at, name in enumerate(result.columns) if name in {"difference", "percentage_change"})
    at, sign = next(named, -1), -1 if turn == "asc" else 1
    known = (row for row in result.rows if at >= 0 and row[at] is not None)
    return tuple(row for row in known if not turn or sign * row[at] > 0)


def group_name(name: str, sheet: Sheet | None, lang: Lang) -> str:
    """What results are grouped by, inside a sentence: "sàn", for `Ngày:month` "tháng"."""
    head, colon, grain = name.rpartition(":")
    timed = colon and head and grain in GRAINS
    return say(f"grain.{grain}", lang) if timed else field_name(name, sheet, lang)


def field_name(name: str, sheet: Sheet | None, lang: Lang) -> str:
    """A column inside a sentence, in the language of the answer where its header says what it is about."""
    found = sheet.field(name) if sheet is not None else None
    return small(shown_name(found, lang) if found is not None else name)


_COLUMN = re.compile(r"(sum|avg|median|min|max|count)\((.+)\)")
_PERCENTS = frozenset({"share", "percentage_change"})
_PLAIN_COLUMNS = {
    "share": "share", "part": "part", "total": "total", "period1_value": "period1", "period2_value": "period2", "period1": "period1", "period2": "period2",
    "difference": "difference", "percentage_change": "change", "filled": "filled", "cut": "cut",
}  # fmt: skip


def column_name(name: str, sheet: Sheet | None, lang: Lang) -> str:
    """A result's column as people name it: `sum(Doanh thu)` as "Tổng doanh thu"; the sheet's own names stay."""
    if sheet is not None and sheet.field(name) is not None:
        return name
    if name == "count":
        return say("column.count", lang, rows=rows_are(sheet, lang))
    if name in _PLAIN_COLUMNS:
        return say(f"column.{_PLAIN_COLUMNS[name]}", lang)
    counted = f"count({name.removeprefix(DIVISOR)})" if name.startswith(DIVISOR) else name
    if made := _COLUMN.fullmatch(counted):
        key = "count_of" if made[1] == "count" else made[1]
        text = say(f"column.{key}", lang, field=group_name(made[2], sheet, lang))
        return text[:1].upper() + text[1:]
    head, colon, grain = name.rpartition(":")
    if colon and head and grain in GRAINS:
        text = group_name(name, sheet, lang)
        return text[:1].upper() + text[1:]
    return name


def small(name: str) -> str:
    """A header inside a sentence: "Doanh thu" as "doanh thu"; names in capitals and codes stay as they are."""
    first, rest = name[:1], name[1:]
    return first.lower() + rest if rest[:1].islower() or rest[:1] == " " else name


def unit_of(sheet: Sheet | None, name: str) -> str:
    """The unit of a field's values, "" where it has none or is not known."""
    return sheet.unit(name) if sheet else ""


def rows_are(sheet: Sheet | None, lang: Lang) -> str:
    """What one row of a sheet is: "đơn" for a sheet of orders, "dòng" where its name says nothing."""
    key = next((key for key, names in _nouns() for name in names if sheet and name in _words(sheet.name)), "")
    return say(f"noun.{key or 'row'}", lang)


def figure_name(call: ToolCall, sheet: Sheet | None, lang: Lang) -> str:
    """What a call computes: "tổng doanh thu", "số đơn", a named metric by its name."""
    operation, field = str(call.arguments.get("operation") or ""), str(call.arguments.get("field") or "")
    metric = metric_of(call, sheet)
    if metric is not None:
        return small(metric.name)
    if operation in {"", "count"} or not field:
        return say("figure.count", lang, rows=rows_are(sheet, lang))
    if of_one_row(call, sheet):
        return field_name(field, sheet, lang)
    return say(f"figure.{operation}", lang, field=field_name(field, sheet, lang))


def of_one_row(call: ToolCall, sheet: Sheet | None) -> bool:
    """Whether a total or a mean is of the one row that a filter leaves: of a column in which each row has a value of its own."""
    given = call.arguments
    alone = (
        call.tool == "aggregate_data"
        and given.get("operation") in {"sum", "avg"}
        and not given.get("group_by")
    )
    named = (sheet.field(name) for name, value in _filters(call).items() if sheet and isinstance(value, str))
    return alone and any(one and sheet and not one.blanks and one.distinct == sheet.rows for one in named)


def metric_of(call: ToolCall, sheet: Sheet | None) -> Metric | None:
    """The named metric that a call computes: asked for by its name, or written out (its condition among the filters)."""
    given, operation = _filters(call), call.arguments.get("operation")
    field = call.arguments.get("field") or ""
    for metric in sheet.metrics if sheet else ():
        named = fold(metric.name) == fold(str(field)) and operation in {"sum", metric.operation}
        written = (metric.operation, metric.field) == (operation, field)
        if named or (written and all(given.get(name) == wanted for name, wanted in metric.where.items())):
            return metric
    return None


def filters_text(call: ToolCall, sheet: Sheet | None, lang: Lang) -> str:
    """The filters of a call in brackets: " (Sàn: Shopee, Giá ≥ 100.000 VND)"; "" without any."""
    metric = metric_of(call, sheet)
    own = metric.where if metric else {}
    given = (each for each in _filters(call).items() if each not in own.items())
    parts = [_condition(name, wanted, sheet, lang) for name, wanted in given]
    return f" ({', '.join(parts)})" if parts else ""


def _filters(call: ToolCall) -> Mapping[str, Any]:
    found = call.arguments.get("filters")
    return found if isinstance(found, Mapping) else {}


def _condition(name: str, wanted: Any, sheet: Sheet | None, lang: Lang) -> str:
    unit, field = unit_of(sheet, name), sheet.field(name) if sheet else None
    if field is not None and field.kind in TEMPORAL:
        wanted = _days_in(wanted)
    if not isinstance(wanted, Mapping):
        return f"{name}: {_some(wanted, unit, lang)}"
    parts = []
    for operator, value in wanted.items():
        plain = str(operator).lstrip("$")
        if plain in _MARKS:
            parts.append(f"{name} {_MARKS[plain]} {value_text(value, unit, lang)}")
        elif plain == "between" and isinstance(value, Sequence) and len(value) == 2:
            ends = " - ".join(value_text(end, unit, lang) for end in value)
            parts.append(f"{name}: {ends}")
        else:
            known = plain if plain in {"in", "nin", "contains", "exists"} else "in"
            parts.append(say(f"filter.{known}", lang, field=name, value=_some(value, unit, lang)))
    return ", ".join(parts)


def _days_in(value: Any) -> Any:
    """A filter's value with its days as days."""
    if isinstance(value, Mapping):
        return {key: _days_in(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_days_in(item) for item in value]
    return day_of(value) or value


def _some(value: Any, unit: str, lang: Lang) -> str:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    shown = ", ".join(value_text(item, unit, lang) for item in values[:SHOWN_VALUES])
    return f"{shown}, …" if len(values) > SHOWN_VALUES else shown


# --- periods


def day_of(value: Any) -> date | None:
    """The day that an argument of a call names, None when it names none."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return datetime.fromisoformat(str(value)).date() if value else None
    except ValueError:
        return None


def days_of(value: Any) -> list[date]:
    """The days that the limits of a call name, as a pipeline's; where one is no longer meant (`$lt`) the day before too."""
    if isinstance(value, dict):
        ends = (day for key, limit in value.items() if key in {"lt", "$lt"} for day in days_of(limit))
        before = [day - timedelta(days=1) for day in ends]
        return [*before, *(day for each in value.values() for day in days_of(each))]
    if isinstance(value, list | tuple):
        return [day for each in value for day in days_of(each)]
    day = day_of(value) if isinstance(value, date | str) else None
    return [day] if day else []


def period_name(start: date | None, end: date | None, asked: AnswerContext) -> str:
    """A period in the question's own words where it has them, else its days: "tuần này", "1/1/2024 - 31/1/2024"."""
    if start is None and end is None:
        return ""
    named = _named(start, end, asked)
    if named is not None:
        return named.label
    if start is None or end is None:
        key = "period.until" if start is None else "period.since"
        return say(key, asked.lang, date=format_date(start or end or asked.today))
    return _whole(start, end, asked.lang) or f"{format_date(start)} - {format_date(end)}"


def _whole(start: date, end: date, lang: Lang) -> str:
    """The name of a whole day, month, quarter or year; "" for other days."""
    if start == end:
        return format_date(start)
    if start.day == 1 and (end - start).days in range(27, 31) and (start.month == end.month):
        return say("period.month", lang, month=f"{start.month}/{start.year}")
    if (start, end) == months(start.year, 1, 12):
        return say("period.year", lang, year=start.year)
    quarter = start.month % 3 == 1 and (start, end) == months(start.year, start.month, 3)
    return say("period.quarter", lang, quarter=f"{start.month // 3 + 1}/{start.year}") if quarter else ""


def period_of(call: ToolCall) -> tuple[date | None, date | None]:
    """First and last day that a call of `aggregate_data` is limited to."""
    return day_of(call.arguments.get("date_from")), day_of(call.arguments.get("date_to"))


def meant(start: date | None, end: date | None, asked: AnswerContext) -> str:
    """The days that a relative period stands for: "tháng này: 1/11/2026 - 30/11/2026"; "" where the name says them."""
    named = _named(start, end, asked)
    if named is None or start is None or end is None or _YEAR.search(named.label):
        return ""
    days = format_date(start) if start == end else f"{format_date(start)} - {format_date(end)}"
    return f"{named.label}: {days}"


_DAYS_SAID = re.compile(
    r"(?i)((?:đến|tới|to|until|[-–])\s*(?:\w+ ){0,2})?(?<![\d/])0?(\d{1,2})/0?(\d{1,2})(?!\d)"
)


def says_days(text: str, line: str) -> bool:
    """Whether `text` says each day that `line` names, one that figures run to as such an end; False where it names none."""
    said, meant = ({(bool(end), *day) for end, *day in _DAYS_SAID.findall(each)} for each in (text, line))
    return bool(meant) and meant <= said | {(False, *day) for _, *day in said}


def partial(start: date | None, end: date | None, asked: AnswerContext, last: date) -> str:
    """A sentence when a period is not over yet, "" when it is; `last` is the last day that there are figures of."""
    if end is None or start is None or not start <= asked.today < end:
        return ""
    name = period_name(start, end, asked)
    return say("period.partial", asked.lang, period=name, date=format_date(last))


# Values whose spellings an answer tells of.
_SPELLINGS = 3


def _unequal(periods: Sequence[tuple[Any, Any]], asked: AnswerContext, last: date) -> list[str]:
    """That the later of two periods runs to today and has fewer days than the other, unless it is a whole week, month or more."""
    if len(periods) != 2 or not all(map(all, periods)):
        return []
    (start, end), (before, until) = periods
    whole = any(is_whole(Period(start, end), unit) for unit in ("week", "month", "quarter", "year"))
    days, other = ((min(one, last) - first).days + 1 for first, one in ((start, end), (before, until)))
    if end != asked.today or whole or not 0 < days < other:
        return []
    names = period_name(start, end, asked), period_name(before, until, asked)
    told = {
        "period": names[0],
        "days": days,
        "date": format_date(min(end, last)),
        "other": names[1],
        "more": other,
    }
    return [say("period.unequal", asked.lang, **told)]


def _spellings(call: ToolCall, result: Result, sheet: Sheet | None, lang: Lang) -> list[str]:
    """Which spellings are counted as one value, of the values that are shown or asked for."""
    given, shown = str(call.arguments), {cell for row in result.rows for cell in row if isinstance(cell, str)}
    said = []
    for field in sheet.fields if sheet else ():
        others: dict[str, list[str]] = {}
        for was, kept in field.merged if field.name in given else ():
            if kept in shown or kept in given:
                others.setdefault(kept, []).append(f"“{was}”")
        if others:
            each = [f"{', '.join(spelled)} = “{kept}”" for kept, spelled in [*others.items()][:_SPELLINGS]]
            more = ["…"] if len(others) > _SPELLINGS else []
            said.append(say("answer.spellings", lang, field=field.name, values="; ".join(each + more)))
    return said


def _named(start: date | None, end: date | None, asked: AnswerContext) -> DateRange | None:
    return next((each for each in asked.periods if (each.start, each.end) == (start, end)), None)


@cache
def _nouns() -> tuple[tuple[str, tuple[str, ...]], ...]:
    lists = read_lists(Path(__file__).parent / "lexicons" / "row_nouns.txt")
    return tuple((key, tuple(_words(name) for name in names)) for key, names in lists.items())


def _words(name: str) -> str:
    return f" {' '.join(re.findall(r'[a-z0-9]+', fold(name)))} "


# Puts the numbers of a ready text into the documents' form: 1.000.000 VND and 15,5% in Vietnamese (001-30, 001-31).


_COMMAS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,]|\.\d)")
_DOTS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.]|,\d)")
_PERCENT = re.compile(r"(?<![\d.,])(\d{1,3})[.,](\d{1,2})\s?%")
_MONEY = re.compile(r"(?i)(?<![\d.,])\d[\d.,]*\s?(?:vnd|vnđ|đồng|₫|đ)(?!\w)")


def house_numbers(text: str, lang: Lang) -> str:
    """`text` with its money, per cents and grouped numbers as this house writes them; nothing else is touched.

    Years, codes and telephone numbers stay: only what carries a unit or groups of three is rewritten.
    """
    text = _MONEY.sub(lambda match: _money(match[0], lang), text)
    text = _PERCENT.sub(lambda match: format_percent(float(f"{match[1]}.{match[2]}"), lang), text)
    other = _COMMAS if lang == "vi" else _DOTS
    return other.sub(lambda match: format_number(int(re.sub(r"[.,]", "", match[0])), lang), text)


def _money(written: str, lang: Lang) -> str:
    found = find_amounts(written)
    whole = len(found) == 1 and found[0].unit == "VND" and found[0].start == 0
    return format_money(found[0].value, lang) if whole else written


# The columns of a sheet in words: name, kind, range or most frequent values.


_COLUMNS_LISTED, _EXAMPLES_SHOWN = 40, 5


def describe(sheet: Sheet, lang: Lang) -> str:
    """A sheet as a numbered list of its columns, and its named metrics."""
    lines = [say("schema.sheet", lang, sheet=sheet.name, rows=format_number(sheet.rows, lang))]
    numbered = enumerate(sheet.fields[:_COLUMNS_LISTED], 1)
    lines += [f"{number}. {_column(field, lang)}" for number, field in numbered]
    lines += _more(len(sheet.fields) - _COLUMNS_LISTED, lang)
    if sheet.metrics:
        lines.append(say("schema.metrics", lang, names=", ".join(metric.name for metric in sheet.metrics)))
    return "\n".join(lines)


def _column(field: Field, lang: Lang) -> str:
    kind = say(f"sheets.kind_{field.kind}", lang)
    line = say("schema.line", lang, field=field.name, kind=f"{kind} {field.unit}".rstrip())
    if field.kind in NUMERIC | TEMPORAL and field.least:
        least, most = (end_text(field, text, lang) for text in (field.least, field.most))
        return say("schema.range", lang, line=line, least=least, most=most)
    if field.examples and not field.is_contact:
        return say("schema.examples", lang, line=line, values=", ".join(field.examples[:_EXAMPLES_SHOWN]))
    return line


LISTED, DETAILS, YEAR, FEW, SHORT = 10, 4, 12, 5, 140
KNOWN_VALUES = 12


def render_answer(call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext) -> str:
    """The whole answer to one call: the figures, then what a relative or unfinished period stands for."""
    return render_answers([(call, result, sheet)], asked)


def render_answers(found: Iterable[tuple[ToolCall, Result, Sheet | None]], asked: AnswerContext) -> str:
    """The answer to several calls: the figures of each, then once what their periods stand for."""
    said, below = [], []
    for call, result, sheet in found:
        shown = with_keys(call, result, asked.lang)
        described = call.tool == "get_data_schema" and sheet is not None
        said.append(_figures_text(call, shown, sheet, asked))
        below += [] if described else notes(call, shown, asked, sheet)
    return "\n\n".join([*dict.fromkeys(said), *(["\n".join(dict.fromkeys(below))] if below else [])])


def _figures_text(call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext) -> str:
    if call.tool == "get_data_schema" and sheet is not None:
        return describe(sheet, asked.lang)
    if is_empty(result):
        return _nothing(call, sheet, asked)
    if result.kind == "scalar":
        unit = _unit(result, call, sheet, asked.lang)
        return f"{title(call, sheet, asked)}: {value_text(result.value, unit, asked.lang)}"
    if result.kind == "compare":
        return _comparison_text(call, result, sheet, asked)
    return _rows_text(call, result, sheet, asked)


def with_keys(call: ToolCall, result: Result, lang: Lang) -> Result:
    """A grouped result as it is shown: a group of blank cells has a name, and the one key of everything is left out."""
    stages = call.arguments.get("pipeline")
    groups = [each["$group"] for each in stages if "$group" in each] if isinstance(stages, list) else []
    if result.kind != "rows" or not (call.arguments.get("group_by") or groups):
        return result
    whole = bool(groups) and isinstance(groups[-1], Mapping) and groups[-1].get("_id") is None
    if whole and len(result.rows) == 1 and len(result.columns) > 1 and result.columns[0] == "_id":
        rows = tuple(row[1:] for row in result.rows)
        return replace(result, columns=result.columns[1:], rows=rows, units=result.units[1:])
    key = groups[-1].get("_id") if groups and isinstance(groups[-1], Mapping) else None
    if result.columns[0] == "_id" and isinstance(key, str | Mapping):
        name = key.rpartition(".")[2].lstrip("$") if isinstance(key, str) else " / ".join(map(str, key))
        result = replace(result, columns=(name or "_id", *result.columns[1:]))
    keys = [at for at in range(len(result.columns)) if _is_key(result, at)]
    if whole or not any(row[at] in (None, "") for row in result.rows for at in keys):
        return result
    blank, cells = say("cell.blank", lang), (enumerate(row) for row in result.rows)
    named = ((blank if at in keys and cell in (None, "") else cell for at, cell in row) for row in cells)
    return replace(result, rows=tuple(map(tuple, named)))


def _is_key(result: Result, at: int) -> bool:
    """Whether a column of a grouped result names the groups: the first one, and any other without a figure."""
    if _is_figure(result.columns[at]):
        return False
    return (at == 0 and not result.unit_at(at)) or any(isinstance(row[at], str) for row in result.rows)


def _is_figure(name: str) -> bool:
    """Whether a column of a grouped result was worked out."""
    return name == "count" or name in _PLAIN_COLUMNS or bool(_COLUMN.fullmatch(name))


def is_empty(result: Result) -> bool:
    """Whether nothing was found (001-33)."""
    neither = result.period1_value is None and result.period2_value is None
    found = {"scalar": result.value is not None, "rows": bool(result.rows), "compare": not neither}
    return not found.get(result.kind, False)


def is_listed(result: Result) -> bool:
    """Whether the words list the whole result: a few rows of a name and a figure. Any other stands in a table."""
    gap = len(result.rows) == 1 and "difference" in result.columns
    gap = gap or any(name.startswith(DIVISOR) for name in result.columns)
    most = YEAR if result.columns and result.columns[0].endswith(":month") else LISTED
    return result.kind == "rows" and len(result.rows) <= most and (_width(result) <= 2 or gap)


def _width(result: Result) -> int:
    """How many columns are told of a row; a share stands in brackets behind its figure."""
    return len(result.columns) - (result.columns[2:] == ("share",))


def notes(call: ToolCall, result: Result, asked: AnswerContext, sheet: Sheet | None) -> list[str]:
    """Sentences that go with every answer, whoever wrote it: days meant, unfinished periods, rows left out."""
    said = []
    own = sheet is not None and call.arguments.get("date_field") in {None, sheet.date_field}
    last = min(asked.today, sheet.span[1]) if own and sheet and sheet.span else asked.today
    periods = [period for period in periods_of(call, asked) if any(period)] or [asked.span or (None, None)]
    for start, end in periods:
        said += [f"{day[:1].upper()}{day[1:]}." for day in [meant(start, end, asked)] if day]
        said += [line for line in [partial(start, end, asked, last)] if line]
    said += _unequal(periods, asked, last) + _spellings(call, result, sheet, asked.lang)
    limit = call.arguments.get("limit")
    if call.tool == "get_top_items" and isinstance(limit, int) and len(result.rows) > limit:
        said.append(say("answer.ties", asked.lang, count=len(result.rows) - limit))
    if result.truncated:
        said.append(say("answer.truncated", asked.lang, count=value_text(len(result.rows), "", asked.lang)))
    return list(dict.fromkeys(said))


def periods_of(call: ToolCall, asked: AnswerContext) -> list[tuple[Any, Any]]:
    """The periods that a call is about, the later of two that are compared first."""
    if call.tool == "compare_periods":
        named = ((f"period{n}_from", f"period{n}_to") for n in (2, 1))
        return [(day_of(call.arguments.get(one)), day_of(call.arguments.get(two))) for one, two in named]
    beside = call.tool == "execute_aggregation" and asked.span and asked.versus
    return [asked.span, asked.versus] if beside and asked.span and asked.versus else [period_of(call)]


def title(call: ToolCall, sheet: Sheet | None, asked: AnswerContext, rows: int = 0) -> str:
    """What was computed as a heading: "Tổng doanh thu tháng 1/2024", of `rows` that were found "Top 3 sản phẩm bán chạy"."""
    own = asked.own_name(call)
    if own or (asked.heading and call.tool in {"execute_aggregation", "get_top_items", "get_data_schema"}):
        return own or asked.heading
    if call.tool == "execute_aggregation":
        words = " ".join(str(call.arguments.get("description") or "").split())
        return _capital(words.rstrip(".:")) or say("title.pipeline", asked.lang)
    if call.tool == "get_top_items":
        return _top_title(call, sheet, asked, rows)
    name = figure_name(call, sheet, asked.lang)
    when = period_name(*period_of(call), asked) if call.tool == "aggregate_data" else ""
    if group := str(call.arguments.get("group_by") or ""):
        name = say("title.by", asked.lang, figure=name, group=group_name(group, sheet, asked.lang))
        when = when and f", {when}"
        return _capital(f"{name}{when}") + filters_text(call, sheet, asked.lang)
    return _capital(f"{name} {when}".strip()) + filters_text(call, sheet, asked.lang)


def _top_title(call: ToolCall, sheet: Sheet | None, asked: AnswerContext, rows: int) -> str:
    arguments = call.arguments
    group = str(arguments.get("group_by") or "")
    what = group_name(group, sheet, asked.lang) if group else rows_are(sheet, asked.lang)
    field = str(arguments.get("aggregate_field") or arguments.get("sort_field") or "")
    counted = field.casefold() in {"", "count", "_count"}
    by = field_name(field, sheet, asked.lang)
    by = say("title.counted", asked.lang, rows=rows_are(sheet, asked.lang)) if counted else by
    last = str(arguments.get("sort_order") or "desc") == "asc"
    best = _lexicon().has(asked.text, "best selling")
    key = "title.lowest" if last else "title.best" if best else "title.top"
    limit = int(arguments.get("limit") or LISTED)
    said = say(key, asked.lang, count=min(limit, rows or limit), what=what, by=by)
    when = period_name(*period_of(call), asked)
    return f"{said}{when and f', {when}'}" + filters_text(call, sheet, asked.lang)


def _unit(result: Result, call: ToolCall, sheet: Sheet | None, lang: Lang) -> str:
    if result.unit or call.arguments.get("operation") != "count":
        return result.unit
    return rows_are(sheet, lang)


def _comparison_text(call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext) -> str:
    (start2, end2), (start1, end1) = periods_of(call, asked)
    names = {"later": period_name(start2, end2, asked), "earlier": period_name(start1, end1, asked)}
    bare = ToolCall(call.tool, {**call.arguments, "operation": "count"})
    counted = call.arguments.get("operation") in {"count", None}
    figure = figure_name(bare if counted else call, sheet, asked.lang)
    field = field_name(str(call.arguments.get("field") or ""), sheet, asked.lang)
    if call.arguments.get("operation") == "sum" and figure == say("figure.sum", asked.lang, field=field):
        figure = field
    made = call.tool == "execute_aggregation"
    figure = (
        (asked.own_name(call) or asked.heading) if made else figure + filters_text(call, sheet, asked.lang)
    )
    said = _capital(_change(figure, result, _unit(result, call, sheet, asked.lang), names, asked.lang))
    noun = rows_are(sheet, asked.lang) if counted else ""
    few = len(result.rows) == 1
    groups = _lines(result, sheet, asked.lang) if few else _extremes(result, noun, asked.lang)
    return "\n".join([said, *_difference(result, call, sheet, asked.lang), *groups])


def _extremes(result: Result, noun: str, lang: Lang) -> list[str]:
    """Which of the groups that are compared rose and fell the most, by the amount and in per cent where those are two."""
    said, keys = [], len(result.columns) - len(COMPARED)
    for key, best, sign in (("most_up", max, 1), ("most_down", min, -1)):
        told = []
        for at in (keys + 2, keys + 3):
            moved = {place: row[at] for place, row in enumerate(result.rows) if (row[at] or 0) * sign > 0}
            if moved:
                place = best(moved, key=moved.__getitem__)
                name = ", ".join(_cell(result, place, column, lang) for column in range(keys))
                figures = [_cell(result, place, -2, lang, noun), _cell(result, place, -1, lang)]
                figures = figures if result.rows[place][-1] is not None else figures[:1]
                told.append(f"{name} ({', '.join(figures)})")
        if told:
            names = say("compare.by_percent", lang).join(dict.fromkeys(told))
            said.append(say(f"compare.{key}", lang, names=names))
    return [*said, *_more(len(result.rows), lang, "answer.table")]


def _difference(result: Result, call: ToolCall, sheet: Sheet | None, lang: Lang) -> list[str]:
    """How far two periods are apart, where the sentence says it in per cent."""
    if not result.difference or result.percentage_change is None:
        return []
    unit = _unit(result, call, sheet, lang)
    apart = value_text(abs(result.difference), say("compare.points", lang) if unit == "%" else unit, lang)
    return [say("compare.apart", lang, value=apart)]


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
    percent = value_text(abs(result.percentage_change), "%", lang)
    return say(f"compare.{key}", lang, figure=figure, **names, percent=percent, before=bare, value=later)


def _rows_text(call: ToolCall, result: Result, sheet: Sheet | None, asked: AnswerContext) -> str:
    head = title(call, sheet, asked, len(result.rows))
    if len(result.rows) == 1 and len(result.columns) == 1:
        return f"{head}: {_cell(result, 0, 0, asked.lang)}"
    if at := next((at for at, name in enumerate(result.columns) if name.startswith(DIVISOR)), 0):
        return _means_text(head, result, at, sheet, asked.lang)
    if len(result.rows) == 1 and result.columns[0] == "share":
        share, *parts = (_cell(result, 0, at, asked.lang) for at in range(len(result.columns)))
        return f"{head}: {share} ({' / '.join(parts)})"
    if len(result.rows) == 1 and not isinstance(result.rows[0][0], str) and _names_all(call, result):
        named = (column_name(name, sheet, asked.lang) for name in result.columns)
        cells = (_cell(result, 0, at, asked.lang) for at in range(len(result.columns)))
        return f"{head}: " + ", ".join(f"{name}: {cell}" for name, cell in zip(named, cells, strict=True))
    counts = call.arguments.get("operation") == "count" and not any(result.units)
    noun = _noun(result, sheet, asked.lang)
    if counts and len(result.columns) == 2 and all(row[1] == 1 for row in result.rows):
        result = replace(result, columns=result.columns[:1], rows=tuple(row[:1] for row in result.rows))
    if call.tool == "get_top_items" and not call.arguments.get("group_by"):
        result = _ranked_first(result, str(call.arguments.get("sort_field") or ""))
    if len(result.rows) == 1 and call.arguments.get("limit") == 1 and not call.arguments.get("group_by"):
        first, said = call.arguments.get("sort_field"), fold(asked.text)
        filled = zip(result.columns, result.rows[0], strict=True)
        blank = (name for name, value in filled if value in {None, ""})
        told_of = (name for name in blank if name == first or fold(name) in said)
        empty = [column_name(name, sheet, asked.lang) for name in told_of]
        told = [say("answer.blank_cells", asked.lang, fields=", ".join(empty))] if empty else []
        result = _only(result, asked.columns)
        return "\n".join(
            [
                f"{head}:",
                *_lines(result, sheet, asked.lang, noun, len(result.columns), named=bool(asked.columns)),
                *told,
            ]
        )
    lines = _lines if is_listed(result) else _summary
    return "\n".join([f"{head}:", *lines(result, sheet, asked.lang, noun), *_total(call, result, asked)])


def leaving_out(call: ToolCall, column: str, values: Sequence[str]) -> ToolCall:
    """The same call over the rows whose `column` has none of the values, or over all where it leaves them out already; with
    all groups of a ranking.
    """
    given = call.arguments
    if call.tool == "execute_aggregation":
        stages: list[Any] = [{"$match": {column: {"$nin": list(values)}}}, *given["pipeline"]]
        if [each for each in stages if "$limit" in each] == stages[-1:]:
            stages.pop()
        return ToolCall(call.tool, {**given, "pipeline": stages})
    out = {column: {"nin": list(values)}}
    others = {name: wanted for name, wanted in _filters(call).items() if name != column}
    filters = others if _filters(call).get(column) == out[column] else {**others, **out}
    more = {"limit": MAX_ROWS} if given.get("group_by") and "limit" in given else {}
    return ToolCall(call.tool, {**given, "filters": filters, **more})


def other_figures(result: Result, other: Result, sheet: Sheet | None, lang: Lang) -> str:
    """The figures of `other`, which is worked out as `result` was but over fewer rows, in few words; "" where they are the same."""
    if other == result or result.kind != other.kind or is_empty(other):
        return "" if other == result else say("answer.lost_none", lang)
    if other.kind == "rows":
        return _other_rows(result, other, sheet, lang)
    unit = other.unit or result.unit
    before, after = (value_text(each, unit, lang) for each in (other.period1_value, other.period2_value))
    sign = "+" if (other.percentage_change or 0) > 0 else ""
    apart = f"{before} → {after} ({sign}{value_text(other.percentage_change, '%', lang)})"
    return apart if other.kind == "compare" else value_text(other.value, unit, lang)


def _other_rows(result: Result, other: Result, sheet: Sheet | None, lang: Lang) -> str:
    """Of a few groups all, in the order shown and with their place where it is another; of a long course its sum."""
    money = [at for at, unit in enumerate(result.units) if is_currency(unit)]
    at = result.columns.index("share") if "share" in result.columns else money[0]
    if at == 0 and len(other.rows) == 1:
        named = ((column_name(other.columns[each], sheet, lang), each) for each in money)
        told = [f"{name}: {_cell(other, 0, each, lang)}" for name, each in named]
        return ", ".join(told) if "difference" in other.columns else _cell(other, 0, 0, lang)
    timed = any(name.rpartition(":")[2] in GRAINS for name in result.columns)
    if timed and len(result.rows) > FEW and result.columns[at].startswith("sum("):
        total = sum(row[at] or 0 for row in other.rows)
        return say("answer.lost_sum", lang, value=value_text(total, result.units[at], lang))
    keys = next((nth for nth, name in enumerate(result.columns) if _is_figure(name)), at)
    if keys == 0:
        return ", ".join(_cell(other, place, at, lang) for place in range(min(len(other.rows), FEW)))
    names = [
        [" / ".join(_cell(each, place, key, lang) for key in range(keys)) for place in range(len(each.rows))]
        for each in (result, other)
    ]
    before, after = ([row[at] for row in each.rows] for each in (result, other))
    listed = []
    for name, figure in list(zip(names[0], before, strict=True))[
        : FEW if len(before) <= FEW else SHOWN_VALUES
    ]:
        if name not in names[1]:
            listed.append(f"{name} –")
            continue
        now = names[1].index(name)
        rank = after.index(after[now])
        moved = not timed and rank != before.index(figure)
        place = say("answer.lost_rank", lang, rank=rank + 1) if moved else ""
        listed.append(f"{name} {_cell(other, now, at, lang)}{place}")
    return ", ".join(listed) + (", …" if len(before) > len(listed) else "")


def _noun(result: Result, sheet: Sheet | None, lang: Lang) -> str:
    """What the one figure of each group counts, where no unit says so: rows, or the pieces of a quantity (001-35)."""
    if _width(result) != 2 or result.units[1:2] not in {(), ("",)}:
        return ""
    if result.columns[1] == "count":
        return rows_are(sheet, lang)
    made = _COLUMN.fullmatch(result.columns[1])
    column = sheet.field(made[2]) if made and made[1] == "sum" and sheet else None
    return pieces_are(column, lang) if column is not None and concept_of(column)[0] == "quantity" else ""


def pieces_are(column: Field, lang: Lang) -> str:
    """What a column of quantities counts: "vé" for "Số vé", "sản phẩm" where its header says no more than how many."""
    typed = plain(column.name).split()
    bare = fold(plain(column.name)).startswith("so ") and not fold(typed[1]).startswith("luong")
    return " ".join(typed[1:]) if bare else say("noun.piece", lang)


def _means_text(head: str, result: Result, at: int, sheet: Sheet | None, lang: Lang) -> str:
    """Means, each with what it is the quotient of: "833.333 VND (25.000.000 VND / 30 ngày)"; column `at` is the divisor."""
    name, unit = result.columns[at].removeprefix(DIVISOR), result.units[at - 2]
    whole = sheet is None or sheet.field(name.partition(":")[0]) is not None
    each = [name] if whole else name.split(", ")  # "12 nhân viên × tháng"
    things = " × ".join(group_name(one, sheet, lang) for one in each)
    more = (*in_number(things), f"{things}s" if things.isascii() else things)[0] if lang == "en" else things
    timed = name.rpartition(":")[2] in GRAINS and at + 1 == len(result.columns) and len(each) == 1
    told: list[str] = []
    for row in result.rows:
        mean, total = (value_text(cell, unit, lang) for cell in row[at - 2 : at])
        by = f"{value_text(row[at], '', lang)} {more}" + (say("answer.with_rows", lang) if timed else "")
        by += say("answer.cut", lang, count=row[at + 2]) if not timed and row[at + 2 : at + 3] > (0,) else ""
        keys = [_cell(result, len(told), place, lang) for place in range(at - 2)]
        number = f"{len(told) + 1}. {', '.join(keys)} - " if keys else ""
        told.append(f"{number}{mean} ({total} / {by})")
    if at > 2:
        return "\n".join([f"{head}:", *told[:LISTED], *_more(len(told) - LISTED, lang)])
    rows = result.rows[0]
    if at + 1 == len(rows) or rows[at + 1] == rows[at] or rows[at - 1] is None:
        return f"{head}: {told[0]}"
    mean = value_text(rows[at - 1] / rows[at + 1], unit, lang)
    count = value_text(rows[at + 1], "", lang)
    filled = say("answer.filled_alone", lang, count=count, things=more, thing=things, value=mean)
    return f"{head}: {told[0]}\n{filled}"


def _total(call: ToolCall, result: Result, asked: AnswerContext) -> list[str]:
    """What the groups of a sum or a count are together, where that is asked for beside ("… rồi chia theo kênh") or they are named."""
    figures = [row[1] for row in result.rows if len(row) == 2 and isinstance(row[1], (int, float, Decimal))]
    whole = call.tool == "aggregate_data" and call.arguments.get("operation") in {"sum", "count"}
    said = {"roi", "tong", "cong", "total", "then", "overall"} & set(folded_words(asked.text))
    wanted = _filters(call).get(str(call.arguments.get("group_by")))
    named = isinstance(wanted, Mapping) and "in" in wanted
    if not (said or named) or not whole or result.truncated or not 2 <= len(figures) == len(result.rows):
        return []
    total = value_text(sum(figures), result.unit_at(1), asked.lang)
    return [say("answer.total", asked.lang, value=total)]


def _summary(result: Result, sheet: Sheet | None, lang: Lang, noun: str) -> list[str]:
    """What is told of rows that stand in a table: of a series by period its highest and lowest figure with their periods,
    of others all where they are few and short, else the first."""
    count = len(result.rows)
    figures = [row[1] for row in result.rows if len(row) == 2 and isinstance(row[1], (int, float, Decimal))]
    by_period = result.columns[0].rpartition(":")[2] in GRAINS and not result.truncated
    if not by_period or not figures or min(figures) == max(figures):
        first = replace(result, rows=result.rows[: count if count <= LISTED else FEW])
        lines = _lines(first, sheet, lang, noun)
        lines = lines if max(map(len, lines)) <= SHORT else lines[:1]
        return [*lines, *_more(count - len(lines), lang)]
    said = []
    for key, end in (("highest", max(figures)), ("lowest", min(figures))):
        at = [place for place, row in enumerate(result.rows) if row[1] == end]
        periods = _some([_cell(result, place, 0, lang) for place in at], "", lang)
        said.append(say(f"answer.{key}", lang, period=periods, value=_cell(result, at[0], 1, lang, noun)))
    return [*said, say("answer.table", lang, count=value_text(count, "", lang))]


def _names_all(call: ToolCall, result: Result) -> bool:
    """Whether the one row is figures alone, each to be told with its name."""
    whole = call.tool == "execute_aggregation" and not any(
        _is_key(result, at) for at in range(1, len(result.columns))
    )
    return "difference" in result.columns or (whole and isinstance(result.rows[0][0], (int, float, Decimal)))


def _ranked_first(result: Result, field: str) -> Result:
    """Ranked rows with what they are ranked by right behind their first column."""
    return _arranged(
        result, [0, next((at for at, name in enumerate(result.columns) if fold(name) == fold(field)), 0)]
    )


def _only(result: Result, columns: Sequence[str]) -> Result:
    """The first column of a result with some of the others; all where none of `columns` is there."""
    places = [at for at, name in enumerate(result.columns) if name in columns or not at]
    if not set(columns) & set(result.columns):
        return result
    rows = tuple(tuple(row[at] for at in places) for row in result.rows)
    units = tuple(result.unit_at(at) for at in places)
    return replace(result, columns=tuple(result.columns[at] for at in places), rows=rows, units=units)


def _arranged(result: Result, first: Sequence[int]) -> Result:
    """The columns in another order: those of `first`, then the others."""
    places = [*dict.fromkeys([*first, *range(len(result.columns))])]

    def arranged(cells: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(cells[place] for place in places if place < len(cells))

    rows = tuple(map(arranged, result.rows))
    return replace(result, columns=arranged(result.columns), rows=rows, units=arranged(result.units))


def _lines(
    result: Result,
    sheet: Sheet | None,
    lang: Lang,
    noun: str = "",
    details: int = DETAILS,
    *,
    named: bool = False,
) -> list[str]:
    """The rows as a numbered list (001-32, 001-35), each with its first columns; with `named` a single one by its name too."""
    lines = []
    for number, row in enumerate(result.rows, 1):
        label = _cell(result, number - 1, 0, lang)
        if result.columns[0].endswith(":month") and label != say("cell.blank", lang):
            label = say("period.of_month", lang, month=label)
        columns = list(enumerate(result.columns))[1 : min(len(row), details + 1)]
        cells = ((column_name(name, sheet, lang), at) for at, name in columns)
        rest = [(name, _cell(result, number - 1, at, lang, noun)) for name, at in cells]
        told = ", ".join(f"{name}: {value}" for name, value in rest)
        if result.columns[-3:] == ("share", "part", "total") and len(rest) + 1 == len(row):
            beside = [f"{name}: {value}" for name, value in rest[:-3]]
            told = ", ".join([*beside, "{} ({} / {})".format(*(value for _, value in rest[-3:]))])
        elif _width(result) <= 2 and rest and not named:
            told = " ".join([rest[0][1], *(f"({share})" for _, share in rest[1:])])
        lines.append(f"{number}. {label} - {told}" if told else f"{number}. {label}")
    return lines


def _more(count: int, lang: Lang, key: str = "answer.more") -> list[str]:
    return [say(key, lang, count=value_text(count, "", lang))] if count > 0 else []


def _cell(result: Result, row: int, at: int, lang: Lang, noun: str = "") -> str:
    return cell_text(result.rows[row][at], result.columns[at], result.unit_at(at) or noun, lang)


def _nothing(call: ToolCall, sheet: Sheet | None, asked: AnswerContext) -> str:
    if call.tool == "compare_periods":
        (start2, end2), (start1, end1) = periods_of(call, asked)
        names = " / ".join([period_name(start2, end2, asked), period_name(start1, end1, asked)])
        what = f"{figure_name(call, sheet, asked.lang)} {names}"
    else:
        head = title(call, sheet, asked)
        what = small(head) if call.tool == "aggregate_data" else head
    said = [say("answer.nothing", asked.lang, what=what)]
    dated = any(day for period in periods_of(call, asked) for day in period)
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
            values = ", ".join(field.examples[:KNOWN_VALUES])
            said.append(say("answer.values", lang, field=name, values=values))
    return said


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _lexicon() -> Lexicon:
    return Lexicon.load(Path(__file__).parent / "lexicons" / "answers.txt")
