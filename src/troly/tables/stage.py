"""Reads a CSV into a DuckDB table and accounts for every physical line of it."""

from __future__ import annotations

import csv
import shutil
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from troly.errors import InputError
from troly.tables.columns import count_of
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
    split_line,
    weigh_utf8,
)
from troly.text.catalogue import Lang, tr
from troly.text.csv_text import guarded
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    import duckdb


# Rewrites a difficult CSV so that every line is one well-quoted record or blank, and says which lines it kept out.


# A quoted field may hold line ends, but one that goes on for longer was never closed.
MAX_RECORD_LINES = 30
_CHECK_EVERY = 20_000


@dataclass(slots=True)
class RewriteResult:
    """Line numbers of what was kept out (with a reason key) and of what belongs to the record before it."""

    lines: int = 0
    refused: dict[int, str] = field(default_factory=dict)
    continued: list[int] = field(default_factory=list)


class PhysicalLines:
    """The physical lines of a file, any kind of line end, numbered from 1, with a look ahead."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._ahead: list[str] = []
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while line := self._ahead.pop(0) if self._ahead else self._read():
            self.number += 1
            yield line

    def peek(self, count: int) -> list[str]:
        """Up to `count` lines that come next, which are not taken."""
        while len(self._ahead) < count and (line := self._read()):
            self._ahead.append(line)
        return self._ahead[:count]

    def drop(self, count: int) -> None:
        """Pass over `count` lines that `peek` has shown."""
        del self._ahead[:count]
        self.number += count

    def _read(self) -> str:
        line = self._file.readline(MAX_LINE)
        if len(line) == MAX_LINE and not line.endswith("\n"):
            while (rest := self._file.readline(MAX_LINE)) and not rest.endswith("\n"):
                pass
        return line


def rewrite(source: Path, target: Path, header: Header, check: Callable[[], None]) -> RewriteResult:
    """Write `source` (UTF-8, possibly with damaged bytes) to `target`, line for line.

    A record that spans lines goes on its first line, the others become blank; refused lines become blank. So line
    numbers stay those of the source.
    """
    done = RewriteResult()
    with (
        source.open(encoding="utf-8-sig", errors="surrogateescape") as file,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        lines = PhysicalLines(file)
        for line in lines:
            if lines.number % _CHECK_EVERY == 0:
                check()
            out.write(_one(line, lines, header, done))
        done.lines = lines.number
    return done


def _one(line: str, lines: PhysicalLines, header: Header, done: RewriteResult) -> str:
    """What stands for `line`, and for the lines after it that belong to it, in the rewritten file."""
    number = lines.number
    reason = _unfit(line)
    if reason:
        done.refused[number] = reason
        return "\n"
    if '"' not in line:
        return line if line.endswith("\n") else f"{line}\n"
    fields = split_line(line.rstrip("\n"), header.delimiter)
    if fields is not None:
        return _written(fields, header)
    extent = _extent(line, lines, header)
    if extent is None:
        # Where closing the last quote would make the line a record, it is the quote that is missing.
        closed = split_line(line.rstrip("\n") + '"', header.delimiter)
        done.refused[number] = "quote" if closed is not None else "quoting"
        return "\n"
    count, fields = extent
    lines.drop(count)
    done.continued += range(number + 1, number + count + 1)
    return _written(fields, header) + "\n" * count


def _unfit(line: str) -> str:
    if len(line) >= MAX_LINE:
        return "long"
    if "\0" in line:
        return "control"
    # An undecodable byte stands in the string as a lone surrogate.
    return "" if line.isascii() or not any("\udc80" <= char <= "\udcff" for char in line) else "utf8"


def _extent(line: str, lines: PhysicalLines, header: Header) -> tuple[int, list[str]] | None:
    """How many further lines the record takes, and its fields; None when no quote closes it as it should.

    Lines that are records by themselves are never taken into another one.
    """
    text = line
    first = line.lstrip().startswith('"')
    for count, following in enumerate(lines.peek(MAX_RECORD_LINES), 1):
        closes = first and _closes_first(following, header)
        if (not closes and _is_record(following, header)) or _unfit(following) or len(text) > MAX_LINE:
            return None
        text += following
        fields = split_line_all(text, header.delimiter)
        if fields is not None:
            return (count, fields) if len(fields) == len(header.names) else None
    return None


def split_line_all(text: str, delimiter: str) -> list[str] | None:
    """The fields of the one record that `text`, line ends included, is; None when it is none or more than one."""
    try:
        records = list(csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return records[0] if len(records) == 1 else None


def _is_record(line: str, header: Header) -> bool:
    fields = split_line(line.rstrip("\n"), header.delimiter)
    if fields is None or len(fields) != len(header.names):
        return False
    return header.layout.is_row(fields, header.places)


def _closes_first(line: str, header: Header) -> bool:
    """Whether the first field of `line` can be the end of one that began in quotes on a line before."""
    field = line.partition(header.delimiter)[0].strip()
    return field.endswith('"') and not field.startswith('"') and field.count('"') == 1


def _written(fields: list[str], header: Header) -> str:
    out = StringIO()
    writer = csv.writer(out, delimiter=header.delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([" ".join(field.split("\n")) for field in fields])
    return out.getvalue()


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
class StagedCsv:
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
class LoadContext:
    """An empty folder for files between, where to report progress, and what raises when the person has stopped."""

    folder: Path
    report: Report
    check: Callable[[], None]


Head = Callable[[Path, Path], Header]


def stage(
    con: duckdb.DuckDBPyConnection, path: Path, layout: Layout | Head, context: LoadContext
) -> StagedCsv:
    """Read `path` into the temporary table `staged` as `layout` says.

    A function instead of a layout finds the header itself, from the file as UTF-8 and the path to name in errors.
    Raises InputError: not such a CSV, or lines that cannot be accounted for.
    """
    head = partial(read_header, layout=layout) if isinstance(layout, Layout) else layout
    encoding, text = sniff_encoding(path), path
    if encoding.startswith("utf-16"):
        text = _converted(path, encoding, context)
    elif encoding or weigh_utf8(path):
        encoding = encoding or "utf-8"
    else:
        encoding = guess_old(path)
        text = _converted(path, encoding, context)
    staged = _stage(con, path, text, head, context)
    if encoding == "utf-8" and "utf8" in staged.refused.values() and not weigh_utf8(text):
        encoding = guess_old(path)
        text = _converted(path, encoding, context)
        staged = _stage(con, path, text, head, context)
    staged.encoding = encoding
    return staged


def _converted(path: Path, encoding: str, context: LoadContext) -> Path:
    target = context.folder / "utf8.csv"
    convert(path, encoding, target, context.check)
    return target


def _stage(
    con: duckdb.DuckDBPyConnection, path: Path, text: Path, head: Head, context: LoadContext
) -> StagedCsv:
    """Stage a UTF-8 file as it is, or rewritten line for line when DuckDB cannot account for its lines."""
    seen = scan(text, context.report, context.check)
    header = head(text, path)
    if seen.plain:
        file = _safe(text, context.folder)
        staged = _read(con, text, file, header, RewriteResult(lines=seen.lines))
        if staged is not None:
            return staged
    target = context.folder / "plain.csv"
    known = rewrite(text, target, header, context.check)
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
    con: duckdb.DuckDBPyConnection, text: Path, file: Path, header: Header, known: RewriteResult
) -> StagedCsv | None:
    """Stage `file`; None when DuckDB's rows and refusals do not add up to its physical lines."""
    import duckdb

    for name in ("reject_errors", "reject_scans", "staged"):
        con.execute(f"drop table if exists {name}")
    try:
        con.execute(_create(file, header))
    except duckdb.InvalidInputException:
        return None
    rows = count_of(con, "select count(*) from staged")
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
    return StagedCsv(
        header, text, known.lines, rows, refused, blank, continued, sorted(gaps | refused.keys())
    )


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


# Says which lines of a CSV were kept out and why: a few for the screen, all of them for a file.


SHOWN = 20
MAX_RAW = 200
# What can be wrong with any line; a kind of list has reasons of its own besides.
GENERAL = frozenset({"columns", "quote", "quoting", "long", "control", "utf8"})

ProblemRow = tuple[int, str, str]
Say = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A row that a later one replaced, by their physical lines; `name` is what they have in common."""

    line: int
    kept: int
    name: str


class Problems:
    """Refused lines (number to reason key) and repeated rows of one file, told in `lang`.

    `say(key, lang, …)` has the sentences of the reasons that are not general, and of `repeat`.
    """

    def __init__(
        self,
        refused: Mapping[int, str],
        repeated: Sequence[Duplicate],
        staged: StagedCsv,
        lang: Lang,
        *,
        say: Say,
        repeat: str = "duplicate",
    ) -> None:
        self.refused = refused
        self._staged = staged
        self._lang = lang
        self._reasons = {
            line: tr(f"tables.reason_{key}", lang) if key in GENERAL else say(f"reason.{key}", lang)
            for line, key in refused.items()
        }
        for item in repeated:
            self._reasons[item.line] = say(f"reason.{repeat}", lang, name=item.name, line=item.kept)

    def rows(self) -> Iterator[ProblemRow]:
        """Line number, reason and the line as it stands in the file, in the order of the file."""
        if not self._reasons:
            return
        with self._staged.text.open(encoding="utf-8-sig", errors="replace") as file:
            lines = PhysicalLines(file)
            for line in lines:
                if lines.number in self._reasons:
                    number = lines.number
                    yield number, self._reasons[number], self._raw(line, lines)

    def lines(self) -> list[str]:
        """The first problems as sentences, and how many more there are."""
        return told(self.rows(), len(self._reasons), self._lang)

    def _raw(self, line: str, lines: PhysicalLines) -> str:
        text = line
        while lines.number + 1 in self._staged.continued:
            text += "".join(lines.peek(1))
            lines.drop(1)
        return sanitize(text.rstrip("\n"), keep_newlines=False)


def told(rows: Iterable[ProblemRow], total: int, lang: Lang) -> list[str]:
    """The first of `total` problems as sentences, and how many more there are."""
    shown = [
        tr("tables.problem", lang, line=line, reason=reason, raw=_short(raw))
        for line, reason, raw in islice(rows, SHOWN)
    ]
    more = total - len(shown)
    if more > 0:
        shown.append(tr("tables.more_problems", lang, count=format_number(more, lang)))
    return shown


def _short(text: str) -> str:
    return text if len(text) <= MAX_RAW else f"{text[:MAX_RAW]}…"


def write_errors(path: Path, rows: Iterable[ProblemRow]) -> None:
    """Write all problems to `path` as CSV: line, reason, raw. Raises InputError `csv.errors_file`.

    A line that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("line", "reason", "raw"))
            writer.writerows((line, guarded(reason), guarded(raw)) for line, reason, raw in rows)
    except OSError as error:
        raise InputError("csv.errors_file", path=path, reason=error.strerror or error) from error
