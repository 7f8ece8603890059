"""Finds the values of a long column that a phrase of the question names, for the rule planner."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from troly.stores.published import Datasets
from troly.text.fold import fold
from troly_analysis.planner.mentions import SHORTEST_SLIP, slips
from troly_analysis.planner.types import Lookup
from troly_analysis.types import Field, Sheet

if TYPE_CHECKING:
    from troly.plugin.services import Services


# Columns with more different values are identifiers: one of them is asked for in full or not at all.
MOST_VALUES, MOST_FOUND, MOST_NEAR, KEPT = 20_000, 1000, 5_000, 32
_SHORTEST = 2
Known = dict[str, list[str]]
_values_lock = threading.Lock()


def value_lookup(services: Services, owner: str) -> Lookup:
    """A function of sheet, field and folded phrase: the values that are the phrase, else (not `whole`) those that hold it,
    else those that are one slip from it; all of them for "".
    """

    def look(sheet: Sheet, field: Field, phrase: str, *, whole: bool = False) -> tuple[str, ...]:
        if field.kind != "text" or sheet.owner != owner:
            return ()
        if field.distinct > MOST_VALUES:
            return tuple(_read_values(services, sheet, field, phrase)) if phrase else ()
        known = _values_of(services, sheet, field)
        if not phrase:
            return tuple(islice((value for values in known.values() for value in values), MOST_FOUND))
        same = known.get(phrase, [])
        if same or whole or len(phrase) < _SHORTEST:
            return tuple(same[:MOST_FOUND])
        within = f" {phrase} "
        held = (value for folded, values in known.items() if within in f" {folded} " for value in values)
        found = tuple(islice(held, MOST_FOUND))
        return found or tuple(islice(_near(known, phrase), MOST_FOUND))

    return look


def short_columns(
    services: Services, sheets: Sequence[Sheet], most: int
) -> dict[tuple[str, str], tuple[str, ...]]:
    """All values of the columns of text that have more than `Field.examples` holds, but at most `most`, by sheet and column.

    Blocking; raises StoreError.
    """
    every = ((sheet, field) for sheet in sheets for field in sheet.fields if field.kind == "text")
    short = [(sheet, field) for sheet, field in every if len(field.examples) < field.distinct <= most]
    held = (_values_of(services, *each).values() for each in short)
    values = (tuple(sorted(value for some in each for value in some)) for each in held)
    return {(s.id, field.name): each for (s, field), each in zip(short, values, strict=True)}


def _near(known: Known, phrase: str) -> Iterator[str]:
    """The values that a phrase of letters is one slip from; a code that differs is another code."""
    if len(phrase) < SHORTEST_SLIP or not phrase.replace(" ", "").isalpha() or len(known) > MOST_NEAR:
        return
    for folded, values in known.items():
        if slips(folded, phrase) <= 1:
            yield from values


_kept: WeakKeyDictionary[Datasets, OrderedDict[tuple[str, str, str], Known]] = WeakKeyDictionary()


def _values_of(services: Services, sheet: Sheet, field: Field) -> Known:
    """The values of a column, folded and as written; kept until the sheet is imported anew."""
    key = (sheet.id, sheet.imported_at.isoformat(), field.name)
    with _values_lock:
        kept = _kept.setdefault(services.datasets, OrderedDict())
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    found: Known = {}
    for value in _read_values(services, sheet, field):
        found.setdefault(" ".join(fold(value).split()), []).append(value)
    with _values_lock:
        kept[key] = found
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return found


def _read_values(services: Services, sheet: Sheet, field: Field, code: str = "") -> list[str]:
    """The different values of a column, or those that are `code`, whatever their case."""
    from sqlglot import exp

    from troly_analysis.query.sql import column, table, text
    from troly_analysis.sheets.store import SheetStore

    asked = exp.select(column(field.name)).distinct().from_(table(sheet.table)).limit(MOST_VALUES)
    if code:
        lowered = exp.Lower(this=column(field.name))
        asked = asked.where(exp.EQ(this=lowered, expression=exp.Literal.string(code)))
    with SheetStore(services).connect(sheet.owner) as connection:
        rows = connection.execute(text(asked)).fetchall()
    return [str(value) for (value,) in rows if value is not None]
