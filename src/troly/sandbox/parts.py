"""Checks each node of a parsed query against the list of what may occur; what is not listed is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.sandbox import allowed
from troly.sandbox.errors import SandboxError

if TYPE_CHECKING:
    from sqlglot import exp


def check_parts(tree: exp.Expr) -> None:
    """Raise SandboxError for the first node of `tree` that is not allowed, and for too many joins or selects."""
    from sqlglot import exp

    for node in tree.walk():
        if isinstance(node, exp.Table):
            _check_table(node)
        elif isinstance(node, exp.Select):
            _check_keywords(node, allowed.SELECT_PARTS)
        elif isinstance(node, exp.Join):
            _check_join(node)
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            raise SandboxError("sandbox.recursive", part=node.expressions[0].alias)
        elif isinstance(node, exp.DataType):
            _check_type(node)
        elif isinstance(node, exp.Column) and (node.args.get("db") or node.args.get("catalog")):
            raise SandboxError("sandbox.qualified", part=_written(node))
        _check_kind(node)
    _check_counts(tree)


def _check_kind(node: exp.Expr) -> None:
    from sqlglot import exp

    kind = type(node).__name__
    if kind in allowed.NODES:
        return
    if not isinstance(node, exp.Func):
        raise SandboxError("sandbox.construct", part=_written(node))
    if isinstance(node, exp.Anonymous):
        known = isinstance(node.this, str) and node.name.lower() in allowed.FUNCTIONS
    else:
        known = kind in allowed.FUNCTION_NODES or any(
            name.lower() in allowed.FUNCTIONS for name in node.sql_names()
        )
    if not known:
        _refuse_function(node)


def _refuse_function(node: exp.Func) -> None:
    """Name the function as it was written, or where it has another form as the parser calls it."""
    text = _written(node)
    name = text.partition("(")[0].lower()
    if "(" not in text or not name.replace("_", "").isalnum():
        raise SandboxError("sandbox.construct", part=text)
    if name in allowed.FUNCTIONS | {"cast", "case"}:
        name = node.sql_names()[0].lower()
    raise SandboxError("sandbox.function", part=name)


def _check_table(node: exp.Table) -> None:
    from sqlglot import exp

    if not isinstance(node.this, exp.Identifier):
        raise SandboxError("sandbox.table_function", part=_written(node))
    if node.args.get("db") or node.args.get("catalog"):
        raise SandboxError("sandbox.qualified", part=_written(node))
    _check_keywords(node, allowed.TABLE_PARTS)


def _check_keywords(node: exp.Expr, known: frozenset[str]) -> None:
    for name, value in node.args.items():
        if value and name not in known:
            raise SandboxError("sandbox.construct", part=name.upper())


def _check_join(node: exp.Join) -> None:
    for name, words in allowed.JOIN_WORDS.items():
        word = str(node.args.get(name) or "").upper()
        if word not in words:
            raise SandboxError("sandbox.construct", part=f"{word} JOIN")


def _check_type(node: exp.DataType) -> None:
    name = getattr(node.this, "value", None)
    if name not in allowed.TYPES or node.args.get("nested"):
        raise SandboxError("sandbox.type", part=_written(node))


def _check_counts(tree: exp.Expr) -> None:
    from sqlglot import exp

    selects = sum(1 for _ in tree.find_all(exp.Select))
    joins = list(tree.find_all(exp.Join))
    crosses = [join for join in joins if not join.args.get("on") and not join.args.get("using")]
    free = [join for join in crosses if str(join.args.get("method") or "").upper() != "NATURAL"]
    for found, limit, part in (
        (selects, allowed.MAX_SELECTS, "SELECT"),
        (len(joins), allowed.MAX_JOINS, "JOIN"),
        (len(free), allowed.MAX_CROSS_JOINS, "CROSS JOIN"),
    ):
        if found > limit:
            raise SandboxError("sandbox.joins", part=part, count=found, limit=limit)


def _written(node: exp.Expr) -> str:
    """`node` as SQL for a message; its kind where it cannot be written."""
    from sqlglot.errors import ErrorLevel

    try:
        return node.sql(dialect="duckdb", comments=False, unsupported_level=ErrorLevel.IGNORE)
    except (ValueError, TypeError, AttributeError, KeyError):
        return type(node).__name__
