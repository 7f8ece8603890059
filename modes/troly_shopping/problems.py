"""Says which lines of a CSV were kept out and why: a few for the screen, all of them for a file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from troly.errors import InputError
from troly.text.catalogue import Lang
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize
from troly_shopping.csv_careful import Lines
from troly_shopping.csv_stage import Staged
from troly_shopping.strings import say

SHOWN = 20
MAX_RAW = 200


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A row that a later one replaced, by their physical lines; `name` is what they have in common."""

    line: int
    kept: int
    name: str


class Problems:
    """Refused lines (number to reason key) and repeated rows of one file, told in `lang`."""

    def __init__(
        self,
        refused: Mapping[int, str],
        repeated: Sequence[Duplicate],
        staged: Staged,
        lang: Lang,
        *,
        repeat: str = "duplicate",
    ) -> None:
        self.refused = refused
        self._staged = staged
        self._lang = lang
        self._reasons = {line: say(f"reason.{key}", lang) for line, key in refused.items()}
        for item in repeated:
            self._reasons[item.line] = say(f"reason.{repeat}", lang, name=item.name, line=item.kept)

    def rows(self) -> Iterator[tuple[int, str, str]]:
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
        told = [
            say("ingest.problem", self._lang, line=line, reason=reason, raw=_short(raw))
            for line, reason, raw in islice(self.rows(), SHOWN)
        ]
        more = len(self._reasons) - len(told)
        if more > 0:
            told.append(say("ingest.more_problems", self._lang, count=format_number(more, self._lang)))
        return told

    def _raw(self, line: str, lines: Lines) -> str:
        text = line
        while lines.number + 1 in self._staged.continued:
            text += "".join(lines.peek(1))
            lines.drop(1)
        return sanitize(text.rstrip("\n"), keep_newlines=False)


def _short(text: str) -> str:
    return text if len(text) <= MAX_RAW else f"{text[:MAX_RAW]}…"


def write_errors(path: Path, problems: Problems) -> None:
    """Write all problems to `path` as CSV: line, reason, raw. Raises InputError `csv.errors_file`."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("line", "reason", "raw"))
            writer.writerows(problems.rows())
    except OSError as error:
        raise InputError("csv.errors_file", path=path, reason=error.strerror or error) from error
