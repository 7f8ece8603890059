"""Small pieces of DuckDB SQL as a syntax tree: names always quoted, values always literals, never pasted text."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import duckdb
from sqlglot import exp

from troly.errors import InputError, TrolyError

_FOLDED_FROM, _FOLDED_TO = "đð", "dd"


def column(name: str, table: str = "") -> exp.Expr:
    """The column `name`, quoted."""
    source = exp.to_identifier(table, quoted=True) if table else None
    return exp.column(exp.to_identifier(name, quoted=True), table=source)


def table(name: str) -> exp.Table:
    """The table `name`, quoted and without a catalogue or schema of its own."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """`name(arguments)` exactly as written: no rewriting between dialects."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def literal(value: Any) -> exp.Expr:
    """`value` as a literal; raises TypeError for what has none. Whole numbers beyond 64 bits become doubles."""
    for kinds, build in _LITERALS:
        if isinstance(value, kinds):
            return build(value)
    raise TypeError(f"no literal for {type(value).__name__}")


def _integer(value: int) -> exp.Expr:
    return _number(str(value)) if -(2**63) < value < 2**63 else _double(float(value))


def _number(text: str) -> exp.Expr:
    return exp.Neg(this=exp.Literal.number(text[1:])) if text.startswith("-") else exp.Literal.number(text)


def _double(value: float | Decimal) -> exp.Expr:
    # With an exponent DuckDB reads a DOUBLE, without one a DECIMAL.
    text = repr(float(value))
    return _number(text if "e" in text else f"{text}e0")


# In this order: a bool is an int, a datetime a date.
_LITERALS: tuple[tuple[Any, Callable[[Any], exp.Expr]], ...] = (
    (type(None), lambda _: exp.Null()),
    (bool, lambda value: exp.Boolean(this=value)),
    (int, _integer),
    ((float, Decimal), _double),
    (datetime, lambda value: cast(exp.Literal.string(value.isoformat(sep=" ")), "TIMESTAMP")),
    (date, lambda value: cast(exp.Literal.string(value.isoformat()), "DATE")),
    (str, exp.Literal.string),
)


def cast(value: exp.Expr, kind: str) -> exp.Expr:
    """`CAST(value AS kind)`."""
    return exp.Cast(this=value, to=exp.DataType.build(kind, dialect="duckdb"))


def both(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """All of the conditions; true when there are none."""
    return _joined(exp.And, conditions) or exp.true()


def either(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Any of the conditions; false when there are none."""
    return _joined(exp.Or, conditions) or exp.false()


def _joined(kind: type[exp.And | exp.Or], conditions: Sequence[exp.Expr]) -> exp.Expr | None:
    """A balanced tree, so that a thousand conditions are no deeper than ten."""
    if not conditions:
        return None
    if len(conditions) == 1:
        return exp.Paren(this=conditions[0]) if isinstance(conditions[0], exp.Connector) else conditions[0]
    half = len(conditions) // 2
    left, right = _joined(kind, conditions[:half]), _joined(kind, conditions[half:])
    return kind(this=left, expression=right)


def folded(value: exp.Expr) -> exp.Expr:
    """Text without case and marks, as `troly.text.fold` has it for Vietnamese letters."""
    plain = call("strip_accents", call("lower", call("nfc_normalize", value)))
    return call("translate", plain, literal(_FOLDED_FROM), literal(_FOLDED_TO))


def ordered(value: exp.Expr, *, descending: bool, nulls_first: bool) -> exp.Ordered:
    """A sort key that says where blanks go."""
    return exp.Ordered(this=value, desc=descending, nulls_first=nulls_first)


def named(value: exp.Expr, name: str) -> exp.Alias:
    """`value AS "name"`."""
    return exp.Alias(this=value, alias=exp.to_identifier(name, quoted=True))


def text(statement: exp.Expr, *, pretty: bool = True) -> str:
    """The statement for DuckDB."""
    return statement.sql(dialect="duckdb", pretty=pretty, copy=False)


# Runs one statement against a deadline and says what DuckDB's refusals mean.


MAX_ROWS = 1000
_AGAIN_SECONDS = 0.05


class Deadline:
    """Stops whatever runs on a connection when its seconds are over or somebody calls `stop` from another thread.

    A statement already running ends at once; a statement that begins later is refused too.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._ends = time.monotonic() + seconds
        self.stopped = False

    def stop(self) -> None:
        """End the running statement and refuse later ones."""
        with self._lock:
            self.stopped = True
            if self._connection is not None:
                self._connection.interrupt()
                # DuckDB forgets one that comes before the statement has begun.
                self._timer.cancel()
                self._start_timer(_AGAIN_SECONDS)

    @contextmanager
    def watching(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """While inside, `connection` is the one to stop. Raises InputError `query.slow` when it is too late."""
        with self._lock:
            left = self._ends - time.monotonic()
            if self.stopped or left <= 0:
                raise InputError("query.slow", seconds=round(self.seconds, 1))
            self._connection = connection
            self._start_timer(left)
        try:
            yield
        finally:
            with self._lock:
                self._timer.cancel()
                self._connection = None

    def _start_timer(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self.stop)
        self._timer.daemon = True
        self._timer.start()


def fetch(connection: duckdb.DuckDBPyConnection, sql: str, deadline: Deadline) -> list[tuple[Any, ...]]:
    """All rows of one statement; InputError `query.slow`, `query.memory` or `query.failed`."""
    with deadline.watching(connection):
        try:
            rows: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
        except duckdb.Error as error:
            raise error_of(error, deadline) from error
        return rows


def error_of(error: duckdb.Error, deadline: Deadline) -> TrolyError:
    """The error to show for one of DuckDB's."""
    if isinstance(error, duckdb.InterruptException):
        return InputError("query.slow", seconds=round(deadline.seconds, 1))
    if isinstance(error, duckdb.OutOfMemoryException):
        return InputError("query.memory")
    return InputError("query.failed", reason=str(error).partition("\n")[0][:200])


def cell_value(value: Any) -> Any:
    """A cell as Python has it: whole decimals as int, others as float; no number that is not finite."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
