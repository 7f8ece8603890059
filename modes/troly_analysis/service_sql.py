"""Small pieces of DuckDB SQL as a syntax tree: names always quoted, values always literals, never pasted text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlglot import exp

_FOLDED_FROM, _FOLDED_TO = "đð", "dd"


def column(name: str, table: str = "") -> exp.Expr:
    """The column `name`, quoted."""
    return exp.column(
        exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True) if table else None
    )


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


def _whole(value: int) -> exp.Expr:
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
    (int, _whole),
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
