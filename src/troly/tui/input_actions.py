"""The actions of the app that have to do with the input: sending, typed commands, drafts, earlier messages, pasted text."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from textual.app import App

from troly.text.catalogue import tr
from troly.tui.chat.view import trouble_of

if TYPE_CHECKING:
    from textual.widgets import TextArea

    from troly.conversation.commands import ChatCommand
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.drafts import Drafting
    from troly.tui.chat.prompt import Prompt
    from troly.tui.chat.screen import ChatScreen
    from troly.tui.keymap import Keymap
    from troly.tui.port import HouseLike

# Drafts are written when nothing was typed for so long (seconds).
PAUSE = 0.7


class InputActions(App[int]):
    """What is written goes to the assistant, or is a command of the app."""

    controller: Controller
    chat: ChatScreen
    house: HouseLike
    keymap: Keymap
    _drafting: Drafting | None = None

    @property
    def drafting(self) -> Drafting:
        """What is kept of what was typed."""
        if self._drafting is None:
            from troly.tui.chat.drafts import Drafting

            self._drafting = Drafting(self.controller, self.house, lambda: self.chat.prompt)
        return self._drafting

    def offer_anew(self) -> None:
        """What was typed before the house was open can be completed now."""
        if self.chat.prompt.offering is not None:
            self.chat.prompt.offering.renew()

    def on_prompt_sent(self, event: Prompt.Sent) -> None:
        """Ask, or do what the command says, and leave the input empty for the next question."""
        from troly.conversation.commands import MARK

        text = unicodedata.normalize("NFC", event.text)
        if text.startswith(MARK) and self._command(text):
            return
        self.drafting.sent(text)
        self.controller.submit(text)
        self.remember()
        self.chat.transcript.to_end()

    def remember(self) -> None:
        """What ↑ recalls."""
        self.chat.prompt.earlier = self.drafting.earlier()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Keep the draft soon."""
        if event.text_area is self.chat.prompt:
            self.drafting.soon(lambda: self.set_timer(PAUSE, self.drafting.keep))

    def _command(self, text: str) -> bool:
        """Do a typed command of the app; False when the text is for the assistant."""
        from troly.conversation.commands import MARK, filled_action, parse_command, resolve_choice

        offering = self.chat.prompt.offering
        said = parse_command(text, offering.commands()) if offering is not None else None
        if said is None or (said.command is not None and not said.command.action):
            return False
        if said.command is None:
            key = "nearest" if said.nearest else "unknown"
            name = text.strip().removeprefix(MARK)
            self._refuse(
                text, tr(f"ui.slash.{key}", self.controller.language, name=name, nearest=said.nearest)
            )
            return True
        if said.argument and not said.command.argument:
            self._refuse(text, tr("ui.slash.nothing", self.controller.language, name=said.command.name))
            return True
        value = resolve_choice(said.command, said.argument)
        if value is None or (said.command.needed and not value):
            self._refuse(text, self._wants(said.command))
        else:
            self.call_later(self.run_action, filled_action(said.command, value))
        return True

    def _wants(self, command: ChatCommand) -> str:
        lang = self.controller.language
        if not command.choices:
            return tr("ui.slash.needed", lang, name=command.name, argument=command.argument)
        values = ", ".join(one.value for one in command.choices)
        return tr("ui.slash.value", lang, name=command.name, argument=command.argument, values=values)

    def _refuse(self, text: str, why: str) -> None:
        """Say why, and put the text back so that it can be corrected."""
        if not self.chat.prompt.text:
            self.chat.prompt.put(text)
        self.notify(why, markup=False, timeout=6)

    def action_names(self, begun: str = "") -> None:
        """Offer names of sheets, documents or products at the end of the message."""
        prompt = self.chat.prompt
        blank = "" if not prompt.text or prompt.text[-1:].isspace() else " "
        prompt.put(f"{prompt.text}{blank}@{begun}")
        prompt.focus()

    def action_handoff(self, words: str = "") -> None:
        """Ask the assistant for a person; where it cannot hand over to one, say who can."""
        controller, lang = self.controller, self.controller.language
        mode = controller.modes.get(controller.pane.mode)
        if mode is None:
            return
        if mode.person:
            controller.submit(" ".join(part for part in (mode.person[lang], words) if part))
            self.chat.transcript.to_end()
            return
        told = [tr("ui.handoff.not_here", lang, name=mode.names[lang])]
        told += [
            tr("ui.handoff.elsewhere", lang, names=one.names[lang], mode=one.id)
            for one in controller.modes.values()
            if one.person
        ]
        self.notify(" ".join(told), markup=False, timeout=8)

    def action_export_conversation(self, form: str = "md") -> None:
        """Write the shown conversation to a file."""
        from troly.tui.errands import ExportConversation

        lang, conversation = self.controller.language, self.controller.pane.conversation
        if conversation is None or not self.controller.opened:
            self.notify(tr("ui.export.none", lang), markup=False, timeout=4)
            return

        def done(found: str | Exception) -> None:
            if isinstance(found, Exception):
                self.notify(
                    " ".join(part for part in trouble_of(found, lang) if part), severity="error", markup=False
                )
            else:
                self.notify(tr("ui.export.saved", lang, file=found), markup=False, timeout=8)

        self.house.errand(ExportConversation(conversation, form, lang), done)

    def action_unfold(self) -> None:
        """Open the pasted text at the cursor to read and edit it."""
        from troly.tui.dialogs.paste import PasteScreen

        prompt, lang = self.chat.prompt, self.controller.language
        found = prompt.token_here() if self.screen is self.chat else None
        if found is None:
            self.notify(tr("ui.paste.none", lang), markup=False, timeout=3)
            return
        token, start, end = found

        def changed(text: str | None) -> None:
            if text is not None and text != prompt.pasted.text(token):
                prompt.change_token(start, end, text)

        self.push_screen(
            PasteScreen(prompt.pasted.text(token), self.keymap.press("paste_close"), lang), changed
        )
