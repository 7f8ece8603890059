"""The actions of the app that have to do with panes and assistants; the app is one of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.text.catalogue import tr
from troly.tui.chat.screen import COLUMNS, ROWS, layout_of
from troly.tui.key_actions import KeyActions

if TYPE_CHECKING:
    from troly.text.catalogue import Lang
    from troly.tui.chat.view import Pane


class PaneActions(KeyActions):
    """Begin, show, close and split conversations; show another assistant."""

    def action_new(self) -> None:
        """Begin a new conversation."""
        self.controller.new_conversation()
        self.chat.leave_columns()

    def action_mode(self, mode: str) -> None:
        """Show the pane of a mode; of the shown mode its next pane."""
        self.controller.switch(mode)

    def action_place(self, place: int) -> None:
        """Show the pane of the mode at a place of the header."""
        names = list(self.controller.modes)
        if place <= len(names):
            self.controller.switch(names[place - 1])

    def action_step(self, by: int) -> None:
        """Show the pane of a neighbouring mode."""
        self.controller.step(by)

    def action_next_pane(self, by: int = 1) -> None:
        """Show the open conversation `by` places further in the row."""
        if len(self.controller.panes) == 1:
            self._say_of_panes("ui.pane.one")
        self.controller.show(self.controller.tabs.beside(by))

    def action_pane(self, key: int) -> None:
        """Show the open conversation with a key, where it still is open."""
        pane = next((pane for pane in self.controller.panes if pane.key == key), None)
        if pane is not None:
            self.controller.show(pane)

    def action_pane_number(self, number: int) -> None:
        """Show the open conversation at a place of the row, 1 for the first."""
        from troly.tui.chat.bars import tabs_of

        row = tabs_of(self.controller)
        if 1 <= number <= len(row):
            self.controller.show(row[number - 1])
        else:
            self._say_of_panes("ui.pane.no_number", number=number)

    def action_panes(self) -> None:
        """Choose among the open conversations by a piece of the title, or by number."""
        from troly.tui.dialogs.palette import PaletteScreen, pane_commands

        if self.screen is self.chat:
            self.push_screen(
                PaletteScreen(pane_commands(self.controller), self.controller.language), self._run_chosen
            )

    def action_close(self) -> None:
        """Close the conversation; what is being written goes on, and it can be opened again."""
        controller, pane = self.controller, self.controller.pane
        running, empty = pane.running, pane.empty and not self.chat.prompt.text.strip()
        controller.close()
        if not empty:
            title = _title(pane, controller.language)
            told = "ui.pane.closed_running" if running else "ui.pane.closed"
            self._say_of_panes(told, title=title, key=self.keymap.press("reopen"))

    def action_reopen(self) -> None:
        """Show the conversation that was closed last."""
        if self.controller.reopen() is None:
            self._say_of_panes("ui.pane.none_closed")

    def action_split(self) -> None:
        """Show two conversations, or one again."""
        self.controller.split()
        size = self.size
        if len(self.controller.tabs.sides) > 1 and not layout_of(size.width, size.height):
            self._say_of_panes("ui.pane.no_room", columns=COLUMNS, rows=ROWS)

    def action_turn(self) -> None:
        """Give the input to the other side; with one conversation shown, go to the one before."""
        tabs = self.controller.tabs
        if len(tabs.sides) > 1:
            self.controller.turn()
        elif len(tabs.recent) > 1:
            self.controller.show(tabs.recent[1])
        else:
            self._say_of_panes("ui.pane.one")

    def finished(self, pane: Pane) -> None:
        """Say quietly that an answer is complete that nobody sees."""
        self._say_of_panes("ui.pane.finished", title=_title(pane, self.controller.language))

    def _say_of_panes(self, sentence: str, **values: object) -> None:
        self.notify(tr(sentence, self.controller.language, **values), markup=False, timeout=4)


def _title(pane: Pane, language: Lang) -> str:
    from troly.tui.chat.bars import title_of

    return title_of(pane, language)
