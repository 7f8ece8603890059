"""How two panes share the screen, and the colours of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from troly.tui.theme import Palette

if TYPE_CHECKING:
    from textual.theme import Theme

    from troly.tui.controller import Controller
    from troly.tui.view import Pane

# The least room for two panes: beside each other, or one above the other.
COLUMNS, ROWS = 100, 32
# From so many columns the list of conversations has room beside two panes.
WITH_LIST = 150
NEUTRAL = "#8a8a8a"


def layout_of(width: int, height: int) -> Literal["beside", "stacked", ""]:
    """Where two panes stand on a screen of `width` x `height` cells; "" when there is room for one only."""
    if width >= COLUMNS:
        return "beside"
    return "stacked" if height >= ROWS and width >= COLUMNS // 2 else ""


def colours(theme: Theme, controller: Controller, pane: Pane) -> Palette:
    """The theme with the accent of the pane's assistant."""
    mode = controller.modes.get(pane.mode)
    return Palette(theme, mode.accent if mode else NEUTRAL)
