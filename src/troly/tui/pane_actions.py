"""The actions of the app that have to do with panes and assistants; the app is one of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

if TYPE_CHECKING:
    from troly.tui.controller import Controller
    from troly.tui.screens.chat import ChatScreen


class PaneActions(App[int]):
    """Begin a conversation, show another pane or another assistant."""

    controller: Controller
    chat: ChatScreen

    def action_new(self) -> None:
        """Begin a new conversation."""
        self.controller.new_conversation()
        self.chat.leave_columns()

    def action_mode(self, mode: str) -> None:
        """Show the pane of a mode."""
        self.controller.switch(mode)

    def action_place(self, place: int) -> None:
        """Show the pane of the mode at a place of the header."""
        names = list(self.controller.modes)
        if place <= len(names):
            self.controller.switch(names[place - 1])

    def action_step(self, by: int) -> None:
        """Show the pane of a neighbouring mode."""
        self.controller.step(by)
