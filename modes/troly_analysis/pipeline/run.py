"""Runs a pipeline over a user's sheets: checked, compiled to one SQL statement, executed (001-15 to 001-21)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb
from sqlglot import exp

from troly.errors import TrolyError
from troly.recording import duration
from troly_analysis.pipeline.allow_list import MAX_RESULT
from troly_analysis.pipeline.check import CheckedPipeline, validate
from troly_analysis.pipeline.compiler import Compiler
from troly_analysis.pipeline.errors import At, PipelineError
from troly_analysis.pipeline.model import Lookup, Stage
from troly_analysis.pipeline.operators import OPERATORS
from troly_analysis.pipeline.stages import compile_stages, needs_order, of_sheet
from troly_analysis.pipeline.typed_expr import Type
from troly_analysis.query.sql import MAX_ROWS, Deadline, cell_value, column, error_of, text
from troly_analysis.types import QueryAnswer, Result, Run, Sheet


@dataclass(frozen=True, slots=True)
class PipelineStatement:
    """A statement that gives at most 1001 rows: one more than may be shown says that there are more.

    `patterns` are the regular expressions in it, to be tried before it runs.
    """

    statement: exp.Expr
    columns: tuple[str, ...]
    types: tuple[Type, ...]
    units: tuple[str, ...]
    patterns: tuple[tuple[str, At], ...]

    def row(self, cells: Sequence[Any]) -> tuple[Any, ...]:
        """A row as Python values; documents by the names the pipeline gave their fields."""
        return tuple(_value(cell, kind) for cell, kind in zip(cells, self.types, strict=True))


def _value(cell: Any, kind: Type) -> Any:
    """One cell as Python has it."""
    if cell is None:
        return None
    if kind.item is not None:
        return [_value(each, kind.item) for each in cell]
    if kind.kind == "doc" and isinstance(cell, Mapping):
        return {slot.name: _value(cell[slot.key], slot.type) for slot in kind.slots}
    return cell_value(cell)


def prepare(
    checked: CheckedPipeline, sheet: Sheet, now: datetime, *, wide: bool = False
) -> PipelineStatement:
    """The statement for `sheet`; PipelineError for unknown fields and values of the wrong type."""
    c = Compiler(now, OPERATORS, wide=wide)
    rows = compile_stages(c, checked.stages, of_sheet(sheet, numbered=needs_order(checked.stages)), {})
    source, scope = rows.opened(c, {})
    shown = [column(each.column, scope.table) for each in rows.fields.values()]
    statement = exp.select(*shown).from_(source, copy=False)
    return PipelineStatement(
        rows.arranged(statement, scope.table).limit(MAX_RESULT + 1, copy=False),
        tuple(rows.fields),
        tuple(each.type for each in rows.fields.values()),
        tuple(each.unit for each in rows.fields.values()),
        tuple(c.patterns),
    )


def run_pipeline(
    connection: duckdb.DuckDBPyConnection,
    pipeline: object,
    sheet: Sheet,
    *,
    sheets: Sequence[Sheet],
    now: datetime,
    deadline: Deadline,
) -> QueryAnswer:
    """The pipeline's rows, at most 1000; `sheets` are those of the same user. Raises InputError, PipelineError."""
    began = time.perf_counter()
    checked = validate(pipeline, sheets)
    ready = prepare(checked, sheet, now)
    _try_patterns(connection, ready)
    sql, found = _run(connection, ready, deadline)
    if found is None:
        # Whole numbers outgrew 64 bits; MongoDB goes on with doubles.
        ready = prepare(checked, sheet, now, wide=True)
        sql, found = _run(connection, ready, deadline, last=True)
    rows = tuple(ready.row(cells) for cells in (found or [])[:MAX_ROWS])
    result = Result(
        kind="rows" if rows else "empty",
        columns=ready.columns if rows else (),
        rows=rows,
        units=ready.units if rows else (),
        truncated=len(found or []) > MAX_ROWS,
    )
    read = sheet.rows + sum(each.rows for each in _looked_up(checked.stages))
    ms = duration("analysis.pipeline", (time.perf_counter() - began) * 1000)
    return QueryAnswer(result, Run(sql, read, sheet.span, ms, pipeline=checked.pipeline))


def _run(
    connection: duckdb.DuckDBPyConnection, ready: PipelineStatement, deadline: Deadline, *, last: bool = False
) -> tuple[str, list[tuple[Any, ...]] | None]:
    """The rows, or None when a whole number did not fit (`last` makes that an error as well)."""
    sql = text(ready.statement)
    with deadline.watching(connection):
        try:
            return sql, connection.execute(sql).fetchall()
        except duckdb.OutOfRangeException as error:
            if not last:
                return sql, None
            raise error_of(error, deadline) from error
        except duckdb.Error as error:
            raise _stopped_by(error) or error_of(error, deadline) from error


def _stopped_by(error: duckdb.Error) -> TrolyError | None:
    """The sentence of an operator that stopped the statement itself."""
    _, mark, told = str(error).partition("troly|")
    parts = told.partition("\n")[0].split("|", 2)
    if not mark or len(parts) != 3 or not parts[1].isdigit():
        return None
    return PipelineError(parts[0], At(int(parts[1]), parts[2]))


def _try_patterns(connection: duckdb.DuckDBPyConnection, ready: PipelineStatement) -> None:
    for pattern, at in ready.patterns:
        try:
            connection.execute("SELECT regexp_matches('', ?)", [pattern]).fetchall()
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0].removeprefix("Invalid Input Error: ")
            raise PipelineError("regex", at, reason=reason[:120]) from error


def _looked_up(stages: Sequence[Stage]) -> list[Sheet]:
    found: list[Sheet] = []
    for stage in stages:
        if isinstance(stage, Lookup):
            found += [stage.sheet, *_looked_up(stage.stages or ())]
    return found
