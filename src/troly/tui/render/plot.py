"""A line chart of dots: four rows of dots and two columns in each cell, with the range at its left."""

from __future__ import annotations

from collections.abc import Iterator

from troly.plugin.events import Chart
from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize
from troly.tui.render.figures import number
from troly.tui.render.spans import Line, Span, clip, line, pad, width_of

HEIGHT = 8
# Dots of one braille cell, by column and row; the characters begin at U+2800.
BRAILLE = 0x2800
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
# Apart in weight, so that they can be told apart without colours.
STYLES = ("accent", "dim", "strong")


def plot_lines(card: Chart, width: int, lang: Lang) -> list[Line]:
    """The series of `card` over its labels in at most `width` cells; missing values leave a gap."""
    values = [value for series in card.series for value in series.values if value == value]  # noqa: PLR0124 (NaN)
    if not values:
        return []
    low, high = min(0.0, *values), max(0.0, *values)
    high = high if high > low else low + 1.0
    marks = [number(high, lang), number(low, lang)]
    left = max(len(mark) for mark in marks) + 1
    room = max(4, width - left - 1)
    layers = [_cells(series.values, room, low, high) for series in card.series[: len(STYLES)]]
    lines = []
    for row in range(HEIGHT):
        mark = marks[0] if row == 0 else marks[1] if row == HEIGHT - 1 else ""
        head = (*pad(line(Span(mark, "dim")), left - 1, right=True), Span("┤" if mark else "│", "dim"))
        lines.append((*head, *_row([layer[row] for layer in layers])))
    return [*lines, _feet(card, left, room)]


def _cells(values: tuple[float, ...], room: int, low: float, high: float) -> list[list[int]]:
    """The dots of one series as one number a cell, row by row."""
    cells = [[0] * room for _ in range(HEIGHT)]
    wide, tall = room * 2 - 1, HEIGHT * 4 - 1
    for x, value in _points(values, wide):
        y = round((high - value) / (high - low) * tall)
        cells[y // 4][x // 2] |= DOTS[x % 2][y % 4]
    return cells


def _points(values: tuple[float, ...], wide: int) -> Iterator[tuple[int, float]]:
    """The points, and a value for each column of dots on straight lines between them."""
    last = len(values) - 1
    yield from ((round(at / max(1, last) * wide), value) for at, value in enumerate(values) if value == value)  # noqa: PLR0124 (NaN)
    for x in range(wide + 1):
        place = x / wide * last
        at = min(int(place), last - 1) if last else 0
        one, other = values[at], values[min(at + 1, last)]
        value = one + (other - one) * (place - at)
        if value == value:  # noqa: PLR0124 (NaN)
            yield x, value


def _row(layers: list[list[int]]) -> Line:
    """One row: where lines cross, the first series is seen."""
    spans: list[Span] = []
    for cells in zip(*layers, strict=True):
        owner = next((index for index, dots in enumerate(cells) if dots), None)
        text = " " if owner is None else chr(BRAILLE + cells[owner])
        spans.append(Span(text, "" if owner is None else STYLES[owner]))
    return tuple(spans)


def _feet(card: Chart, left: int, room: int) -> Line:
    """The first and the last label below the ends."""
    first, last = (
        clip(sanitize(label), max(3, room // 2 - 1)) for label in (card.labels[0], card.labels[-1])
    )
    gap = room - width_of(line(first)) - width_of(line(last))
    return line(" " * left, Span(first, "dim"), " " * max(1, gap), Span(last, "dim"))
