"""Arithmetic, with MongoDB's refusals: dividing by zero, roots of negatives, adding texts."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Compiler, Operator, Scope
from troly_analysis.pipeline.errors import At
from troly_analysis.pipeline.typed_expr import (
    DATE,
    DOUBLE,
    INT,
    NULL,
    Type,
    TypedExpr,
    array,
    case,
    element,
    fail,
    lambda_of,
)
from troly_analysis.query.sql import call, cast, literal


def _kind(values: list[TypedExpr]) -> Type:
    return INT if all(value.type.kind in ("int", "null") for value in values) else DOUBLE


def _joined(kind: type[exp.Binary], parts: list[exp.Expr]) -> exp.Expr:
    return exp.Paren(this=reduce(lambda left, right: kind(this=left, expression=right), parts))


def _sum_of(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    dates = [value for value in values if value.type.kind == "date"]
    if node.name == "$add" and dates:
        return _later(c, node, values, dates[0])
    trees = [c.number(value, each.at, node.name) for value, each in zip(values, node.args, strict=True)]
    kind = exp.Add if node.name == "$add" else exp.Mul
    return TypedExpr(_joined(kind, trees), _kind(values))


def _later(c: Compiler, node: model.Call, values: list[TypedExpr], start: TypedExpr) -> TypedExpr:
    """A date and milliseconds; of_family refuses a second date."""
    pairs = zip(values, node.args, strict=True)
    trees = [c.number(value, each.at, node.name) for value, each in pairs if value is not start]
    return TypedExpr(_joined(exp.Add, [moment(start), *(milliseconds(each) for each in trees)]), DATE)


def moment(value: TypedExpr) -> exp.Expr:
    """A date as a timestamp."""
    return cast(value.sql, "TIMESTAMP")


def milliseconds(value: exp.Expr) -> exp.Expr:
    """An interval of that many milliseconds."""
    return call("to_milliseconds", cast(value, "DOUBLE"))


def _subtract(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    left, right = c.args(node, scope)
    if left.type.kind == "date" and right.type.kind == "date":
        return TypedExpr(call("date_diff", literal("millisecond"), moment(right), moment(left)), INT)
    if left.type.kind == "date":
        interval = milliseconds(c.number(right, node.args[1].at, node.name))
        return TypedExpr(_joined(exp.Sub, [moment(left), interval]), DATE)
    trees = [
        c.number(value, each.at, node.name) for value, each in zip((left, right), node.args, strict=True)
    ]
    return TypedExpr(_joined(exp.Sub, trees), _kind([left, right]))


def _divide(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    left, right = (c.number(value, each.at, node.name) for value, each in zip(values, node.args, strict=True))
    zero = exp.EQ(this=right.copy(), expression=literal(0))
    if node.name == "$mod":
        return TypedExpr(
            case((zero, fail("zero", node.at)), default=_joined(exp.Mod, [left, right])), _kind(values)
        )
    shared = exp.Paren(this=exp.Div(this=cast(left, "DOUBLE"), expression=right))
    return TypedExpr(case((zero, fail("zero", node.at)), default=shared), DOUBLE)


def _whole(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    tree = c.number(value, node.at, node.name)
    if value.type.kind == "int" and node.name != "$abs":
        return TypedExpr(tree, INT)
    return TypedExpr(call(node.name[1:], tree), _kind([value]))


def _round(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    """Halves go to the even neighbour, as in MongoDB; the places may be negative."""
    values = c.args(node, scope)
    tree = c.number(values[0], node.args[0].at, node.name)
    places = literal(0)
    if len(values) > 1:
        places = cast(c.number(values[1], node.args[1].at, node.name), "INTEGER")
    if node.name == "$round":
        return TypedExpr(cast(call("round_even", cast(tree, "DOUBLE"), places), "DOUBLE"), _kind(values[:1]))
    power = call("pow", literal(10.0), places)
    cut = call("trunc", exp.Mul(this=cast(tree, "DOUBLE"), expression=power))
    return TypedExpr(exp.Paren(this=exp.Div(this=cut, expression=power.copy())), DOUBLE)


def _pow(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    base, power = (c.number(value, each.at, node.name) for value, each in zip(values, node.args, strict=True))
    zero = exp.And(
        this=exp.EQ(this=base.copy(), expression=literal(0)),
        expression=exp.LT(this=power.copy(), expression=literal(0)),
    )
    return TypedExpr(case((zero, fail("zero", node.at)), default=call("pow", base, power)), DOUBLE)


def _root(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    tree = c.number(value, node.at, node.name)
    return TypedExpr(_guarded(node.name[1:], tree, node.at, strict=node.name != "$sqrt"), DOUBLE)


def _guarded(name: str, tree: exp.Expr, at: At, *, strict: bool) -> exp.Expr:
    bad: exp.Expr = (exp.LTE if strict else exp.LT)(this=tree.copy(), expression=literal(0))
    return case((bad, fail("negative", at)), default=call(name, cast(tree, "DOUBLE")))


def _log(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    parts = [
        _guarded("ln", c.number(value, each.at, node.name), node.at, strict=True)
        for value, each in zip(values, node.args, strict=True)
    ]
    return TypedExpr(_joined(exp.Div, parts), DOUBLE)


def _exp(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    return TypedExpr(call("exp", c.number(value, node.at, node.name)), DOUBLE)


def _over_values(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    """`$sum`, `$avg`, `$min` and `$max` of a list, or of several values; what is no number is passed over."""
    values = c.args(node, scope)
    whole = values[0] if len(values) == 1 and values[0].type.kind == "list" else array(values, node.at)
    return over_list(node.name[1:], whole)


def over_list(name: str, values: TypedExpr) -> TypedExpr:
    """An aggregate over a list's items."""
    item = values.type.item or NULL
    if name in ("min", "max"):
        return TypedExpr(call(f"list_{name}", values.sql), item, values.weight)
    if item.kind == "mixed":
        numbers = call(
            "list_transform", values.sql, lambda_of("n", call("union_extract", element("n"), literal("n")))
        )
    elif item.family == "number":
        numbers = values.sql
    else:
        return TypedExpr(literal(0) if name == "sum" else exp.Null(), INT if name == "sum" else NULL)
    total = call("list_aggregate", numbers, literal(name))
    if name == "sum":
        return TypedExpr(
            call("coalesce", total, literal(0)), item if item.kind == "int" else DOUBLE, filled=True
        )
    return TypedExpr(total, DOUBLE)


OPERATORS: dict[str, Operator] = {
    "$add": _sum_of,
    "$multiply": _sum_of,
    "$subtract": _subtract,
    "$divide": _divide,
    "$mod": _divide,
    **dict.fromkeys(("$abs", "$ceil", "$floor"), _whole),
    **dict.fromkeys(("$round", "$trunc"), _round),
    "$pow": _pow,
    **dict.fromkeys(("$sqrt", "$ln", "$log10"), _root),
    "$log": _log,
    "$exp": _exp,
    **dict.fromkeys(("$sum", "$avg", "$min", "$max"), _over_values),
}
