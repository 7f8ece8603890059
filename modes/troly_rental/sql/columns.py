"""The parts of a query's tree: its outermost SELECT, the tables it reads, what its columns are called and compared with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from sqlglot import exp

from troly.text.catalogue import Lang
from troly_rental.data.places import Places
from troly_rental.data.schema import tables
from troly_rental.question.places import nearest
from troly_rental.question.types import Filter, Op
from troly_rental.question.vocabulary import amenity_codes
from troly_rental.sql.relations import entities
from troly_rental.strings import say

_TAIL = re.compile(r"[,;(]")
_NAMED = {
    "districts": "district", "wards": "ward", "cities": "city", "amenities": "amenity",
}  # fmt: skip
"""Tables whose names say what they name."""


def outer_select(tree: exp.Expr) -> exp.Select | None:
    """The outermost SELECT; None where there is none."""
    return tree if isinstance(tree, exp.Select) else tree.find(exp.Select)


def sources(select: exp.Select) -> list[str]:
    """The names of the tables that a SELECT reads, its subqueries left out; the main one first."""
    return [table.name for table in _tables(select)]


def main_table(select: exp.Select) -> str:
    """The table after FROM; "" where a subquery stands there."""
    source = select.args.get("from_") or select.args.get("from")
    return source.this.name if source is not None and isinstance(source.this, exp.Table) else ""


def _tables(select: exp.Select) -> list[exp.Table]:
    parts = [select.args.get("from_") or select.args.get("from"), *(select.args.get("joins") or ())]
    return [part.this for part in parts if part is not None and isinstance(part.this, exp.Table)]


def _table_of(column: exp.Column) -> str:
    """The table of a column, through its alias, or the one table of its SELECT that has such a column; "" if unknown."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        named = {one.alias_or_name: one.name for one in _tables(select)}
        if column.table:
            if column.table in named:
                return named[column.table]
        else:
            owners = [
                name for name in named.values() if name in tables() and column.name in tables()[name].columns
            ]
            if owners:
                return owners[0]
        select = select.find_ancestor(exp.Select)
    return ""


def full_name(column: exp.Column) -> str:
    """`table.column`, the table "" when it is unknown."""
    return f"{_table_of(column)}.{column.name}".lower()


def column_caption(column: exp.Column, lang: Lang) -> str:
    """What a column is called in `lang`; its own name when the schema does not know it."""
    table, _, name = full_name(column).partition(".")
    known = tables().get(table)
    if known is None or name not in known.columns:
        return column.name
    if name in {"name", "name_en"} and table in _NAMED:
        return say(f"explain.column_{_NAMED[table]}", lang)
    text = known.columns[name].caption(lang)
    return _TAIL.split(text)[0].strip().lower()


_PLACE_COLUMNS = {"districts.name": "district", "cities.name": "city", "wards.name": "ward"}
_SIGNS: Mapping[type[exp.Expr], Op] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
_AMENITIES = frozenset({"amenities.id", "room_amenities.amenity_id"})


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The conditions that `node` joins by AND; itself where it joins none."""
    node = node.unnest()
    return [*conjuncts(node.left), *conjuncts(node.right)] if isinstance(node, exp.And) else [node]


def named_in(tree: exp.Expr, entity: str) -> tuple[Filter, ...]:
    """The conditions on the records of `entity` that every row of `tree` meets, as far as a filter can say them; that a room is
    available goes without saying.
    """
    select = outer_select(tree)
    where = select.args.get("where") if select is not None else None
    public = entities()[entity].public if entity in entities() else ()
    told = [
        one for part in (conjuncts(where.this) if where is not None else ()) for one in _filters(part, entity)
    ]
    return tuple(one for one in told if (one.field, one.value) != ("status", *public[1:]))


def _filters(part: exp.Expr, entity: str) -> list[Filter]:
    """One condition as filters, both ends of a range apart; none for what no filter says."""
    denied = isinstance(part, exp.Not)
    part = part.this.unnest() if isinstance(part, exp.Not) else part
    if isinstance(part, exp.Exists):
        codes = tuple(value for column, value in _compared(part) if full_name(column) in _AMENITIES)
        if not codes or part.find(exp.NEQ, exp.Not, exp.Group, exp.Or):
            return []
        return [Filter("amenity", "not_in" if denied else "in", codes)]
    field = _field_of(part.this, entity) if isinstance(part.this, exp.Expr) else ""
    ends: list[tuple[Op, str | float | None]] = []
    if isinstance(part, exp.In) and part.expressions:
        names = tuple(one for node in part.expressions if isinstance(one := _literal(node), str))
        whole = field and len(names) == len(part.expressions)
        return [Filter(field, "not_in" if denied else "in", names)] if whole else []
    if isinstance(part, exp.Between):
        ends = [(">=", _literal(part.args["low"])), ("<=", _literal(part.args["high"]))]
    for kind, op in _SIGNS.items():
        ends += [(op, _literal(part.args.get("expression")))] if isinstance(part, kind) else []
    told = [Filter(field, op, value) for op, value in ends if value is not None]
    return told if field and not denied and len(told) == len(ends) else []


def _field_of(node: exp.Expr, entity: str) -> str:
    """The field behind a compared column, as the day of a moment or the first of a month too; "" for none."""
    of = node.this if isinstance(node, exp.Cast | exp.TimestampTrunc | exp.DateTrunc) else node
    if not isinstance(of, exp.Column):
        return ""
    name, known = full_name(of), entities()[entity].fields if entity in entities() else {}
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        return "month" if "MONTH" in node.sql().upper() and known.get("month") == name else ""
    if name in _PLACE_COLUMNS or name == "rooms.room_type":
        return {**_PLACE_COLUMNS, "rooms.room_type": "type"}[name]
    return next((field for field, column in known.items() if column == name), "")


def _literal(node: exp.Expr | None) -> str | float | None:
    node = node.this if isinstance(node, exp.Cast) else node
    if not isinstance(node, exp.Literal):
        return None
    return str(node.this) if node.is_string else float(node.this)


_MONEY = frozenset(
    {"price", "deposit", "monthly_rent", "rent", "electricity", "water", "other", "total", "max_budget"}
)
_SAME = (
    exp.Alias,
    exp.Paren,
    exp.Round,
    exp.Window,
    exp.Cast,
    exp.Coalesce,
    exp.Abs,
    exp.Filter,
    exp.AnyValue,
    exp.Sum,
    exp.Avg,
    exp.Median,
    exp.Min,
    exp.Max,
    exp.Quantile,
)


def is_money(node: exp.Expr) -> bool:
    """Whether a column of a query is an amount of money by how it is worked out: a sum of rents is, a ratio of two or a number
    is not.
    """
    if isinstance(node, exp.Column):
        return {node.name, node.name.rpartition("_")[2]} & _MONEY != set()
    if isinstance(node, _SAME):
        return isinstance(node.this, exp.Expr) and is_money(node.this)
    if isinstance(node, exp.Add | exp.Sub):
        return is_money(node.left) or is_money(node.right)
    if isinstance(node, exp.Mul):
        return is_money(node.left) != is_money(node.right)
    if isinstance(node, exp.Div):
        return is_money(node.left) and not is_money(node.right)
    return isinstance(
        node, exp.Subquery | exp.Case | exp.If | exp.Greatest | exp.Least
    )  # not looked into: its name says it


def bare_columns(tree: exp.Expr) -> frozenset[str]:
    """The columns of a query that are worked out and no money."""
    select = outer_select(tree)
    columns = select.expressions if select is not None else ()
    return frozenset(
        one.alias_or_name for one in columns if not (isinstance(one.unalias(), exp.Column) or is_money(one))
    )


def unknown_names(tree: exp.Expr, places: Places, lang: Lang) -> str:
    """Why `tree` can find nothing: a name that it compares a column with and that the data does not have; "" for none."""
    for column, value in _compared(tree):
        name = full_name(column)
        table, _, plain = name.partition(".")
        known: Collection[str] = ()
        near: Collection[str] = ()
        if name in _PLACE_COLUMNS:
            known = {place.name for place in places.by_id.values() if place.kind == _PLACE_COLUMNS[name]}
            near = nearest(value, places) if _PLACE_COLUMNS[name] == "district" else sorted(known)[:3]
        elif name in _AMENITIES:
            known = near = amenity_codes()
        elif table in tables() and plain in tables()[table].columns:
            known = near = list(tables()[table].columns[plain].values)
        if known and value not in known:
            return say("invalid.unknown", lang, column=name, value=value, near=", ".join(near))
    return ""


def _compared(tree: exp.Expr) -> Iterator[tuple[exp.Column, str]]:
    """The columns that are compared with a text, and the text."""
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.In):
        sides = [node.this, *node.expressions] if isinstance(node, exp.In) else [node.this, node.expression]
        columns = [one for one in sides if isinstance(one, exp.Column)]
        if len(columns) == 1:
            for one in sides:
                if isinstance(one, exp.Literal) and one.is_string:
                    yield columns[0], str(one.this)
