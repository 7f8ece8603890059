"""The action of the app that marks an answer as wrong, or takes that back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from troly.text.catalogue import tr
from troly.tui.chat.view import trouble_of

if TYPE_CHECKING:
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.screen import ChatScreen
    from troly.tui.chat.view import MessageView, Wrong


class WrongActions(App[int]):
    """What is meant is the answer that the evidence drawer shows: the chosen one, else the newest."""

    controller: Controller
    chat: ChatScreen

    def action_wrong(self) -> None:
        """Ask what is wrong with the answer."""
        self.ask_wrong(self.chat.evidence.answer)

    def ask_wrong(self, answer: MessageView | None) -> None:
        """The same of one answer."""
        if self.screen is not self.chat:
            return
        lang = self.controller.language
        if answer is None or not answer.turn:
            self._say(tr("ui.wrong.none", lang))
        elif not answer.finished:
            self._say(tr("ui.wrong.running", lang))
        else:
            from troly.tui.dialogs.wrong import WrongScreen

            self.push_screen(
                WrongScreen(self.chat.palette, lang, answer.wrong), lambda wrong: self._mark(answer, wrong)
            )

    def _mark(self, answer: MessageView, wrong: Wrong | None) -> None:
        if wrong is None:
            return
        from troly.tui.errands import MarkWrong, TakeBack

        house = self.controller.house
        if wrong.reason:
            house.errand(MarkWrong(answer.turn, wrong), lambda found: self._marked(answer, wrong, found))
        else:
            house.errand(TakeBack(answer.turn), lambda found: self._marked(answer, None, found))

    def _marked(self, answer: MessageView, wrong: Wrong | None, found: object) -> None:
        lang = self.controller.language
        if isinstance(found, Exception):
            self._say(" ".join(part for part in trouble_of(found, lang) if part))
            return
        answer.wrong = wrong
        answer.touch()
        self.controller.changed("pane", self.controller.pane)
        self.chat.evidence.relay()
        self._say(tr("ui.wrong.done", lang, file=found) if wrong else tr("ui.wrong.taken_back", lang))

    def _say(self, text: str) -> None:
        self.notify(text, markup=False, timeout=5)
