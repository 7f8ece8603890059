"""Understanding rental questions without a model: a reading, its SQL, its words, and conditions read back from SQL."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang
from troly_rental.ask.emptiness import relaxations
from troly_rental.ask.reading import Filter, Measure, Mode, Order, Reading, Remark, RequestType, Role, Value
from troly_rental.ask.shown import Shown

if TYPE_CHECKING:
    from sqlglot import exp

    from troly_rental.schema_places import Places

__all__ = [
    "Filter",
    "Measure",
    "Mode",
    "Order",
    "Reading",
    "Remark",
    "RequestType",
    "Role",
    "Shown",
    "Value",
    "count_of",
    "explain",
    "filters_of",
    "read",
    "relaxations",
    "sql_of",
]


def read(
    text: str,
    lang: Lang,
    now: datetime,
    previous: Reading | None = None,
    places: Places | None = None,
    *,
    role: Role = "GUEST",
    shown: Shown | None = None,
) -> Reading:
    """What `text` asks (002-07, 002-09, 002-10), alone or as a change of `previous`, the last query of the talk.

    `shown` are the rows of the last list, which a message can point at ("cái thứ hai") or be measured against ("rẻ hơn").
    `role` decides whether one's own records can be asked for. Never raises for any text.
    """
    from troly_rental.ask.edits import follow
    from troly_rental.ask.mending import MOST_CHARACTERS
    from troly_rental.ask.picking import pick
    from troly_rental.ask.understand import fresh, parts_of
    from troly_rental.ask.words import speaking

    if places is None:
        from troly_rental.schema_places import places as all_places

        places = all_places()
    text = _before_mark(text)
    with speaking(text[:MOST_CHARACTERS]):
        parts = parts_of(text, lang, now, places)
        if previous is not None and (picked := pick(text, parts, previous, shown)) is not None:
            return picked
        if previous is not None and (edited := follow(text, parts, previous, role, shown)) is not None:
            return edited
        return fresh(text, parts, role)


def _before_mark(text: str) -> str:
    """The message before a marker of the response format, whose words ask for nothing."""
    before = text.partition("---END")[0]
    return before if before.strip() else text


def sql_of(reading: Reading, role: Role = "GUEST") -> exp.Select:
    """The query of a ready reading for `role` (`sql.sql_of`); raises ValueError for one that is not ready."""
    from troly_rental.ask.sql import sql_of as build

    return build(reading, role)


def count_of(reading: Reading, role: Role = "GUEST") -> exp.Select:
    """How many rows `reading` has without its limit: one row, one column `total`."""
    from troly_rental.ask.sql import count_of as build

    return build(reading, role)


def filters_of(tree: exp.Expr) -> tuple[Filter, ...]:
    """The conditions of any SELECT in the neutral form (`conditions.filters_of`)."""
    from troly_rental.ask.conditions import filters_of as read_back

    return read_back(tree)


def explain(tree: exp.Expr, lang: Lang) -> tuple[str, ...]:
    """A query in words, line by line (`explaining.explain`)."""
    from troly_rental.ask.explaining import explain as tell

    return tell(tree, lang)
