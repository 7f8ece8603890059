"""Runs a checked pipeline over a user's sheets (001-15 to 001-21)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import duckdb

from troly.errors import TrolyError
from troly.recording import measured
from troly_analysis.pipeline.model import Lookup, Stage
from troly_analysis.pipeline.prepare import Prepared, check, prepare
from troly_analysis.pipeline.problems import At, PipelineError
from troly_analysis.service_run import MAX_ROWS, Deadline, meaning
from troly_analysis.service_sql import text
from troly_analysis.types import QueryAnswer, Result, Run, Sheet


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
    checked = check(pipeline, sheets)
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
    ms = measured("analysis.pipeline", (time.perf_counter() - began) * 1000)
    return QueryAnswer(result, Run(sql, read, sheet.span, ms, pipeline=checked.pipeline))


def _run(
    connection: duckdb.DuckDBPyConnection, ready: Prepared, deadline: Deadline, *, last: bool = False
) -> tuple[str, list[tuple[Any, ...]] | None]:
    """The rows, or None when a whole number did not fit (`last` makes that an error as well)."""
    sql = text(ready.statement)
    with deadline.watching(connection):
        try:
            return sql, connection.execute(sql).fetchall()
        except duckdb.OutOfRangeException as error:
            if not last:
                return sql, None
            raise meaning(error, deadline) from error
        except duckdb.Error as error:
            raise _stopped_by(error) or meaning(error, deadline) from error


def _stopped_by(error: duckdb.Error) -> TrolyError | None:
    """The sentence of an operator that stopped the statement itself."""
    _, mark, told = str(error).partition("troly|")
    parts = told.partition("\n")[0].split("|", 2)
    if not mark or len(parts) != 3 or not parts[1].isdigit():
        return None
    return PipelineError(parts[0], At(int(parts[1]), parts[2]))


def _try_patterns(connection: duckdb.DuckDBPyConnection, ready: Prepared) -> None:
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
