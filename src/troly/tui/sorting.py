"""The order of table cells as people mean it: numbers by value, days by date, words by their letters."""

from __future__ import annotations

from troly.text.dates import parse_date
from troly.text.fold import fold
from troly.text.numbers import parse_number

Key = tuple[int, float, str]


def sort_key(cell: str) -> Key:
    """Where `cell` stands: numbers and days first, then words, blanks last."""
    text = cell.strip()
    if not text:
        return 2, 0.0, ""
    day = parse_date(text)
    if day is not None:
        return 0, float(day.toordinal()), ""
    value = parse_number(text) or parse_number(text.rpartition(" ")[0])
    if value is not None:
        return 0, float(value), ""
    return 1, 0.0, fold(text)
