"""CSV as text: which delimiter parts the columns, and cells that a spreadsheet would run as a formula made harmless."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from troly.text.sanitize import sanitize

DELIMITERS = (",", ";", "\t", "|")
# A quoted cell, which may hold line ends: it begins a line or stands after a delimiter, and ends before one.
_QUOTED = re.compile(r'(?:^|(?<=[,;\t|]))"(?:[^"]++|"")*+"(?=[,;\t|]|$)', re.MULTILINE)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SIGNED = re.compile(r"[+-][0-9][0-9.,]*%?")


def find_delimiter(text: str) -> str:
    """The delimiter by which most records of `text` part into the same number of columns; a comma where none parts them.

    What stands in quoted cells is not counted: it may hold every delimiter, and line ends.
    """
    records = [line for line in _QUOTED.sub("", text).splitlines() if line]
    best, delimiter = (0.0, 0), ","
    for candidate in DELIMITERS:
        common = Counter(width for line in records if (width := line.count(candidate) + 1) > 1).most_common(1)
        if common and (score := (common[0][1] / len(records), common[0][0])) > best:
            best, delimiter = score, candidate
    return delimiter


def guarded(cell: str) -> str:
    """`cell` with an apostrophe before it where a spreadsheet would run it."""
    # A number with its sign is no formula.
    return f"'{cell}" if cell.startswith(FORMULA) and not _SIGNED.fullmatch(cell) else cell


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A head and rows as CSV with commas and single line ends, every cell cleaned and guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(sanitize(name, keep_newlines=False)) for name in columns])
    writer.writerows([guarded(sanitize(cell)) for cell in row] for row in rows)
    return out.getvalue()
