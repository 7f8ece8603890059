"""Pasted text above the chat, to read and edit before it is sent."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from troly.config.actions import Place
from troly.text.catalogue import Lang, tr
from troly.tui.keymap import bindings
from troly.tui.widgets.dialog import Dialog
from troly.tui.widgets.text_input import TypingArea

# Wrapping a longer text at every key would be felt.
MOST_WRAPPED = 50_000


class PasteScreen(Dialog[str]):
    """Gives back the text as it was left."""

    PLACE: ClassVar[Place] = "paste"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("paste")]

    def __init__(self, text: str, keys: str, lang: Lang) -> None:
        super().__init__()
        self._text = text
        self._keys = keys
        self._lang: Lang = lang

    def compose(self) -> ComposeResult:
        with Vertical(id="grid", classes="-paste"):
            yield Static(tr("ui.paste.title", self._lang), id="title", markup=False)
            yield TypingArea(
                self._text, soft_wrap=len(self._text) <= MOST_WRAPPED, compact=True, tab_behavior="focus"
            )
            yield Static(tr("ui.paste.keys", self._lang, keys=self._keys), id="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(TypingArea).focus()

    def action_leave(self) -> None:
        self.dismiss(self.query_one(TypingArea).text)
