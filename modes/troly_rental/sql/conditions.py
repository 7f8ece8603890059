"""Reads the conditions of any SELECT back into filters, so that what was asked can be compared with what is queried."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import cache

from sqlglot import exp

from troly.text.fold import fold
from troly_rental.data.places import places
from troly_rental.question.types import OPPOSITE, Filter, Op, Value, merge_filters
from troly_rental.question.vocabulary import lists
from troly_rental.sql.columns import field_of

_TURNED: dict[Op, Op] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PLACES = ("city", "district", "ward")
_DAY = 10


def read_filters(tree: exp.Expr) -> tuple[Filter, ...]:
    """The conditions of all SELECTs in `tree` on fields that questions have, in the neutral form.

    Understands =, <>, <, IN, BETWEEN, LIKE, ILIKE, OR of one column, NOT, EXISTS and IN with a subquery, whichever
    side the literal is on. What it does not understand is left out.
    """
    found: list[Filter] = []
    for select in tree.find_all(exp.Select):
        if not _is_condition(select):
            found += _of_select(select)
    return _named(merge_filters(found))


def _is_condition(select: exp.Select) -> bool:
    """Whether it is a subquery inside a condition, which is read with it."""
    holder = select.find_ancestor(exp.Where, exp.Join, exp.Having)
    return holder is not None and holder.find_ancestor(exp.Select) is select.find_ancestor(exp.Select)


def _of_select(select: exp.Select) -> list[Filter]:
    found: list[Filter] = []
    where = select.args.get("where")
    parts = [where.this] if where is not None else []
    parts += [join.args["on"] for join in select.args.get("joins") or () if join.args.get("on") is not None]
    for part in parts:
        found += _read(part, negated=False)
    return found


def _read(node: exp.Expr, *, negated: bool) -> list[Filter]:
    node = node.unnest()
    if isinstance(node, exp.Not):
        return _read(node.this, negated=not negated)
    if isinstance(node, exp.Exists):
        return _inner(node.this, negated=negated)
    if isinstance(node, exp.Connector):
        return _connected(node, negated=negated)
    if isinstance(node, exp.In):
        return _inside(node, negated=negated)
    return (
        _between(node) if isinstance(node, exp.Between) and not negated else _compared(node, negated=negated)
    )


def _connected(node: exp.Connector, *, negated: bool) -> list[Filter]:
    if isinstance(node, exp.And):
        return [] if negated else [*_read(node.left, negated=False), *_read(node.right, negated=False)]
    return _alternatives(node, negated=negated)


def _between(node: exp.Between) -> list[Filter]:
    field, low, high = _column(node.this), _value(node.args["low"]), _value(node.args["high"])
    if field is None or low is None or high is None:
        return []
    return [Filter(field, ">=", low), Filter(field, "<=", high)]


def _alternatives(node: exp.Connector, *, negated: bool) -> list[Filter]:
    """`a = 1 OR a = 2` on one column is one condition; other alternatives are none that must hold."""
    sides = [*_read(node.left, negated=False), *_read(node.right, negated=False)]
    same = len({one.field for one in sides}) == 1 and all(one.op in {"=", "in"} for one in sides)
    if not same:
        return []
    values = tuple(dict.fromkeys(value for one in sides for value in one.values))
    return [Filter(sides[0].field, "not_in" if negated else "in", values)]


def _inner(node: exp.Expr, *, negated: bool) -> list[Filter]:
    """The conditions of a subquery, turned round when it must find nothing."""
    select = node.find(exp.Select)
    found = _of_select(select) if select is not None else []
    if not negated:
        return found
    return [Filter(one.field, OPPOSITE[one.op], one.value) for one in found] if len(found) == 1 else []


def _inside(node: exp.In, *, negated: bool) -> list[Filter]:
    query = node.args.get("query")
    if query is not None:
        return _inner(query, negated=negated)
    field, values = _column(node.this), [_value(one) for one in node.expressions]
    if field is None or any(value is None or isinstance(value, tuple) for value in values):
        return []
    if field == "amenity" and not negated:
        return [Filter(field, "=", value) for value in values if value is not None]
    return [Filter(field, "not_in" if negated else "in", tuple(str(value) for value in values))]


def _compared(node: exp.Expr, *, negated: bool) -> list[Filter]:
    kinds: dict[type[exp.Expr], Op] = {
        exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
        exp.Like: "=", exp.ILike: "=",
    }  # fmt: skip
    op = kinds.get(type(node))
    if op is None or not isinstance(node, exp.Binary):
        return []
    field, value = _column(node.left), _value(node.right)
    if field is None:
        field, value, op = _column(node.right), _value(node.left), _TURNED.get(op, op)
    if field is None or value is None:
        return []
    if isinstance(node, (exp.Like, exp.ILike)) and isinstance(value, str):
        value = value.strip("%_ ")
    return [Filter(field, OPPOSITE[op] if negated else op, value)]


def _bare(node: exp.Expr) -> exp.Expr:
    """What is inside lower(), strip_accents(), a cast or brackets."""
    while isinstance(node, (exp.Cast, exp.Lower, exp.Upper, exp.Paren, exp.Trim, exp.Anonymous, exp.Date)):
        inner = node.expressions[0] if isinstance(node, exp.Anonymous) and node.expressions else node.this
        if not isinstance(inner, exp.Expr):
            break
        node = inner
    return node


def _column(node: exp.Expr) -> str | None:
    """The field of a column."""
    node = _bare(node)
    return field_of(node) if isinstance(node, exp.Column) else None


def _value(node: exp.Expr) -> Value | None:
    """The literal of a node: text, a number (products worked out), a date as ISO text; None for anything else."""
    node = _bare(node)
    if isinstance(node, exp.Mul):
        left, right = _value(node.left), _value(node.right)
        both = isinstance(left, int | float) and isinstance(right, int | float)
        return _plain(Decimal(str(left)) * Decimal(str(right))) if both else None
    if not isinstance(node, exp.Literal):
        return None
    return str(node.this) if node.is_string else _number(str(node.this))


def _number(text: str) -> int | float | None:
    try:
        return _plain(Decimal(text))
    except InvalidOperation:
        return None


def _plain(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _named(found: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """Names as the places have them, days without a time, districts taken in by another one under its name."""
    named: list[Filter] = []
    for one in found:
        values: tuple[Value, ...] = one.value if isinstance(one.value, tuple) else (one.value,)
        plain = tuple(_normal(one.field, value) for value in values)
        if one.field == "district":
            plain = _joined(tuple(str(value) for value in plain))
        if one.field == "status" and set(plain) == {"overdue", "unpaid"}:
            plain = ("unpaid",)
        several = one.op in {"in", "not_in"}
        if several and len(plain) == 1:
            named.append(Filter(one.field, "=" if one.op == "in" else "!=", plain[0]))
        elif several:
            named.append(Filter(one.field, one.op, tuple(str(value) for value in plain)))
        else:
            named.append(Filter(one.field, one.op, plain[0]))
    return merge_filters(named)


def _normal(field: str, value: Value) -> Value:
    if not isinstance(value, str):
        return value
    if field in _PLACES:
        return _place(field, value)
    if field == "amenity":
        return _amenities().get(fold(value), value)
    return value[:_DAY] if value[:4].isdigit() and value[4:5] == "-" else value


@cache
def _place(kind: str, value: str) -> str:
    known = places()
    if value in known.by_id:
        return known.by_id[value].name
    return next((place.name for place in known.named(value) if place.kind == kind), value)


def _joined(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        whole = places().covered(value)
        if len(whole) > 1 and set(whole) <= set(values):
            return tuple(other for other in values if other == value or other not in whole)
    return values


@cache
def _amenities() -> dict[str, str]:
    """Amenity codes by what people call them, folded."""
    return {
        fold(word): label
        for label, listed in lists("amenities").items()
        if " " not in label
        for word in listed
    }
