"""The actions of the app that have to do with one message; the app is one of these."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from textual.app import App

from troly.text.catalogue import tr
from troly.tui.chat.view import trouble_of
from troly.tui.terminal import may_be_refused

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp
    from troly.tui.chat.controller import Controller, Paging
    from troly.tui.chat.screen import ChatScreen
    from troly.tui.chat.transcript import Transcript
    from troly.tui.chat.view import MessageView

SHORT, LONG = 3, 8


class MessageActions(App[int]):
    """Copy, save, quote, edit, ask again, continue, copy code, find. Meant is the chosen message, else the last answer."""

    controller: Controller
    chat: ChatScreen
    _paging: Paging | None = None
    _last_code: tuple[int, int] = (0, -1)

    # Going there.

    def on_transcript_near_top(self, event: Transcript.NearTop) -> None:
        """The reader comes near older messages."""
        self.paging().fetch(event.pane)

    def paging(self) -> Paging:
        """What loads older messages."""
        if self._paging is None:
            from troly.tui.chat.controller import Paging

            self._paging = Paging(self.controller, self._tell)
        return self._paging

    def action_messages(self) -> None:
        """Give the keys to the messages, or back to the input."""
        transcript = self.chat.transcript
        if transcript.has_focus or not self.controller.pane.messages:
            self.chat.prompt.focus()
        else:
            transcript.focus()

    def action_find(self) -> None:
        """Look for words in the shown conversation."""
        from troly.tui.chat.find import open_find_bar

        if self.screen is self.chat and self.controller.pane.messages:
            open_find_bar(cast("TrolyApp", self))

    def meant(self, key: int = 0) -> MessageView | None:
        """The message `key`, else the chosen one, else the last answer."""
        pane, transcript = self.controller.pane, self.chat.transcript
        if key:
            return next((view for view in pane.messages if view.key == key), None)
        return transcript.chosen_view or pane.last_answer or (pane.messages[-1] if pane.messages else None)

    def action_message(self, what: str, key: int = 0) -> None:
        """Do `what` with a message: menu, copy, save, quote, edit, again, continue, code or wrong."""
        view = self.meant(key)
        acts = {
            "menu": self._menu, "copy": self._copy, "save": self._save, "quote": self._quote, "edit": self._edit,
            "again": self._again, "continue": self._continue, "code": self.copy_next_code,
            "wrong": cast("TrolyApp", self).ask_wrong,
        }  # fmt: skip
        if view is not None and what in acts:
            acts[what](view)

    def _menu(self, view: MessageView) -> None:
        from troly.tui.dialogs.message_menu import MessageMenu

        if self.screen is not self.chat:
            return
        self.chat.transcript.choose(view.key)

        def chosen(what: str | None) -> None:
            if not self.chat.transcript.has_focus:
                self.chat.transcript.choose(0)
            if what == "find":
                self.action_find()
            elif what:
                self.action_message(what, view.key)

        found = cast("TrolyApp", self)
        self.push_screen(MessageMenu(view, found.keymap, self.controller.language), chosen)

    # What can be done.

    def copy_text(self, text: str, said: str) -> None:
        """Copy `text` and say so; where the terminal may not take it, it is saved as well."""
        self.copy_to_clipboard(text)
        if not may_be_refused(text, os.environ):
            self._tell(said, SHORT)
            return
        lang = self.controller.language
        self.controller.house.keep(
            text, tr("ui.act.file", lang), lambda path: self._saved(path, "ui.act.copied_and_saved")
        )

    def _copy(self, view: MessageView) -> None:
        from troly.tui.render.message import message_text

        lang = self.controller.language
        text = message_text(view, lang)
        if text:
            self.copy_text(text, tr("ui.act.copied", lang))
        else:
            self._tell(tr("ui.act.nothing", lang), SHORT)

    def _save(self, view: MessageView) -> None:
        from troly.tui.render.message import message_text

        lang = self.controller.language
        text = message_text(view, lang)
        if not text:
            self._tell(tr("ui.act.nothing", lang), SHORT)
            return
        title = view.text.strip().partition("\n")[0][:60] or tr("ui.act.file", lang)
        self.controller.house.keep(text + "\n", title, lambda path: self._saved(path, "ui.act.saved"))

    def _saved(self, path: str | Exception, said: str) -> None:
        if isinstance(path, Exception):
            trouble = trouble_of(path, self.controller.language)
            self.notify(" ".join(part for part in trouble if part), severity="error", markup=False)
        else:
            self._tell(tr(said, self.controller.language, file=path), LONG)

    def _quote(self, view: MessageView) -> None:
        from troly.tui.render.message import message_text, quoted

        prompt = self.chat.prompt
        text = quoted(self.screen.get_selected_text() or message_text(view, self.controller.language))
        above = f"{prompt.text.rstrip()}\n" if prompt.text.strip() else ""
        prompt.put(f"{above}{text}\n")
        prompt.focus()

    def _edit(self, view: MessageView) -> None:
        prompt, before = self.chat.prompt, self.chat.prompt.text
        if not self.controller.edit(view.key):
            self._tell(tr("ui.act.no_question", self.controller.language), SHORT)
            return
        if before.strip() and before != prompt.text:
            prompt.earlier = [*prompt.earlier, before]
            self._tell(tr("ui.act.kept_draft", self.controller.language), LONG)
        prompt.focus()

    def _again(self, view: MessageView) -> None:
        if not self.controller.again(view.key):
            self._tell(tr("ui.act.no_question", self.controller.language), SHORT)
            return
        self._ask_shown()

    def _continue(self, view: MessageView) -> None:
        """Put the same question once more, with the wish to go on: a model has the unfinished answer before it.

        Nothing of the answer is repeated in the question: what a model wrote must not be taken for what a person asks.
        Rules know no wishes: where no model wrote or none is there, the question is asked as it was.
        """
        question = self.controller.question_before(view.key)
        lang = self.controller.language
        if view.state not in ("stopped", "failed"):
            self._tell(tr("ui.act.whole", lang, key=self._again_key()), SHORT)
        elif question is None:
            self._tell(tr("ui.act.no_question", lang), SHORT)
        else:
            from troly.conversation.commands import continuation

            by_model = view.calls > 0 and self.controller.health.up
            self.controller.submit(continuation(question.text) if by_model else question.text)
            self._ask_shown()

    def _again_key(self) -> str:
        """The key that asks again from where one is."""
        keymap = cast("TrolyApp", self).keymap
        name = "transcript_again" if self.chat.transcript.has_focus else "again"
        return keymap.press(name) or "/again"

    def _ask_shown(self) -> None:
        self.chat.transcript.choose(0)
        self.chat.transcript.to_end()
        self.chat.prompt.focus()

    def copy_next_code(self, view: MessageView) -> None:
        """Copy a block of code of the message; each time the next one."""
        key, last = self._last_code
        self.copy_code(view, last + 1 if key == view.key else 0)

    def copy_code(self, view: MessageView, number: int, part: int | None = None) -> None:
        """Copy the block of code `number` from 0, of one part where given."""
        from troly.tui.chat.view import TextPart
        from troly.tui.render.markdown import code_blocks

        lang = self.controller.language
        parts = view.parts if part is None else view.parts[part : part + 1]
        blocks = [code for p in parts if isinstance(p, TextPart) for _, code in code_blocks(p.text)]
        if not blocks:
            self._tell(tr("ui.code.none", lang), SHORT)
            return
        number %= len(blocks)
        self._last_code = (view.key, number)
        self.copy_text(blocks[number], tr("ui.code.copied", lang, number=number + 1, count=len(blocks)))

    def _tell(self, text: str, seconds: float = LONG) -> None:
        self.notify(text, markup=False, timeout=seconds)
