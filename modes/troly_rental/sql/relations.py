"""How the things that can be asked for lie in the role-scoped relations, read from relations.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.text.catalogue import Lang
from troly_rental.data.schema import tables

if TYPE_CHECKING:
    from sqlglot import exp


FILE = Path(__file__).parent / "relations.toml"
LANDLORD_ONLY = frozenset({"tenant"})
"""Fields that only a landlord's relations can answer."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing that can be asked for; columns are written "table.column"."""

    name: str
    table: str
    title: str
    path: str
    newest: str
    shown: tuple[str, ...]
    fields: Mapping[str, str]
    join: Mapping[str, tuple[str, ...]]
    public: tuple[str, ...]
    own: Mapping[str, Mapping[str, Any]]

    def column(self, field: str) -> str:
        """The column of `field`; raises KeyError for one that it does not have."""
        return self.fields[field]


@cache
def entities() -> Mapping[str, Entity]:
    """All entities by name."""
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: _parse_entity(name, node) for name, node in raw.items()}


def _parse_entity(name: str, node: Mapping[str, Any]) -> Entity:
    return Entity(
        name,
        node["table"],
        node["title"],
        node.get("path", ""),
        node["newest"],
        tuple(node["list"]),
        node["fields"],
        {table: tuple(keys) for table, keys in node.get("join", {}).items()},
        tuple(node.get("public", ())),
        node.get("own", {}),
    )


# Names the columns of a query's tree: which table each belongs to, what it is called, which field it answers.


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


def table_of(column: exp.Column) -> str:
    """The table of a column, through its alias, or the one table of its SELECT that has such a column; "" if unknown."""
    from sqlglot import exp

    select = column.find_ancestor(exp.Select)
    while select is not None:
        named = {one.alias_or_name: one.name for one in _sources(select)}
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


def _sources(select: exp.Select) -> list[exp.Table]:
    from sqlglot import exp

    parts = [select.args.get("from_") or select.args.get("from"), *(select.args.get("joins") or ())]
    return [part.this for part in parts if part is not None and isinstance(part.this, exp.Table)]


def full_name(column: exp.Column) -> str:
    """`table.column`, the table "" when it is unknown."""
    return f"{table_of(column)}.{column.name}".lower()


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
        from troly_rental.strings import say

        return say(f"explain.column_{field}", lang)
    text = known.columns[name].said(lang)
    return _TAIL.split(text)[0].strip().lower()


@cache
def _fields() -> dict[str, str]:
    found = dict(_ALSO)
    for entity in entities().values():
        for field, column in entity.fields.items():
            found.setdefault(column, field)
    return found
