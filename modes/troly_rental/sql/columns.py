"""The parts of a query's tree: its outermost SELECT, the tables it reads, what its columns are called and answer."""

from __future__ import annotations

import re
from functools import cache

from sqlglot import exp

from troly.text.catalogue import Lang
from troly_rental.data.schema import tables
from troly_rental.sql.relations import entities
from troly_rental.strings import say

_TAIL = re.compile(r"[,;(]")
_PLACED = frozenset({"district", "ward", "city", "amenity"})
_ALSO = {
    "rooms.district_id": "district", "buildings.district_id": "district", "districts.id": "district",
    "districts.name": "district", "room_seeking_posts.district_id": "district", "wards.district_id": "district",
    "rooms.ward_id": "ward", "wards.id": "ward", "wards.name": "ward", "cities.id": "city", "cities.name": "city",
    "cities.name_en": "city", "districts.city_id": "city", "amenities.id": "amenity", "amenities.name": "amenity",
    "amenities.name_en": "amenity", "room_amenities.amenity_id": "amenity", "posts.views": "views",
    **{f"{table}.id": "id" for table in (
        "rooms", "posts", "room_seeking_posts", "buildings", "contracts", "invoices", "viewings",
    )},
}  # fmt: skip


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


def field_of(column: exp.Column) -> str | None:
    """The field that a column answers, None for none."""
    return _fields().get(full_name(column))


def column_caption(column: exp.Column, lang: Lang) -> str:
    """What a column is called in `lang`; its own name when the schema does not know it."""
    table, _, name = full_name(column).partition(".")
    known = tables().get(table)
    if known is None or name not in known.columns:
        return column.name
    if name in {"name", "name_en"} and (field := _fields().get(f"{table}.{name}")) in _PLACED:
        return say(f"explain.column_{field}", lang)
    text = known.columns[name].caption(lang)
    return _TAIL.split(text)[0].strip().lower()


@cache
def _fields() -> dict[str, str]:
    found = dict(_ALSO)
    for entity in entities().values():
        for field, column in entity.fields.items():
            found.setdefault(column, field)
    return found
