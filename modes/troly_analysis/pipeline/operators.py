"""How each operator of the allow-list is compiled, in families: comparing, converting, numbers, text, dates, lists."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.check import pattern
from troly_analysis.pipeline.compiler import Compiler, Operator, Scope
from troly_analysis.pipeline.errors import At, PipelineError, Word, expect, short
from troly_analysis.pipeline.reader import moment_of
from troly_analysis.pipeline.typed_expr import (
    BOOL,
    DATE,
    DOUBLE,
    INT,
    MIXED,
    NULL,
    RANKS,
    TAGS,
    TEXT,
    Type,
    TypedExpr,
    array,
    case,
    coerce,
    constant,
    each_item,
    element,
    fail,
    is_null,
    lambda_of,
    list_of,
    null_of,
    tag_of,
    tagged,
    unify,
)
from troly_analysis.query.sql import call, cast, literal

_KINDS: dict[str, type[exp.Binary]] = {"$gt": exp.GT, "$gte": exp.GTE, "$lt": exp.LT, "$lte": exp.LTE}


def as_date(value: TypedExpr, beside: TypedExpr, at: At) -> TypedExpr:
    """A constant text beside a date is read as a date; PipelineError when it is none."""
    if beside.type.kind != "date" or not isinstance(value.value, str):
        return value
    return constant(moment_of(value.value, at), at)


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
        left, right = (_as(each, kind, at) for each in (left, right))
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
    return _as(value, MIXED, at)


def _as(value: TypedExpr, kind: Type, at: At) -> TypedExpr:
    return TypedExpr(coerce(value, kind, at), kind, value.weight, filled=value.filled)


def _by_rank(name: str, left: TypedExpr, right: TypedExpr) -> TypedExpr:
    """Values of types that are never equal: the types decide, and which of the two is null."""
    sides = [(is_null(each.sql), literal(RANKS[each.type.family])) for each in (left, right)]
    ranks = [case((blank, literal(0)), default=rank) for blank, rank in sides]
    kinds: dict[str, type[exp.Binary]] = {**_KINDS, "$eq": exp.EQ, "$ne": exp.NEQ}
    return _yes(kinds[name](this=ranks[0], expression=ranks[1]))


def truth(value: TypedExpr) -> exp.Expr:
    """Whether a value counts as true: neither null, false nor zero; never null itself."""
    if value.type.kind == "bool":
        return value.sql if value.filled else call("coalesce", value.sql, exp.false())
    if value.type.family == "number":
        return call("coalesce", exp.NEQ(this=value.sql, expression=literal(0)), exp.false())
    if value.type.kind == "mixed":
        number = exp.EQ(this=tagged(value.sql, "n"), expression=literal(0))
        no = exp.Not(this=call("coalesce", tagged(value.sql, "b"), exp.true()))
        falsy = exp.Or(this=call("coalesce", number, exp.false()), expression=no)
        return exp.Not(this=exp.Paren(this=exp.Or(this=is_null(value.sql), expression=falsy)))
    return exp.Not(this=is_null(value.sql))


def _comparison(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    left, right = c.args(node, scope)
    return compare(node.name, left, right, node.at)


def _order(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    left, right = c.args(node, scope)
    less, greater = (compare(name, left, right, node.at).sql for name in ("$lt", "$gt"))
    return _sign(less, greater)


def _sign(less: exp.Expr, greater: exp.Expr) -> TypedExpr:
    return TypedExpr(case((less, literal(-1)), (greater, literal(1)), default=literal(0)), INT, filled=True)


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
    named = [node.named[name] for name in ("if", "then", "else")] if node.named else node.args
    given = [c.expr(each, scope) for each in named]
    kind, (yes, no) = c.same(given[1:], node.at)
    return TypedExpr(case((truth(given[0]), yes), default=no), kind, _heaviest(given[1:]))


def _if_null(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    given = c.args(node, scope)
    kind, trees = c.same(given, node.at)
    filled = any(each.filled for each in given)
    return TypedExpr(call("coalesce", *trees), kind, _heaviest(given), filled=filled)


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


_TARGETS: dict[str, Type] = {
    "int": INT, "long": INT, "double": DOUBLE, "decimal": DOUBLE, "string": TEXT, "bool": BOOL, "date": DATE,
}  # fmt: skip
_ISO = "%Y-%m-%dT%H:%M:%S.%gZ"
# What fits into a 64-bit integer as a double.
_INT_MAX = 9.2e18
_PLAIN_MAX = 1e15


def as_text(value: TypedExpr, node: model.Call) -> exp.Expr:
    """A value as text for an operator that takes any plain value; null as ""."""
    return call("coalesce", attempt(value, TEXT, node.at, node.name), literal(""))


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
    tag, branches = tag_of(value.sql), []
    for each in TAGS.values():
        inner = TypedExpr(tagged(value.sql, each), kinds[each])
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
        plain = call("regexp_matches", value.sql, literal(form))
        return case((plain, _try(value.sql, kind.sql())), default=exp.Null())
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
    names = ("made", *(["error"] if on_error else []), *(["null"] if on_null else []))
    found = dict(zip(names, trees, strict=True))
    bad = found.get("error", fail("convert", node.at))
    blank = found.get("null", cast(exp.Null(), whole.sql()))
    read = case((is_null(value.sql), blank), (is_null(made.sql), bad), default=found["made"])
    return TypedExpr(read, whole, made.weight)


def _strict(value: TypedExpr, kind: Type, node: model.Call) -> TypedExpr:
    made = attempt(value, kind, node.at, node.name)
    if value.type.kind == kind.kind:
        return TypedExpr(made, kind, value.weight, filled=value.filled)
    bad = (is_null(made.copy()), fail("convert", node.at))
    blank = (is_null(value.sql), cast(exp.Null(), kind.sql()))
    return TypedExpr(case(blank, bad, default=made), kind, value.weight)


def _type(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    names = {"int": "long", "text": "string", "doc": "object", "list": "array"}
    if value.type.kind == "mixed":
        tag, kinds = tag_of(value.sql), {"n": "double", "s": "string", "b": "bool", "d": "date"}
        tests = ((exp.EQ(this=tag.copy(), expression=literal(each)), name) for each, name in kinds.items())
        branches = [(test, literal(name)) for test, name in tests]
        return TypedExpr(case(*branches, default=literal("null")), TEXT, filled=True)
    name = literal(names.get(value.type.kind, value.type.kind))
    return TypedExpr(case((is_null(value.sql), literal("null")), default=name), TEXT, filled=True)


def _is_number(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    if value.type.kind == "mixed":
        return TypedExpr(exp.Not(this=is_null(tagged(value.sql, "n"))), BOOL, filled=True)
    known = value.type.family == "number"
    return TypedExpr(exp.Not(this=is_null(value.sql)) if known else exp.false(), BOOL, filled=True)


def _numbers(c: Compiler, node: model.Call, values: list[TypedExpr]) -> list[exp.Expr]:
    """The operands, each of which must be a number."""
    return [c.number(value, each.at, node.name) for value, each in zip(values, node.args, strict=True)]


def _texts(c: Compiler, node: model.Call, values: list[TypedExpr]) -> list[exp.Expr]:
    """The operands, each of which must be a text."""
    return [c.text(value, each.at, node.name) for value, each in zip(values, node.args, strict=True)]


def _kind(values: list[TypedExpr]) -> Type:
    return INT if all(value.type.kind in ("int", "null") for value in values) else DOUBLE


def _joined(kind: type[exp.Binary], parts: list[exp.Expr]) -> exp.Expr:
    return exp.Paren(this=reduce(lambda left, right: kind(this=left, expression=right), parts))


def _sum_of(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    dates = [value for value in values if value.type.kind == "date"]
    if node.name == "$add" and dates:
        return _later(c, node, values, dates[0])
    kind = exp.Add if node.name == "$add" else exp.Mul
    return TypedExpr(_joined(kind, _numbers(c, node, values)), _kind(values))


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
    return TypedExpr(_joined(exp.Sub, _numbers(c, node, [left, right])), _kind([left, right]))


def _divide(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    left, right = _numbers(c, node, values)
    zero = exp.EQ(this=right.copy(), expression=literal(0))
    if node.name == "$mod":
        rest = _joined(exp.Mod, [left, right])
        return TypedExpr(case((zero, fail("zero", node.at)), default=rest), _kind(values))
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
    base, power = _numbers(c, node, c.args(node, scope))
    negative = exp.LT(this=power.copy(), expression=literal(0))
    zero = exp.And(this=exp.EQ(this=base.copy(), expression=literal(0)), expression=negative)
    return TypedExpr(case((zero, fail("zero", node.at)), default=call("pow", base, power)), DOUBLE)


def _root(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    tree = c.number(value, node.at, node.name)
    return TypedExpr(_guarded(node.name[1:], tree, node.at, strict=node.name != "$sqrt"), DOUBLE)


def _guarded(name: str, tree: exp.Expr, at: At, *, strict: bool) -> exp.Expr:
    bad: exp.Expr = (exp.LTE if strict else exp.LT)(this=tree.copy(), expression=literal(0))
    return case((bad, fail("negative", at)), default=call(name, cast(tree, "DOUBLE")))


def _log(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    parts = _numbers(c, node, c.args(node, scope))
    logs = [_guarded("ln", part, node.at, strict=True) for part in parts]
    return TypedExpr(_joined(exp.Div, logs), DOUBLE)


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
        numbers = call("list_transform", values.sql, lambda_of("n", tagged(element("n"), "n")))
    elif item.family == "number":
        numbers = values.sql
    else:
        return TypedExpr(literal(0) if name == "sum" else exp.Null(), INT if name == "sum" else NULL)
    total = call("list_aggregate", numbers, literal(name))
    if name == "sum":
        kind = item if item.kind == "int" else DOUBLE
        return TypedExpr(call("coalesce", total, literal(0)), kind, filled=True)
    return TypedExpr(total, DOUBLE)


_SPACES = "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"


def _concat(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    return TypedExpr(_joined(exp.DPipe, _texts(c, node, values)), TEXT, sum(value.weight for value in values))


def _cased(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    return TypedExpr(call(node.name[3:].lower(), as_text(value, node)), TEXT, value.weight, filled=True)


def _length(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    tree = c.text(value, node.at, node.name)
    blank = (is_null(tree.copy()), fail("blank", node.at))
    return TypedExpr(case(blank, default=call("length", tree)), INT, filled=True)


def _substring(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    value, start, count = c.args(node, scope)
    pairs = zip((start, count), node.args[1:], strict=True)
    begin, length = (cast(c.number(each, arg.at, node.name), "BIGINT") for each, arg in pairs)
    bad = exp.LT(this=call("least", begin, length), expression=literal(0))
    place = exp.Add(this=begin.copy(), expression=literal(1))
    cut = call("substring", as_text(value, node), place, length.copy())
    return TypedExpr(case((bad, fail("negative", node.at)), default=cut), TEXT, value.weight)


def _split(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    text, by = _texts(c, node, values)
    empty = exp.EQ(this=by.copy(), expression=literal(""))
    split = case((empty, fail("empty_text", node.at)), default=call("string_split", text, by))
    return TypedExpr(split, list_of(TEXT), values[0].weight)


def _compare_folded(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    left, right = (call("upper", as_text(value, node)) for value in c.args(node, scope))
    less = exp.LT(this=left, expression=right)
    return _sign(less, exp.GT(this=left.copy(), expression=right.copy()))


def _index(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    text, part = _texts(c, node, c.args(node, scope))
    return TypedExpr(exp.Paren(this=exp.Sub(this=call("instr", text, part), expression=literal(1))), INT)


def _given(c: Compiler, node: model.Call, scope: Scope, names: str) -> list[tuple[TypedExpr, exp.Expr]]:
    found = []
    for name in names.split():
        value = c.expr(node.named[name], scope)
        found.append((value, c.text(value, node.named[name].at, node.name)))
    return found


def _trim(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    ((value, tree),) = _given(c, node, scope, "input")
    chars = _given(c, node, scope, "chars")[0][1] if "chars" in node.named else literal(_SPACES)
    return TypedExpr(call(node.name[1:], tree, chars), TEXT, value.weight)


def _replace(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value, text), (_, find), (new, by) = _given(c, node, scope, "input find replacement")
    long = len(new.value) // 8 if isinstance(new.value, str) else 8
    if node.name == "$replaceAll":
        return TypedExpr(call("replace", text, find, by), TEXT, value.weight * (1 + long))
    at = call("instr", text, find)
    before = call("substring", text.copy(), literal(1), exp.Sub(this=at, expression=literal(1)))
    rest = exp.Add(this=at.copy(), expression=call("length", find.copy()))
    joined = _joined(exp.DPipe, [before, by, call("substring", text.copy(), rest)])
    nowhere = exp.EQ(this=at.copy(), expression=literal(0))
    same = case((is_null(by.copy()), exp.Null()), default=text.copy())  # null where the replacement is
    return TypedExpr(case((nowhere, same), default=joined), TEXT, value.weight + new.weight)


def _regex(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    ((_, text),) = _given(c, node, scope, "input")
    written, options = node.named["regex"], node.named.get("options", model.Literal(node.at, ""))
    if not isinstance(written, model.Literal) or not isinstance(options, model.Literal):
        raise PipelineError("type", written.at, expected=Word("constant"), found="$")
    wanted = pattern(written.value, options.value or "", written.at)
    c.patterns.append((wanted, written.at))
    found = call("regexp_matches", text, literal(wanted))
    return TypedExpr(call("coalesce", found, exp.false()), BOOL, filled=True)


_PARTS = {
    "$year": "year", "$month": "month", "$dayOfMonth": "day", "$dayOfYear": "dayofyear", "$isoWeek": "week",
    "$isoWeekYear": "isoyear", "$isoDayOfWeek": "isodow", "$hour": "hour", "$minute": "minute", "$second": "second",
}  # fmt: skip
_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond")
_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
# Sheets hold local times; a zone that would not move them may be named.
_ZONES = ("UTC", "GMT", "Z", "+00:00", "+0000", "Asia/Ho_Chi_Minh", "Asia/Saigon", "+07", "+07:00", "+0700")
_FORMATS = {
    "Y": "%Y", "m": "%m", "d": "%d", "H": "%H", "M": "%M", "S": "%S", "L": "%g", "j": "%j", "G": "%G", "V": "%V", "u": "%u",
    "U": "%U", "b": "%b", "B": "%B", "%": "%%",
}  # fmt: skip
_BUILT_OF = (("month", 1), ("day", 1), ("hour", 0), ("minute", 0), ("second", 0), ("millisecond", 0))
_DEFAULT_FORMAT = "%Y-%m-%dT%H:%M:%S.%LZ"


def _moment(c: Compiler, value: TypedExpr, node: model.Expr, name: str) -> exp.Expr:
    """An operand that must be a date, as a timestamp; a constant text is read as one."""
    value = as_date(value, TypedExpr(exp.Null(), DATE), node.at)
    return cast(c.of_family(value, "date", node.at, name), "TIMESTAMP")


def _one_of(node: model.Call, name: str, known: tuple[str, ...], default: str) -> str:
    """A named argument that must be one of a few constants."""
    given = node.named.get(name)
    if given is None:
        return default
    value = given.value if isinstance(given, model.Literal) else None
    for each in known:
        if isinstance(value, str) and value.lower() == each.lower():
            return each
    raise PipelineError("one_of", given.at, value=short(value), known=", ".join(known))


def _zone(node: model.Call) -> None:
    if "timezone" in node.named:
        _one_of(node, "timezone", _ZONES, "")


def _named(c: Compiler, node: model.Call, name: str, scope: Scope) -> exp.Expr:
    return _moment(c, c.expr(node.named[name], scope), node.named[name], node.name)


def _part(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    _zone(node)
    given = node.named["date"] if node.named else node.args[0]
    moment = _moment(c, c.expr(given, scope), given, node.name)
    if node.name == "$dayOfWeek":
        tree: exp.Expr = exp.Paren(this=exp.Add(this=call("dayofweek", moment), expression=literal(1)))
    elif node.name == "$week":
        tree = cast(call("strftime", moment, literal("%U")), "BIGINT")
    elif node.name == "$millisecond":
        tree = exp.Paren(this=exp.Mod(this=call("millisecond", moment), expression=literal(1000)))
    else:
        tree = call(_PARTS[node.name], moment)
    return TypedExpr(tree, INT)


def _format(node: model.Call) -> str:
    """MongoDB's format in DuckDB's letters; PipelineError for a letter that is not on the list."""
    given = node.named.get("format")
    value = _DEFAULT_FORMAT if given is None else given.value if isinstance(given, model.Literal) else None
    at = given.at if given else node.at
    if not isinstance(value, str):
        raise PipelineError("type", at, expected=Word("constant"), found=short(value))

    def letter(match: re.Match[str]) -> str:
        if match[1] not in _FORMATS:
            known = ", ".join(f"%{each}" for each in _FORMATS)
            raise PipelineError("one_of", at, value=match[0], known=known)
        return _FORMATS[match[1]]

    return re.sub(r"%(.?)", letter, value, flags=re.DOTALL)


def _or_else(c: Compiler, node: model.Call, made: TypedExpr, blank: exp.Expr, scope: Scope) -> TypedExpr:
    """`onNull` where `blank` holds."""
    other = c.named(node, "onNull", scope)
    if other is None:
        return made
    kind, (yes, no) = c.same([other, made], node.at)
    return TypedExpr(case((blank, yes), default=no), kind, max(other.weight, made.weight))


def _to_string(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    _zone(node)
    moment = _named(c, node, "date", scope)
    made = TypedExpr(call("strftime", moment, literal(_format(node))), TEXT)
    return _or_else(c, node, made, is_null(moment.copy()), scope)


def _from_string(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    _zone(node)
    text = c.text(c.expr(node.named["dateString"], scope), node.named["dateString"].at, node.name)
    if "format" in node.named:
        read = call("try_strptime", text, literal(_format(node)))
    else:
        read = exp.TryCast(this=text, to=exp.DataType.build("TIMESTAMP", dialect="duckdb"))
    other = c.named(node, "onError", scope)
    read_date = TypedExpr(read, DATE)
    kind, trees = c.same([read_date, *([other] if other else [])], node.at)
    bad = trees[1] if other else fail("convert", node.at)
    blank = is_null(text.copy())
    made = case((blank, cast(exp.Null(), kind.sql())), (is_null(read.copy()), bad), default=trees[0])
    return _or_else(c, node, TypedExpr(made, kind), blank.copy(), scope)


def _trunc(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    _zone(node)
    unit = _one_of(node, "unit", _UNITS[:-1], "")
    size = node.named.get("binSize")
    if size is not None and not (isinstance(size, model.Literal) and size.value == 1):
        raise PipelineError("one_of", size.at, value=short(getattr(size, "value", "$")), known="1")
    return TypedExpr(_truncated(_named(c, node, "date", scope), unit, _first_day(node)), DATE)


def _first_day(node: model.Call) -> int:
    short_names = tuple(name[:3] for name in _DAYS)
    day = _one_of(node, "startOfWeek", (*_DAYS, *short_names), "sunday")
    return short_names.index(day[:3])


def _truncated(moment: exp.Expr, unit: str, first_day: int) -> exp.Expr:
    if unit != "week":
        return cast(call("date_trunc", literal(unit), moment), "TIMESTAMP")
    day = cast(moment, "DATE")
    since = exp.Add(this=call("dayofweek", day.copy()), expression=literal(7 - first_day))
    back = exp.Mod(this=exp.Paren(this=since), expression=literal(7))
    return cast(exp.Sub(this=day, expression=call("to_days", cast(back, "INTEGER"))), "TIMESTAMP")


def _diff(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    """How many borders of the unit lie between two dates."""
    _zone(node)
    unit = _one_of(node, "unit", _UNITS, "")
    start, end = (_named(c, node, name, scope) for name in ("startDate", "endDate"))
    if unit != "week":
        return TypedExpr(call("date_diff", literal(unit), start, end), INT)
    first = _first_day(node)
    days = call("date_diff", literal("day"), *(_truncated(each, unit, first) for each in (start, end)))
    return TypedExpr(exp.Paren(this=exp.IntDiv(this=days, expression=literal(7))), INT)


def _add(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    _zone(node)
    unit = _one_of(node, "unit", _UNITS, "")
    amount = c.number(c.expr(node.named["amount"], scope), node.named["amount"].at, node.name)
    factor = (-1 if node.name == "$dateSubtract" else 1) * {"quarter": 3, "week": 7}.get(unit, 1)
    name = {"quarter": "months", "week": "days"}.get(unit, f"{unit}s")
    width = "INTEGER" if name in ("years", "months", "days") else "BIGINT"
    count = cast(exp.Mul(this=amount, expression=literal(factor)), width)
    start = _named(c, node, "startDate", scope)
    return TypedExpr(_joined(exp.Add, [start, call(f"to_{name}", count)]), DATE)


def _from_parts(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    """Parts beyond their range carry over, as in MongoDB: month 14 is February of the next year."""
    _zone(node)
    year = c.number(c.expr(node.named["year"], scope), node.named["year"].at, node.name)
    whole: exp.Expr = cast(call("make_date", cast(year, "BIGINT"), literal(1), literal(1)), "TIMESTAMP")
    for name, least in _BUILT_OF:
        if name in node.named:
            given = c.number(c.expr(node.named[name], scope), node.named[name].at, node.name)
            width = "INTEGER" if name in ("month", "day") else "BIGINT"
            count = cast(exp.Sub(this=given, expression=literal(least)), width)
            whole = exp.Add(this=whole, expression=call(f"to_{name}s", count))
    return TypedExpr(exp.Paren(this=whole), DATE)


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
    blank = (is_null(value.sql), fail("blank_list", node.at))
    return TypedExpr(case(blank, default=call("len", value.sql)), INT, filled=True)


def _is_array(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    listed = exp.Not(this=is_null(value.sql)) if value.type.kind == "list" else exp.false()
    return TypedExpr(listed, BOOL, filled=True)


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
        listed, item = _as(listed, list_of(wanted.type), node.at), wanted.type
    variable = c.fresh("v")
    same = compare("$eq", TypedExpr(element(variable), item), wanted, node.at)
    kept = call("len", call("list_filter", listed.sql, lambda_of(variable, same.sql)))
    found = exp.GT(this=kept, expression=literal(0))
    if listed.filled:
        return TypedExpr(exp.Paren(this=found), BOOL, filled=True)
    blank = (is_null(listed.sql), fail("blank_list", node.at))
    return TypedExpr(case(blank, default=found), BOOL, filled=True)


def _whole_constant(node: model.Expr) -> int:
    value = node.value if isinstance(node, model.Literal) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not float(value).is_integer():
        raise PipelineError("type", node.at, expected=Word("whole"), found=short(value))
    return int(value)


def _slice(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    value = _list(c.expr(node.args[0], scope), node.args[0].at, node.name)
    numbers = [_whole_constant(each) for each in node.args[1:]]
    start, count = (numbers[0], numbers[1]) if len(numbers) == 2 else (min(numbers[0], 0), abs(numbers[0]))
    expect("positive", count, node.args[-1].at, len(numbers) == 1 or count > 0)
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


def _join_lists(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    pairs = zip(c.args(node, scope), node.args, strict=True)
    values = [_list(value, each.at, node.name) for value, each in pairs]
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
        return replace(each_item(value, variable, made), weight=max(value.weight, made.weight))
    kept = call("list_filter", value.sql, lambda_of(variable, truth(c.expr(node.named["cond"], inner))))
    if "limit" in node.named:
        count = _whole_constant(node.named["limit"])
        expect("positive", count, node.named["limit"].at, count >= 1)
        kept = call("list_slice", kept, literal(1), literal(count))
    return TypedExpr(kept, value.type, value.weight)


_FAMILIES: tuple[tuple[Operator, str], ...] = (
    (_comparison, "eq ne gt gte lt lte"), (_order, "cmp"), (_logic, "and or"), (_not, "not"),
    (_cond, "cond"), (_if_null, "ifNull"), (_switch, "switch"), (_let, "let"),
    (_convert, "toInt toLong toDouble toDecimal toString toBool toDate convert"), (_type, "type"), (_is_number, "isNumber"),
    (_sum_of, "add multiply"), (_subtract, "subtract"), (_divide, "divide mod"), (_whole, "abs ceil floor"), (_round, "round trunc"),
    (_pow, "pow"), (_root, "sqrt ln log10"), (_log, "log"), (_exp, "exp"), (_over_values, "sum avg min max"),
    (_concat, "concat"), (_cased, "toLower toUpper"), (_length, "strLenCP"), (_substring, "substrCP"), (_split, "split"),
    (_compare_folded, "strcasecmp"), (_index, "indexOfCP"), (_trim, "trim ltrim rtrim"), (_replace, "replaceOne replaceAll"),
    (_regex, "regexMatch"), (_part, "dayOfWeek week millisecond"), (_to_string, "dateToString"), (_from_string, "dateFromString"),
    (_trunc, "dateTrunc"), (_diff, "dateDiff"), (_add, "dateAdd dateSubtract"), (_from_parts, "dateFromParts"),
    (_size, "size"), (_is_array, "isArray"), (_end, "first last"), (_element_at, "arrayElemAt"), (_in, "in"), (_slice, "slice"),
    (_join_lists, "concatArrays"), (_reverse, "reverseArray"), (_over, "filter map"),
)  # fmt: skip
OPERATORS: dict[str, Operator] = {f"${name}": build for build, names in _FAMILIES for name in names.split()}
OPERATORS |= dict.fromkeys(_PARTS, _part)
