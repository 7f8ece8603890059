"""Cells that a spreadsheet would run as a formula, made harmless before they are exported."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from troly.text.sanitize import sanitize

FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SIGNED = re.compile(r"[+-][0-9][0-9.,]*%?")


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would take `cell` for a formula; a number with its sign is none."""
    return cell.startswith(FORMULA) and not _SIGNED.fullmatch(cell)


def guarded(cell: str) -> str:
    """`cell` with an apostrophe before it where a spreadsheet would run it."""
    return f"'{cell}" if is_formula(cell) else cell


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A head and rows as CSV with commas and single line ends, every cell cleaned and guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(sanitize(name, keep_newlines=False)) for name in columns])
    writer.writerows([guarded(sanitize(cell)) for cell in row] for row in rows)
    return out.getvalue()
