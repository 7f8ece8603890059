"""Reads a CSV into a DuckDB table and accounts for every physical line of it."""

from __future__ import annotations

import shutil
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from troly.errors import InputError
from troly.tables.careful import Rewritten, rewrite
from troly.tables.source import (
    MAX_LINE,
    Header,
    Layout,
    Report,
    convert,
    guess_old,
    read_header,
    scan,
    sniff_encoding,
    weigh_utf8,
)

if TYPE_CHECKING:
    import duckdb

# What a file that is not UTF-8 is read as.
GUESSED = frozenset({"windows-1258", "windows-1252"})

_GLOB = frozenset("*?[]{}")
_REASONS = {
    "MISSING COLUMNS": "columns",
    "TOO MANY COLUMNS": "columns",
    "UNQUOTED VALUE": "quoting",
    "LINE SIZE OVER MAXIMUM": "long",
    "INVALID ENCODING": "utf8",
}


@dataclass(slots=True)
class Staged:
    """The file as DuckDB has it in the temporary table `staged`.

    `text` is a UTF-8 file with the same line numbers as the source; `refused` maps a line that gave no row to the
    key of its reason; `skipped` are all lines after the header that gave no row, sorted.
    """

    header: Header
    text: Path
    lines: int
    rows: int
    refused: dict[int, str]
    blank: int
    continued: frozenset[int]
    skipped: list[int] = field(default_factory=list)
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        self._before = [line - self.header.line - 1 - index for index, line in enumerate(self.skipped)]

    _before: list[int] = field(default_factory=list, init=False)

    def line_of(self, row: int) -> int:
        """The physical line, from 1, on which row number `row` (from 0) begins."""
        return row + self.header.line + 1 + bisect_right(self._before, row)


@dataclass(frozen=True, slots=True)
class Means:
    """An empty folder for files between, where to report progress, and what raises when the person has stopped."""

    folder: Path
    report: Report
    check: Callable[[], None]


Head = Callable[[Path, Path], Header]


def stage(con: duckdb.DuckDBPyConnection, path: Path, layout: Layout | Head, means: Means) -> Staged:
    """Read `path` into the temporary table `staged` as `layout` says.

    A function instead of a layout finds the header itself, from the file as UTF-8 and the path to name in errors.
    Raises InputError: not such a CSV, or lines that cannot be accounted for.
    """
    head = _head_of(layout)
    encoding, text = sniff_encoding(path), path
    if encoding.startswith("utf-16"):
        text = _converted(path, encoding, means)
    elif encoding or weigh_utf8(path):
        encoding = encoding or "utf-8"
    else:
        encoding = guess_old(path)
        text = _converted(path, encoding, means)
    staged = _stage(con, path, text, head, means)
    if encoding == "utf-8" and "utf8" in staged.refused.values() and not weigh_utf8(text):
        encoding = guess_old(path)
        text = _converted(path, encoding, means)
        staged = _stage(con, path, text, head, means)
    staged.encoding = encoding
    return staged


def _converted(path: Path, encoding: str, means: Means) -> Path:
    target = means.folder / "utf8.csv"
    convert(path, encoding, target, means.check)
    return target


def _head_of(layout: Layout | Head) -> Head:
    return (lambda text, shown: read_header(text, shown, layout)) if isinstance(layout, Layout) else layout


def _stage(con: duckdb.DuckDBPyConnection, path: Path, text: Path, head: Head, means: Means) -> Staged:
    """Stage a UTF-8 file as it is, or rewritten line for line when DuckDB cannot account for its lines."""
    seen = scan(text, means.report, means.check)
    header = head(text, path)
    if seen.plain:
        file = _safe(text, means.folder)
        staged = _read(con, text, file, header, Rewritten(lines=seen.lines))
        if staged is not None:
            return staged
    target = means.folder / "plain.csv"
    known = rewrite(text, target, header, means.check)
    staged = _read(con, text, target, header, known)
    if staged is None:
        raise InputError("csv.lines_lost", path=path)
    return staged


def _safe(path: Path, folder: Path) -> Path:
    """The same file under a name that DuckDB does not take for a pattern."""
    if not _GLOB & set(str(path)):
        return path
    target = folder / "copy.csv"
    shutil.copyfile(path, target)
    return target


def _read(
    con: duckdb.DuckDBPyConnection, text: Path, file: Path, header: Header, known: Rewritten
) -> Staged | None:
    """Stage `file`; None when DuckDB's rows and refusals do not add up to its physical lines."""
    import duckdb

    for name in ("reject_errors", "reject_scans", "staged"):
        con.execute(f"drop table if exists {name}")
    try:
        con.execute(_create(file, header))
    except duckdb.InvalidInputException:
        return None
    rows = _number(con, "select count(*) from staged")
    found = con.execute("select distinct line, error_type from reject_errors").fetchall()
    refused = {int(line): _REASONS.get(kind, "quoting") for line, kind in found}
    if "quoting" in refused.values():
        return None
    body = known.lines - header.line
    gaps = set(_blank_lines(file, header)) if refused or rows != body else set()
    refused = {line: reason for line, reason in refused.items() if line not in gaps}
    if rows + len(refused) + len(gaps) != body:
        return None
    refused |= known.refused
    continued = frozenset(known.continued)
    blank = len(gaps - refused.keys() - continued)
    return Staged(header, text, known.lines, rows, refused, blank, continued, sorted(gaps | refused.keys()))


def _create(file: Path, header: Header) -> str:
    """One statement: parse and check at once; order of rows is order of lines."""
    columns = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(len(header.names)))
    name = str(file).replace("'", "''")
    source = f"""read_csv('{name}', auto_detect = false, header = {header.line > 0}, skip = {max(0, header.line - 1)},
        delim = '{header.delimiter}', quote = '"', escape = '"', columns = {{{columns}}},
        max_line_size = {8 * MAX_LINE}, store_rejects = true, rejects_limit = 0)"""
    return f"create temp table staged as {header.layout.select(header.places, source)}"


def _blank_lines(file: Path, header: Header) -> list[int]:
    """The lines of nothing but blanks; a line of delimiters is a row of empty fields."""
    delimiter = header.delimiter.encode()
    with file.open("rb") as lines:
        return [
            number
            for number, line in enumerate(lines, 1)
            if number > header.line and not line.strip() and delimiter not in line
        ]


def _number(con: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = con.execute(sql).fetchone()
    return int(row[0]) if row else 0
