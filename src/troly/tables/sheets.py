"""Reads any file with a table into DuckDB as text, and says what was kept out and what was noticed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from troly.errors import InputError
from troly.tables.cells import EXACT, MOMENT
from troly.tables.columns import column_names, count_of
from troly.tables.rows import Note, SheetTable
from troly.tables.source import is_tidy, read_head, sheet_head
from troly.tables.stage import GUESSED, LoadContext, ProblemRow, Problems, StagedCsv, stage
from troly.text.catalogue import Lang, tr
from troly.text.fold import fold

if TYPE_CHECKING:
    import duckdb


# What stands first in a row that adds up the rows above it.
_TOTALS = frozenset(
    {"tong", "tong cong", "cong", "tong so", "total", "grand total", "sum", "subtotal", "cong tong"}
)
_LAST_ROWS = 5
# What some programs write under the name of a spreadsheet.
_MARKUP = (b"<html", b"<!doctype", b"<?xml", b"<table")


def read_sheet(
    con: duckdb.DuckDBPyConnection, path: Path, worksheet: str, context: LoadContext, lang: Lang
) -> SheetTable:
    """Read the table of `path` (of `worksheet`, in a workbook) into `staged`.

    Raises InputError: not such a file, no table in it, too many columns.
    """
    from troly.tables.nested import is_nested, read_nested
    from troly.tables.workbook import is_workbook, read_workbook

    if is_workbook(path):
        found = read_workbook(con, path, worksheet, context, lang)
    elif (head := read_head(path).removeprefix(b"\xef\xbb\xbf").lstrip()[:9].lower()).startswith(_MARKUP):
        raise InputError("table.markup", path=path, kind="XML" if head.startswith(b"<?xml") else "HTML")
    elif is_nested(path):
        found = read_nested(con, path, context, lang)
    else:
        found = _read_csv(con, path, context, lang)
    found = _without_totals(con, _without_empty_columns(con, found))
    if not found.names or not count_of(con, "select count(*) from staged"):
        raise InputError("table.no_rows", path=path)
    return found


def _read_csv(con: duckdb.DuckDBPyConnection, path: Path, context: LoadContext, lang: Lang) -> SheetTable:
    staged: StagedCsv = stage(con, path, sheet_head, context)
    notes: list[Note] = []
    if staged.encoding in GUESSED:
        notes.append(("encoding", {"encoding": staged.encoding}))
    if staged.header.line == 0 or not any(staged.header.names):
        notes.append(("no_header", {}))
    elif staged.header.line > 1:
        notes.append(("title", {"line": staged.header.line}))

    def refused(shown: Lang) -> Iterator[ProblemRow]:
        return Problems(staged.refused, (), staged, shown, say=tr).rows()

    return SheetTable(
        names=column_names(staged.header.names, lang),
        raw=staged.header.names,
        lines=staged.lines,
        blank=staged.blank,
        line_of=staged.line_of,
        refused_count=len(staged.refused),
        refused=refused,
        notes=tuple(notes),
        tidy=is_tidy(staged.text),
    )


def _without_empty_columns(con: duckdb.DuckDBPyConnection, found: SheetTable) -> SheetTable:
    """Columns with neither a header nor a cell go: they are what is left of formatting, or of a comma at line ends."""
    unnamed = [at for at, name in enumerate(found.raw) if not name.strip()]
    if not unnamed:
        return found
    filled = ", ".join(f"count(nullif(trim(c{at}::varchar), ''))" for at in unnamed)
    counts = con.execute(f"select {filled} from staged").fetchone()  # noqa: S608 (our names)
    gone = {at for at, count in zip(unnamed, counts or (), strict=False) if not count}
    if len(gone) == len(found.raw):
        return replace(found, names=(), raw=())
    for at in gone:
        con.execute(f"alter table staged drop column c{at}")
    names, raw = (
        tuple(name for at, name in enumerate(all_names) if at not in gone)
        for all_names in (found.names, found.raw)
    )
    return replace(found, names=names, raw=raw)


def _without_totals(con: duckdb.DuckDBPyConnection, found: SheetTable) -> SheetTable:
    """Rows at the end that add up the others go, and are told: every figure would count twice."""
    rows = con.execute(f"select rowid, * from staged order by rowid desc limit {_LAST_ROWS}").fetchall()  # noqa: S608 (a number)
    totals = []
    for place, *cells in rows:
        filled = [str(cell).strip() for cell in cells if cell is not None and str(cell).strip()]
        if 1 < len(filled) < len(cells) and fold(filled[0]).strip(" :.") in _TOTALS:
            totals.append((place, " ; ".join(filled).replace(EXACT, "").replace(MOMENT, "")))
    if not totals:
        return found
    con.execute(f"delete from staged where rowid in ({', '.join(str(place) for place, _ in totals)})")  # noqa: S608 (numbers)

    def refused(lang: Lang) -> Iterator[ProblemRow]:
        yield from found.refused(lang)
        for place, raw in reversed(totals):
            yield found.line_of(place), tr("tables.reason_total", lang), raw

    return replace(found, refused=refused, refused_count=found.refused_count + len(totals))
