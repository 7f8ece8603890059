"""Asks for the title of a conversation."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from troly.text.catalogue import Lang, tr
from troly.tui.keymap import bindings
from troly.tui.widgets.text_input import TypingInput

LONGEST = 200


class RenameScreen(ModalScreen[str]):
    """Gives back the new title, or "" when it was left."""

    CSS_PATH = "../styles/above.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("dialog"), Binding("escape", "leave", show=False)]

    def __init__(self, title: str, lang: Lang) -> None:
        super().__init__()
        self._title = title
        self._lang: Lang = lang

    def compose(self) -> ComposeResult:
        """A line that asks, an input with the title as it is, the keys."""
        with Vertical(id="palette"):
            yield Static(tr("ui.rename.ask", self._lang), classes="title", markup=False)
            yield TypingInput(self._title, compact=True, max_length=LONGEST, select_on_focus=True)
            yield Static(tr("ui.rename.keys", self._lang), id="keys", markup=False)

    def on_input_submitted(self, event: TypingInput.Submitted) -> None:
        """Take the title."""
        self.dismiss(event.value)

    def action_leave(self) -> None:
        """Leave the title as it is."""
        self.dismiss("")
