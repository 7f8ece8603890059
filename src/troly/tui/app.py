"""The terminal app: paints first, opens the house behind it, and turns keys and clicks into calls of the controller."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

# Vim and tmux users wait less for a lone Escape; must be set before Textual is imported.
os.environ.setdefault("ESCDELAY", "50")

from textual.binding import Binding, BindingType

from troly.text.catalogue import LANGS, Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.controller import Change, Controller
from troly.tui.house import House
from troly.tui.keys import CHORDS, teach_alt_keys
from troly.tui.list_actions import ListActions
from troly.tui.port import Arrival, Deliver, HouseLike
from troly.tui.pressed import last_grid, press, suggested
from troly.tui.screens.chat import ChatScreen
from troly.tui.theme import THEMES, Palette, theme_name
from troly.tui.troubles import trouble_of
from troly.tui.view import Pane
from troly.tui.widgets.bars import SHORT
from troly.tui.widgets.lines import LinesView
from troly.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from troly.config import Settings
    from troly.paths import Paths

NEUTRAL = "#8a8a8a"
Now = Callable[[], datetime]


class TrolyApp(ListActions):
    """The screen of Troly. `house` makes what opens the services, on a thread, once the first frame is painted."""

    CSS_PATH = Path(__file__).parent / "styles" / "app.tcss"
    TITLE = "Troly"
    ENABLE_COMMAND_PALETTE = False
    # Textual declares these two as instance variables.
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (44, "-tight"), (64, "-narrow"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (11, "-short"), (SHORT, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", show=False),
        Binding("ctrl+c", "interrupt", show=False),
        *(Binding(key, action, show=False) for key, action in CHORDS),
    ]

    def __init__(
        self, house: Callable[[Deliver], HouseLike], *, mode: str, language: Lang, theme: str, now: Now
    ) -> None:
        super().__init__()
        teach_alt_keys()
        for known in THEMES:
            self.register_theme(known)
        self.theme = theme_name(theme)
        self.house = house(self._deliver)
        self.controller = Controller(self.house, mode=mode, language=language, now=now, changed=self._changed)
        self._sent: list[str] = []
        self.fault: BaseException | None = None

    # Start and end.

    def get_default_screen(self) -> ChatScreen:
        """The chat."""
        self.chat = ChatScreen(self.controller, self._palette())
        return self.chat

    def on_mount(self) -> None:
        """Open the house after the first frame; a terminal that goes away ends the app in order."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            # Windows has no such signals, and a test may run the app outside the main thread.
            with suppress(NotImplementedError, AttributeError, RuntimeError, ValueError):
                number = getattr(signal, name)
                loop.add_signal_handler(number, self.exit, 128 + number)
        self.theme_changed_signal.subscribe(self, lambda _theme: self.chat.dress(self._palette()))
        self.call_after_refresh(self.house.start, self._arrived)

    def _arrived(self, arrival: Arrival | Exception) -> None:
        if isinstance(arrival, Exception):
            self.controller.fail(trouble_of(arrival, self.controller.language))
            return
        self.controller.arrive(arrival)
        self.house.watch(
            lambda: self.controller.pane.mode, lambda: self.controller.language, self.controller.see
        )

    def _deliver(self, call: Callable[[], None]) -> None:
        """Run `call` on the screen's loop (from any thread); after the end of the screen nobody listens."""
        self.call_later(call)

    def _changed(self, what: Change, pane: Pane | None) -> None:
        if what == "panes":
            self.chat.dress(self._palette())
            self._remember()
        self.chat.take(what, pane)

    def _palette(self) -> Palette:
        mode = self.controller.modes.get(self.controller.pane.mode)
        return Palette(self.current_theme, mode.accent if mode else NEUTRAL)

    def _fatal_error(self) -> None:
        """Keep what broke the screen for the caller, instead of a traceback with everybody's data on the terminal."""
        self.fault = self.fault or sys.exception()
        self._close_messages_no_wait()

    # What was written and pressed.

    def on_prompt_sent(self, event: Prompt.Sent) -> None:
        """Ask, and leave the input empty for the next question."""
        text = unicodedata.normalize("NFC", event.text)
        self._sent.append(text)
        self.controller.submit(text)
        self._remember()
        self.chat.transcript.to_end()

    def _remember(self) -> None:
        """What ↑ recalls: what was asked; before anything was, the questions that the pane offers."""
        mode = self.controller.modes.get(self.controller.pane.mode)
        offered = mode.questions.get(self.controller.language, ()) if mode else ()
        loaded = [
            view.text
            for view in self.controller.pane.messages
            if view.who == "user" and view.text not in self._sent
        ]
        self.chat.prompt.earlier = [*loaded, *self._sent] or list(reversed(offered))

    async def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        """Something in the lines was clicked or chosen."""
        kind, _, rest = event.action.partition(":")
        if kind == "open-conversation":
            self.controller.open(rest)
            self._leave_columns()
        elif not press(self, kind, rest):
            await self.run_action(_CLICKS.get(kind, kind).format(rest))

    # Keys and commands.

    def action_stop(self) -> None:
        """Esc: close what lies above, else stop the answer, else go back to the input."""
        if self._leave_columns() or self.controller.stop():
            return
        self.chat.prompt.focus()

    def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected, stop the answer, or say how to quit."""
        if selected := self.screen.get_selected_text():
            self.copy_to_clipboard(selected)
            self.notify(tr("ui.trouble.copied", self.controller.language), markup=False, timeout=2)
        elif not self.controller.stop():
            self.notify(tr("ui.trouble.how_to_quit", self.controller.language), markup=False, timeout=3)

    def action_new(self) -> None:
        """Begin a new conversation."""
        self.controller.new_conversation()
        self._leave_columns()

    def action_again(self) -> None:
        """Ask the last question again."""
        self.controller.again()

    def action_edit(self) -> None:
        """Put the last question into the input."""
        self.controller.edit()

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

    def action_language(self, language: str = "") -> None:
        """Speak a language; without one, the other."""
        other = next(lang for lang in LANGS if lang != self.controller.language)
        self.controller.speak(next((lang for lang in LANGS if lang == language), other))

    def action_theme(self, name: str) -> None:
        """Take a theme."""
        self.theme = theme_name(name)

    def action_newest(self) -> None:
        """Go to the end of the conversation."""
        self.chat.transcript.to_end()

    def action_list(self) -> None:
        """Show or hide the conversations; when shown they take the keys."""
        self.chat.toggle_list()

    def action_evidence(self) -> None:
        """Show or hide how the last answer came about."""
        self.chat.toggle_evidence()

    def action_copy_answer(self) -> None:
        """Copy the last answer as it was written."""
        answer = self.controller.pane.last_answer
        if answer is not None and answer.text:
            self.copy_to_clipboard(sanitize(answer.text))
            self.notify(tr("ui.trouble.copied", self.controller.language), markup=False, timeout=2)

    def action_grid(self) -> None:
        """Open the newest table of the conversation as a grid."""
        if self.screen is self.chat and not last_grid(self):
            self.notify(tr("ui.grid.none", self.controller.language), markup=False, timeout=3)

    def action_suggested(self, index: int) -> None:
        """Ask one of the questions that the last answer offers."""
        offered = suggested(self.controller)
        if index < len(offered):
            self.post_message(Prompt.Sent(offered[index]))

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
            self.push_screen(HelpScreen(self._palette(), self.controller.language))

    def _leave_columns(self) -> bool:
        """Hide what lies above the chat; True when something did."""
        return self.chat.leave_columns()


_CLICKS: Mapping[str, str] = {
    "mode": "mode('{}')",
    "step": "step({})",
    "key": "{}",
    "end": "newest",
    "new": "new",
    "language": "language",
}


def run(
    paths: Paths | None = None,
    settings: Settings | Callable[[], Settings] | None = None,
    mode: str | None = None,
    language: Lang | None = None,
) -> int:
    """Open the screen and return the exit code; `settings` may be what loads them, and a failure is shown on the screen.

    `mode` and `language` win over the settings. What broke the screen is raised once the terminal is restored.
    """
    from troly.tui.opening import prepare

    prepared = prepare(paths, settings, mode, language)
    app = TrolyApp(
        lambda deliver: House(prepared.open, deliver),
        mode=prepared.mode,
        language=prepared.language,
        theme=prepared.theme,
        now=prepared.now,
    )
    try:
        code = app.run()
    finally:
        app.house.close()
    if app.fault is not None:
        raise app.fault
    return code or app.return_code or 0
