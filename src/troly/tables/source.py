"""Looks at a CSV before DuckDB reads it: what kind of file, which encoding, delimiter and known columns."""

from __future__ import annotations

import codecs
import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from troly.errors import InputError
from troly.tables.columns import check_width
from troly.text.csv_text import find_delimiter
from troly.text.dates import parse_date
from troly.text.fold import fold
from troly.text.numbers import parse_number

DELIMITERS = (",", ";", "\t")
CHUNK = 1 << 20
# Longer than any row of a warranty list; a line of this size is a damaged file, not a row.
MAX_LINE = 1 << 16
MAX_COLUMNS = 64

_HEAD = 1 << 16
_MAGIC = {
    b"PK\x03\x04": "Excel/ZIP",
    b"%PDF": "PDF",
    b"\xd0\xcf\x11\xe0": "Excel 97",
    b"\x1f\x8b": "gzip",
    b"\x89PNG": "PNG",
}
_MAX_CONTROL = 0.01
# Combining marks; a tab; no-break and other wide spaces, a byte order mark inside the file.
_UNTIDY = re.compile(rb"[\xcc\xcd\t]|\xc2\xa0|\xe2\x80[\x80-\x8b\xaf]|\xe3\x80\x80|\xef\xbb\xbf")
_VIETNAMESE = re.compile("[đĐơƠưƯ\u1ea0-\u1ef9]")
_STRAY_TONE = re.compile("(?<![aeiouyăâêôơưAEIOUYĂÂÊÔƠƯ])[\u0300\u0301\u0303\u0309\u0323]")

Report = Callable[[int, int | None, str], None]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a kind of CSV holds: columns it must have, columns that are taken where they are there.

    `is_row(fields, places)` says whether fields can only be a row of data. `select(places, source)` is the statement
    that makes the staged rows of `source`, whose columns are `c0`, `c1`, …
    """

    columns: tuple[str, ...]
    is_row: Callable[[list[str], Mapping[str, int]], bool]
    select: Callable[[Mapping[str, int], str], str]
    more: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def name_of(self, header: str) -> str:
        """The column that a header names: case, accents, spaces and hyphens do not matter."""
        name = "_".join(fold(header).replace("_", " ").replace("-", " ").split())
        return self.aliases.get(name, name)


@dataclass(frozen=True, slots=True)
class Header:
    """The first line that is not blank: its delimiter, its names as written, where the known columns stand in it.

    `line` is its number, from 1.
    """

    delimiter: str
    names: tuple[str, ...]
    places: Mapping[str, int]
    layout: Layout
    line: int = 1


@dataclass(frozen=True, slots=True)
class LineScan:
    """What one reading of all bytes tells: physical lines, and whether every line is plain enough for DuckDB.

    `plain` is False for mixed or old line ends, NUL characters, overlong lines and a first line that is blank.
    """

    lines: int
    plain: bool


def sniff_encoding(path: Path) -> str:
    """The encoding that the first bytes show: utf-8, utf-8-sig, utf-16, utf-16-le, utf-16-be, or "" for none of them.

    Raises InputError: the file is missing, a folder, not readable, empty, or no text.
    """
    head = read_head(path)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise InputError("csv.empty", path=path)
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            raise InputError("csv.binary_kind", path=path, kind=kind)
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > len(head) * 0.3 and min(even, odd) < len(head) * 0.05:
        return "utf-16-le" if odd > even else "utf-16-be"
    control = sum(head.count(code) for code in (*range(9), *range(14, 27), *range(28, 32)))
    if control > len(head) * _MAX_CONTROL:
        raise InputError("csv.binary", path=path)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return ""
    return "utf-8"


def read_head(path: Path) -> bytes:
    """The first bytes of the file; raises InputError when it cannot be read."""
    try:
        if path.is_dir():
            raise InputError("csv.directory", path=path)
        with path.open("rb") as file:
            return file.read(_HEAD)
    except FileNotFoundError as error:
        raise InputError("csv.missing", path=path) from error
    except PermissionError as error:
        raise InputError("csv.denied", path=path) from error
    except (OSError, ValueError) as error:
        raise InputError("csv.unreadable", path=path, reason=error) from error


def scan(path: Path, report: Report, check: Callable[[], None]) -> LineScan:
    """Read all bytes once. `check` raises when the person has stopped the load."""
    size, done = path.stat().st_size, 0
    newlines = returns = pairs = 0
    plain, last = True, b""
    for chunk in _chunks(path):
        check()
        found = chunk.count(b"\n")
        newlines += found
        if b"\r" in chunk:
            returns += chunk.count(b"\r")
            pairs += chunk.count(b"\r\n")
        plain = plain and b"\0" not in chunk and (found > 0 or len(chunk) < CHUNK)
        last = chunk[-1:]
        done += len(chunk)
        report(done, size, "bytes")
    one_kind = returns == 0 or returns == pairs == newlines
    blank_first = not read_head(path).split(b"\n", 1)[0].strip(b"\xef\xbb\xbf \t\r")
    return LineScan(newlines + (last not in (b"\n", b"")), plain and one_kind and not blank_first)


def weigh_utf8(path: Path) -> bool:
    """Whether the file is UTF-8 with a few damaged bytes, rather than another encoding altogether."""
    good = bad = 0
    for chunk in _chunks(path):
        if not chunk.isascii():
            wide = [char for char in chunk.decode("utf-8", "replace") if char > "\x7f"]
            bad += wide.count("\ufffd")
            good += len(wide) - wide.count("\ufffd")
    return good > 2 * bad


def is_tidy(path: Path) -> bool:
    """Whether a UTF-8 file holds no combining mark, and no blank other than spaces and line ends."""
    return not any(_UNTIDY.search(chunk) for chunk in _chunks(path))


def guess_old(path: Path) -> str:
    """`windows-1258` where the bytes spell Vietnamese, else `windows-1252`.

    Vietnamese has đ, or tone marks after vowels; both are rare or in other places in Western text.
    """
    head = read_head(path).decode("windows-1258", "replace")
    spelled = len(_VIETNAMESE.findall(unicodedata.normalize("NFC", head)))
    stray = len(_STRAY_TONE.findall(head)) + head.count("\ufffd")
    return "windows-1258" if spelled > stray else "windows-1252"


def convert(path: Path, encoding: str, target: Path, check: Callable[[], None]) -> None:
    """Write `path` as UTF-8 in NFC to `target`; windows-1258 keeps tones apart from their letters.

    Raises InputError `csv.encoding` when the bytes are not in that encoding.
    """
    try:
        with (
            path.open(encoding=encoding, newline="") as source,
            target.open("w", encoding="utf-8", newline="") as out,
        ):
            while piece := source.readlines(CHUNK):
                check()
                out.writelines(unicodedata.normalize("NFC", line) for line in piece)
    except UnicodeError as error:
        raise InputError("csv.encoding", path=path, encoding=encoding) from error


def read_header(path: Path, shown: Path, layout: Layout) -> Header:
    """Delimiter and columns, decided by the first line that is not blank; `shown` is the file to name in errors.

    Column order, case, spaces, and further columns do not matter. Raises InputError.
    """
    head = read_head(path).decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    number, line = next((item for item in enumerate(head.split("\n"), 1) if item[1].strip()), (1, ""))
    splits = {delimiter: split_line(line, delimiter) or [] for delimiter in DELIMITERS}
    wanted = (*layout.columns, *layout.more)
    for delimiter, names in splits.items():
        places = _places(names, layout)
        if len(names) <= MAX_COLUMNS and set(layout.columns) <= set(places):
            known = {name: places[name] for name in wanted if name in places}
            return Header(delimiter, tuple(names), known, layout, number)
    names = max(splits.values(), key=len)
    found, needed = ", ".join(name.strip()[:40] for name in names[:8]), ",".join(layout.columns)
    if layout.is_row(names, {}):
        raise InputError("csv.no_header", path=shown, found=found, columns=needed)
    if len(names) < 2:
        raise InputError("csv.one_column", path=shown, found=found, columns=needed)
    missing = ", ".join(name for name in layout.columns if name not in _places(names, layout))
    raise InputError("csv.columns", path=shown, found=found, missing=missing, columns=needed)


def _places(names: list[str], layout: Layout) -> dict[str, int]:
    """Where each column stands; the first of two with one name counts."""
    return {layout.name_of(name): index for index, name in reversed(list(enumerate(names)))}


def split_line(line: str, delimiter: str) -> list[str] | None:
    """The fields of one line; None when a quote is not closed or text follows a closing one."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return None


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            # A pair of line end characters is never cut in two.
            yield chunk + (file.read(1) if chunk.endswith(b"\r") else b"")


# Finds where a table begins in rows that nobody described: title rows above, the header, the delimiter.


# As many rows as anybody puts above a table, and some of the table itself.
LOOKED_AT = 60
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")


def find_header(rows: Sequence[Sequence[str]]) -> int | None:
    """The index of the header among the first rows; None when the first full row is data already.

    A title has one or two cells where the table has many, so the header is the first row that is as full as the
    table is wide.
    """
    counts = Counter(filled for row in rows if (filled := _filled(row)))
    if not counts:
        return None
    width = max(counts, key=lambda filled: (counts[filled] * (filled > 1), filled))
    needed = 1 if width == 1 else max(2, round(width * 0.6))
    at = next(index for index, row in enumerate(rows) if _filled(row) >= min(needed, width))
    return None if _is_data(rows[at], rows[at + 1 :]) else at


def first_full(rows: Sequence[Sequence[str]]) -> int:
    """The index of the first row that is not blank; 0 when all are."""
    return next((index for index, row in enumerate(rows) if _filled(row)), 0)


def _filled(row: Sequence[str]) -> int:
    return sum(1 for cell in row if cell.strip())


def _is_data(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row can only be data: its cells are numbers or dates where those below are.

    Years stand in headers of tables that run across.
    """
    cells = [cell for cell in row if cell.strip()]
    valued = [cell for cell in cells if not _YEAR.fullmatch(cell.strip()) and is_value(cell)]
    if not valued or len(cells) == 1 == len(row):
        return bool(valued) and any(is_value(other[0]) for other in below if other)
    return len(valued) * 3 >= len(cells)


def is_value(cell: str) -> bool:
    """Whether a cell is a number, an amount or a date."""
    cell = cell.strip()
    return bool(_DIGIT.search(cell)) and (parse_number(cell) is not None or parse_date(cell) is not None)


# Finds the shape of a CSV whose columns nobody knows: delimiter, title lines, header, and what a row looks like.


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
    delimiter = lines[0][4] if told else find_delimiter("\n".join(lines))
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
