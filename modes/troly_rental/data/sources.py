"""Finds the tables of a path (by name, in a DuckDB file, or listing dumps) and reads them row by row with their lines."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from troly.config.problems import nearest
from troly.errors import InputError
from troly.stores.published import open_hardened
from troly.tables.source import LOOKED_AT, guess_old, read_head, weigh_utf8
from troly.text.csv_text import find_delimiter
from troly.text.fold import folded_words
from troly_rental.data.checks import LoadReport, clean_text
from troly_rental.data.listings import (
    FILE_NAME,
    ListingDump,
    example_mapping,
    guess_columns,
    missing_fields,
    read_mapping,
    units_in,
)
from troly_rental.data.schema import tables

ENDINGS = (".csv", ".tsv", ".txt", ".parquet")
DATABASES = (".duckdb", ".db")
_PATTERN = frozenset("*?[]{}")
_BATCH = 5_000
_HEAD = 4096


@dataclass(slots=True)
class SourceTable:
    """One table of a file: its stem or name, the file to name in messages, its columns.

    `rows` gives (line, cells); cells is a text when the line cannot be read: the key of the reason.
    """

    name: str
    file: str
    header: tuple[str, ...]
    rows: Iterator[tuple[int, Sequence[object] | str]] = field(repr=False)


@contextmanager
def open_sheet(path: Path) -> Iterator[SourceTable]:
    """One CSV or Parquet file. Raises InputError: missing, empty, no text, no header."""
    if not path.is_file():
        raise InputError("csv.missing", path=path)
    if path.suffix.lower() == ".parquet":
        with _parquet(path) as sheet:
            yield sheet
        return
    with path.open(encoding=_encoding(path), errors="replace", newline="") as file:
        delimiter = find_delimiter("".join(islice(file, LOOKED_AT)))
        file.seek(0)
        reader = csv.reader(_plain(file), delimiter=delimiter)
        header = next(reader, None)
        if not header or not any(cell.strip() for cell in header):
            raise InputError("csv.empty", path=path)
        names = tuple(clean_text(cell) for cell in header)
        yield SourceTable(path.stem, path.name, names, _csv_rows(reader, len(names)))


@contextmanager
def open_database(path: Path) -> Iterator[list[SourceTable]]:
    """The tables of a DuckDB file, opened so that nothing in it can reach outside. Raises InputError."""
    if not path.is_file():
        raise InputError("csv.missing", path=path)
    try:
        con = open_hardened(path)
    except duckdb.Error as error:
        raise InputError("rental.database", path=path, reason=_first_line(error)) from error
    try:
        found = con.execute("select table_name from duckdb_tables() where not internal order by 1").fetchall()
        yield [_table(con, name, path.name) for (name,) in found]
    finally:
        con.close()


@contextmanager
def _parquet(path: Path) -> Iterator[SourceTable]:
    with TemporaryDirectory(prefix="troly-rental-") as folder, duckdb.connect(config={"threads": "1"}) as con:
        source = path
        if _PATTERN & set(str(path)):
            # DuckDB takes such a name for a pattern.
            source = Path(folder) / "copy.parquet"
            source.write_bytes(path.read_bytes())
        try:
            cursor = con.execute("select * from read_parquet($1)", [str(source)])
        except duckdb.Error as error:
            raise InputError("rental.parquet", path=path, reason=_first_line(error)) from error
        names = tuple(str(column[0]) for column in cursor.description or ())
        yield SourceTable(path.stem, path.name, names, _fetched(cursor))


def _table(con: duckdb.DuckDBPyConnection, name: str, file: str) -> SourceTable:
    quoted = name.replace('"', '""')
    cursor = con.cursor().execute(f'select * from "{quoted}"')  # noqa: S608 (quoted)
    names = tuple(str(column[0]) for column in cursor.description or ())
    return SourceTable(name, f"{file}:{name}", names, _fetched(cursor))


def _fetched(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, Sequence[object]]]:
    number = 0
    while batch := cursor.fetchmany(_BATCH):
        for row in batch:
            number += 1
            yield number, row


def _csv_rows(reader: Iterator[list[str]], width: int) -> Iterator[tuple[int, Sequence[object] | str]]:
    """Each record with the line it begins on; blank lines are left out."""
    while True:
        line = reader.line_num + 1  # type: ignore[attr-defined]
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield line, "unreadable"
            continue
        if not any(cell.strip() for cell in cells) and len(cells) <= 1:
            continue
        yield line, cells if len(cells) == width else "columns"


def _plain(lines: Iterator[str]) -> Iterator[str]:
    return (line.replace("\0", "") for line in lines)


def _encoding(path: Path) -> str:
    """UTF-16 with its mark, UTF-8 where most of the file is, else an old code page. Raises InputError: empty, no text.

    A stray control character does not make a file binary: its row is told as any other bad one.
    """
    head = read_head(path)[:_HEAD]
    if not head.strip():
        raise InputError("csv.empty", path=path)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in head:
        raise InputError("csv.binary", path=path)
    return "utf-8-sig" if weigh_utf8(path) else guess_old(path)


def _first_line(error: Exception) -> str:
    return clean_text(str(error).splitlines()[0] if str(error) else type(error).__name__)


@dataclass(slots=True)
class SourceContents:
    """The sheets of each table, the dumps with how to read them, and what was guessed of one (`title → field`)."""

    sheets: dict[str, list[SourceTable]] = field(default_factory=dict)
    dumps: list[tuple[SourceTable, ListingDump]] = field(default_factory=list)
    guessed: str = ""


def find_tables(path: Path, stack: ExitStack, report: LoadReport) -> SourceContents:
    """What `path` holds; files stay open until `stack` is left.

    Raises InputError: nothing there, no table of the schema, a wrong mapping, a dump that cannot be understood.
    """
    found = SourceContents()
    if path.is_dir():
        _folder(path, stack, report, found)
    elif not path.exists():
        raise InputError("csv.missing", path=path)
    elif path.suffix.lower() == ".toml":
        _mapped(path, stack, found)
    elif path.suffix.lower() in DATABASES:
        for sheet in stack.enter_context(open_database(path)):
            _sort(sheet, report, found)
    else:
        beside = path.with_suffix(".toml")
        if table_of(path.stem):
            _sort(stack.enter_context(open_sheet(path)), report, found)
        elif beside.exists():
            _mapped(beside, stack, found)
        else:
            _guessed(stack.enter_context(open_sheet(path)), found)
    if not found.sheets and not found.dumps:
        raise InputError("rental.nothing", path=path, tables=", ".join(tables()))
    return found


def table_of(name: str) -> str:
    """The table that a file or a foreign table is named after; "" for none."""
    key = "_".join(folded_words(name))
    return key if key in tables() else ""


def _folder(path: Path, stack: ExitStack, report: LoadReport, found: SourceContents) -> None:
    mapping = path / FILE_NAME
    mapped: set[str] = set()
    if mapping.exists():
        _mapped(mapping, stack, found)
        mapped = {dump.file for _, dump in found.dumps}
    for file in sorted(p for p in path.iterdir() if p.is_file() and p.suffix.lower() in ENDINGS):
        if file.name in mapped:
            continue
        if table_of(file.stem):
            _sort(stack.enter_context(open_sheet(file)), report, found)
        else:
            _stranger(file.name, file.stem, report)


def _sort(sheet: SourceTable, report: LoadReport, found: SourceContents) -> None:
    name = table_of(sheet.name)
    if name:
        found.sheets.setdefault(name, []).append(sheet)
    else:
        _stranger(sheet.file, sheet.name, report)


def _stranger(file: str, name: str, report: LoadReport) -> None:
    close = nearest(name, list(tables()))
    report.add(
        (file, 0),
        "",
        "table_like" if close else "table",
        name=name,
        nearest=close,
        tables=", ".join(tables()),
    )


def _mapped(path: Path, stack: ExitStack, found: SourceContents) -> None:
    for dump in read_mapping(path):
        # A mapping speaks of files beside it, and of no others.
        file = path.parent / Path(dump.file).name
        sheet = stack.enter_context(open_sheet(file))
        known = {"_".join(folded_words(title)) for title in sheet.header}
        for name, title in dump.columns.items():
            if "_".join(folded_words(title)) not in known:
                close = nearest(title, list(sheet.header))
                reason = f"{file.name}: {name} = `{title}`" + (
                    f" → `{close}`?" if close else f" ({', '.join(sheet.header)})"
                )
                raise InputError("rental.mapping", path=path, reason=reason)
        found.dumps.append((sheet, dump))


def _guessed(sheet: SourceTable, found: SourceContents) -> None:
    columns = guess_columns(sheet.header)
    missing = missing_fields(columns, {})
    if missing:
        raise InputError(
            "rental.dump",
            file=sheet.file,
            missing=", ".join(missing),
            example=example_mapping(sheet.file, sheet.header),
        )
    found.guessed = ", ".join(f"{title} → {name}" for name, title in columns.items())
    found.dumps.append((sheet, ListingDump(sheet.file, columns, unit=units_in(columns))))
