"""Dates on the sheets' own clock: parts, text, truncation, differences; weeks begin on Sunday unless said otherwise."""

from __future__ import annotations

import re

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Compiler, Operator, Scope
from troly_analysis.pipeline.errors import PipelineError, Word, short
from troly_analysis.pipeline.operators.comparison import as_date
from troly_analysis.pipeline.typed_expr import DATE, INT, TEXT, TypedExpr, case, fail, is_null
from troly_analysis.query.sql import call, cast, literal

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
    moment = (
        _named(c, node, "date", scope)
        if node.named
        else _moment(c, c.args(node, scope)[0], node.args[0], node.name)
    )
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
            raise PipelineError(
                "one_of", at, value=match[0], known=", ".join(f"%{each}" for each in _FORMATS)
            )
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
    interval = call(f"to_{name}", count)
    return TypedExpr(
        exp.Paren(this=exp.Add(this=_named(c, node, "startDate", scope), expression=interval)), DATE
    )


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


OPERATORS: dict[str, Operator] = {
    **dict.fromkeys((*_PARTS, "$dayOfWeek", "$week", "$millisecond"), _part),
    "$dateToString": _to_string,
    "$dateFromString": _from_string,
    "$dateTrunc": _trunc,
    "$dateDiff": _diff,
    "$dateAdd": _add,
    "$dateSubtract": _add,
    "$dateFromParts": _from_parts,
}
