"""A list to choose from in a box above the chat, as high as its entries while the rest of the box keeps its room."""

from __future__ import annotations

from textual.geometry import Size
from textual.widgets import OptionList

# Rows that the box needs beside the list, and the most that a list is high: the eye should find its entries at once.
BESIDE, MOST = 11, 24


def move_choice(options: OptionList, by: int) -> None:
    """Choose the entry below (`by` > 0) or above the chosen one, while the keys stay in an input."""
    if by > 0:
        options.action_cursor_down()
    else:
        options.action_cursor_up()


class ShortList(OptionList):
    """Scrolls where there are more entries than rows."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height of the entries, as far as there is room."""
        room = max(3, min(MOST, viewport.height - BESIDE))
        return min(room, super().get_content_height(container, viewport, width))
