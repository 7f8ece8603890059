"""Finds out which condition removed every row: the same question with one condition fewer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from troly_rental.ask.reading import Filter, Reading


def relaxations(reading: Reading) -> Iterator[tuple[tuple[Filter, ...], Reading]]:
    """The conditions dropped and the reading without them, one field at a time, the likeliest culprit first.

    Both ends of a range go together. Counting the rows of each (`count_of`) tells which one was too narrow.
    """
    fields = sorted(dict.fromkeys(one.field for one in reading.filters), key=_rank)
    for name in fields:
        dropped = tuple(one for one in reading.filters if one.field == name)
        if name == "amenity" and len(dropped) > 1:
            for one in dropped:
                rest = tuple(other for other in reading.filters if other is not one)
                yield (one,), replace(reading, filters=rest, skip=0)
            continue
        rest = tuple(one for one in reading.filters if one.field != name)
        yield dropped, replace(reading, filters=rest, skip=0)


_FIRST = (
    "price",
    "area",
    "amenity",
    "deposit",
    "bedrooms",
    "people",
    "furnished",
    "posted_at",
    "type",
    "ward",
)


def _rank(field: str) -> int:
    return _FIRST.index(field) if field in _FIRST else len(_FIRST)
