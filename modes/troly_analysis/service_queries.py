"""One query over one sheet while it is being put together and run, and the plain aggregate (001-11)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import duckdb
from sqlglot import exp

from troly.recording import measured
from troly_analysis.service_fields import Key, Measure
from troly_analysis.service_filters import conditions, period
from troly_analysis.service_run import MAX_ROWS, Deadline, fetch, plain
from troly_analysis.service_spans import read_period
from troly_analysis.service_sql import both, call, column, either, named, ordered, table, text
from troly_analysis.service_values import Values
from troly_analysis.types import Field, QueryAnswer, Result, Run, Sheet

# Beside the result's own columns: how many rows it stands on and the first and last day of them.
_FACTS = ("troly rows", "troly first", "troly last")


class Asked:
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
        self._values = Values(sheet, self._quietly)

    def filter(self, filters: object) -> None:
        """Add the conditions of a `filters` argument; raises InputError."""
        added = conditions(self.sheet, filters, self._values)
        date_field = self.sheet.date_field
        named = (
            {column.name for each in added for column in each.find_all(exp.Column)} if date_field else set()
        )
        self._dated = self._dated or date_field in named
        self.conditions += added

    def between(
        self, field: Field, periods: Sequence[tuple[object, object]], names: Sequence[tuple[str, str]]
    ) -> None:
        """Add that the date lies in one of the periods, their ends included; raises InputError naming the argument."""
        within = [
            both(period(field, *each, each_names)) for each, each_names in zip(periods, names, strict=True)
        ]
        self.conditions.append(either(within))
        if field.name == self.sheet.date_field and self.span is not None:
            self.span = overlap(self.span, periods)

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
        rows = [tuple(plain(cell) for cell in row[: len(row) - facts]) for row in found]
        read, span = self.sheet.rows, self.span
        if facts:
            first = found[0][-facts:] if found else (0, None, None)
            read = int(first[0] or 0)
            span = _span(first[1], first[2]) if facts == len(_FACTS) else span
            span = span if read else None
        ms = measured("analysis.query", (time.perf_counter() - self._began) * 1000)
        return rows, Run(sql, read, span, ms, tuple(self._values.matched), tuple(self._values.nearest))

    def _quietly(self, statement: exp.Expr) -> list[tuple[Any, ...]]:
        return fetch(self._connection, text(statement), self._deadline)


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


def aggregate(asked: Asked, measure: Measure, keys: Sequence[Key]) -> QueryAnswer:
    """The figure over the rows asked for, or one for each group of `keys`."""
    if keys:
        return grouped(asked, [measure], keys, by_measure=None if keys[0].in_time else 0)
    facts = asked.facts(grouped=False)
    rows, run = asked.rows(asked.select([named(measure.sql(), measure.label), *facts]), len(facts))
    value = rows[0][0]
    if value is None:
        return QueryAnswer(Result(kind="empty", unit=measure.unit), run)
    return QueryAnswer(Result(kind="scalar", value=value, unit=measure.unit), run)


def grouped(
    asked: Asked,
    measures: Sequence[Measure],
    keys: Sequence[Key],
    *,
    by_measure: int | None,
    descending: bool = True,
    limit: int = MAX_ROWS,
    key_descending: bool = False,
) -> QueryAnswer:
    """Measures for each group, ordered by one of them (`by_measure`) or by the keys, at most `limit` rows."""
    facts = asked.facts(grouped=True)
    shown = [named(key.sql(), key.label) for key in keys]
    shown += [named(measure.sql(), measure.label) for measure in measures]
    places = [exp.Literal.number(str(at + 1)) for at in range(len(shown))]
    order = [ordered(place, descending=key_descending, nulls_first=False) for place in places[: len(keys)]]
    if by_measure is not None:
        place = places[len(keys) + by_measure]
        order.insert(0, ordered(place, descending=descending, nulls_first=False))
    statement = asked.select([*shown, *facts]).group_by(*(key.group() for key in keys)).order_by(*order)
    rows, run = asked.rows(statement.limit(limit + 1), len(facts))
    if not rows:
        return QueryAnswer(Result(kind="empty"), run)
    result = Result(
        kind="rows",
        columns=(*(key.label for key in keys), *(measure.label for measure in measures)),
        rows=tuple(rows[:limit]),
        units=(*("" for _ in keys), *(measure.unit for measure in measures)),
        truncated=len(rows) > MAX_ROWS,
    )
    return QueryAnswer(result, run)
