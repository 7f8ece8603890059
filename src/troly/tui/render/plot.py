"""A line chart drawn with the lines that every font has, with the range at its left."""

from __future__ import annotations

from troly.plugin.events import Chart
from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize
from troly.tui.render.figures import number
from troly.tui.render.spans import Line, Span, clip, line, pad, width_of

HEIGHT = 8
# Apart in weight, so that they can be told apart without colours.
STYLES = ("accent", "dim", "strong")
Cells = list[list[str]]


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
        head = (*pad(line(Span(mark, "dim")), left - 1, right=True), Span("┤" if mark else "│", "rule"))
        lines.append((*head, *_row([layer[row] for layer in layers])))
    return [*lines, _feet(card, left, room)]


def _cells(values: tuple[float, ...], room: int, low: float, high: float) -> Cells:
    """The characters of one series, row by row: each column joins its value to that of the column before."""

    def row_of(value: float) -> int:
        return round((high - value) / (high - low) * (HEIGHT - 1))

    cells = [[" "] * room for _ in range(HEIGHT)]
    before: int | None = None
    for x in range(room):
        value = _at(values, x / max(1, room - 1))
        if value != value:  # noqa: PLR0124 (NaN)
            before = None
            continue
        row = row_of(value)
        if before is None or before == row:
            cells[row][x] = "─"
        else:
            cells[before][x], cells[row][x] = "╯╭" if row < before else "╮╰"
            _rise(cells, x, before, row)
        before = row
    for at, value in enumerate(values):
        # No point is lost where there are more of them than columns.
        x = round(at / max(1, len(values) - 1) * (room - 1))
        drawn = [row for row in range(HEIGHT) if cells[row][x] != " "]
        if value == value and drawn and not drawn[0] <= (row := row_of(value)) <= drawn[-1]:  # noqa: PLR0124 (NaN)
            cells[row][x] = "│"
            _rise(cells, x, row, drawn[0] if row < drawn[0] else drawn[-1])
    return cells


def _rise(cells: Cells, x: int, one: int, other: int) -> None:
    for between in range(min(one, other) + 1, max(one, other)):
        cells[between][x] = "│"


def _at(values: tuple[float, ...], share: float) -> float:
    """The value at `share` (0 to 1) of the way, on straight lines between the points."""
    place = share * (len(values) - 1)
    at = min(int(place), max(0, len(values) - 2))
    if place == at:
        return values[at]
    return values[at] + (values[at + 1] - values[at]) * (place - at)


def _row(layers: Cells) -> Line:
    """One row: where lines cross, the first series is seen."""
    spans: list[Span] = []
    for cells in zip(*layers, strict=True):
        owner = next((index for index, sign in enumerate(cells) if sign != " "), None)
        spans.append(Span(" ") if owner is None else Span(cells[owner], STYLES[owner]))
    return tuple(spans)


def _feet(card: Chart, left: int, room: int) -> Line:
    """The first and the last label below the ends."""
    first, last = (
        clip(sanitize(label), max(3, room // 2 - 1)) for label in (card.labels[0], card.labels[-1])
    )
    gap = room - width_of(line(first)) - width_of(line(last))
    return line(" " * left, Span(first, "dim"), " " * max(1, gap), Span(last, "dim"))
