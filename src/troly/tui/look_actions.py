"""The actions of the app that change what is seen: columns, language, theme, and what opens above the chat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from troly.text.catalogue import LANGS
from troly.tui.theme import Palette, theme_name

if TYPE_CHECKING:
    from troly.tui.controller import Controller
    from troly.tui.screens.chat import ChatScreen

NEUTRAL = "#8a8a8a"


class LookActions(App[int]):
    """Language, theme, the two columns, the palette of commands, the help."""

    controller: Controller
    chat: ChatScreen

    def colours(self) -> Palette:
        """The theme with the accent of the shown mode."""
        mode = self.controller.modes.get(self.controller.pane.mode)
        return Palette(self.current_theme, mode.accent if mode else NEUTRAL)

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

    def action_palette(self) -> None:
        """Open the command palette."""
        from troly.tui.commands import commands
        from troly.tui.screens.palette import PaletteScreen

        if self.screen is self.chat:
            self.push_screen(
                PaletteScreen(commands(self.controller), self.controller.language), self._run_chosen
            )

    async def _run_chosen(self, action: str | None) -> None:
        if action:
            await self.run_action(action)

    def action_help(self) -> None:
        """Show the keys."""
        from troly.tui.screens.help import HelpScreen

        if self.screen is self.chat:
            self.push_screen(HelpScreen(self.colours(), self.controller.language))
