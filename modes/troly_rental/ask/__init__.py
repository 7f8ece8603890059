"""Understanding rental questions without a model: a reading, its SQL, its words, and conditions read back from SQL."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang
from troly_rental.question.types import (
    Filter,
    Measure,
    Mode,
    Order,
    ParsedQuestion,
    Remark,
    RequestType,
    Role,
    ShownRows,
    Value,
    relaxations,
)

if TYPE_CHECKING:
    from sqlglot import exp

    from troly_rental.data.places import Places

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
    previous: ParsedQuestion | None = None,
    places: Places | None = None,
    *,
    role: Role = "GUEST",
    shown: ShownRows | None = None,
) -> ParsedQuestion:
    """What `text` asks (002-07, 002-09, 002-10), alone or as a change of `previous`, the last query of the talk.

    `shown` are the rows of the last list, which a message can point at ("cái thứ hai") or be measured against ("rẻ hơn").
    `role` decides whether one's own records can be asked for. Never raises for any text.
    """
    from troly_rental.question.follow_ups import change_query, pick_row
    from troly_rental.question.parts import fresh, parse_parts
    from troly_rental.question.spelling import MOST_CHARACTERS
    from troly_rental.question.vocabulary import speaking

    if places is None:
        from troly_rental.data.places import places as all_places

        places = all_places()
    text = _before_mark(text)
    with speaking(text[:MOST_CHARACTERS]):
        parts = parse_parts(text, lang, now, places)
        if previous is not None and (picked := pick_row(text, parts, previous, shown)) is not None:
            return picked
        if previous is not None and (edited := change_query(text, parts, previous, role, shown)) is not None:
            return edited
        return fresh(text, parts, role)


def _before_mark(text: str) -> str:
    """The message before a marker of the response format, whose words ask for nothing."""
    before = text.partition("---END")[0]
    return before if before.strip() else text


def sql_of(reading: ParsedQuestion, role: Role = "GUEST") -> exp.Select:
    """The query of a ready reading for `role` (`sql.sql_of`); raises ValueError for one that is not ready."""
    from troly_rental.sql.builder import build_query as build

    return build(reading, role)


def count_of(reading: ParsedQuestion, role: Role = "GUEST") -> exp.Select:
    """How many rows `reading` has without its limit: one row, one column `total`."""
    from troly_rental.sql.builder import build_count as build

    return build(reading, role)


def filters_of(tree: exp.Expr) -> tuple[Filter, ...]:
    """The conditions of any SELECT in the neutral form (`conditions.filters_of`)."""
    from troly_rental.sql.conditions import read_filters as read_back

    return read_back(tree)


def explain(tree: exp.Expr, lang: Lang) -> tuple[str, ...]:
    """A query in words, line by line (`explaining.explain`)."""
    from troly_rental.sql.explanation import explain_query as tell

    return tell(tree, lang)
