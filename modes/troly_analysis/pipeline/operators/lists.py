"""Lists: their size, items and parts, and working through them item by item."""

from __future__ import annotations

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Compiler, Operator, Scope
from troly_analysis.pipeline.errors import At, PipelineError, Word, short
from troly_analysis.pipeline.operators.comparison import as_date, compare, truth
from troly_analysis.pipeline.typed_expr import (
    BOOL,
    INT,
    NULL,
    TypedExpr,
    array,
    case,
    coerce,
    constant,
    element,
    fail,
    is_null,
    lambda_of,
    list_of,
    null_of,
    unify,
)
from troly_analysis.query.sql import call, cast, literal


def _list(value: TypedExpr, at: At, name: str) -> TypedExpr:
    """An operand that must be a list; null stays null."""
    if value.type.kind == "null":
        return TypedExpr(null_of(list_of(NULL)), list_of(NULL))
    if value.type.kind != "list":
        raise PipelineError("kind", at, name=name, expected=Word("list"), found=Word(value.type.family))
    return value


def _first_list(c: Compiler, node: model.Call, scope: Scope) -> tuple[TypedExpr, list[TypedExpr]]:
    values = c.args(node, scope)
    return _list(values[0], node.args[0].at, node.name), values[1:]


def _size(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    value, _ = _first_list(c, node, scope)
    return TypedExpr(
        case((is_null(value.sql), fail("blank_list", node.at)), default=call("len", value.sql)),
        INT,
        filled=True,
    )


def _is_array(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    return TypedExpr(
        exp.Not(this=is_null(value.sql)) if value.type.kind == "list" else exp.false(), BOOL, filled=True
    )


def _item(value: TypedExpr, index: exp.Expr) -> TypedExpr:
    return TypedExpr(call("list_extract", value.sql, index), value.type.item or NULL, value.weight)


def _end(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    value, _ = _first_list(c, node, scope)
    return _item(value, literal(1 if node.name == "$first" else -1))


def _element_at(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    value, (index,) = _first_list(c, node, scope)
    place = cast(c.number(index, node.args[1].at, node.name), "BIGINT")
    later = exp.Add(this=place.copy(), expression=literal(1))
    forward = exp.GTE(this=place.copy(), expression=literal(0))
    return _item(value, case((forward, later), default=place))


def _in(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    wanted, listed = values[0], values[1]
    if isinstance(listed.value, list) and wanted.type.kind == "date":
        listed = array([as_date(constant(each, node.at), wanted, node.at) for each in listed.value], node.at)
    listed = _list(listed, node.args[1].at, node.name)
    item = listed.type.item or NULL
    if item.kind == "null" and wanted.type.kind != "null":
        listed = TypedExpr(
            coerce(listed, list_of(wanted.type), node.at), list_of(wanted.type), filled=listed.filled
        )
        item = wanted.type
    variable = c.fresh("v")
    same = compare("$eq", TypedExpr(element(variable), item), wanted, node.at)
    kept = call("len", call("list_filter", listed.sql, lambda_of(variable, same.sql)))
    found = exp.GT(this=kept, expression=literal(0))
    if listed.filled:
        return TypedExpr(exp.Paren(this=found), BOOL, filled=True)
    return TypedExpr(
        case((is_null(listed.sql), fail("blank_list", node.at)), default=found), BOOL, filled=True
    )


def _whole(node: model.Expr) -> int:
    value = node.value if isinstance(node, model.Literal) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not float(value).is_integer():
        raise PipelineError("type", node.at, expected=Word("whole"), found=short(value))
    return int(value)


def _slice(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    value = _list(c.expr(node.args[0], scope), node.args[0].at, node.name)
    numbers = [_whole(each) for each in node.args[1:]]
    start, count = (numbers[0], numbers[1]) if len(numbers) == 2 else (min(numbers[0], 0), abs(numbers[0]))
    if len(numbers) == 2 and count <= 0:
        raise PipelineError("type", node.args[2].at, expected=Word("positive"), found=count)
    if len(numbers) == 1 and numbers[0] == 0:
        count = 0
    return TypedExpr(_cut(value, start, count), value.type, value.weight)


def _cut(value: TypedExpr, start: int, count: int) -> exp.Expr:
    first: exp.Expr = literal(start)
    if start < 0:
        first = call("greatest", exp.Add(this=call("len", value.sql), expression=literal(start)), literal(0))
    begin = exp.Add(this=first, expression=literal(1))
    end = exp.Add(this=first.copy(), expression=literal(count))
    return call("list_slice", value.sql, begin, end)


def _concat(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = [
        _list(value, each.at, node.name) for value, each in zip(c.args(node, scope), node.args, strict=True)
    ]
    kind = unify([value.type for value in values], node.at)
    whole = coerce(values[0], kind, node.at)
    for value in values[1:]:
        whole = call("list_concat", whole, coerce(value, kind, node.at))
    blanks = [(is_null(value.sql), null_of(kind)) for value in values if not value.filled]
    made = case(*blanks, default=whole) if blanks else whole
    return TypedExpr(made, kind, sum(value.weight for value in values), filled=not blanks)


def _reverse(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    value, _ = _first_list(c, node, scope)
    return TypedExpr(call("list_reverse", value.sql), value.type, value.weight)


def _over(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    """`$filter` and `$map`."""
    value = _list(c.expr(node.named["input"], scope), node.named["input"].at, node.name)
    name, variable = node.named["as"], c.fresh("v")
    known = name.value if isinstance(name, model.Literal) else ""
    inner = scope.knowing({known: TypedExpr(element(variable), value.type.item or NULL)})
    if node.name == "$map":
        made = c.expr(node.named["in"], inner)
        tree = call("list_transform", value.sql, lambda_of(variable, made.sql))
        return TypedExpr(tree, list_of(made.type), max(value.weight, made.weight))
    kept = call("list_filter", value.sql, lambda_of(variable, truth(c.expr(node.named["cond"], inner))))
    if "limit" in node.named:
        count = _whole(node.named["limit"])
        if count < 1:
            raise PipelineError("type", node.named["limit"].at, expected=Word("positive"), found=count)
        kept = call("list_slice", kept, literal(1), literal(count))
    return TypedExpr(kept, value.type, value.weight)


OPERATORS: dict[str, Operator] = {
    "$size": _size,
    "$isArray": _is_array,
    "$first": _end,
    "$last": _end,
    "$arrayElemAt": _element_at,
    "$in": _in,
    "$slice": _slice,
    "$concatArrays": _concat,
    "$reverseArray": _reverse,
    "$filter": _over,
    "$map": _over,
}
