"""Checks the rows of one rental table: columns, cells, references, repeats; keeps good rows, tells about bad ones."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from troly.config.problems import nearest
from troly.errors import InputError
from troly.text.catalogue import Lang
from troly.text.fold import folded_words, nfc
from troly.text.sanitize import sanitize
from troly_rental.data.cells import CellError, read_cell
from troly_rental.data.schema import Table
from troly_rental.strings import say

NULL = "\x1fNULL"
SHOWN = 20
_MOST_PROBLEMS = 100_000
_SHORT = 80
_PATH = re.compile(r"/[\w./-]{1,200}", re.ASCII)
Key = tuple[Any, ...]
Cells = Mapping[str, object]


def clean_text(text: str) -> str:
    """A header as it is compared and shown: NFC, one line, no control characters."""
    return " ".join(sanitize(nfc(text), keep_newlines=False).replace("\ufeff", "").split())


@dataclass(frozen=True, slots=True)
class RowProblem:
    """One row that was kept out, or one thing that was left aside: where, why, and what stood there."""

    file: str
    line: int
    column: str
    reason: str
    value: str = ""


class LoadReport:
    """The problems of one load, told in one language."""

    def __init__(self, lang: Lang) -> None:
        self.lang = lang
        self.found: list[RowProblem] = []
        self.count = 0

    def add(
        self, where: tuple[str, int], column: str, reason: str, cell: object = "", **params: object
    ) -> None:
        """Note one problem; `where` is file and line (0: the whole file)."""
        self.count += 1
        if len(self.found) < _MOST_PROBLEMS:
            text = clean_text(str(cell))
            text = text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
            said = say(f"reason.{reason}", self.lang, **params)
            self.found.append(RowProblem(*where, column, said, text))

    def lines(self) -> list[str]:
        """The first problems as sentences, and how many more there are."""
        told = [self._line(problem) for problem in self.found[:SHOWN]]
        if self.count > SHOWN:
            told.append(say("load.more", self.lang, count=self.count - SHOWN))
        return told

    def write(self, path: Path) -> None:
        """All problems as CSV. Raises InputError `csv.errors_file`."""
        try:
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(("file", "line", "column", "reason", "value"))
                writer.writerows((p.file, p.line or "", p.column, p.reason, p.value) for p in self.found)
        except OSError as error:
            raise InputError("csv.errors_file", path=path, reason=error.strerror or error) from error

    def _line(self, problem: RowProblem) -> str:
        key = (
            "load.problem_file"
            if not problem.line
            else "load.problem_cell"
            if problem.column
            else "load.problem"
        )
        told = say(
            key,
            self.lang,
            file=problem.file,
            line=problem.line,
            column=problem.column,
            reason=problem.reason,
            value=problem.value,
        )
        return told.removesuffix(" []")


def match_columns(table: Table, header: Sequence[str], file: str, report: LoadReport) -> dict[int, str]:
    """Place in the file -> column of the schema.

    Columns that the schema does not know are reported and left aside. Raises InputError `rental.columns` when one is
    missing that must be there, naming what looks like it.
    """
    wanted = {"_".join(folded_words(name)): name for name in table.columns}
    found: dict[int, str] = {}
    strangers = []
    for at, title in enumerate(header):
        name = wanted.get("_".join(folded_words(title)))
        if name is None or name in found.values():
            strangers.append(title)
        else:
            found[at] = name
    missing = [
        name
        for name, column in table.columns.items()
        if name not in found.values() and not column.null and not column.default
    ]
    if missing:
        told = []
        for name in missing:
            close = _like(name, table, strangers)
            told.append(
                say("load.missing_like" if close else "load.missing", report.lang, name=name, nearest=close)
            )
        raise InputError("rental.columns", file=file, table=table.name, missing="; ".join(told))
    for title in strangers:
        close = nearest(title, [name for name in table.columns if name not in found.values()])
        report.add((file, 0), title, "stranger_like" if close else "stranger", name=title, nearest=close)
    return found


def _like(name: str, table: Table, strangers: Sequence[str]) -> str:
    """The header that may be meant to be column `name`: spelled nearly so, or another word for it."""
    words = {"_".join(folded_words(word)) for word in table.columns[name].words}
    other = next((title for title in strangers if "_".join(folded_words(title)) in words), "")
    return other or nearest(name, list(strangers))


class TableChecker:
    """Checks one table's rows and writes the good ones to `out` as CSV; `keys` are those that refs may point to."""

    def __init__(
        self,
        table: Table,
        keys: Mapping[str, set[Any]],
        report: LoadReport,
        defaults: Mapping[str, object],
        out: IO[str],
    ) -> None:
        self.table = table
        self.seen: dict[Key, int] = {}
        self.rejected = 0
        self._keys, self._report, self._defaults = keys, report, defaults
        self._unique: dict[str, dict[object, int]] = {
            name: {} for name, column in table.columns.items() if column.unique
        }
        self._writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")

    def refuse(
        self, where: tuple[str, int], column: str, reason: str, cell: object = "", **params: object
    ) -> None:
        """Keep a row out."""
        self.rejected += 1
        self._report.add(where, column, reason, cell, **params)

    def take(
        self, where: tuple[str, int], cells: Cells, titles: Mapping[str, str] | None = None
    ) -> dict[str, Any] | None:
        """Check one row; the stored row, or None when it was refused. `titles` names columns as the file does."""
        row: dict[str, Any] = {}
        for name, column in self.table.columns.items():
            value = cells.get(name)
            if name not in cells and name in self._defaults:
                row[name] = self._defaults[name]
                continue
            try:
                row[name] = read_cell(column, value)
            except CellError as error:
                reason = f"{error.key}_like" if error.params.get("nearest") else error.key
                said = (titles or {}).get(name, name)
                self.refuse(where, said, reason, "" if value is None else value, **error.params)
                return None
        if isinstance(row.get("path"), str):
            row["path"] = row["path"].replace("{id}", str(row["id"]))
            if not _PATH.fullmatch(row["path"]):
                self.refuse(where, "path", "path", row["path"])
                return None
        if not self._fits(where, row, titles or {}):
            return None
        self._writer.writerow([NULL if row[name] is None else row[name] for name in self.table.columns])
        return row

    def _fits(self, where: tuple[str, int], row: Mapping[str, Any], titles: Mapping[str, str]) -> bool:
        key = tuple(row[name] for name in self.table.key)
        if key in self.seen:
            # A listing has no key of its own: what it says is repeated as a whole.
            said = ", ".join(titles[name] for name in self.table.key if name in titles)
            self.refuse(where, said, "duplicate", key[0] if said else "", line=self.seen[key])
            return False
        for name, column in self.table.columns.items():
            target = column.ref.partition(".")[0]
            if not column.ref or row[name] is None or row[name] in self._keys[target]:
                continue
            # A table may point to itself, to a row further up.
            if target != self.table.name or (row[name],) not in self.seen:
                self.refuse(where, name, "reference", row[name], value=row[name], table=target)
                return False
        for name, taken in self._unique.items():
            if row[name] in taken:
                self.refuse(where, name, "duplicate", row[name], line=taken[row[name]])
                return False
            taken[row[name]] = where[1]
        self.seen[key] = where[1]
        return True
