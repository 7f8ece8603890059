"""Checks the names that a query compares with: places, amenities and states that the data does not have find nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlglot import exp

from troly.text.catalogue import Lang
from troly_rental.data.places import Places
from troly_rental.data.schema import tables
from troly_rental.question.places import nearest
from troly_rental.question.vocabulary import amenity_codes
from troly_rental.sql.columns import full_name
from troly_rental.strings import say

_PLACES = {"districts.name": "district", "cities.name": "city", "wards.name": "ward"}
_AMENITIES = frozenset({"amenities.id", "room_amenities.amenity_id"})


def unknown_names(tree: exp.Expr, places: Places, lang: Lang) -> str:
    """Why `tree` can find nothing: a name that it compares a column with and that the data does not have; "" for none."""
    for column, value in _compared(tree):
        name = full_name(column)
        table, _, plain = name.partition(".")
        known: Collection[str] = ()
        near: Collection[str] = ()
        if name in _PLACES:
            known = {place.name for place in places.by_id.values() if place.kind == _PLACES[name]}
            near = nearest(value, places) if _PLACES[name] == "district" else sorted(known)[:3]
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
