"""Marks the words that are looked for in the lines of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from troly.text.fold import fold, fold_in_place, span_in_place
from troly.tui.render.spans import Line, plain

if TYPE_CHECKING:
    from troly.tui.render.ledger import Ledger

# Signs that are only drawn (of Markdown in a source, of frames in a line) part no words that are looked for.
_DRAWN = str.maketrans(dict.fromkeys("*_`~#|>▌│•▸▾─●○◐■"))


def looked_for(text: str) -> str:
    """`text` as it is compared: folded, without drawn signs, with single blanks."""
    return " ".join(fold(text).translate(_DRAWN).split())


class Found(NamedTuple):
    """A piece of a match: characters `start:end` of line `row`; `number` counts the matches of a message from 0."""

    row: int
    start: int
    end: int
    number: int


def find_in_lines(lines: Sequence[Line], wanted: str, first: int = 0) -> list[Found]:
    """Where `wanted` (see `looked_for`) stands in the lines from row `first` on, also across two lines."""
    letters: list[str] = []
    places: list[tuple[int, int, int]] = []
    for row in range(first, len(lines)):
        text = plain(lines[row])
        folded, offsets = fold_in_place(text)
        for at, letter in enumerate(folded):
            kept = " " if letter.isspace() else letter.translate(_DRAWN)
            if kept and not (kept == " " and letters and letters[-1] == " "):
                letters.append(kept)
                places.append((row, *span_in_place(offsets, len(text), at, at + 1)))
        if letters and letters[-1] != " ":
            letters.append(" ")
            places.append((row, len(text), len(text)))
    joined, found, at = "".join(letters), [], 0
    number = 0
    while wanted and (at := joined.find(wanted, at)) >= 0:
        found += _pieces(places[at : at + len(wanted)], number)
        at, number = at + len(wanted), number + 1
    return found


def _pieces(places: Sequence[tuple[int, int, int]], number: int) -> list[Found]:
    """One piece for each line that a match stands in."""
    rows: dict[int, tuple[int, int]] = {}
    for row, start, end in places:
        begun = rows.get(row)
        rows[row] = (begun[0], max(begun[1], end)) if begun else (start, end)
    return [Found(row, start, end, number) for row, (start, end) in rows.items() if end > start]


def styled(spans: Line, start: int, end: int, style: str) -> Line:
    """The line with `style` on its characters `start:end`."""
    found, at = [], 0
    for span in spans:
        cuts = [0, *sorted({max(0, min(len(span.text), cut - at)) for cut in (start, end)}), len(span.text)]
        for left, right in pairwise(cuts):
            if right > left:
                inside = start <= at + left and at + right <= end
                piece = span._replace(text=span.text[left:right])
                found.append(piece._replace(style=f"{span.style} {style}".strip()) if inside else piece)
        at += len(span.text)
    return tuple(found)


class Marks:
    """The matches of `wanted` in what is painted; `current` is the message and the number of the chosen match."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.current = (0, -1)
        self._found: dict[int, tuple[object, list[Found]]] = {}

    def of(self, ledger: Ledger, key: int) -> list[Found]:
        """The matches in one message; rows count from its first line."""
        lines = ledger.lines_of(key)
        kept = self._found.get(key)
        if kept is None or kept[0] is not lines:
            index = ledger.index_of(key)
            head = 0 if index is None else ledger.head(index) - ledger.first_row(key)
            kept = self._found[key] = (lines, find_in_lines(lines, self.wanted, head + 1))
        return kept[1]

    def paint(self, ledger: Ledger, row: int, text: Line) -> Line:
        """The line of `row` with its matches marked."""
        view = ledger.message_at(row)
        if view is None:
            return text
        mine = row - ledger.first_row(view.key)
        for piece in self.of(ledger, view.key):
            if piece.row == mine:
                chosen = (view.key, piece.number) == self.current
                text = styled(text, piece.start, piece.end, "found-here" if chosen else "found")
        return text
