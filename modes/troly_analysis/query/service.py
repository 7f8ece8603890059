"""Answers queries over one user's sheets: aggregates, top items, comparisons and pipelines (001-16, C4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from troly.errors import AccessError, InputError
from troly.text.dates import HCM, Clock, system_clock
from troly_analysis.pipeline.run import run_pipeline
from troly_analysis.query.aggregates import (
    SHARED,
    SheetQuery,
    aggregate,
    check_limit,
    check_order,
    compare,
    plan_top,
    top,
)
from troly_analysis.query.fields import Measure, find_date, find_keys, find_measure
from troly_analysis.query.sql import MAX_ROWS, Deadline
from troly_analysis.types import QueryAnswer, Result, Run, Sheet

if TYPE_CHECKING:
    import duckdb


# Shows sheets and their fields as the answer of get_data_schema (001-10).


COLUMNS = ("connection_name", "rows", "field", "type", "unit", "least", "most", "examples")
_EXAMPLES = 8
_MAX_ROWS = 1000


def schema(sheets: Sequence[Sheet]) -> QueryAnswer:
    """One row a field: its sheet, the sheet's rows, its name, type, unit, range and most frequent values.

    Named metrics follow the fields of their sheet with the type `metric` and their definition as the example. Of
    sheets with very many fields together only the first 1000 are shown.
    """
    rows: list[tuple[object, ...]] = []
    for sheet in sheets:
        for field in sheet.fields:
            examples = "" if field.is_contact else ", ".join(field.examples[:_EXAMPLES])
            told = (field.name, field.kind, field.unit, field.least, field.most, examples)
            rows.append((sheet.name, sheet.rows, *told))
        rows += [(sheet.name, sheet.rows, m.name, "metric", "", "", "", m.text) for m in sheet.metrics]
    result = Result(
        kind="rows" if rows else "empty",
        columns=COLUMNS if rows else (),
        rows=tuple(rows[:_MAX_ROWS]),
        units=("",) * len(COLUMNS) if rows else (),
        truncated=len(rows) > _MAX_ROWS,
    )
    return QueryAnswer(result, Run(sql="", rows_read=0))


DEADLINE_SECONDS = 30.0


class Sheets(Protocol):
    """Where the sheets of a user are found and read (`SheetStore`)."""

    def sheets(self, owner: str) -> tuple[Sheet, ...]:
        """All sheets of `owner`."""
        ...

    def sheet(self, owner: str, name: str) -> Sheet:
        """The sheet of `owner` with this name or id; raises InputError."""
        ...

    def connect(self, owner: str) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """A read-only connection in which only this owner's sheets exist."""
        ...


class DataQueryService:
    """The queries of one user; every sheet and every table it can name belongs to `owner` (001-02, 001-38).

    `max_rows` is the most that a result holds (001-19). `clock` gives `$$NOW`; `deadline_seconds` is the longest that one query may run. Safe from any thread.
    """

    def __init__(
        self,
        store: Sheets,
        owner: str,
        *,
        clock: Clock = system_clock,
        deadline_seconds: float = DEADLINE_SECONDS,
        max_rows: int = MAX_ROWS,
    ) -> None:
        self.owner = owner
        self._store = store
        self._clock = clock
        self._seconds = deadline_seconds
        self._max_rows = max_rows

    def get_user_connections(self) -> tuple[Sheet, ...]:
        """The user's sheets with their fields (001-16)."""
        return tuple(sheet for sheet in self._store.sheets(self.owner) if sheet.owner == self.owner)

    def deadline(self) -> Deadline:
        """A deadline for one query, to be passed to it and stopped from elsewhere."""
        return Deadline(self._seconds)

    def schema(self, connection_name: str | None = None, *, deadline: Deadline | None = None) -> QueryAnswer:
        """Sheets and fields, one row a field (001-10); of all sheets without a name. `deadline` is not needed."""
        del deadline
        named = connection_name not in (None, "")
        return schema((self.connection(connection_name),) if named else self.get_user_connections())

    def aggregate(
        self,
        connection_name: str,
        operation: str,
        *,
        field: str | None = None,
        group_by: str | None = None,
        filters: Any = None,
        date_field: str | None = None,
        date_from: str | None = None,
        date_to: str | None = None,
        order: str | None = None,
        share: bool | None = None,
        deadline: Deadline | None = None,
    ) -> QueryAnswer:
        """One figure, or one a group (001-11): sum, count, avg, min or max of a field or a named metric.

        Both dates are included. Groups of time come in their order, others with the greatest figure first. `group_by`
        may cut a date: "Ngày:month" (day, week, month, quarter, year, weekday, hour), and name several fields with
        commas. `share` adds the part of the whole, in per cent, to each group of a sum or a count. Raises InputError for
        what the sheet does not have and for a query that takes too long.
        """
        sheet = self.connection(connection_name)
        measure, keys = find_measure(sheet, operation, field), find_keys(sheet, group_by)
        if share and not keys:
            raise InputError("query.missing_argument", tool="share", name="group_by")
        if share and measure.operation not in SHARED:
            raise InputError("query.operation", value=f"share {operation}", known=", ".join(SHARED))
        with self._asking(sheet, filters, deadline, measure) as asked:
            asked.dated(date_field, date_from, date_to)
            down = None if order is None else check_order(order)
            return self._limited(aggregate(asked, measure, keys, descending=down, share=bool(share)))

    def top_items(
        self,
        connection_name: str,
        sort_field: str,
        *,
        sort_order: str = "desc",
        limit: int = 10,
        group_by: str | None = None,
        aggregate_field: str | None = None,
        filters: Any = None,
        date_field: str | None = None,
        date_from: str | None = None,
        date_to: str | None = None,
        deadline: Deadline | None = None,
    ) -> QueryAnswer:
        """The first rows by `sort_field`, or with `group_by` the first groups by the sum of a number (001-13).

        With `group_by`: `aggregate_field` is summed (a field that is no number is counted), and `sort_field` may be
        the same field, "count", the group itself, or another number to rank by. Blanks come last. Raises InputError.
        """
        sheet = self.connection(connection_name)
        wanted = plan_top(sheet, sort_field, group_by, aggregate_field)
        descending, rows = check_order(sort_order), check_limit(limit)
        with self._asking(sheet, filters, deadline) as asked:
            asked.dated(date_field, date_from, date_to)
            return self._limited(top(asked, wanted, descending, rows))

    def compare(
        self,
        *,
        connection_name: str,
        operation: str,
        field: str | None = None,
        date_field: str | None = None,
        period1_from: str,
        period1_to: str,
        period2_from: str,
        period2_to: str,
        group_by: str | None = None,
        filters: Any = None,
        deadline: Deadline | None = None,
    ) -> QueryAnswer:
        """A figure in two periods, their difference and the change in percent (001-14, 001-39, C3, C6).

        The change is rounded half up to one decimal and None when the first period is zero or empty. A period
        without a row has the value None, for counts 0. With `group_by` one row a group as well. Raises InputError.
        """
        sheet = self.connection(connection_name)
        measure, keys = find_measure(sheet, operation, field), find_keys(sheet, group_by)
        dates = find_date(sheet, date_field)
        periods = ((period1_from, period1_to), (period2_from, period2_to))
        with self._asking(sheet, filters, deadline, measure) as asked:
            return self._limited(compare(asked, measure, keys, dates, periods))

    def execute_pipeline(
        self, connection_name: str, pipeline: Any, description: str = "", *, deadline: Deadline | None = None
    ) -> QueryAnswer:
        """A Mongo-style aggregation pipeline over the sheet, checked and compiled to SQL (001-15 to 001-21).

        `pipeline` is the list of stages, or its JSON text. At most 1000 rows. Raises InputError (PipelineError for a
        refused pipeline, naming the place).
        """
        del description
        sheet = self.connection(connection_name)
        # People's tables hold local times without a zone, so the pipeline's present has none either.
        now = self._clock().astimezone(HCM).replace(tzinfo=None)
        with self._store.connect(self.owner) as connection:
            mine, until = self.get_user_connections(), deadline or self.deadline()
            answer = run_pipeline(connection, pipeline, sheet, sheets=mine, now=now, deadline=until)
            return self._limited(answer)

    @contextmanager
    def _asking(
        self, sheet: Sheet, filters: Any, deadline: Deadline | None, measure: Measure | None = None
    ) -> Iterator[SheetQuery]:
        """A query over the rows that the filters leave, and the conditions of a named metric."""
        with self._store.connect(self.owner) as connection:
            asked = SheetQuery(sheet, connection, deadline or self.deadline())
            asked.filter(filters)
            asked.filter(measure.metric.where if measure and measure.metric else None)
            yield asked

    def _limited(self, answer: QueryAnswer) -> QueryAnswer:
        """At most `max_rows` rows (001-19)."""
        if len(answer.result.rows) <= self._max_rows:
            return answer
        result = replace(answer.result, rows=answer.result.rows[: self._max_rows], truncated=True)
        return replace(answer, result=result)

    def connection(self, name: object) -> Sheet:
        """The user's sheet called `name`; InputError naming the nearest, AccessError should it be another's."""
        if not isinstance(name, str):
            raise InputError("query.argument", name="connection_name", value=str(name)[:60])
        sheet = self._store.sheet(self.owner, name)
        if sheet.owner != self.owner:
            raise AccessError("query.foreign")
        return sheet
