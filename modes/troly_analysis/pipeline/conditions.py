"""Compiles the conditions of `$match`: values of another type never match, null matches blanks, lists match by item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Compiler, Scope, inside
from troly_analysis.pipeline.errors import At, PipelineError, short
from troly_analysis.pipeline.operators.comparison import truth
from troly_analysis.pipeline.reader import iso_moment
from troly_analysis.pipeline.typed_expr import (
    TAGS,
    TypedExpr,
    coerce,
    constant,
    element,
    inside_filter,
    is_null,
)
from troly_analysis.query.sql import both, call, cast, either, literal

_ORDER: dict[str, type[exp.Binary]] = {
    "$eq": exp.EQ, "$gt": exp.GT, "$gte": exp.GTE, "$lt": exp.LT, "$lte": exp.LTE,
}  # fmt: skip
_TYPE_NAMES = {
    "null": ("null",), "text": ("string",), "bool": ("bool",), "date": ("date",), "list": ("array",), "doc": ("object",),
    "int": ("int", "long", "number"), "double": ("double", "decimal", "number"),
}  # fmt: skip
_MIXED_NAMES = {"n": ("double", "decimal", "number"), "s": ("string",), "b": ("bool",), "d": ("date",)}


def condition(c: Compiler, node: model.Query, scope: Scope) -> exp.Expr:
    """The condition as SQL, where null counts as not fulfilled."""
    if isinstance(node, model.ExpressionQuery):
        return truth(c.expr(node.expr, scope))
    if isinstance(node, model.FieldQuery):
        return _all_of(c, node.tests, scope.resolve(node.path, node.at), scope)
    parts = [condition(c, each, scope) for each in node.items]
    if node.kind == "$and":
        return both(parts)
    return either(parts) if node.kind == "$or" else _unless(either(parts))


def _all_of(c: Compiler, tests: tuple[model.Test, ...], value: TypedExpr, scope: Scope) -> exp.Expr:
    return both([_test(c, each, value, scope) for each in tests])


def _unless(condition: exp.Expr) -> exp.Expr:
    return exp.Not(this=call("coalesce", condition, exp.false()))


def _test(c: Compiler, test: model.Test, value: TypedExpr, scope: Scope) -> exp.Expr:
    if test.operator == "$not":
        return _unless(_all_of(c, test.tests, value, scope))
    opposite = {"$ne": "$eq", "$nin": "$in"}.get(test.operator)
    if opposite:
        return _unless(_test(c, model.Test(test.at, opposite, test.value), value, scope))
    if test.operator == "$all":
        each = [_test(c, model.Test(test.at, "$eq", wanted), value, scope) for wanted in test.value]
        return both(each) if each else exp.false()
    if value.type.kind == "list" and test.operator != "$exists":
        return _of_list(c, test, value, scope)
    return _of_value(c, test, value)


def _of_list(c: Compiler, test: model.Test, value: TypedExpr, scope: Scope) -> exp.Expr:
    if test.operator == "$size":
        return exp.EQ(this=call("len", value.sql), expression=literal(int(test.value)))
    if test.operator == "$type" and "array" in test.value:
        return exp.Not(this=is_null(value.sql))
    sought = {"$eq": [test.value], "$in": test.value}.get(test.operator, [])
    wholes = [_same(value, each, test.at) for each in sought if isinstance(each, list)]
    wholes += [is_null(value.sql) for each in sought if each is None]
    variable = c.fresh("e")
    item = TypedExpr(element(variable), value.type.item) if value.type.item else value
    if test.operator == "$elemMatch":
        return inside_filter(value, variable, _element(c, test, item, scope))
    return either([*wholes, inside_filter(value, variable, _test(c, test, item, scope))])


def _element(c: Compiler, test: model.Test, item: TypedExpr, scope: Scope) -> exp.Expr:
    if test.query is None:
        return _all_of(c, test.tests, item, scope)
    return _in_document(c, test.query, item, scope)


def _in_document(c: Compiler, node: model.Query, item: TypedExpr, scope: Scope) -> exp.Expr:
    """A condition on the fields of one document of a list."""
    if isinstance(node, model.ExpressionQuery):
        return truth(c.expr(node.expr, scope))
    if isinstance(node, model.FieldQuery):
        if item.type.kind != "doc":
            return exp.false()
        return _all_of(c, node.tests, inside(item, node.path, node.at), scope)
    parts = [_in_document(c, each, item, scope) for each in node.items]
    if node.kind == "$and":
        return both(parts)
    return either(parts) if node.kind == "$or" else _unless(either(parts))


def _of_value(c: Compiler, test: model.Test, value: TypedExpr) -> exp.Expr:
    if test.operator == "$regex":
        c.patterns.append((test.value, test.at))
    special = _SPECIAL.get(test.operator)
    return special(test, value) if special else _against(test.operator, value, test.value, test.at)


def _exists(test: model.Test, value: TypedExpr) -> exp.Expr:
    return exp.Not(this=is_null(value.sql)) if test.value else is_null(value.sql)


def _regex(test: model.Test, value: TypedExpr) -> exp.Expr:
    text = _as_family(value, "text")
    return call("regexp_matches", text, literal(test.value)) if text is not None else exp.false()


def _mod(test: model.Test, value: TypedExpr) -> exp.Expr:
    number = _as_family(value, "number")
    if number is None:
        return exp.false()
    divisor, rest = (literal(int(each)) for each in test.value)
    whole = cast(call("trunc", number), "BIGINT")
    return exp.EQ(this=exp.Paren(this=exp.Mod(this=whole, expression=divisor)), expression=rest)


def _is_type(test: model.Test, value: TypedExpr) -> exp.Expr:
    blank = is_null(value.sql) if "null" in test.value else exp.false()
    if value.type.kind == "mixed":
        tags = [literal(tag) for tag, names in _MIXED_NAMES.items() if set(names) & set(test.value)]
        tag = cast(call("union_tag", value.sql), "VARCHAR")
        return either([blank, exp.In(this=tag, expressions=tags)]) if tags else blank
    known = bool(set(_TYPE_NAMES[value.type.kind]) & set(test.value))
    return either([blank, exp.Not(this=is_null(value.sql))]) if known else blank


def _family(value: Any) -> str:
    kinds = ((bool, "bool"), (int | float, "number"), (str, "text"), (list, "list"), (dict, "doc"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "date")


def _as_family(value: TypedExpr, family: str) -> exp.Expr | None:
    """The value where it is of the family; None where it never is."""
    if value.type.kind == "mixed" and family in TAGS:
        return call("union_extract", value.sql, literal(TAGS[family]))
    return value.sql if value.type.family == family else None


def _prepared(value: TypedExpr, wanted: Any, at: At) -> Any:
    """A text compared with a date is read as a date."""
    if value.type.kind != "date" or not isinstance(wanted, str):
        return wanted
    moment = iso_moment(wanted)
    if moment is None:
        raise PipelineError("date", at, value=short(wanted))
    return moment


def _against(operator: str, value: TypedExpr, wanted: Any, at: At) -> exp.Expr:
    if wanted is None:
        return is_null(value.sql) if operator in ("$eq", "$gte", "$lte") else exp.false()
    wanted = _prepared(value, wanted, at)
    family = _family(wanted)
    if family in ("list", "doc"):
        return _same(value, wanted, at) if operator == "$eq" else exp.false()
    tree = _as_family(value, family)
    if tree is None:
        return exp.false()
    return _ORDER[operator](this=tree, expression=literal(wanted))


def _same(value: TypedExpr, wanted: Any, at: At) -> exp.Expr:
    """Equality with a whole list or document."""
    other = constant(wanted, at)
    if value.type.kind != other.type.kind:
        return exp.false()
    if [slot.name for slot in value.type.slots] != [slot.name for slot in other.type.slots]:
        return exp.false()
    mine, theirs = value.type.item, other.type.item
    alike = mine is None or theirs is None or theirs.kind == "null" or mine.family == theirs.family
    slots = zip(value.type.slots, other.type.slots, strict=True)
    if not alike or any(left.type.family != right.type.family != "null" for left, right in slots):
        return exp.false()
    return exp.EQ(this=value.sql, expression=coerce(other, value.type, at))


def _in(test: model.Test, value: TypedExpr) -> exp.Expr:
    found: list[exp.Expr] = []
    listed: dict[str, list[exp.Expr]] = {}
    for each in test.value:
        wanted = _prepared(value, each, test.at)
        if wanted is None or isinstance(wanted, list | dict):
            found.append(_against("$eq", value, wanted, test.at))
        else:
            listed.setdefault(_family(wanted), []).append(literal(wanted))
    for family, trees in listed.items():
        tree = _as_family(value, family)
        if tree is not None:
            found.append(exp.In(this=tree, expressions=trees))
    return either(found)


_SPECIAL: Mapping[str, Callable[[model.Test, TypedExpr], exp.Expr]] = {
    "$in": _in,
    "$regex": _regex,
    "$mod": _mod,
    "$type": _is_type,
    "$exists": _exists,
    "$size": lambda *_: exp.false(),
    "$elemMatch": lambda *_: exp.false(),
}
