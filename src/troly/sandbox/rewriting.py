"""Changes that a passed query gets before it runs: a row limit, and the turn's own moment in place of the clock."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from troly.sandbox.errors import SandboxError

if TYPE_CHECKING:
    from sqlglot import exp

_DATES = {"current_date", "today"}
_MOMENTS = {"now", "current_timestamp", "get_current_timestamp"}


def written(tree: exp.Query) -> str:
    """`tree` as DuckDB's SQL, without comments; raises SandboxError for what has no exact form in it."""
    from sqlglot.errors import ErrorLevel, UnsupportedError

    try:
        return tree.sql(dialect="duckdb", comments=False, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedError as error:
        raise SandboxError("sandbox.construct", part=str(error)) from None


def limited(tree: exp.Query, max_rows: int) -> exp.Query:
    """`tree` with an outer LIMIT of at most `max_rows + 1`: the one row more tells that there were more.

    Raises SandboxError `sandbox.limit` for a limit that is no plain number.
    """
    from sqlglot import exp

    for part in (*tree.find_all(exp.Limit), *tree.find_all(exp.Offset)):
        if not (isinstance(part.expression, exp.Literal) and part.expression.name.isdigit()):
            raise SandboxError("sandbox.limit", part=part.sql(dialect="duckdb").strip())
    outer = tree.args.get("limit")
    asked = int(outer.expression.name) if outer is not None else max_rows + 1
    return tree.limit(min(asked, max_rows + 1), copy=False)


def at(tree: exp.Query, now: datetime | None) -> exp.Query:
    """`tree` with `current_date`, `today()` and `now()` as the values they have at `now`."""
    for node in list(tree.walk()):
        if value := _clock(node, now):
            node.replace(value)
    return tree


def _clock(node: exp.Expr, now: datetime | None) -> exp.Expr | None:
    """What stands for `node` when it reads the clock; None when it does not."""
    from sqlglot import exp

    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if isinstance(node, exp.CurrentDate) or name in _DATES:
        return exp.cast(exp.Literal.string(now.date().isoformat()), "date") if now else None
    if isinstance(node, exp.CurrentTimestamp) or name in _MOMENTS:
        # Without a time zone in both cases: Python has no zone data inside the worker.
        moment = (
            exp.Literal.string(now.replace(tzinfo=None).isoformat(" ")) if now else exp.CurrentTimestamp()
        )
        return exp.cast(moment, "timestamp")
    return None
