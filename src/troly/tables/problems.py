"""Says which lines of a CSV were kept out and why: a few for the screen, all of them for a file."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from troly.errors import InputError
from troly.tables.careful import Lines
from troly.tables.stage import Staged
from troly.text.catalogue import Lang, tr
from troly.text.formulas import guarded
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize

SHOWN = 20
MAX_RAW = 200
# What can be wrong with any line; a kind of list has reasons of its own besides.
GENERAL = frozenset({"columns", "quote", "quoting", "long", "control", "utf8"})

Row = tuple[int, str, str]
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
        staged: Staged,
        lang: Lang,
        *,
        say: Say,
        repeat: str = "duplicate",
    ) -> None:
        self.refused = refused
        self._staged = staged
        self._lang = lang
        self._reasons = {line: reason_text(key, lang, say) for line, key in refused.items()}
        for item in repeated:
            self._reasons[item.line] = say(f"reason.{repeat}", lang, name=item.name, line=item.kept)

    def rows(self) -> Iterator[Row]:
        """Line number, reason and the line as it stands in the file, in the order of the file."""
        if not self._reasons:
            return
        with self._staged.text.open(encoding="utf-8-sig", errors="replace") as file:
            lines = Lines(file)
            for line in lines:
                if lines.number in self._reasons:
                    number = lines.number
                    yield number, self._reasons[number], self._raw(line, lines)

    def lines(self) -> list[str]:
        """The first problems as sentences, and how many more there are."""
        return told(self.rows(), len(self._reasons), self._lang)

    def _raw(self, line: str, lines: Lines) -> str:
        text = line
        while lines.number + 1 in self._staged.continued:
            text += "".join(lines.peek(1))
            lines.drop(1)
        return sanitize(text.rstrip("\n"), keep_newlines=False)


def reason_text(key: str, lang: Lang, say: Say) -> str:
    """Why a line was kept out; `say` is asked where the reason is not a general one."""
    return tr(f"tables.reason_{key}", lang) if key in GENERAL else say(f"reason.{key}", lang)


def told(rows: Iterable[Row], total: int, lang: Lang) -> list[str]:
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


def write_errors(path: Path, rows: Iterable[Row]) -> None:
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
