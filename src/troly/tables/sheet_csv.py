"""Finds the shape of a CSV whose columns nobody knows: delimiter, title lines, header, and what a row looks like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from troly.errors import InputError
from troly.tables.columns import check_width
from troly.tables.headers import LOOKED_AT, find_delimiter, find_header, first_full
from troly.tables.source import Header, Layout, read_head, split_line

_FIELD = 0.9


def sheet_head(text: Path, shown: Path) -> Header:
    """The header of the UTF-8 file `text`; line 0 when the file begins with data. `shown` is named in errors.

    Raises InputError: no table in it, or too many columns.
    """
    head = read_head(text).decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = head.split("\n")[: LOOKED_AT * 4]
    if len(lines) > 1 and len(head) > LOOKED_AT * 4:
        lines = lines[:-1]  # the last may be cut
    told = lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5
    delimiter = lines[0][4] if told else find_delimiter([line for line in lines if line.strip()])
    rows = [split_line(line, delimiter) or [] for line in lines]
    if told:
        rows[0] = []
    at = find_header(rows[:LOOKED_AT])
    top = at if at is not None else first_full(rows)
    cells = rows[top]
    if not cells:
        raise InputError("table.no_rows", path=shown)
    check_width(len(cells), shown)
    body = [row for row in rows[top + (at is not None) :] if len(row) == len(cells)]
    names = tuple(cells) if at is not None else ("",) * len(cells)
    places = {str(index): index for index in range(len(cells))}
    layout = Layout((), _row_test(body), _select)
    return Header(delimiter, names, places, layout, top + 1 if at is not None else top)


def _select(places: Mapping[str, int], source: str) -> str:
    cells = ", ".join(f"c{index}" for index in places.values())
    return f"select {cells} from {source}"  # noqa: S608 (the source is quoted, all else is ours)


def _row_test(body: list[list[str]]) -> Callable[[list[str], Mapping[str, int]], bool]:
    """A row by itself has digits where nearly all rows have them; without such a column, three columns are enough."""
    width = len(body[0]) if body else 0
    digits = [
        index
        for index in range(width)
        if sum(any(sign.isdigit() for sign in row[index]) for row in body) >= _FIELD * len(body)
    ]

    def is_row(fields: list[str], _places: Mapping[str, int]) -> bool:
        if not digits:
            return len(fields) > 2
        return all(any(sign.isdigit() for sign in fields[index]) for index in digits)

    return is_row
