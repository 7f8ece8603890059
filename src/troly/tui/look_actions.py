"""The actions of the app that change what is seen: columns, language, theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App

from troly.text.catalogue import LANGS
from troly.text.sanitize import sanitize
from troly.tui.chat.screen import colours
from troly.tui.chat.view import trouble_of
from troly.tui.theme import Palette, theme_name

if TYPE_CHECKING:
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.screen import ChatScreen


class LookActions(App[int]):
    """Language, theme, the two columns."""

    controller: Controller
    chat: ChatScreen

    def notify(self, message: str, **more: Any) -> None:
        """Say something in passing; titles, files and errors in it are shown as text."""
        super().notify(sanitize(message), **{"markup": False, **more})

    def colours(self) -> Palette:
        """The theme with the accent of the shown mode."""
        return colours(self.current_theme, self.controller, self.controller.pane)

    def action_language(self, language: str = "") -> None:
        """Speak a language; without one, the other."""
        other = next(lang for lang in LANGS if lang != self.controller.language)
        chosen = next((lang for lang in LANGS if lang == language), other)
        self.controller.speak(chosen)
        self._keep(language=chosen)

    def action_theme(self, name: str) -> None:
        """Take a theme."""
        self.theme = theme_name(name)
        self._keep(theme=name)

    def _keep(self, theme: str | None = None, language: str | None = None) -> None:
        """The next start looks the same; where that cannot be kept it is said, and this one still does."""
        if not self.controller.opened:
            return
        from troly.tui.errands import KeepLook

        def kept(found: object) -> None:
            if isinstance(found, Exception):
                told = trouble_of(found, self.controller.language)
                self.notify(" ".join(part for part in told if part), markup=False, timeout=6)

        self.controller.house.errand(KeepLook(theme, language), kept)

    def action_list(self) -> None:
        """Show or hide the conversations; when shown they take the keys."""
        self.chat.toggle_list()

    def action_evidence(self) -> None:
        """Show or hide how the last answer came about."""
        self.chat.toggle_evidence()
