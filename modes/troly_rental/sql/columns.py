"""The parts of a query's tree: its outermost SELECT, the tables it reads, what its columns are called."""

from __future__ import annotations

import re

from sqlglot import exp

from troly.text.catalogue import Lang
from troly_rental.data.schema import tables
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
