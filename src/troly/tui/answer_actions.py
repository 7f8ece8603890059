"""The actions of the app that have to do with questions and answers; the app is one of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import App

from troly.text.catalogue import tr
from troly.tui.keymap import keymap_of

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.screen import ChatScreen


class AnswerActions(App[int]):
    """Stop, ask again, edit, copy, open the table of an answer."""

    controller: Controller
    chat: ChatScreen

    def action_stop(self) -> None:
        """Esc: close what lies above, else stop the answer, else go back to the input."""
        if self.chat.leave_columns() or self.controller.stop():
            return
        self.chat.prompt.focus()

    def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected, stop the answer, or say how to quit."""
        if selected := self.screen.get_selected_text():
            self.copy_to_clipboard(selected)
            self.notify(tr("ui.trouble.copied", self.controller.language), markup=False, timeout=2)
        elif not self.controller.stop():
            self.notify(
                tr("ui.trouble.how_to_quit", self.controller.language, key=keymap_of(self).press("quit")),
                markup=False,
                timeout=3,
            )

    def action_again(self) -> None:
        """Ask the last question again."""
        self.controller.again()

    def action_edit(self) -> None:
        """Put the last question into the input."""
        self.controller.edit()

    def action_newest(self) -> None:
        """Go to the end of the conversation."""
        self.chat.transcript.to_end()

    def action_copy_answer(self) -> None:
        """Copy the last answer as it was written."""
        answer = self.controller.pane.last_answer
        if answer is not None and answer.text:
            from troly.text.sanitize import sanitize

            self.copy_to_clipboard(sanitize(answer.text))
            self.notify(tr("ui.trouble.copied", self.controller.language), markup=False, timeout=2)

    def action_grid(self) -> None:
        """Open the newest table of the conversation as a grid."""
        from troly.tui.pressed import last_grid

        if self.screen is self.chat and not last_grid(cast("TrolyApp", self)):
            self.notify(tr("ui.grid.none", self.controller.language), markup=False, timeout=3)

    def action_suggested(self, index: int) -> None:
        """Ask one of the questions that the last answer offers."""
        from troly.tui.chat.prompt import Prompt
        from troly.tui.pressed import suggested

        offered = suggested(self.controller)
        if index < len(offered):
            self.post_message(Prompt.Sent(offered[index]))
