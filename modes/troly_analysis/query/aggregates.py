"""One query over one sheet while it is being put together and run, and the plain aggregate (001-11)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from troly.errors import InputError
from troly.recording import duration
from troly_analysis.query.fields import (
    COUNTS,
    Key,
    Measure,
    comparable,
    find_date,
    find_field,
    find_keys,
    find_measure,
    find_metric,
    match,
)
from troly_analysis.query.filters import Values, conditions, period, read_period
from troly_analysis.query.sql import (
    MAX_ROWS,
    Deadline,
    both,
    call,
    cell_value,
    column,
    either,
    fetch,
    literal,
    named,
    ordered,
    table,
    text,
)
from troly_analysis.types import NUMERIC, Field, QueryAnswer, Result, Run, Sheet

if TYPE_CHECKING:
    import duckdb


# Beside the result's own columns: how many rows it stands on and the first and last day of them.
MOST_TIES = 10
_FACTS = ("troly rows", "troly first", "troly last")


class SheetQuery:
    """A query over `sheet`: its conditions, and how it ran."""

    def __init__(self, sheet: Sheet, connection: duckdb.DuckDBPyConnection, deadline: Deadline) -> None:
        self.sheet = sheet
        self.conditions: list[exp.Expr] = []
        self._connection = connection
        self._deadline = deadline
        # The first and last day that the rows can cover; where filters choose days it is asked for.
        self.span = sheet.span
        self._dated = False
        self._began = time.perf_counter()
        self._values = Values(sheet, lambda statement: fetch(connection, text(statement), deadline))

    def filter(self, filters: object) -> None:
        """Add the conditions of a `filters` argument; raises InputError."""
        added = conditions(self.sheet, filters, self._values)
        date_field = self.sheet.date_field
        named = {column.name for each in added for column in each.find_all(exp.Column)}
        self._dated = self._dated or (bool(date_field) and date_field in named)
        self.conditions += added

    def between(
        self, field: Field, periods: Sequence[tuple[object, object]], names: Sequence[tuple[str, str]]
    ) -> None:
        """Add that the date lies in one of the periods, their ends included; raises InputError naming the argument."""
        pairs = zip(periods, names, strict=True)
        self.conditions.append(either([both(period(field, *each, own)) for each, own in pairs]))
        if field.name == self.sheet.date_field and self.span is not None:
            self.span = overlap(self.span, periods)

    def dated(self, field: str | None, start: object, end: object) -> None:
        """Add that the date lies from `start` to `end`, where one of them is given; raises InputError."""
        if start or end:
            self.between(find_date(self.sheet, field), [(start, end)], [("date_from", "date_to")])

    def select(self, columns: Sequence[exp.Expr]) -> exp.Select:
        """`SELECT columns FROM the sheet WHERE the conditions`."""
        chosen = exp.select(*columns).from_(table(self.sheet.table))
        return chosen.where(both(self.conditions)) if self.conditions else chosen

    def facts(self, *, grouped: bool) -> list[exp.Expr]:
        """The columns that say what a filtered result stands on; none where the sheet itself says it."""
        if not self.conditions:
            return []
        found = [call("count", exp.Star())]
        if self._dated:
            found += [call(each, column(self.sheet.date_field)) for each in ("min", "max")]
        if grouped:
            over = ("sum", "min", "max")
            found = [exp.Window(this=call(over[at], each)) for at, each in enumerate(found)]
        return [named(each, name) for each, name in zip(found, _FACTS, strict=False)]

    def rows(self, statement: exp.Expr, facts: int) -> tuple[list[tuple[Any, ...]], Run]:
        """The statement's rows without their last `facts` columns, and the run they come from."""
        sql = text(statement)
        found = fetch(self._connection, sql, self._deadline)
        rows = [tuple(cell_value(cell) for cell in row[: len(row) - facts]) for row in found]
        read, span = self.sheet.rows, self.span
        if facts:
            first = found[0][-facts:] if found else (0, None, None)
            read = int(first[0] or 0)
            span = _span(first[1], first[2]) if facts == len(_FACTS) else span
            span = span if read else None
        ms = duration("analysis.query", (time.perf_counter() - self._began) * 1000)
        return rows, Run(sql, read, span, ms, tuple(self._values.matched), tuple(self._values.nearest))


def _span(first: Any, last: Any) -> tuple[date, date] | None:
    if first is None or last is None:
        return None
    days = [each.date() if isinstance(each, datetime) else each for each in (first, last)]
    return days[0], days[1]


def overlap(span: tuple[date, date], periods: Sequence[tuple[object, object]]) -> tuple[date, date] | None:
    """The part of `span` from the first to the last day of the periods; None when they lie outside of it."""
    first, last = span
    ends = [read_period(*each, ("", "")) for each in periods]
    starts = [each.start.date() for each, _ in ends if each]
    stops = [(each.end - timedelta(microseconds=1)).date() for _, each in ends if each]
    if len(starts) == len(ends):
        first = max(first, min(starts))
    if len(stops) == len(ends):
        last = min(last, max(stops))
    return (first, last) if first <= last else None


SHARED = ("sum", "count")
"""The operations whose groups are parts of a whole."""


def aggregate(
    asked: SheetQuery,
    measure: Measure,
    keys: Sequence[Key],
    *,
    descending: bool | None = None,
    share: bool = False,
) -> QueryAnswer:
    """The figure over the rows asked for, or one for each group of `keys`, in the order asked for."""
    if keys:
        by = None if keys[0].in_time and descending is None else 0
        found = grouped(asked, [measure], keys, by_measure=by, descending=descending is not False)
        return replace(found, result=_with_shares(found.result)) if share else found
    facts = asked.facts(grouped=False)
    rows, run = asked.rows(asked.select([named(measure.sql(), measure.label), *facts]), len(facts))
    value = rows[0][0]
    if value is None:
        return QueryAnswer(Result(kind="empty", unit=measure.unit), run)
    return QueryAnswer(Result(kind="scalar", value=value, unit=measure.unit), run)


def _with_shares(result: Result) -> Result:
    """All groups of one figure with the part in per cent that each is of their total."""
    total = sum(_exact(row[-1] or 0) for row in result.rows)
    if not total or result.truncated:
        return result
    rows = tuple((*row, float(_exact(row[-1] or 0) / total * 100)) for row in result.rows)
    return replace(result, columns=(*result.columns, "share"), units=(*result.units, "%"), rows=rows)


def grouped(
    asked: SheetQuery,
    measures: Sequence[Measure],
    keys: Sequence[Key],
    *,
    by_measure: int | None,
    descending: bool = True,
    limit: int = MAX_ROWS,
    key_descending: bool = False,
) -> QueryAnswer:
    """Measures for each group, ordered by one of them (`by_measure`) or by the keys, at most `limit` rows.

    Groups that share the last place of a ranking are all listed, up to `MOST_TIES` more.
    """
    facts = asked.facts(grouped=True)
    shown = [named(key.sql(), key.label) for key in keys]
    shown += [named(measure.sql(), measure.label) for measure in measures]
    places = [exp.Literal.number(str(at + 1)) for at in range(len(shown))]
    order = [ordered(place, descending=key_descending, nulls_first=False) for place in places[: len(keys)]]
    if by_measure is not None:
        place = places[len(keys) + by_measure]
        order.insert(0, ordered(place, descending=descending, nulls_first=False))
    statement = asked.select([*shown, *facts]).group_by(*(key.group() for key in keys)).order_by(*order)
    rows, run = asked.rows(statement.limit(limit + MOST_TIES + 1), len(facts))
    if not rows:
        return QueryAnswer(Result(kind="empty"), run)
    listed = min(limit, len(rows))
    if by_measure is not None and limit < MAX_ROWS:
        at = len(keys) + by_measure
        while listed < len(rows) and listed < limit + MOST_TIES and rows[listed][at] == rows[limit - 1][at]:
            listed += 1
    result = Result(
        kind="rows",
        columns=(*(key.label for key in keys), *(measure.label for measure in measures)),
        rows=tuple(rows[:listed]),
        units=(*("" for _ in keys), *(measure.unit for measure in measures)),
        truncated=len(rows) > MAX_ROWS,
    )
    return QueryAnswer(result, run)


# Compares a figure between two periods (001-14, 001-39).


COLUMNS = ("period1_value", "period2_value", "difference", "percentage_change")
_TENTH, _DIGITS = Decimal("0.1"), 20
Period = tuple[object, object]
_NAMES = (("period1_from", "period1_to"), ("period2_from", "period2_to"))


def difference(before: float | None, after: float | None) -> float | None:
    """`after - before` as written in decimals (0.3 - 0.1 is 0.2); None when one of them is missing."""
    if before is None or after is None:
        return None
    return cell_value(_exact(after) - _exact(before))  # type: ignore[no-any-return]


def as_comparison(result: Result, unit: str) -> Result:
    """The one row of a pipeline that holds a figure of two periods beside each other as a comparison; any other as it is."""
    if result.columns != ("period1", "period2", "difference") or len(result.rows) != 1:
        return result
    before, after, apart = result.rows[0]
    change = percentage_change(before, after)
    return Result("compare", period1_value=before, period2_value=after, difference=apart, percentage_change=change, unit=unit)  # fmt: skip


def percentage_change(before: float | None, after: float | None) -> float | None:
    """(after - before) / before * 100 with one decimal, half up; None when `before` is zero or missing (C6)."""
    if before is None or after is None or before == 0:
        return None
    change = (_exact(after) - _exact(before)) / _exact(before) * 100
    # With more digits than a Decimal keeps, a tenth makes no difference.
    return float(change if change.adjusted() > _DIGITS else change.quantize(_TENTH, ROUND_HALF_UP))


def compare(
    asked: SheetQuery, measure: Measure, keys: Sequence[Key], dates: Field, periods: tuple[Period, Period]
) -> QueryAnswer:
    """Both periods in one statement; with `keys` one row a group and the whole beside it."""
    if measure.operation != "count" and measure.field is not None and measure.field.kind not in NUMERIC:
        raise InputError("query.compare_number", field=measure.field.name)
    spans = [_within(dates, each, names) for each, names in zip(periods, _NAMES, strict=True)]
    asked.between(dates, periods, _NAMES)
    facts = asked.facts(grouped=False)
    whole, run = asked.rows(asked.select([*_figures(measure, spans), *facts]), len(facts))
    if run.rows_read == 0 and measure.operation != "count":
        return QueryAnswer(Result(kind="empty", unit=measure.unit), run)
    before, after = whole[0][:2]
    found: dict[str, Any] = {}
    if keys:
        rows, run = _groups(asked, measure, keys, spans)
        unit = measure.unit
        found = {
            "columns": (*(key.label for key in keys), *COLUMNS),
            "rows": tuple(rows[:MAX_ROWS]),
            "units": (*("" for _ in keys), unit, unit, unit, "%"),
            "truncated": len(rows) > MAX_ROWS,
        }
    result = Result(
        kind="compare",
        period1_value=before,
        period2_value=after,
        difference=difference(before, after),
        percentage_change=percentage_change(before, after),
        unit=measure.unit,
        **found,
    )
    return QueryAnswer(result, run)


def _within(dates: Field, span: Period, names: tuple[str, str]) -> exp.Expr:
    for value, name in zip(span, names, strict=True):
        if value in (None, ""):
            raise InputError("query.date", name=name, value="")
    return both(period(dates, *span, names))


def _figures(measure: Measure, spans: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [named(measure.sql(span.copy()), name) for span, name in zip(spans, COLUMNS, strict=False)]


def _groups(
    asked: SheetQuery, measure: Measure, keys: Sequence[Key], spans: Sequence[exp.Expr]
) -> tuple[list[tuple[Any, ...]], Any]:
    """The groups, those that rose the most first; groups of time in their order."""
    facts = asked.facts(grouped=True)
    shown = [named(key.sql(), key.label) for key in keys]
    places = [exp.Literal.number(str(at + 1)) for at in range(len(keys))]
    order = [ordered(place, descending=False, nulls_first=False) for place in places]
    if not keys[0].in_time:
        figures = [call("coalesce", measure.sql(span.copy()), literal(0)) for span in spans]
        rise = exp.Sub(this=figures[1], expression=figures[0])
        order.insert(0, ordered(rise, descending=True, nulls_first=False))
    chosen = asked.select([*shown, *_figures(measure, spans), *facts])
    statement = chosen.group_by(*(key.group() for key in keys))
    rows, run = asked.rows(statement.order_by(*order).limit(MAX_ROWS + 1), len(facts))
    told = []
    for row in rows:
        # A group that has no row in one of the periods sold nothing there.
        before, after = (0 if cell is None and measure.operation == "sum" else cell for cell in row[-2:])
        change = difference(before, after), percentage_change(before, after)
        told.append((*row[:-2], before, after, *change))
    return told, run


def _exact(value: float) -> Decimal:
    return Decimal(str(value))


# Top items: the first rows of a sheet by a field, or the first groups by a figure (001-13).


# Of a sheet with very many fields a row shows the field it is sorted by and the first ones.
MAX_SHOWN = 40
_ORDERS = {"desc": True, "descending": True, "-1": True, "asc": False, "ascending": False, "1": False}


@dataclass(frozen=True, slots=True)
class Ranking:
    """What to rank: rows by `field`, or groups by one of `measures` (`by` None ranks by the keys themselves)."""

    field: Field | None
    keys: tuple[Key, ...] = ()
    measures: tuple[Measure, ...] = ()
    by: int | None = None


def check_order(order: object) -> bool:
    """Whether `sort_order` means the greatest first; InputError when it is neither asc nor desc."""
    found = _ORDERS.get(str(order).strip().lower())
    if found is None:
        raise InputError("query.order", value=str(order)[:40])
    return found


def check_limit(limit: object) -> int:
    """`limit` as a number from 1 to 1000; more is cut to 1000 (001-19), less or no whole number is refused."""
    number = int(limit) if isinstance(limit, str) and limit.strip().isdigit() and len(limit) < 12 else limit
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InputError("query.limit", value=str(limit)[:40], limit=MAX_ROWS)
    return min(number, MAX_ROWS)


def plan_top(sheet: Sheet, sort_field: object, group_by: object, aggregate_field: object) -> Ranking:
    """What the arguments mean for this sheet; raises InputError."""
    keys = find_keys(sheet, group_by)
    if not keys:
        return Ranking(find_field(sheet, sort_field))
    if not isinstance(sort_field, str):
        raise InputError("query.argument", name="sort_field", value=str(sort_field)[:60])
    first = None if aggregate_field in (None, "") else _summed(sheet, aggregate_field)
    if any(match(sort_field, [key.label, key.field.name]) is not None for key in keys):
        return Ranking(None, keys, (first or find_measure(sheet, "count", None),))
    ranked = _summed(sheet, sort_field)
    if first is None or first == ranked or comparable(sort_field) == comparable(first.label):
        return Ranking(None, keys, (first or ranked,), 0)
    if ranked.field is None and ranked.metric is None and first.operation == "count":
        return Ranking(None, keys, (first,), 0)
    return Ranking(None, keys, (first, ranked), 1)


def _is_count(sheet: Sheet, name: str) -> bool:
    return comparable(name) in COUNTS and match(name, [field.name for field in sheet.fields]) is None


def _summed(sheet: Sheet, name: object) -> Measure:
    """The sum of a number, the count of anything else, a metric as it is."""
    if isinstance(name, str) and _is_count(sheet, name):
        return find_measure(sheet, "count", None)
    if find_metric(sheet, name) is not None:
        return find_measure(sheet, "sum", name)
    field = find_field(sheet, name)
    return Measure("sum" if field.kind in NUMERIC else "count", field)


def top(asked: SheetQuery, wanted: Ranking, descending: bool, limit: int) -> QueryAnswer:
    """The first `limit` rows or groups; the conditions of a named metric hold for all its figures."""
    for measure in wanted.measures:
        if measure.metric is not None:
            asked.filter(measure.metric.where)
    if wanted.field is not None:
        return _top_rows(asked, wanted.field, descending, limit)
    order: dict[str, Any] = {"by_measure": wanted.by, "descending": descending, "limit": limit}
    down = descending and wanted.by is None
    return grouped(asked, wanted.measures, wanted.keys, **order, key_descending=down)


def _top_rows(asked: SheetQuery, by: Field, descending: bool, limit: int) -> QueryAnswer:
    fields = list(asked.sheet.fields)
    if len(fields) > MAX_SHOWN:
        fields = [by, *(field for field in fields if field is not by)][:MAX_SHOWN]
    facts = [exp.Window(this=each.this) for each in asked.facts(grouped=False)]
    shown = [column(field.name) for field in fields]
    extra = [named(each, f"troly {at}") for at, each in enumerate(facts)]
    # Rows that tie stand in the order of their other columns, so that a list is the same each time.
    keys = [(by, descending), *((each, False) for each in fields if each is not by)]
    order = [ordered(column(each.name), descending=down, nulls_first=False) for each, down in keys]
    # Where one row is asked for, each that is as high is one.
    ties = MOST_TIES if by.kind in NUMERIC and limit == 1 else 0
    rows, run = asked.rows(asked.select([*shown, *extra]).order_by(*order).limit(limit + ties), len(facts))
    if not rows:
        return QueryAnswer(Result(kind="empty"), run)
    at = fields.index(by)
    rows = [row for nth, row in enumerate(rows) if nth < limit or row[at] == rows[limit - 1][at] is not None]
    result = Result(
        kind="rows",
        columns=tuple(field.name for field in fields),
        rows=tuple(rows),
        units=tuple(field.shown_unit for field in fields),
        truncated=run.rows_read > MAX_ROWS == limit,
    )
    return QueryAnswer(result, run)
