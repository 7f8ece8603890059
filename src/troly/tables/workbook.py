"""Reads the worksheets of a spreadsheet file: title rows, merged headers, merged cells, formulas as last computed."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.errors import InputError
from troly.tables.cells import EXACT, MOMENT
from troly.tables.columns import MAX_COLUMNS, check_width, column_names
from troly.tables.rows import Note, RowLines, SheetTable, stage_rows
from troly.tables.source import LOOKED_AT, find_header, first_full, read_head
from troly.tables.stage import LoadContext
from troly.text.catalogue import Lang
from troly.text.fold import fold

if TYPE_CHECKING:
    import duckdb
    from python_calamine import CalamineSheet, CalamineWorkbook

# Unpacked; what is larger is no sheet that a person keeps, or was made to fill the memory.
MAX_UNPACKED = 1 << 30
_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_CHECK_EVERY = 10_000
_MARKS = str.maketrans("", "", EXACT + MOMENT)
Span = tuple[tuple[int, int], tuple[int, int]]


def is_workbook(path: Path) -> bool:
    """Whether the file is a spreadsheet by its first bytes, whatever its name. Raises InputError."""
    return read_head(path).startswith((_ZIP, _OLD))


def worksheets(path: Path, wanted: str) -> list[str]:
    """The worksheets to read: the one named or numbered `wanted`, else all that are visible and not empty.

    Raises InputError: no workbook, no such worksheet, nothing in it.
    """
    with _opened(path) as book:
        names = book.sheet_names
        if wanted:
            key = fold(wanted).strip()
            found = [name for name in names if fold(name).strip() == key]
            if not found and key.isdecimal() and 1 <= int(key) <= len(names):
                found = [names[int(key) - 1]]
            if not found:
                raise InputError("table.no_worksheet", path=path, name=wanted, names=", ".join(names))
            return found[:1]
        hidden = _hidden(book)
        visible = [name for name in names if name not in hidden]
        if len(visible) > 1:
            visible = [name for name in visible if book.get_sheet_by_name(name).height > 0]
    if not visible:
        raise InputError("table.no_rows", path=path)
    return visible


def read_workbook(
    con: duckdb.DuckDBPyConnection, path: Path, worksheet: str, context: LoadContext, lang: Lang
) -> SheetTable:
    """Read one worksheet into `staged`. Raises InputError: no table in it, too many columns."""
    with _opened(path) as book:
        sheet = book.get_sheet_by_name(worksheet)
        others = sorted(_hidden(book) - {worksheet})
        if sheet.start is None or not sheet.height:
            raise InputError("table.no_rows", path=path)
        found = _read(con, _Grid(sheet), path, context, lang)
        return replace(found, notes=(*_notes(path, others), *found.notes))


def _read(
    con: duckdb.DuckDBPyConnection, grid: _Grid, path: Path, context: LoadContext, lang: Lang
) -> SheetTable:
    notes: list[Note] = []
    head = [[(_text(cell) or "").translate(_MARKS) for cell in row] for row in islice(grid.rows(), LOOKED_AT)]
    width = max(len(row) for row in head)
    if width > 1:
        filled = (max((at for at, cell in enumerate(row) if cell.strip()), default=0) for row in head)
        width = min(width, max(filled) + 1) if width > MAX_COLUMNS else width
    check_width(width, path)
    at = find_header(head)
    top = at if at is not None else first_full(head)
    if at is None:
        names, below = [""] * width, top
        notes.append(("no_header", {}))
    else:
        names, below = grid.header(head, at, width)
        if top > 0:
            notes.append(("title", {"line": grid.first_row + top + 1}))
    merged = grid.fill(below)
    if merged:
        notes.append(("merged", {"count": merged}))
    lines = RowLines()
    rows = _rows(grid, below, width, lines, context)
    stage_rows(con, rows, width, context.folder)
    total = grid.first_row + lines.seen
    return SheetTable(
        names=column_names(names, lang), raw=tuple(names), lines=total, blank=lines.blank, line_of=lines.line_of,
        notes=tuple(notes), exact=True,
    )  # fmt: skip


def _rows(
    grid: _Grid, below: int, width: int, lines: RowLines, context: LoadContext
) -> Iterator[list[str | None]]:
    for number, row in enumerate(grid.rows()):
        lines.seen = number + 1
        if number < below:
            continue
        if number % _CHECK_EVERY == 0:
            context.check()
            context.report(number, grid.height, "rows")
        cells = [_text(cell) for cell in row[:width]]
        if grid.filled:
            for at in range(width):
                cells[at] = cells[at] or grid.filled.get((number, at))
        if any(cells):
            lines.add(grid.first_row + number + 1)
            yield cells
        else:
            lines.blank += 1


class _Grid:
    """The used part of a worksheet; rows and columns are counted from its first cell."""

    def __init__(self, sheet: CalamineSheet) -> None:
        self._sheet = sheet
        self.first_row, self._first_column = sheet.start or (0, 0)
        self.height = sheet.height
        self.filled: dict[tuple[int, int], str | None] = {}
        self._merged = [
            ((a - self.first_row, b - self._first_column), (c - self.first_row, d - self._first_column))
            for (a, b), (c, d) in sheet.merged_cell_ranges or ()
        ]

    def rows(self) -> Iterator[Sequence[Any]]:
        return iter(self._sheet.iter_rows())

    def header(self, head: list[list[str]], at: int, width: int) -> tuple[list[str], int]:
        """The names of the columns and the row where the data begin; a group over several columns goes before theirs."""
        across = self._across(at, width)
        if across and at + 1 < len(head):
            upper, lower = at, at + 1
        elif at > 0 and (across := self._across(at - 1, width)):
            upper, lower = at - 1, at
        else:
            return head[at][:width], at + 1
        groups = list(head[upper])
        for (_, first), (_, last) in across:
            groups[first : last + 1] = [groups[first]] * (last + 1 - first)
        names = [" ".join(part for part in pair if part) for pair in zip(groups, head[lower], strict=True)]
        return names[:width], lower + 1

    def _across(self, row: int, width: int) -> list[Span]:
        return [
            span for span in self._merged if span[0][0] == row and 0 < span[1][1] - span[0][1] < width - 1
        ]

    def fill(self, below: int) -> int:
        """Give the value of each cell that was merged over several data rows to all of them; returns how many cells."""
        tall = [span for span in self._merged if span[0][0] >= below and span[1][0] > span[0][0]]
        if not tall:
            return 0
        starts = {span[0]: span for span in tall}
        for number, row in enumerate(self.rows()):
            for place in [place for place in starts if place[0] == number]:
                (_, column), (last, _) = starts[place]
                if column < len(row) and (value := _text(row[column])):
                    self.filled |= {(below_it, column): value for below_it in range(number + 1, last + 1)}
        return len(tall)


@contextmanager
def _opened(path: Path) -> Iterator[CalamineWorkbook]:
    """The workbook; whatever the reader says against it becomes one sentence."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                if sum(part.file_size for part in packed.infolist()) > MAX_UNPACKED:
                    raise InputError("table.large", path=path, most=MAX_UNPACKED >> 20)
        with CalamineWorkbook.from_path(str(path)) as book:
            yield book
    except PasswordError as error:
        raise InputError("table.password", path=path) from error
    except (CalamineError, zipfile.BadZipFile, OSError) as error:
        raise InputError("table.workbook", path=path, reason=str(error) or type(error).__name__) from error


def _hidden(book: CalamineWorkbook) -> set[str]:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    return {
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.visible != SheetVisibleEnum.Visible or sheet.typ != SheetTypeEnum.WorkSheet
    }


def _notes(path: Path, hidden: list[str]) -> list[Note]:
    notes: list[Note] = [("hidden", {"names": ", ".join(hidden)})] if hidden else []
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            sheets = [name for name in packed.namelist() if name.startswith("xl/worksheets/")]
            if any(_has_formula(packed, name) for name in sheets):
                notes.append(("formulas", {}))
    return notes


def _has_formula(packed: zipfile.ZipFile, name: str) -> bool:
    with packed.open(name) as part:
        tail = b""
        while chunk := part.read(1 << 20):
            if b"<f>" in tail + chunk or b"<f " in tail + chunk:
                return True
            tail = chunk[-3:]
    return False


def _text(cell: Any) -> str | None:
    """A cell as staged text; numbers and dates that the spreadsheet stored as such carry a mark."""
    if isinstance(cell, str):
        return cell.translate(_MARKS) or None
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return f"{EXACT}{int(cell) if cell.is_integer() and abs(cell) < 1e15 else cell!r}"
    if isinstance(cell, int):
        return f"{EXACT}{cell}"
    if isinstance(cell, (datetime, date)):
        return f"{MOMENT}{cell.isoformat()}"
    return str(cell) if isinstance(cell, (time, timedelta)) else None
