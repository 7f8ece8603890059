"""Compiles `$group`: keys, and figures that pass over what is no number; groups come in the order of their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Compiler, Scope
from troly_analysis.pipeline.kinds import DOUBLE, INT, NULL, Typed, document, list_of
from troly_analysis.pipeline.relation import Relation, built
from troly_analysis.service_sql import call, column, literal, named

# A figure from its column, the value that the column holds, and the keys of the rows' order.
Figure = Callable[[Typed, Typed, list[exp.Expr]], Typed]
IN_ORDER = ("$first", "$last", "$push")
_SAME_UNIT = ("$sum", "$avg", "$min", "$max", "$first", "$last", "$median", "$stdDevPop", "$stdDevSamp")


def group(c: Compiler, stage: model.Group, rows: Relation, variables: Mapping[str, Typed]) -> Relation:
    """One row a group; with a constant `_id` one row, or none where there were none."""
    source, scope = rows.opened(c, variables)
    whole = c.expr(stage.id, scope)
    parts = _parts(c, stage.id, whole, scope)
    arguments = [c.expr(each.args[0], scope) if each.args else None for each in stage.fields]
    keys = [c.fresh("troly g") for _ in parts]
    inputs = [c.fresh("troly a") for _ in arguments]
    columns = [named(part.sql, key) for part, key in zip(parts, keys, strict=True)]
    columns += [
        named(each.sql, name) for each, name in zip(arguments, inputs, strict=True) if each is not None
    ]
    carried = [named(column(name, scope.table), name) for name, _ in rows.order]
    prepared = Relation(exp.select(*columns, *carried).from_(source, copy=False), {}, rows.order)
    opened, inner = prepared.opened(c, variables)
    values = [
        (each.name, _figure(each, argument, column(name, inner.table), prepared.sorted(inner.table)))
        for each, argument, name in zip(stage.fields, arguments, inputs, strict=True)
    ]
    if whole.constant:
        made = built(opened, inner.table, [("_id", whole), *values], ())
        some = exp.GT(this=call("count", exp.Star()), expression=literal(0))
        return replace(made, select=made.select.having(some, copy=False))
    key_columns = [column(key, inner.table) for key in keys]
    made = built(
        opened,
        inner.table,
        values,
        (),
        [named(each, key) for each, key in zip(key_columns, keys, strict=True)],
    )
    grouped = made.select.group_by(*(each.copy() for each in key_columns), copy=False)
    return _with_id(c, stage, replace(made, select=grouped), whole, list(zip(keys, parts, strict=True)))


def _parts(c: Compiler, node: model.Expr, whole: Typed, scope: Scope) -> list[Typed]:
    """The columns to group by: the fields of a compound `_id` apart, which is faster than a document."""
    if isinstance(node, model.Document):
        return [c.expr(each, scope) for each in node.fields.values()]
    return [whole]


def _with_id(
    c: Compiler, stage: model.Group, rows: Relation, whole: Typed, keys: list[tuple[str, Typed]]
) -> Relation:
    source, scope = rows.opened(c, {})
    parts = [replace(part, tree=column(key, scope.table)) for key, part in keys]
    if isinstance(stage.id, model.Document):
        made = document(list(zip(stage.id.fields, parts, strict=True)), stage.at)
    else:
        made = replace(whole, tree=column(keys[0][0], scope.table))
    values = [("_id", made), *((name, scope.value(name)) for name in rows.fields)]
    return built(source, scope.table, values, tuple((key, False) for key, _ in keys))


def _figure(each: model.Accumulator, value: Typed | None, tree: exp.Expr, keys: list[exp.Expr]) -> Typed:
    if value is None:
        return Typed(call("count", exp.Star()), INT, filled=True)
    given = replace(value, tree=tree)
    made = _FIGURES[each.operator](given, value, keys)
    return replace(made, unit=value.unit) if each.operator in _SAME_UNIT else made


def _numbers(given: Typed) -> exp.Expr | None:
    """What is a number of it; None when it never is."""
    if given.type.kind == "mixed":
        return call("union_extract", given.sql, literal("n"))
    return given.sql if given.type.family == "number" else None


def _sum(given: Typed, value: Typed, _: list[exp.Expr]) -> Typed:
    if value.value == 1 and value.type is INT:
        return Typed(call("count", exp.Star()), INT, filled=True)
    numbers = _numbers(given)
    if numbers is None:
        return Typed(literal(0), INT, filled=True)
    kind = INT if given.type.kind == "int" else DOUBLE
    return Typed(call("coalesce", call("sum", numbers), literal(0)), kind, filled=True)


def _statistic(name: str, *more: float) -> Figure:
    def build(given: Typed, _: Typed, __: list[exp.Expr]) -> Typed:
        numbers = _numbers(given)
        if numbers is None:
            return Typed(exp.Null(), NULL)
        return Typed(call(name, numbers, *(literal(each) for each in more)), DOUBLE)

    return build


def _extreme(name: str) -> Figure:
    def build(given: Typed, _: Typed, __: list[exp.Expr]) -> Typed:
        return Typed(call(name, given.sql), given.type, given.weight)

    return build


def _in_order(name: str, *, gathers: bool) -> Figure:
    def build(given: Typed, _: Typed, keys: list[exp.Expr]) -> Typed:
        inner: exp.Expr = given.sql
        if keys:
            inner = exp.Order(this=inner, expressions=keys)
        return Typed(call(name, inner), list_of(given.type) if gathers else given.type, given.weight)

    return build


def _set(given: Typed, _: Typed, __: list[exp.Expr]) -> Typed:
    """Each value once, in order."""
    distinct = call("list", exp.Distinct(expressions=[given.sql]))
    made = call("list_sort", distinct, literal("ASC"), literal("NULLS FIRST"))
    return Typed(made, list_of(given.type), given.weight)


_FIGURES: Mapping[str, Figure] = {
    "$sum": _sum,
    "$avg": _statistic("avg"),
    "$stdDevPop": _statistic("stddev_pop"),
    "$stdDevSamp": _statistic("stddev_samp"),
    "$median": _statistic("quantile_disc", 0.5),
    "$min": _extreme("min"),
    "$max": _extreme("max"),
    "$first": _in_order("first", gathers=False),
    "$last": _in_order("last", gathers=False),
    "$push": _in_order("list", gathers=True),
    "$addToSet": _set,
}
