"""Turning values into other types, and naming the type of a value."""

from __future__ import annotations

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Compiler, Operator, Scope
from troly_analysis.pipeline.errors import At, PipelineError, Word, short
from troly_analysis.pipeline.operators.comparison import truth
from troly_analysis.pipeline.typed_expr import (
    BOOL,
    DATE,
    DOUBLE,
    INT,
    TAGS,
    TEXT,
    Type,
    TypedExpr,
    case,
    fail,
    is_null,
)
from troly_analysis.query.sql import call, cast, literal

_TARGETS: dict[str, Type] = {
    "int": INT, "long": INT, "double": DOUBLE, "decimal": DOUBLE, "string": TEXT, "bool": BOOL, "date": DATE,
}  # fmt: skip
_ISO = "%Y-%m-%dT%H:%M:%S.%gZ"
# What fits into a 64-bit integer as a double.
_INT_MAX = 9.2e18
_PLAIN_MAX = 1e15


def as_text(c: Compiler, value: TypedExpr, node: model.Call, *, blank: str | None = None) -> exp.Expr:
    """A value as text for an operator that takes any plain value; null as `blank`."""
    del c
    made = attempt(value, TEXT, node.at, node.name)
    return made if blank is None else call("coalesce", made, literal(blank))


def attempt(value: TypedExpr, kind: Type, at: At, name: str) -> exp.Expr:
    """`value` as `kind`, null where it cannot be turned into it; PipelineError for lists and documents."""
    if value.type.family in ("list", "doc"):
        raise PipelineError("kind", at, name=name, expected=Word("plain"), found=Word(value.type.family))
    if value.type.kind == "null":
        return cast(exp.Null(), kind.sql())
    if value.type.kind == "mixed":
        return _from_mixed(value, kind, at, name)
    if kind is TEXT:
        return _to_text(value)
    if kind is BOOL:
        return case((is_null(value.sql), exp.Null()), default=truth(value))
    if kind is DATE:
        return _to_date(value)
    return _to_number(value, kind)


def _from_mixed(value: TypedExpr, kind: Type, at: At, name: str) -> exp.Expr:
    kinds = {"n": DOUBLE, "s": TEXT, "b": BOOL, "d": DATE}
    tag = cast(call("union_tag", value.sql), "VARCHAR")
    branches = []
    for each in TAGS.values():
        inner = TypedExpr(call("union_extract", value.sql, literal(each)), kinds[each])
        branches.append((exp.EQ(this=tag.copy(), expression=literal(each)), attempt(inner, kind, at, name)))
    return case(*branches, default=cast(exp.Null(), kind.sql()))


def _to_text(value: TypedExpr) -> exp.Expr:
    if value.type.kind == "double":
        small = exp.LT(this=call("abs", value.sql), expression=literal(_PLAIN_MAX))
        whole = exp.And(this=exp.EQ(this=value.sql, expression=call("trunc", value.sql)), expression=small)
        return case((whole, cast(cast(value.sql, "BIGINT"), "VARCHAR")), default=cast(value.sql, "VARCHAR"))
    if value.type.kind == "date":
        return call("strftime", cast(value.sql, "TIMESTAMP"), literal(_ISO))
    return value.sql if value.type.kind == "text" else cast(value.sql, "VARCHAR")


def _to_date(value: TypedExpr) -> exp.Expr:
    if value.type.kind == "date":
        return cast(value.sql, "TIMESTAMP")
    if value.type.family == "number":
        return call("make_timestamp", cast(exp.Mul(this=value.sql, expression=literal(1000)), "BIGINT"))
    return _try(value.sql, "TIMESTAMP")


def _try(value: exp.Expr, kind: str) -> exp.Expr:
    return exp.TryCast(this=cast(value, "VARCHAR"), to=exp.DataType.build(kind, dialect="duckdb"))


def _to_number(value: TypedExpr, kind: Type) -> exp.Expr:
    if value.type.kind == "date":
        return call("epoch_ms", cast(value.sql, "TIMESTAMP"))
    if value.type.kind == "text":
        # Only plain numerals: DuckDB would also take "1_000" and turn "5.5" into a whole number.
        form = r"^[+-]?\d+$" if kind is INT else r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
        return case(
            (call("regexp_matches", value.sql, literal(form)), _try(value.sql, kind.sql())),
            default=exp.Null(),
        )
    if value.type.kind == "double" and kind is INT:
        fits = exp.LT(this=call("abs", value.sql), expression=literal(_INT_MAX))
        return case((fits, cast(call("trunc", value.sql), "BIGINT")), default=exp.Null())
    return cast(value.sql, kind.sql())


def _convert(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    names = {"$toInt": "int", "$toLong": "long", "$toDouble": "double", "$toDecimal": "decimal"}
    names |= {"$toString": "string", "$toBool": "bool", "$toDate": "date"}
    if node.name != "$convert":
        (value,) = c.args(node, scope)
        return _strict(value, _TARGETS[names[node.name]], node)
    to = node.named["to"]
    wanted = to.value if isinstance(to, model.Literal) else None
    if not isinstance(wanted, str) or wanted not in _TARGETS:
        raise PipelineError("one_of", to.at, value=short(wanted), known=", ".join(_TARGETS))
    value = c.expr(node.named["input"], scope)
    return _choose(c, value, _TARGETS[wanted], node, scope)


def _choose(c: Compiler, value: TypedExpr, kind: Type, node: model.Call, scope: Scope) -> TypedExpr:
    on_error, on_null = c.named(node, "onError", scope), c.named(node, "onNull", scope)
    if on_error is None and on_null is None:
        return _strict(value, kind, node)
    made = TypedExpr(attempt(value, kind, node.at, node.name), kind, value.weight)
    others = [each for each in (on_error, on_null) if each is not None]
    whole, trees = c.same([made, *others], node.at)
    found = dict(
        zip(("made", *(["error"] if on_error else []), *(["null"] if on_null else [])), trees, strict=True)
    )
    bad = found.get("error", fail("convert", node.at))
    blank = found.get("null", cast(exp.Null(), whole.sql()))
    unread = is_null(made.sql)
    return TypedExpr(
        case((is_null(value.sql), blank), (unread, bad), default=found["made"]), whole, made.weight
    )


def _strict(value: TypedExpr, kind: Type, node: model.Call) -> TypedExpr:
    made = attempt(value, kind, node.at, node.name)
    if value.type.kind == kind.kind:
        return TypedExpr(made, kind, value.weight, filled=value.filled)
    bad = (is_null(made.copy()), fail("convert", node.at))
    return TypedExpr(
        case((is_null(value.sql), cast(exp.Null(), kind.sql())), bad, default=made), kind, value.weight
    )


def _type(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    names = {"int": "long", "text": "string", "doc": "object", "list": "array"}
    if value.type.kind == "mixed":
        tag = cast(call("union_tag", value.sql), "VARCHAR")
        branches = [
            (exp.EQ(this=tag.copy(), expression=literal(each)), literal(name))
            for each, name in (("n", "double"), ("s", "string"), ("b", "bool"), ("d", "date"))
        ]
        return TypedExpr(case(*branches, default=literal("null")), TEXT, filled=True)
    name = literal(names.get(value.type.kind, value.type.kind))
    return TypedExpr(case((is_null(value.sql), literal("null")), default=name), TEXT, filled=True)


def _is_number(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    if value.type.kind == "mixed":
        return TypedExpr(
            exp.Not(this=is_null(call("union_extract", value.sql, literal("n")))), BOOL, filled=True
        )
    known = value.type.family == "number"
    return TypedExpr(exp.Not(this=is_null(value.sql)) if known else exp.false(), BOOL, filled=True)


OPERATORS: dict[str, Operator] = {
    **dict.fromkeys(
        ("$toInt", "$toLong", "$toDouble", "$toDecimal", "$toString", "$toBool", "$toDate", "$convert"),
        _convert,
    ),
    "$type": _type,
    "$isNumber": _is_number,
}
