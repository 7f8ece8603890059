"""The terminal app: puts screen, controller and backend together, and turns keys, commands and clicks into their calls."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

# Vim and tmux users wait less for a lone Escape; Textual reads it when it is imported.
os.environ.setdefault("ESCDELAY", "50")

from textual import events
from textual.binding import BindingType
from textual.screen import Screen

from troly.conversation.commands import MARK, ChatCommand, filled_action, parse_command, resolve_choice
from troly.text.catalogue import LANGS, Lang, tr
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.backend import Backend, Deliver, SessionBackend
from troly.tui.chat.bars import SHORT, pane_title, tab_panes
from troly.tui.chat.completion import chat_commands
from troly.tui.chat.controller import Change, Controller, OlderMessages
from troly.tui.chat.conversation_list import ConversationActions
from troly.tui.chat.find import FindBar, open_find_bar
from troly.tui.chat.jobs import JobActions
from troly.tui.chat.message_actions import MessageActions
from troly.tui.chat.prompt import Drafts
from troly.tui.chat.screen import COLUMNS, ROWS, ChatScreen, mode_palette, split_layout
from troly.tui.chat.view import Pane, SessionInfo, trouble_from
from troly.tui.dialogs.choose import ChooseScreen
from troly.tui.dialogs.help import HelpScreen
from troly.tui.dialogs.palette import PaletteScreen, commands, pane_commands
from troly.tui.dialogs.paste import PasteScreen
from troly.tui.dialogs.search import SearchScreen
from troly.tui.keymap import Keymap, bindings
from troly.tui.terminal import has_job_control, on_hang_up
from troly.tui.textual_internals import TerminalApp, bound_caches, read_pastes_whole, teach_alt_keys
from troly.tui.theme import THEMES, Palette, theme_name

if TYPE_CHECKING:
    from textual.widget import Widget
    from textual.widgets import TextArea

    from troly.config.actions import Place
    from troly.config.settings import Settings
    from troly.conversation.session import Session
    from troly.paths import Paths
    from troly.tui.chat.prompt import Prompt
    from troly.tui.chat.transcript import Transcript
    from troly.tui.widgets.lines import LinesView

# Drafts are written when nothing was typed for so long (seconds).
DRAFT_PAUSE = 0.7
# What a click on the chrome does, where it is not named as its action.
CLICKS: Mapping[str, str] = {
    "mode": "mode('{}')", "step": "step({})", "key": "{}", "end": "newest", "new": "new", "pane": "pane({})",
    "close": "close", "language": "language",
}  # fmt: skip


class TrolyApp(TerminalApp):
    """The screen of Troly. `backend` makes what opens the services; it is started once the first frame is painted."""

    CSS_PATH = Path(__file__).parent / "styles" / "app.tcss"
    TITLE = "Troly"
    ENABLE_COMMAND_PALETTE = False
    # Textual declares these two as instance variables.
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (44, "-tight"), (64, "-narrow"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (11, "-short"), (SHORT, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("chat")]

    def __init__(
        self,
        backend: Callable[[Deliver], Backend],
        *,
        mode: str,
        language: Lang,
        theme: str,
        now: Callable[[], datetime],
        keys: Mapping[str, str] | None = None,
        mode_asked: bool = False,
    ) -> None:
        super().__init__()
        self.keymap = Keymap(keys)
        teach_alt_keys(self.keymap.all())
        read_pastes_whole()
        bound_caches()
        self.set_keymap(self.keymap.overrides())
        for known in THEMES:
            self.register_theme(known)
        self.theme = theme_name(theme)
        # After the end of the screen nobody listens.
        self.backend = backend(self.call_later)
        self.controller = Controller(
            self.backend, mode=mode, language=language, now=now, changed=self._changed, mode_asked=mode_asked
        )
        self._kept_tabs: Mapping[str, Any] = {}
        self.chat = ChatScreen(self.controller, self.mode_palette())
        self.drafts = Drafts(self.controller, lambda: self.chat.prompt)
        self.older = OlderMessages(self.controller, self.say)
        self.conversations = ConversationActions(self.controller, self.say, self.keymap.press)
        self.messages = MessageActions(self)
        self.jobs = JobActions(self)
        # What stands in the editor of queries, by assistant.
        self.queries: dict[str, str] = {}

    # Start and end.

    def get_default_screen(self) -> Screen[None]:
        """The chat is there from the first frame on."""
        # The framework finds out what has room once it was painted: columns would come and go.
        for room, breakpoints in (
            (self.size.width, self.HORIZONTAL_BREAKPOINTS),
            (self.size.height, self.VERTICAL_BREAKPOINTS),
        ):
            self.chat.add_class(next(name for least, name in reversed(breakpoints) if room >= least))
        return self.chat

    def on_mount(self) -> None:
        """Open the session after the first frame; a terminal that goes away ends the app in order."""
        loop = asyncio.get_running_loop()
        # Windows has no such signals, and a test may run the app outside the main thread.
        with suppress(NotImplementedError, AttributeError, RuntimeError, ValueError):
            loop.add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
            on_hang_up(loop, self.exit, self.close_backend)
        self.repaint_when_resumed()
        self.theme_changed_signal.subscribe(self, lambda _theme: self.chat.apply_theme(self.mode_palette()))
        self.call_after_refresh(self.backend.start, self._session_ready)

    def _session_ready(self, found: SessionInfo | Exception) -> None:
        if isinstance(found, Exception):
            self.controller.fail(trouble_from(found, self.controller.language))
            return
        self.controller.take_session(found)
        self.drafts.begin()
        self.chat.completer.renew()
        self.backend.watch_health(
            lambda: self.controller.pane.mode, lambda: self.controller.language, self.controller.take_health
        )

    def close_backend(self) -> None:
        """Keep the drafts, stop the turns and close the services."""
        changes, tabs = self.drafts.changes(), self._changed_tabs()

        def keep(session: Session) -> None:
            operations.save_input(session, "", changes)
            if tabs is not None:
                operations.save_screen(session, tabs)

        self.backend.close(keep if changes or tabs is not None else None)

    def _changed_tabs(self) -> Mapping[str, Any] | None:
        """What is open, with the places of the readers; None where that is kept already, or nothing is open yet."""
        for side in self.chat.sides:
            side.transcript.keep_place()
        now = self.controller.tabs.kept()
        if not self.controller.opened or now == self._kept_tabs:
            return None
        self._kept_tabs = now
        return now

    def _changed(self, what: Change, pane: Pane | None) -> None:
        if what == "panes":
            self.chat.apply_theme(self.mode_palette())
            self.drafts.restore()
            self.chat.prompt.earlier = self.drafts.earlier()
        elif what == "finished" and pane is not None:
            self._say_of_panes("ui.pane.finished", title=pane_title(pane, self.controller.language))
        self.chat.take(what, pane)
        if what in ("panes", "chrome") and (tabs := self._changed_tabs()) is not None:
            self.backend.call(operations.save_screen, lambda _done: None, tabs)

    # Remarks.

    def notify(self, message: str, **more: Any) -> None:
        """Say something in passing; titles, files and errors in it are shown as text."""
        super().notify(sanitize(message), **{"markup": False, **more})

    def say(self, text: str, seconds: float = 6) -> None:
        self.notify(text, timeout=seconds)

    def say_error(self, error: Exception) -> None:
        trouble = trouble_from(error, self.controller.language)
        self.notify(" ".join(part for part in trouble if part), severity="error")

    # What is typed.

    def send(self, text: str) -> None:
        text = unicodedata.normalize("NFC", text)
        if text.startswith(MARK) and self._run_command(text):
            return
        self.drafts.sent(text)
        self.controller.submit(text)
        self.chat.prompt.earlier = self.drafts.earlier()
        self.chat.transcript.to_answer()

    def on_app_focus(self) -> None:
        """Focus what the screen focuses by itself, unless it goes back to where it was.

        In the page of `app serve --web` a screen begins without the focus, which comes with the first click.
        """
        self.call_after_refresh(self._focus_something)

    def _focus_something(self) -> None:
        found = self.screen.query(self.screen.AUTO_FOCUS) if self.screen.AUTO_FOCUS else ()
        if self.screen.focused is None and found:
            found[0].focus()

    def may_open(self, target: Widget, key: events.Key) -> bool:
        """A question that is sent opens nothing: the next letters need not wait for it."""
        begun = self.chat.prompt.text
        asks = target is self.chat.prompt and key.key in self.keymap.keys("send")
        return super().may_open(target, key) and not (asks and begun and not begun.startswith(MARK))

    def on_prompt_sent(self, event: Prompt.Sent) -> None:
        self.send(event.text)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        if event.text_area is self.chat.prompt:
            self.drafts.soon(partial(self.set_timer, DRAFT_PAUSE, self.drafts.keep))

    def _run_command(self, text: str) -> bool:
        """Do a typed command of the app; False when the text is for the assistant."""
        parsed = parse_command(text, chat_commands(self.controller))
        if parsed is None or (parsed.command is not None and not parsed.command.action):
            return False
        lang = self.controller.language
        if parsed.command is None:
            key = "nearest" if parsed.nearest else "unknown"
            name = text.strip().removeprefix(MARK)
            self._refuse(text, tr(f"ui.slash.{key}", lang, name=name, nearest=parsed.nearest))
            return True
        if parsed.argument and not parsed.command.argument:
            self._refuse(text, tr("ui.slash.nothing", lang, name=parsed.command.name))
            return True
        value = resolve_choice(parsed.command, parsed.argument)
        if value is None or (parsed.command.needed and not value):
            self._refuse(text, self._what_is_needed(parsed.command))
        else:
            self.call_later(self.run_action, filled_action(parsed.command, value))
        return True

    def _what_is_needed(self, command: ChatCommand) -> str:
        lang = self.controller.language
        if not command.choices:
            return tr("ui.slash.needed", lang, name=command.name, argument=command.argument)
        values = ", ".join(one.value for one in command.choices)
        return tr("ui.slash.value", lang, name=command.name, argument=command.argument, values=values)

    def _refuse(self, text: str, why: str) -> None:
        """Say why, and put the text back so that it can be corrected."""
        if not self.chat.prompt.text:
            self.chat.prompt.put(text)
        self.say(why)

    # What is clicked, and where the reader is.

    async def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        """Something in the lines was clicked or chosen."""
        kind, _, rest = event.action.partition(":")
        if kind == "open-conversation":
            self.controller.open(rest)
            self.chat.leave_columns()
        elif kind == "message" and rest == "find":
            self.action_find()
        elif kind == "message":
            self.messages.act(rest)
        elif not self.messages.press(kind, rest):
            await self.run_action(CLICKS.get(kind, kind).format(rest))

    def on_transcript_near_top(self, event: Transcript.NearTop) -> None:
        """The reader comes near older messages."""
        self.older.fetch(event.pane)

    def places(self) -> list[Place]:
        """Where the keys go now, the innermost first."""
        if self.screen is not self.chat:
            return [getattr(self.screen, "PLACE", "dialog")]
        chat, focused = self.chat, self.focused
        if focused is not None and isinstance(focused.parent, FindBar):
            return ["find", "chat"]
        inner: dict[object, Place] = {
            chat.list: "list",
            chat.evidence: "evidence",
            chat.transcript: "transcript",
        }
        return [inner.get(focused, "prompt"), "chat"]

    # Questions and answers.

    def action_stop(self) -> None:
        """Esc: close what lies above, else stop the answer, else go back to the input."""
        if self.chat.leave_columns() or self.controller.stop():
            return
        self.chat.prompt.focus()

    def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected, stop the answer, or say how to quit."""
        lang = self.controller.language
        if selected := self.screen.get_selected_text():
            self.copy_to_clipboard(selected)
            self.say(tr("ui.trouble.copied", lang), 2)
        elif not self.controller.stop():
            self.say(tr("ui.trouble.how_to_quit", lang, key=self.keymap.press("quit")), 3)

    def action_acknowledge(self) -> None:
        """What is urgent in the shown conversation was seen."""
        self.controller.pane.alarm = ""
        self.controller.changed("chrome", self.controller.pane)

    def action_again(self) -> None:
        self.controller.again()

    def action_edit(self) -> None:
        self.controller.edit()

    def action_newest(self) -> None:
        self.chat.transcript.to_end()

    def action_copy_answer(self) -> None:
        answer = self.controller.pane.last_answer
        if answer is not None and answer.text:
            self.copy_to_clipboard(sanitize(answer.text))
            self.say(tr("ui.trouble.copied", self.controller.language), 2)

    def action_grid(self) -> None:
        """Open the chosen part large, the newest table of the conversation where none is chosen."""
        if self.screen is self.chat:
            self.messages.act("large") if self.chat.transcript.chosen_view else self.messages.open_last()

    def action_suggested(self, index: int) -> None:
        self.messages.ask_suggested(index)

    def action_message(self, what: str) -> None:
        """Do `what` with the chosen message, else the last answer."""
        self.messages.act(what)

    def action_origin(self) -> None:
        """Go back to where the conversation was branched from."""
        self.messages.show_origin()

    def action_number(self, number: int) -> None:
        """Open what the number of the chosen block names."""
        self.messages.open_number(number)

    def action_wrong(self) -> None:
        """Ask what is wrong with the answer that the evidence drawer shows: the chosen one, else the newest."""
        self.messages.mark_wrong(self.chat.evidence.answer)

    def action_messages(self) -> None:
        """Give the keys to the messages, or back to the input."""
        transcript = self.chat.transcript
        if transcript.has_focus or not self.controller.pane.messages:
            self.chat.prompt.focus()
        else:
            transcript.focus()

    def action_find(self) -> None:
        if self.screen is self.chat and self.controller.pane.messages:
            open_find_bar(self)

    def action_names(self, begun: str = "") -> None:
        prompt = self.chat.prompt
        blank = "" if not prompt.text or prompt.text[-1:].isspace() else " "
        prompt.put(f"{prompt.text}{blank}@{begun}")
        prompt.focus()

    def action_unfold(self) -> None:
        """Open the pasted text at the cursor to read and edit it."""
        prompt, lang = self.chat.prompt, self.controller.language
        found = prompt.token_here() if self.screen is self.chat else None
        if found is None:
            self.say(tr("ui.paste.none", lang), 3)
            return
        token, start, end = found
        before = prompt.pasted.text(token)

        def changed(text: str | None) -> None:
            if text is not None and text != before:
                prompt.change_token(start, end, text)

        self.push_screen(PasteScreen(before, self.keymap.press("paste_close"), lang), changed)

    def action_handoff(self, words: str = "") -> None:
        """Ask the assistant for a person; where it cannot hand over to one, say who can."""
        controller, lang = self.controller, self.controller.language
        mode = controller.modes.get(controller.pane.mode)
        if mode is None:
            return
        if mode.person:
            controller.submit(" ".join(part for part in (mode.person[lang], words) if part))
            self.chat.transcript.to_answer()
            return
        remark = [tr("ui.handoff.not_here", lang, name=mode.names[lang])]
        remark += [
            tr("ui.handoff.elsewhere", lang, names=one.names[lang], mode=one.id)
            for one in controller.modes.values()
            if one.person
        ]
        self.say(" ".join(remark), 8)

    def action_waiting(self) -> None:
        """Show who waits for a person."""
        if self.screen is self.chat and self.controller.opened:
            from troly.tui.dialogs.waiting import waiting_screen

            self.push_screen(waiting_screen(self))

    # Assistants and open conversations.

    def action_new(self) -> None:
        self.controller.new_conversation()
        self.chat.leave_columns()

    def action_mode(self, mode: str) -> None:
        """Show the pane of a mode; of the shown mode its next pane."""
        self.controller.switch(mode)
        self.chat.leave_columns()

    def action_place(self, place: int) -> None:
        """Show the pane of the mode at a place of the header."""
        names = list(self.controller.modes)
        if place <= len(names):
            self.controller.switch(names[place - 1])
            self.chat.leave_columns()

    def action_step(self, by: int) -> None:
        """Show the pane of a neighbouring mode."""
        self.controller.step(by)
        self.chat.leave_columns()

    def action_next_pane(self, by: int = 1) -> None:
        """Show the open conversation `by` places further in the row."""
        if len(self.controller.panes) == 1:
            self._say_of_panes("ui.pane.one")
        self.controller.show(self.controller.tabs.beside(by))
        self.chat.leave_columns()

    def action_pane(self, key: int) -> None:
        """Show the open conversation with a key, where it still is open."""
        pane = next((pane for pane in self.controller.panes if pane.key == key), None)
        if pane is not None:
            self.controller.show(pane)

    def action_pane_number(self, number: int) -> None:
        """Show the open conversation at a place of the row, 1 for the first."""
        row = tab_panes(self.controller)
        if 1 <= number <= len(row):
            self.controller.show(row[number - 1])
        else:
            self._say_of_panes("ui.pane.no_number", number=number)

    def action_panes(self) -> None:
        """Choose among the open conversations by a piece of the title, or by number."""
        if self.screen is self.chat:
            offered = pane_commands(self.controller)
            self.push_screen(PaletteScreen(offered, self.controller.language, "pane"), self._run_chosen)

    def action_close(self) -> None:
        """Close the conversation; what is being written goes on, and it can be opened again."""
        controller, pane = self.controller, self.controller.pane
        running, empty = pane.running, pane.empty and not self.chat.prompt.text.strip()
        controller.close()
        if not empty:
            self._say_of_panes(
                "ui.pane.closed_running" if running else "ui.pane.closed",
                title=pane_title(pane, controller.language),
                key=self.keymap.press("reopen"),
            )

    def action_reopen(self) -> None:
        """Show the conversation that was closed last."""
        if self.controller.reopen() is None:
            self._say_of_panes("ui.pane.none_closed")

    def action_split(self) -> None:
        """Show two conversations, or one again."""
        self.controller.split()
        size = self.size
        if len(self.controller.tabs.sides) > 1 and not split_layout(size.width, size.height):
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

    def _say_of_panes(self, sentence: str, **values: object) -> None:
        self.say(tr(sentence, self.controller.language, **values), 4)

    # Saved conversations; meant is the entry chosen in the list, else the shown conversation.

    @property
    def chosen_conversation(self) -> str:
        """The conversation meant; "" where there is none."""
        chosen = self.chat.list.chosen if self.chat.list.has_focus else ""
        return chosen or self.controller.pane.conversation or ""

    def action_search(self, words: str = "") -> None:
        if self.screen is self.chat and self.controller.opened:
            self.push_screen(
                SearchScreen(self.controller, words),
                lambda found: self.controller.open(found) if found else None,
            )

    def action_open_number(self, number: str = "") -> None:
        """Open the conversation at a place of the list, 1 for the first; without one show the list."""
        listed = self.controller.listed
        if not number:
            self.chat.toggle_list()
        elif number.isdecimal() and 1 <= int(number[:6]) <= len(listed):
            self.controller.open(listed[int(number) - 1].id)
        else:
            self.say(tr("ui.list.no_number", self.controller.language, number=number, count=len(listed)), 4)

    def action_rename(self, title: str = "") -> None:
        conversation = self.chosen_conversation
        if title and conversation:
            self.conversations.rename(conversation, title)
            return
        before = next((one.title for one in self.controller.listed if one.id == conversation), None)
        if conversation and before is not None and self.screen is self.chat:
            self.push_screen(
                ChooseScreen(
                    tr("ui.rename.ask", self.controller.language),
                    "",
                    lambda _typed: (),
                    free=True,
                    typed=before,
                ),
                lambda wanted: self.conversations.rename(conversation, wanted or ""),
            )

    def action_pin(self) -> None:
        self.conversations.pin(self.chosen_conversation)

    def action_delete(self) -> None:
        self.conversations.delete(self.chosen_conversation)

    def action_undelete(self) -> None:
        self.conversations.undelete()

    def action_export_conversation(self, form: str = "md") -> None:
        lang, conversation = self.controller.language, self.controller.pane.conversation
        if conversation is None or not self.controller.opened:
            self.say(tr("ui.export.none", lang), 4)
            return

        def done(found: str | Exception) -> None:
            if isinstance(found, Exception):
                self.say_error(found)
            else:
                self.say(tr("ui.export.saved", lang, file=found), 8)

        self.backend.call(operations.save_conversation, done, conversation, form, lang)

    # Data and models.

    def action_pull(self, name: str = "") -> None:
        self.jobs.pull(name)

    def action_query(self) -> None:
        """Write a query: that of the chosen answer, else of the last one, else what was written before."""
        if self.screen is not self.chat or not self.controller.opened:
            return
        controller, lang = self.controller, self.controller.language
        view = controller.modes.get(controller.pane.mode)
        if view is None or not view.queries:
            names = ", ".join(one.names[lang] for one in controller.modes.values() if one.queries)
            self.say(tr("ui.query.none", lang, names=names or "-"), 6)
            return
        from troly.tui.dialogs.query import QueryScreen

        code = self.messages.query_text(view.queries) or self.queries.get(view.id, "")
        self.push_screen(QueryScreen(self, view.id, code))

    def action_settings(self) -> None:
        if self.screen is self.chat and self.controller.opened:
            from troly.tui.dialogs.settings import settings_screen

            self.push_screen(settings_screen(self))

    def apply_setting(self, key: str, settings: Settings) -> None:
        """Let a setting that was changed here hold on the screen as well."""
        lang = next((one for one in LANGS if one == settings.language), None)
        if key == "theme":
            self.action_theme(settings.theme)
        elif key == "language" and lang is not None:
            self.action_language(lang)
        elif key.startswith("keys."):
            self.keymap.change(settings.keys)
            teach_alt_keys(self.keymap.all())
            self.set_keymap(self.keymap.overrides())

    def action_ingest(self, line: str = "") -> None:
        """Load what `line` asks for (`KIND FILE --option value`); what is missing is asked for."""
        self.jobs.ingest(line)

    def action_cancel_work(self) -> None:
        self.jobs.cancel()

    # The app.

    def action_palette(self) -> None:
        if self.screen is self.chat:
            offered = commands(self.controller, self.keymap)
            self.push_screen(PaletteScreen(offered, self.controller.language), self._run_chosen)

    async def _run_chosen(self, action: str | None) -> None:
        if action:
            await self.run_action(action)

    def action_help(self) -> None:
        if not isinstance(self.screen, HelpScreen):
            groups = self.keymap.help(self.places(), self.controller.language)
            self.push_screen(HelpScreen(self.mode_palette(), groups))

    def action_list(self) -> None:
        """Show or hide the conversations; when shown they take the keys."""
        self.chat.toggle_list()

    def action_evidence(self) -> None:
        self.chat.toggle_evidence()

    def action_evidence_full(self) -> None:
        """Show how the chosen answer, or the last one, came about on the whole screen."""
        answer = self.chat.evidence.answer if self.screen is self.chat else None
        if answer is not None and (answer.steps or answer.turn):
            from troly.tui.dialogs.steps import evidence_screen

            self.push_screen(evidence_screen(self, answer))
        elif self.screen is self.chat:
            self.say(tr("ui.evidence.none", self.controller.language), 3)

    def mode_palette(self) -> Palette:
        """The theme with the accent of the shown mode."""
        return mode_palette(self.current_theme, self.controller, self.controller.pane)

    def action_language(self, language: str = "") -> None:
        other = next(lang for lang in LANGS if lang != self.controller.language)
        chosen = next((lang for lang in LANGS if lang == language), other)
        self.controller.set_language(chosen)
        self._save_appearance(None, chosen)

    def action_theme(self, name: str) -> None:
        self.theme = theme_name(name)
        self._save_appearance(name, None)

    def _save_appearance(self, theme: str | None, language: str | None) -> None:
        """The next start looks the same; where that cannot be kept it is said, and this one still does."""

        def done(found: object) -> None:
            if isinstance(found, Exception):
                self.say_error(found)

        if self.controller.opened:
            self.backend.call(operations.save_appearance, done, theme, language)

    def action_suspend(self) -> None:
        """Ctrl+Z: stop like any other program of a shell; without a shell behind it, say so."""
        if has_job_control():
            self.suspend_with_group()
        else:
            key = self.keymap.press("quit")
            self.say(tr("ui.trouble.no_shell", self.controller.language, key=key), 4)


def _keep_loaded() -> None:
    """Let the garbage collector alone with what stays to the end.

    A million objects of the assistants do: whenever it looks through them, no key is echoed for a third of a second.
    What is garbage of late goes before. Afterwards it counts anew what is there: else it would wait for a quarter of that
    million to come before it looks for garbage in all the rest.
    """
    gc.collect(1)
    gc.freeze()
    gc.collect()


def run(
    paths: Paths | None = None,
    settings: Settings | Callable[[], Settings] | None = None,
    mode: str | None = None,
    language: Lang | None = None,
) -> int:
    """Open the screen and return the exit code; `settings` may be what loads them, and a failure is shown on the screen.

    `mode` and `language` win over the settings. What broke the screen is raised once the terminal is restored.
    """
    from troly.tui.startup import prepare_start

    start = prepare_start(paths, settings, mode, language)
    app = TrolyApp(
        lambda deliver: SessionBackend(start.open_session, deliver, _keep_loaded),
        mode=start.mode,
        language=start.language,
        theme=start.theme,
        now=lambda: datetime.now().astimezone(),
        keys=start.keys,
        mode_asked=mode is not None,
    )
    try:
        code = app.run()
    finally:
        app.close_backend()
    if app.fault is not None:
        raise app.fault
    return code or app.return_code or 0
