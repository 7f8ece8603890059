"""The parts of a query's tree: its outermost SELECT, the tables it reads, what its columns are called and compared with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from sqlglot import exp

from troly.text.catalogue import Lang
from troly_rental.data.places import Places
from troly_rental.data.schema import tables
from troly_rental.question.places import nearest
from troly_rental.question.types import Filter
from troly_rental.question.vocabulary import amenity_codes
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
_AMENITIES = frozenset({"amenities.id", "room_amenities.amenity_id"})


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The conditions that `node` joins by AND; itself where it joins none."""
    node = node.unnest()
    return [*conjuncts(node.left), *conjuncts(node.right)] if isinstance(node, exp.And) else [node]


def named_in(tree: exp.Expr) -> tuple[Filter, ...]:
    """The places and kinds that every row of `tree` has: those that its outer WHERE compares with a name, each on its own."""
    select = outer_select(tree)
    where = select.args.get("where") if select is not None else None
    found = []
    for part in conjuncts(where.this) if where is not None else ():
        column, names = part.this, [part.args.get("expression"), *part.args.get("expressions", ())]
        values = [str(one.this) for one in names if isinstance(one, exp.Literal) and one.is_string]
        if isinstance(part, exp.EQ | exp.In) and isinstance(column, exp.Column) and values:
            name = {**_PLACE_COLUMNS, "rooms.room_type": "type"}.get(full_name(column))
            found += [Filter(name, "in", tuple(values))] if name else []
    return tuple(found)


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
