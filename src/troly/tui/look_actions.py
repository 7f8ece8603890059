"""The actions of the app that change what is seen: columns, language, theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from troly.text.catalogue import LANGS
from troly.tui.sides import colours
from troly.tui.theme import Palette, theme_name

if TYPE_CHECKING:
    from troly.tui.controller import Controller
    from troly.tui.screens.chat import ChatScreen


class LookActions(App[int]):
    """Language, theme, the two columns."""

    controller: Controller
    chat: ChatScreen

    def colours(self) -> Palette:
        """The theme with the accent of the shown mode."""
        return colours(self.current_theme, self.controller, self.controller.pane)

    def action_language(self, language: str = "") -> None:
        """Speak a language; without one, the other."""
        other = next(lang for lang in LANGS if lang != self.controller.language)
        self.controller.speak(next((lang for lang in LANGS if lang == language), other))

    def action_theme(self, name: str) -> None:
        """Take a theme."""
        self.theme = theme_name(name)

    def action_list(self) -> None:
        """Show or hide the conversations; when shown they take the keys."""
        self.chat.toggle_list()

    def action_evidence(self) -> None:
        """Show or hide how the last answer came about."""
        self.chat.toggle_evidence()
