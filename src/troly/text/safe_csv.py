"""CSV that a spreadsheet opens without running anything: control sequences out, formulas made plain text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from troly.text.sanitize import sanitize

FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-][0-9][0-9.,]*%?")


def guarded(cell: str) -> str:
    """`cell` cleaned, with an apostrophe before what a spreadsheet would run as a formula; signed numbers stay."""
    text = sanitize(cell)
    return f"'{text}" if text.startswith(FORMULA) and not _NUMBER.fullmatch(text) else text


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A head and rows as CSV with commas and single line ends, every cell guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(name) for name in columns])
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return out.getvalue()
