"""Reads tables from CSV, Parquet and DuckDB files row by row, with the line each row stands on."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from troly.errors import InputError
from troly.text.fold import nfc
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    import duckdb

ENDINGS = (".csv", ".tsv", ".txt", ".parquet")
DATABASES = (".duckdb", ".db")
_DELIMITERS = ",;\t|"
_PATTERN = frozenset("*?[]{}")
_OLD = "windows-1258"
_BATCH = 5_000
_LONGEST = 1_000_000


@dataclass(slots=True)
class Sheet:
    """One table of a file: its stem or name, the file to name in messages, its columns.

    `rows` gives (line, cells); cells is a text when the line cannot be read: the key of the reason.
    """

    name: str
    file: str
    header: tuple[str, ...]
    rows: Iterator[tuple[int, Sequence[object] | str]] = field(repr=False)


@contextmanager
def open_sheet(path: Path) -> Iterator[Sheet]:
    """One CSV or Parquet file. Raises InputError: missing, empty, no text, no header."""
    if not path.is_file():
        raise InputError("csv.missing", path=path)
    if path.suffix.lower() == ".parquet":
        with _parquet(path) as sheet:
            yield sheet
        return
    encoding = _encoding(path)
    with path.open(encoding=encoding, newline="") as file:
        first = file.readline(_LONGEST)
        delimiter = max(_DELIMITERS, key=first.count)
        file.seek(0)
        reader = csv.reader(_plain(file), delimiter=delimiter)
        header = next(reader, None)
        if not header or not any(cell.strip() for cell in header):
            raise InputError("csv.empty", path=path)
        names = tuple(clean(cell) for cell in header)
        yield Sheet(path.stem, path.name, names, _csv_rows(reader, len(names)))


@contextmanager
def open_database(path: Path) -> Iterator[list[Sheet]]:
    """The tables of a DuckDB file, opened so that nothing in it can reach outside. Raises InputError."""
    import duckdb

    from troly.stores.published import open_hardened

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


def clean(text: str) -> str:
    """A header as it is compared and shown: NFC, one line, no control characters."""
    return " ".join(sanitize(nfc(text), keep_newlines=False).replace("\ufeff", "").split())


@contextmanager
def _parquet(path: Path) -> Iterator[Sheet]:
    import duckdb

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
        yield Sheet(path.stem, path.name, names, _fetched(cursor))


def _table(con: duckdb.DuckDBPyConnection, name: str, file: str) -> Sheet:
    quoted = name.replace('"', '""')
    cursor = con.cursor().execute(f'select * from "{quoted}"')  # noqa: S608 (quoted)
    names = tuple(str(column[0]) for column in cursor.description or ())
    return Sheet(name, f"{file}:{name}", names, _fetched(cursor))


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
    """UTF-8, UTF-16 with its mark, else the code page that old Vietnamese lists use. Raises InputError."""
    with path.open("rb") as file:
        start = file.read(4096)
        if not start.strip():
            raise InputError("csv.empty", path=path)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        if b"\0" in start:
            raise InputError("csv.binary", path=path)
        decoder = codecs.getincrementaldecoder("utf-8")()
        file.seek(0)
        try:
            while chunk := file.read(1 << 20):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return _OLD
    return "utf-8-sig"


def _first_line(error: Exception) -> str:
    return clean(str(error).splitlines()[0] if str(error) else type(error).__name__)
