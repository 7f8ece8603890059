"""Cells that a spreadsheet would run as a formula, made harmless before they are exported."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would take `cell` for a formula; a negative number is none."""
    return cell.startswith(FORMULA) and not cell[1:].replace(".", "").replace(",", "").isdigit()


def guarded(cell: str) -> str:
    """`cell` with an apostrophe before it where a spreadsheet would run it."""
    return f"'{cell}" if is_formula(cell) else cell
