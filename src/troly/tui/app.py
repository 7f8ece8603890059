"""The terminal app: paints first, furnishes the screen and opens the house behind it, and turns keys and clicks into
calls of the controller.

What this module imports, every start waits for: parts of the screen are imported by `furnish`, after the first frame.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

# Vim and tmux users wait less for a lone Escape; must be set before Textual is imported.
os.environ.setdefault("ESCDELAY", "50")

from textual import events
from textual.binding import BindingType
from textual.screen import Screen

from troly.text.catalogue import Lang
from troly.tui.answer_actions import AnswerActions
from troly.tui.chat.jobs import WorkActions
from troly.tui.chat.view import trouble_of
from troly.tui.dialogs.first import SHORT, FirstScreen
from troly.tui.input_actions import InputActions
from troly.tui.key_actions import KeyActions
from troly.tui.keymap import bindings
from troly.tui.list_actions import ListActions
from troly.tui.message_actions import MessageActions
from troly.tui.pane_actions import PaneActions
from troly.tui.terminal import ShellActions
from troly.tui.theme import THEMES, theme_name
from troly.tui.wrong_actions import WrongActions

if TYPE_CHECKING:
    from troly.config import Settings
    from troly.paths import Paths
    from troly.tui.chat.controller import Change
    from troly.tui.chat.screen import ChatScreen
    from troly.tui.chat.view import Pane
    from troly.tui.house import House
    from troly.tui.port import Arrival, Deliver, HouseLike
    from troly.tui.widgets.lines import LinesView

Now = Callable[[], datetime]


class TrolyApp(
    AnswerActions,
    MessageActions,
    PaneActions,
    KeyActions,
    InputActions,
    ListActions,
    ShellActions,
    WorkActions,
    WrongActions,
):
    """The screen of Troly. `house` makes what opens the services, on a thread, once the first frame is painted."""

    CSS_PATH = Path(__file__).parent / "styles" / "app.tcss"
    TITLE = "Troly"
    ENABLE_COMMAND_PALETTE = False
    # Textual declares these two as instance variables.
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (44, "-tight"), (64, "-narrow"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (11, "-short"), (SHORT, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("chat")]

    def __init__(
        self,
        house: Callable[[Deliver], HouseLike],
        *,
        mode: str,
        language: Lang,
        theme: str,
        now: Now,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.take_keys(keys)
        for known in THEMES:
            self.register_theme(known)
        self.theme = theme_name(theme)
        self.furnished = False
        self.fault: BaseException | None = None
        self._house = house
        self._first_mode = mode
        self._first_language: Lang = language
        self._now = now
        # What was typed before there was an input.
        self._early: list[events.Key | events.Paste] = []

    # Start and end.

    def get_default_screen(self) -> Screen[None]:
        """What is painted first; where nobody looks, the chat at once."""
        return self.furnish() if self.is_headless else FirstScreen(self._first_language)

    def furnish(self) -> ChatScreen:
        """The chat with all its parts, and the house that is not open yet."""
        from troly.tui.chat.controller import Controller
        from troly.tui.chat.screen import ChatScreen

        self.house = self._house(self._deliver)
        self.controller = Controller(
            self.house,
            mode=self._first_mode,
            language=self._first_language,
            now=self._now,
            changed=self._changed,
        )
        self.chat = ChatScreen(self.controller, self.colours())
        self.furnished = True
        return self.chat

    def on_mount(self) -> None:
        """Open the house after the first frame; a terminal that goes away ends the app in order."""
        loop = asyncio.get_running_loop()
        # Windows has no such signals, and a test may run the app outside the main thread.
        with suppress(NotImplementedError, AttributeError, RuntimeError, ValueError):
            loop.add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
            self.leave_when_hung_up(loop)
        self.repaint_when_back()
        self.theme_changed_signal.subscribe(self, lambda _theme: self.chat.dress(self.colours()))
        self.call_after_refresh(self.call_later, self._move_in)

    async def _move_in(self) -> None:
        """The first frame is painted: show the chat, give it what was typed meanwhile, and open the house."""
        if not self.furnished:
            first, chat = self.screen, self.furnish()
            # The framework finds out what has room once it was painted: columns would come and go.
            chat.set_classes(first.classes)
            await self.push_screen(chat)
            self.chat.set_focus(self.chat.prompt)
            early, self._early = self._early, []
            for event in early:
                await super().on_event(event)
        self.call_after_refresh(self.house.start, self._arrived)

    async def on_event(self, event: events.Event) -> None:
        """Keep what is typed before there is an input: it comes first as soon as there is one."""
        if not self.furnished and isinstance(event, (events.Key, events.Paste)):
            self._early.append(event)
        else:
            await super().on_event(event)

    def _arrived(self, arrival: Arrival | Exception) -> None:
        if isinstance(arrival, Exception):
            self.controller.fail(trouble_of(arrival, self.controller.language))
            return
        self.controller.arrive(arrival)
        self.drafting.begin()
        self.offer_anew()
        self.house.watch(
            lambda: self.controller.pane.mode, lambda: self.controller.language, self.controller.see
        )

    def _deliver(self, call: Callable[[], None]) -> None:
        """Run `call` on the screen's loop (from any thread); after the end of the screen nobody listens."""
        self.call_later(call)

    def _changed(self, what: Change, pane: Pane | None) -> None:
        if what == "panes":
            self.chat.dress(self.colours())
            self.drafting.restore()
            self.remember()
        elif what == "finished" and pane is not None:
            self.finished(pane)
        self.chat.take(what, pane)

    def _fatal_error(self) -> None:
        """Keep what broke the screen for the caller, instead of a traceback with everybody's data on the terminal."""
        self.fault = self.fault or sys.exception()
        self._close_messages_no_wait()

    # What was written and pressed.

    async def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        """Something in the lines was clicked or chosen."""
        from troly.tui.pressed import press

        kind, _, rest = event.action.partition(":")
        if kind == "open-conversation":
            self.controller.open(rest)
            self.chat.leave_columns()
        elif not press(self, kind, rest):
            await self.run_action(_CLICKS.get(kind, kind).format(rest))


_CLICKS: Mapping[str, str] = {
    "mode": "mode('{}')",
    "step": "step({})",
    "key": "{}",
    "end": "newest",
    "new": "new",
    "pane": "pane({})",
    "close": "close",
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
    from troly.tui.startup import prepare

    prepared = prepare(paths, settings, mode, language)

    def house(deliver: Deliver) -> House:
        from troly.tui.house import House

        return House(prepared.open, deliver)

    app = TrolyApp(
        house,
        mode=prepared.mode,
        language=prepared.language,
        theme=prepared.theme,
        now=prepared.now,
        keys=prepared.keys,
    )
    try:
        code = app.run()
    finally:
        if app.furnished:
            app.house.keep_last(app.drafting.changes())
            app.house.close()
    if app.fault is not None:
        raise app.fault
    return code or app.return_code or 0
