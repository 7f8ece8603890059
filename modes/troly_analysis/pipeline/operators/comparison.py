"""Comparing, logic and choosing: MongoDB's order of types, null below everything, truth of any value."""

from __future__ import annotations

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Compiler, Operator, Scope
from troly_analysis.pipeline.errors import At, PipelineError, Word, short
from troly_analysis.pipeline.reader import iso_moment
from troly_analysis.pipeline.typed_expr import (
    BOOL,
    INT,
    MIXED,
    RANKS,
    TypedExpr,
    case,
    coerce,
    constant,
    fail,
    is_null,
    unify,
)
from troly_analysis.query.sql import call, literal

_KINDS: dict[str, type[exp.Binary]] = {"$gt": exp.GT, "$gte": exp.GTE, "$lt": exp.LT, "$lte": exp.LTE}


def as_date(value: TypedExpr, beside: TypedExpr, at: At) -> TypedExpr:
    """A constant text beside a date is read as a date; PipelineError when it is none."""
    if beside.type.kind != "date" or not isinstance(value.value, str):
        return value
    moment = iso_moment(value.value)
    if moment is None:
        raise PipelineError("date", at, value=short(value.value))
    return constant(moment, at)


def _yes(condition: exp.Expr) -> TypedExpr:
    return TypedExpr(exp.Paren(this=condition), BOOL, filled=True)


def compare(name: str, left: TypedExpr, right: TypedExpr, at: At) -> TypedExpr:
    """`left` against `right`, true or false also for nulls and values of different types."""
    left, right = as_date(left, right, at), as_date(right, left, at)
    families = {left.type.family, right.type.family} - {"null"}
    if len(families) > 1 and "mixed" not in families:
        return _by_rank(name, left, right)
    if families == {"mixed"} or len(families) > 1:
        left, right = (_mixed(each, at) for each in (left, right))
    elif families & {"list", "doc"}:
        kind = unify([left.type, right.type], at)
        left, right = (
            TypedExpr(coerce(each, kind, at), kind, each.weight, filled=each.filled) for each in (left, right)
        )
    if name in ("$eq", "$ne"):
        return _equal(name, left, right)
    simple = _KINDS[name](this=left.sql, expression=right.sql)
    if left.filled and right.filled:
        return _yes(simple)
    return _yes(call("coalesce", simple, _with_null(name, left, right)))


def _equal(name: str, left: TypedExpr, right: TypedExpr) -> TypedExpr:
    if left.filled and right.filled:
        plain = exp.EQ if name == "$eq" else exp.NEQ
        return _yes(plain(this=left.sql, expression=right.sql))
    kind = exp.NullSafeEQ if name == "$eq" else exp.NullSafeNEQ
    return _yes(kind(this=left.sql, expression=right.sql))


def _with_null(name: str, left: TypedExpr, right: TypedExpr) -> exp.Expr:
    """The comparison where one side is null, which is less than everything else."""
    if name == "$gte":
        return is_null(right.sql)
    if name == "$lte":
        return is_null(left.sql)
    low, high = (right, left) if name == "$gt" else (left, right)
    return exp.And(this=is_null(low.sql), expression=exp.Not(this=is_null(high.sql)))


def _mixed(value: TypedExpr, at: At) -> TypedExpr:
    if value.type.family in ("list", "doc"):
        raise PipelineError("mixture", at, found=Word(value.type.family))
    return TypedExpr(coerce(value, MIXED, at), MIXED, value.weight, filled=value.filled)


def _by_rank(name: str, left: TypedExpr, right: TypedExpr) -> TypedExpr:
    """Values of types that are never equal: the types decide, and which of the two is null."""
    ranks = [
        case((is_null(each.sql), literal(0)), default=literal(RANKS[each.type.family]))
        for each in (left, right)
    ]
    kinds: dict[str, type[exp.Binary]] = {**_KINDS, "$eq": exp.EQ, "$ne": exp.NEQ}
    return _yes(kinds[name](this=ranks[0], expression=ranks[1]))


def truth(value: TypedExpr) -> exp.Expr:
    """Whether a value counts as true: neither null, false nor zero; never null itself."""
    if value.type.kind == "bool":
        return value.sql if value.filled else call("coalesce", value.sql, exp.false())
    if value.type.family == "number":
        return call("coalesce", exp.NEQ(this=value.sql, expression=literal(0)), exp.false())
    if value.type.kind == "mixed":
        number = exp.EQ(this=call("union_extract", value.sql, literal("n")), expression=literal(0))
        no = exp.Not(this=call("coalesce", call("union_extract", value.sql, literal("b")), exp.true()))
        falsy = exp.Or(this=call("coalesce", number, exp.false()), expression=no)
        return exp.Not(this=exp.Paren(this=exp.Or(this=is_null(value.sql), expression=falsy)))
    return exp.Not(this=is_null(value.sql))


def _comparison(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    left, right = c.args(node, scope)
    return compare(node.name, left, right, node.at)


def _order(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    left, right = c.args(node, scope)
    less, greater = (compare(name, left, right, node.at) for name in ("$lt", "$gt"))
    return TypedExpr(
        case((less.sql, literal(-1)), (greater.sql, literal(1)), default=literal(0)), INT, filled=True
    )


def _logic(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    kind = exp.And if node.name == "$and" else exp.Or
    whole: exp.Expr | None = None
    for each in c.args(node, scope):
        one = exp.Paren(this=truth(each))
        whole = one if whole is None else kind(this=whole, expression=one)
    return _yes(whole if whole is not None else exp.Boolean(this=node.name == "$and"))


def _not(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    return _yes(exp.Not(this=exp.Paren(this=truth(c.args(node, scope)[0]))))


def _cond(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    given = (
        [c.expr(node.named[name], scope) for name in ("if", "then", "else")]
        if node.named
        else c.args(node, scope)
    )
    kind, (yes, no) = c.same(given[1:], node.at)
    return TypedExpr(case((truth(given[0]), yes), default=no), kind, _heaviest(given[1:]))


def _if_null(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    given = c.args(node, scope)
    kind, trees = c.same(given, node.at)
    return TypedExpr(
        call("coalesce", *trees), kind, _heaviest(given), filled=any(each.filled for each in given)
    )


def _switch(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    given = c.args(node, scope)
    default = c.named(node, "default", scope)
    results = [*given[1::2], *([default] if default else [])]
    kind, trees = c.same(results, node.at)
    last = trees.pop() if default else fail("switch", node.at)
    branches = [(truth(when), then) for when, then in zip(given[::2], trees, strict=True)]
    return TypedExpr(case(*branches, default=last), kind, _heaviest(results))


def _let(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    known = {name[1:]: c.expr(each, scope) for name, each in node.named.items() if name != "in"}
    return c.expr(node.named["in"], scope.knowing(known))


def _heaviest(values: list[TypedExpr]) -> int:
    return max((each.weight for each in values), default=1)


OPERATORS: dict[str, Operator] = {
    **dict.fromkeys(("$eq", "$ne", "$gt", "$gte", "$lt", "$lte"), _comparison),
    "$cmp": _order,
    "$and": _logic,
    "$or": _logic,
    "$not": _not,
    "$cond": _cond,
    "$ifNull": _if_null,
    "$switch": _switch,
    "$let": _let,
}
