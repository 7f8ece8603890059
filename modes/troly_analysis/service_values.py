"""Looks up which values of a text field a written value stands for: exactly it, else the same without marks and case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from troly.text.fold import fold, nfc
from troly_analysis.service_filters import near_values
from troly_analysis.service_sql import column, literal, table
from troly_analysis.types import Field, Sheet

# More different values than this are not compared one by one.
MAX_DISTINCT = 50_000
_LIMIT = 20


class Values:
    """The values of one sheet's text fields, looked up when a filter needs them.

    `matched` gathers (field, written value, values used) where they differ, `nearest` (field, written value, values
    that look like it) where nothing was found; both are told with the result.
    """

    def __init__(self, sheet: Sheet, fetch: Callable[[exp.Expr], Sequence[tuple[Any, ...]]]) -> None:
        self._sheet = sheet
        self._fetch = fetch
        self.matched: list[tuple[str, str, tuple[str, ...]]] = []
        self.nearest: list[tuple[str, str, tuple[str, ...]]] = []

    def meant(self, field: Field, text: str) -> tuple[str, ...]:
        """The values to look for; `text` itself when it is there or nothing like it is."""
        if text in field.examples or self._there(field, text):
            return (text,)
        known = self._known(field)
        wanted = fold(text).split()
        same = tuple(value for value in known if fold(nfc(value)).split() == wanted) if wanted else ()
        if same:
            self.matched.append((field.name, text, same[:_LIMIT]))
            return same
        self.nearest.append((field.name, text, near_values(text, known)))
        return (text,)

    def _there(self, field: Field, text: str) -> bool:
        found = exp.select(exp.Literal.number("1")).from_(table(self._sheet.table))
        asked = found.where(exp.EQ(this=column(field.name), expression=literal(text))).limit(1)
        return bool(self._fetch(asked))

    def _known(self, field: Field) -> list[str]:
        asked = exp.select(column(field.name)).distinct().from_(table(self._sheet.table))
        blank = exp.Is(this=column(field.name), expression=exp.Null())
        rows = self._fetch(asked.where(exp.Not(this=blank)).limit(MAX_DISTINCT))
        return sorted(str(row[0]) for row in rows)
