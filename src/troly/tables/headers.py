"""Finds where a table begins in rows that nobody described: title rows above, the header, the delimiter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from troly.tables.source import split_line
from troly.text.dates import parse_date
from troly.text.numbers import parse_number

DELIMITERS = (",", ";", "\t", "|")
# As many rows as anybody puts above a table, and some of the table itself.
LOOKED_AT = 60
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")


def find_header(rows: Sequence[Sequence[str]]) -> int | None:
    """The index of the header among the first rows; None when the first full row is data already.

    A title has one or two cells where the table has many, so the header is the first row that is as full as the
    table is wide.
    """
    counts = Counter(filled for row in rows if (filled := _filled(row)))
    if not counts:
        return None
    width = max(counts, key=lambda filled: (counts[filled] * (filled > 1), filled))
    needed = 1 if width == 1 else max(2, round(width * 0.6))
    at = next(index for index, row in enumerate(rows) if _filled(row) >= min(needed, width))
    return None if _is_data(rows[at], rows[at + 1 :]) else at


def first_full(rows: Sequence[Sequence[str]]) -> int:
    """The index of the first row that is not blank; 0 when all are."""
    return next((index for index, row in enumerate(rows) if _filled(row)), 0)


def find_delimiter(lines: Sequence[str]) -> str:
    """The delimiter by which most lines part into the same number of columns; a comma where none parts them."""
    best, delimiter = (0.0, 0), ","
    for candidate in DELIMITERS:
        widths = [len(fields) for line in lines if (fields := split_line(line, candidate)) is not None]
        common = Counter(width for width in widths if width > 1).most_common(1)
        if common:
            width, count = common[0]
            score = (count / len(lines), width)
            if score > best:
                best, delimiter = score, candidate
    return delimiter


def _filled(row: Sequence[str]) -> int:
    return sum(1 for cell in row if cell.strip())


def _is_data(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row can only be data: its cells are numbers or dates where those below are.

    Years stand in headers of tables that run across.
    """
    cells = [cell for cell in row if cell.strip()]
    valued = [cell for cell in cells if not _YEAR.fullmatch(cell.strip()) and is_value(cell)]
    if not valued or len(cells) == 1 == len(row):
        return bool(valued) and any(is_value(other[0]) for other in below if other)
    return len(valued) * 3 >= len(cells)


def is_value(cell: str) -> bool:
    """Whether a cell is a number, an amount or a date."""
    cell = cell.strip()
    return bool(_DIGIT.search(cell)) and (parse_number(cell) is not None or parse_date(cell) is not None)
