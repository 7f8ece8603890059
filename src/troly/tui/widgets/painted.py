"""Widgets that are worked out once for each change: the framework asks all of them again whatever changes on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Container, Horizontal, Vertical
from textual.geometry import Region
from textual.strip import Strip

if TYPE_CHECKING:
    from textual.widget import Widget
else:
    # The framework takes styles from the first base that is a widget: that is the one this is mixed into.
    Widget = object


class PaintedOnce(Widget):
    """Keeps the rows that were asked for until something of the widget changes."""

    _rows_kept: tuple[Region, list[Strip]] | None = None

    def _set_dirty(self, *regions: Region) -> None:
        self._rows_kept = None
        super()._set_dirty(*regions)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in view."""
        if self._rows_kept is None or self._rows_kept[0] != crop:
            self._rows_kept = crop, self.paint(crop)
        return self._rows_kept[1]

    def paint(self, crop: Region) -> list[Strip]:
        """Work out the rows in view."""
        return super().render_lines(crop)


class PaintedContainer(PaintedOnce, Container):
    """A container of which little is seen."""


class PaintedHorizontal(PaintedOnce, Horizontal):
    """Parts side by side."""


class PaintedVertical(PaintedOnce, Vertical):
    """Parts one below another."""
