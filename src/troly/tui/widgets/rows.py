"""A view that paints the rows that changed and no others, and works out each row once."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple, Self

from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from troly.tui.render.spans import Line
from troly.tui.widgets.lines import LinesView, strip_of


class Row(NamedTuple):
    """What one row of a view shows: line `number` with `text` after `lead`, and which of its cells are selected."""

    number: int
    lead: Line
    text: Line | None
    selected: tuple[int, int] | None = None


class RowsView(LinesView):
    """Lines of which few change at a time; its style may have blanks at the sides, nothing else around the rows."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # The rows as they are shown; None when all of them are to be painted.
        self._shown: list[Row] | None = None
        self._strips: dict[Row, Strip] = {}
        self._dress: tuple[object, ...] = ()

    def row_at(self, y: int) -> Row:
        """What row `y` of the view shows."""
        number = round(self.scroll_y) + y
        return Row(number, (), self.line_at(number), self.selected_at(number))

    def refresh(self, *regions: Region, **how: Any) -> Self:
        """Without a region, all rows are painted."""
        if not regions:
            self._shown = None
        return super().refresh(*regions, **how)

    def repaint_changed(self) -> None:
        """Paint the rows that show something else than before."""
        rows = [self.row_at(y) for y in range(self.size.height)]
        before, self._shown = self._shown, rows
        if before is None or len(before) != len(rows):
            super().refresh()
            return
        width = self.size.width
        runs = groupby(range(len(rows)), lambda y: rows[y] != before[y])
        for changed, run in runs:
            if changed:
                first, *rest = run
                super().refresh(Region(0, first, width, 1 + len(rest)))

    def paint(self, crop: Region) -> list[Strip]:
        """The rows in view; one that is shown already costs nothing."""
        width, padding = self.region.width, self.styles.padding
        self.ground = self.rich_style
        filters, background = self.get_line_filters(), self.background_colors[1]
        dress = (self.ground, self.palette, width, padding, tuple(filters), background)
        if dress != self._dress:
            self._dress, self._strips = dress, {}
        if self._shown is None or len(self._shown) != self.size.height:
            self._shown = [self.row_at(y) for y in range(self.size.height)]
        kept: dict[Row, Strip] = {}
        for row in self._shown:
            strip = self._strips.get(row)
            if strip is None:
                strip = self._strip(row, padding.left, width)
                for applied in filters:
                    strip = strip.apply_filter(applied, background)
            kept[row] = strip
        self._strips = kept
        strips = [kept[row] for row in self._shown[crop.y : crop.bottom]]
        return (
            strips if crop.column_span == (0, width) else [strip.crop(*crop.column_span) for strip in strips]
        )

    def render_line(self, y: int) -> Strip:
        """One row of the view."""
        return self._content(self.row_at(y))

    def _content(self, row: Row) -> Strip:
        lead = strip_of(row.lead, self.palette, self.ground)
        text = self.row_strip(row.number, row.text, self.size.width - lead.cell_length, row.selected)
        return Strip.join([lead, text])

    def _strip(self, row: Row, left: int, width: int) -> Strip:
        """A row with the blanks at its sides."""
        side = Style(bgcolor=self.ground.bgcolor)
        return Strip.join([Strip.blank(left, side), self._content(row)]).adjust_cell_length(width, side)
