"""Tables as styled lines: columns measured in cells, the widest ones narrowed and folded when room is short."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from troly.tui.render.spans import Line, Span, pad, restyled, width_of, wrap

Cell = Sequence[Span]
GAP = 2
NARROWEST = 4
# A word of up to this many cells (a date, a serial, a price) is not broken to make a column narrower.
WHOLE_WORD = 12


def table_lines(
    head: Sequence[Cell], rows: Sequence[Sequence[Cell]], width: int, right: Collection[int] = ()
) -> list[Line]:
    """A head, a rule and rows in at most `width` cells where that is possible; `right` are right-aligned columns.

    Words keep whole where they can. A table too narrow for that is written as one `name: value` line a cell.
    """
    count = max([len(head), *(len(row) for row in rows)])
    if not count:
        return []
    grid = [[list(row[i]) if i < len(row) else [] for i in range(count)] for row in (head, *rows)]
    room = width - GAP * (count - 1)
    least = [max(NARROWEST, *(_longest_word(row[i]) for row in grid)) for i in range(count)]
    natural = [
        max(1, *(width_of(text) for row in grid for text in wrap(row[i], 10_000))) for i in range(count)
    ]
    least = [min(word, wanted) for word, wanted in zip(least, natural, strict=True)]
    if sum(least) > room:
        return _records(grid[0], grid[1:], width)
    widths = _fit(natural, least, room)
    lines = [restyled(text, "strong") for text in _row(grid[0], widths, right)]
    lines.append((Span("─" * (sum(widths) + GAP * (count - 1)), "rule"),))
    for row in grid[1:]:
        lines.extend(_row(row, widths, right))
    return lines


def _longest_word(cell: Cell) -> int:
    words = "".join(span.text for span in cell).split()
    return min(WHOLE_WORD, max((width_of((Span(word),)) for word in words), default=1))


def _fit(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widths: the widest are lowered to one level until all fit, but none below its `least`."""

    def at(level: int) -> list[int]:
        return [max(floor, min(wanted, level)) for wanted, floor in zip(natural, least, strict=True)]

    low, high = 1, max(natural)
    while low < high:
        level = (low + high + 1) // 2
        low, high = (level, high) if sum(at(level)) <= room else (low, level - 1)
    widths = at(low)
    spare = room - sum(widths)
    for index, wanted in enumerate(natural):
        if spare > 0 and wanted > widths[index]:
            widths[index] += 1
            spare -= 1
    return widths


def _row(cells: Sequence[Cell], widths: Sequence[int], right: Collection[int]) -> list[Line]:
    columns = [wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for y in range(max(len(column) for column in columns)):
        spans: list[Span] = []
        for index, (column, width) in enumerate(zip(columns, widths, strict=True)):
            if index:
                spans.append(Span(" " * GAP))
            spans.extend(pad(column[y] if y < len(column) else (), width, right=index in right))
        lines.append(tuple(spans))
    return lines


def _records(head: Sequence[Cell], rows: Sequence[Sequence[Cell]], width: int) -> list[Line]:
    lines: list[Line] = []
    for row in rows:
        if lines:
            lines.append((Span("─" * min(width, 12), "rule"),))
        for name, value in zip(head, row, strict=True):
            lines.extend(wrap([*restyled(tuple(name), "strong"), Span(": "), *value], width))
    return lines
