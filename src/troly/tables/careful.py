"""Rewrites a difficult CSV so that every line is one well-quoted record or blank, and says which lines it kept out."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TextIO

from troly.tables.source import MAX_LINE, Header, split_line

# A quoted field may hold line ends, but one that goes on for longer was never closed.
MAX_RECORD_LINES = 30
_CHECK_EVERY = 20_000


@dataclass(slots=True)
class Rewritten:
    """Line numbers of what was kept out (with a reason key) and of what belongs to the record before it."""

    lines: int = 0
    refused: dict[int, str] = field(default_factory=dict)
    continued: list[int] = field(default_factory=list)


class Lines:
    """The physical lines of a file, any kind of line end, numbered from 1, with a look ahead."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._ahead: list[str] = []
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while line := self._take():
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

    def _take(self) -> str:
        return self._ahead.pop(0) if self._ahead else self._read()

    def _read(self) -> str:
        line = self._file.readline(MAX_LINE)
        if len(line) == MAX_LINE and not line.endswith("\n"):
            while (rest := self._file.readline(MAX_LINE)) and not rest.endswith("\n"):
                pass
        return line


def rewrite(source: Path, target: Path, header: Header, check: Callable[[], None]) -> Rewritten:
    """Write `source` (UTF-8, possibly with damaged bytes) to `target`, line for line.

    A record that spans lines goes on its first line, the others become blank; refused lines become blank. So line
    numbers stay those of the source.
    """
    done = Rewritten()
    with (
        source.open(encoding="utf-8-sig", errors="surrogateescape") as file,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        lines = Lines(file)
        for line in lines:
            if lines.number % _CHECK_EVERY == 0:
                check()
            out.write(_one(line, lines, header, done))
        done.lines = lines.number
    return done


def _one(line: str, lines: Lines, header: Header, done: Rewritten) -> str:
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
        done.refused[number] = "quote" if _opens(line, header) else "quoting"
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


def _extent(line: str, lines: Lines, header: Header) -> tuple[int, list[str]] | None:
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


def _opens(line: str, header: Header) -> bool:
    """Whether closing the last quote would make the line a record: then it is the quote that is missing."""
    return split_line(line.rstrip("\n") + '"', header.delimiter) is not None


def _written(fields: list[str], header: Header) -> str:
    out = StringIO()
    writer = csv.writer(out, delimiter=header.delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([" ".join(field.split("\n")) for field in fields])
    return out.getvalue()
