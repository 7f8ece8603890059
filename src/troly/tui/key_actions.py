"""The actions of the app that have to do with keys and commands, and the keys in force; the app is one of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from troly.tui.keymap import Keymap, teach_alt_keys
from troly.tui.look_actions import LookActions
from troly.tui.paste_reading import teach_paste

if TYPE_CHECKING:
    from troly.config.actions import Place


class KeyActions(LookActions):
    """The palette of all commands, and the help that begins with where one is."""

    keymap = Keymap()

    def take_keys(self, changed: Mapping[str, str] | None = None) -> None:
        """Use the keys that the user changed, by action name."""
        self.keymap = Keymap(changed)
        teach_alt_keys(self.keymap.all())
        teach_paste()
        self.set_keymap(self.keymap.overrides())

    def places(self) -> list[Place]:
        """Where the keys go now, the innermost first."""
        if self.screen is not self.chat:
            return [getattr(self.screen, "PLACE", "dialog")]
        from troly.tui.chat.find import FindBar

        chat, focused = self.chat, self.focused
        if focused is not None and isinstance(focused.parent, FindBar):
            return ["find", "chat"]
        inner: dict[object, Place] = {
            chat.list: "list",
            chat.evidence: "evidence",
            chat.transcript: "transcript",
        }
        return [inner.get(focused, "prompt"), "chat"]

    def action_palette(self) -> None:
        """Open the command palette."""
        from troly.tui.dialogs.palette import PaletteScreen, commands

        if self.screen is self.chat:
            offered = commands(self.controller, self.keymap)
            self.push_screen(PaletteScreen(offered, self.controller.language), self._run_chosen)

    async def _run_chosen(self, action: str | None) -> None:
        if action:
            await self.run_action(action)

    def action_help(self) -> None:
        """Show the keys, those of where one is first."""
        from troly.tui.dialogs.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            lang = self.controller.language
            self.push_screen(HelpScreen(self.colours(), self.keymap.help(self.places(), lang)))
