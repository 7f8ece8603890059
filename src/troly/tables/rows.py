"""Rows that some reader makes out of a file, staged for DuckDB, and the lines of the file that they came from."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from troly.tables.columns import literal
from troly.tables.stage import ProblemRow
from troly.text.catalogue import Lang, tr

if TYPE_CHECKING:
    import duckdb

Note = tuple[str, dict[str, object]]
# Stands for an empty cell; no cell of a file holds it.
_NONE = "\x01"
_LONGEST = 1 << 24


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table in the temporary table `staged`, whose columns stand under `names`; `raw` are the headers as written.

    `line_of` gives the line or row of the file on which a staged row begins; `refused` the lines that gave no row.
    `notes` are keys of the catalogue (`tables.note_…`) and their values. `exact` and `tidy` are those of `infer.Cells`.
    """

    names: tuple[str, ...]
    raw: tuple[str, ...]
    lines: int
    blank: int
    line_of: Callable[[int], int]
    refused_count: int = 0
    refused: Callable[[Lang], Iterator[ProblemRow]] = lambda _lang: iter(())
    notes: tuple[Note, ...] = field(default=())
    exact: bool = False
    tidy: bool = False

    def told(self, lang: Lang) -> list[str]:
        """The notes as sentences."""
        return [tr(f"tables.note_{key}", lang, **values) for key, values in self.notes]


class RowLines:
    """The line of each staged row, in the order they are staged; `seen` counts all lines, `blank` the empty ones."""

    def __init__(self) -> None:
        self._lines = array("I")
        self.seen = 0
        self.blank = 0

    def add(self, line: int) -> None:
        """The next staged row begins on `line`."""
        self._lines.append(line)

    def line_of(self, row: int) -> int:
        """The line of staged row number `row`, from 0."""
        return self._lines[row]


def stage_rows(
    con: duckdb.DuckDBPyConnection, rows: Iterable[Sequence[str | None]], width: int, folder: Path
) -> None:
    """Make `staged` of `rows` through a file in `folder`: row by row, DuckDB takes a hundred times as long."""
    path = folder / "rows.csv"
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows(
            [_NONE if cell is None else cell.replace(_NONE, "").replace("\0", "") for cell in row]
            for row in rows
        )
    columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(width))
    con.execute("drop table if exists staged")
    con.execute(
        f"create temp table staged as from read_csv({literal(str(path))}, auto_detect = false, header = false, "
        f"delim = ',', quote = '\"', escape = '\"', columns = {{{columns}}}, nullstr = '{_NONE}', "
        f"max_line_size = {_LONGEST})"
    )
    path.unlink()
