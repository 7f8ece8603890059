"""The base of what opens above the chat, and a list to choose from there while the keys stay in an input."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import OptionList

# Rows that the box needs beside the list, and the most that a list is high: the eye should find its entries at once.
BESIDE, MOST = 11, 24


class Dialog(ModalScreen[ScreenResultType]):
    """A box above the chat; `LEFT` is what it gives back when it is left."""

    CSS_PATH = Path(__file__).parents[1] / "styles" / "above.tcss"
    LEFT: ClassVar[Any] = None

    def action_leave(self) -> None:
        self.dismiss(self.LEFT)


class ListDialog(Dialog[ScreenResultType]):
    """One with a list: the arrows choose in it while what is typed goes to the input."""

    AUTO_FOCUS = "TypingInput"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
    ]

    def action_move(self, by: int) -> None:
        """Choose the entry below (`by` > 0) or above the chosen one."""
        options = self.query_one(OptionList)
        if by > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()


class ChoiceList(OptionList, can_focus=False):
    """The entries; the keys never go there."""


class ShortList(ChoiceList):
    """As high as its entries while the rest of the box keeps its room; scrolls where there are more entries than rows."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        room = max(3, min(MOST, viewport.height - BESIDE))
        return min(room, super().get_content_height(container, viewport, width))
