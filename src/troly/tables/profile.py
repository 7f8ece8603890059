"""The figures of each column of a table: blanks, distinct values, range, outliers, the most frequent values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from troly.tables.columns import NUMERIC, Column, quoted

if TYPE_CHECKING:
    import duckdb

EXAMPLES = 8
_LONGEST = 60
_FENCE = 1.5


def profile(
    con: duckdb.DuckDBPyConnection, table: str, columns: Sequence[Column], check: Callable[[], None]
) -> tuple[Column, ...]:
    """`columns` with their figures from `table` (an SQL name); `check` raises when the person has stopped it."""
    done = []
    for column in columns:
        check()
        done.append(_one(con, table, column))
    return tuple(done)


def _one(con: duckdb.DuckDBPyConnection, table: str, column: Column) -> Column:
    name = quoted(column.name)
    if column.kind in {"text", "boolean", "list"}:
        row = con.execute(
            f"with g as (select {name}::varchar v, count(*) n from {table} group by 1) "  # noqa: S608 (quoted)
            f"select coalesce(sum(n) filter (where v is null), 0), count(v), "
            f"max({{n: n, v: v}}, {EXAMPLES}) filter (where v is not null) from g"
        ).fetchone()
        blanks, distinct, frequent = row or (0, 0, None)
        # Of equally frequent ones the first in the alphabet.
        examples = tuple(_short(item["v"]) for item in frequent or ())
        return replace(column, blanks=int(blanks), distinct=distinct, examples=examples)
    row = con.execute(
        f"select count(*) - count({name}), count(distinct {name}), min({name})::varchar, max({name})::varchar from {table}"  # noqa: S608 (quoted)
    ).fetchone()
    blanks, distinct, least, most = row or (0, 0, None, None)
    outliers = _outliers(con, table, name) if column.kind in NUMERIC else 0
    return replace(
        column, blanks=blanks, distinct=distinct, least=least or "", most=most or "", outliers=outliers
    )


def _outliers(con: duckdb.DuckDBPyConnection, table: str, name: str) -> int:
    row = con.execute(
        f"with q as (select quantile_cont({name}, [0.25, 0.75]) v from {table}) "  # noqa: S608 (quoted)
        f"select count(*) from {table}, q where {name} < v[1] - {_FENCE} * (v[2] - v[1]) "
        f"or {name} > v[2] + {_FENCE} * (v[2] - v[1])"
    ).fetchone()
    return int(row[0]) if row else 0


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
