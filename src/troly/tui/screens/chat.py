"""The one screen of the chat: lays out the parts and shows what the controller holds, at most ten times a second."""

from __future__ import annotations

import time

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Static

from troly.text.catalogue import tr
from troly.tui.controller import Controller
from troly.tui.paning import Change
from troly.tui.render.spans import Line
from troly.tui.theme import Palette
from troly.tui.view import Pane
from troly.tui.widgets.bars import ModeBar, StatusBar
from troly.tui.widgets.columns import ConversationList, EvidenceDrawer
from troly.tui.widgets.empty import empty_lines
from troly.tui.widgets.prompt import Prompt
from troly.tui.widgets.transcript import Transcript

FRAME = 0.1
SLOWEST = 1.0
# A paint may take a fifth of the time at most: a very long block is painted less often.
SHARE = 5
CLOCK = 0.5


class ChatScreen(Screen[None]):
    """Header, conversations, transcript with the input, evidence, status line."""

    AUTO_FOCUS = "Prompt"

    def __init__(self, controller: Controller, palette: Palette) -> None:
        super().__init__()
        self.controller = controller
        self.palette = palette
        self._painted = 0.0
        self._cost = 0.0
        self._waiting = False
        self._dirty: set[Change] = set()

    def compose(self) -> ComposeResult:
        """The parts from top to bottom."""
        controller, palette = self.controller, self.palette
        self.modes = ModeBar(controller, palette)
        self.list = ConversationList(controller, palette)
        self.transcript = Transcript(controller.pane, palette, controller.language, self._above)
        self.prompt = Prompt(tr("ui.prompt.hint", controller.language))
        self.evidence = EvidenceDrawer(controller, palette)
        self.status = StatusBar(controller, palette)
        yield self.modes
        with Horizontal(id="middle"):
            yield self.list
            with Vertical(id="chat"):
                yield self.transcript
                yield self.prompt
            yield self.evidence
        yield self.status
        yield Static(tr("ui.trouble.small", controller.language), id="small", markup=False)

    def on_mount(self) -> None:
        """Dress the input; turn the mark while an answer is written."""
        self.dress(self.palette)
        self.set_interval(CLOCK, self._tick)

    def _above(self, width: int, height: int) -> list[Line]:
        """What stands above the messages: all there is in an empty pane, and the reason when nothing could be opened."""
        controller = self.controller
        if controller.pane.messages:
            return empty_lines(controller, width, 0) if controller.trouble is not None else []
        return empty_lines(controller, width, height)

    def dress(self, palette: Palette) -> None:
        """Take the accent of the shown mode and the colours of the theme."""
        self.palette = palette
        for part in (self.modes, self.list, self.transcript, self.evidence, self.status):
            part.repaint(palette)
        self.prompt.dress(palette, self.app.current_theme.background or "#000000")

    @property
    def pending(self) -> bool:
        """Whether something changed that is not painted yet."""
        return self._waiting

    def take(self, what: Change, pane: Pane | None) -> None:
        """Something changed; it is painted soon, together with what else changes until then."""
        if what == "leaving":
            self.controller.pane.draft = self.prompt.text
            return
        if what == "pane" and pane is not self.controller.pane:
            return
        if what in ("panes", "draft"):
            self._swap(what)
        self._dirty.add(what)
        if not self._waiting:
            self._waiting = True
            pause = min(SLOWEST, max(FRAME, self._cost * SHARE)) - (time.monotonic() - self._painted)
            self.set_timer(max(0.001, pause), self._paint)

    def _paint(self) -> None:
        began = time.monotonic()
        dirty, self._dirty, self._waiting = self._dirty, set(), False
        if "pane" in dirty:
            self.transcript.grow()
        if dirty & {"panes", "list"} and self.list.display:
            self.list.relay()
        if dirty & {"panes", "pane"} and self.evidence.display:
            self.evidence.relay()
        if dirty & {"panes", "chrome"}:
            self._chrome()
        self._painted = time.monotonic()
        self._cost = self._painted - began

    def _swap(self, what: Change) -> None:
        """Show another pane at once: the next key already belongs to its draft."""
        controller = self.controller
        if what == "draft":
            self.prompt.put(controller.pane.draft)
            return
        if self.transcript.pane is not controller.pane:
            self.prompt.put(controller.pane.draft)
        self.transcript.show(controller.pane, controller.language)
        self.prompt.placeholder = tr("ui.prompt.hint", controller.language)
        self.query_one("#small", Static).update(tr("ui.trouble.small", controller.language))

    def _chrome(self) -> None:
        if not self.controller.pane.messages:
            self.transcript.relay()
        self.modes.relay()
        self.status.relay()

    def _tick(self) -> None:
        if any(pane.running for pane in self.controller.panes):
            # Whoever wants no motion keeps the mark, standing still.
            moving = int(self.app.animation_level != "none")
            self.modes.turn(moving)
            answer = self.controller.pane.answer
            if answer is not None:
                self.status.turn(moving, (self.controller.now() - answer.time).total_seconds())

    def on_prompt_paged(self, event: Prompt.Paged) -> None:
        """Scroll the conversation by a page while the keys stay in the input."""
        page = max(1, self.transcript.size.height - 2)
        self.transcript.scroll_relative(y=event.by * page, animate=False)

    def toggle_list(self) -> None:
        """On a wide screen the keys go to the list, a second time it hides; on a narrow one it comes and goes."""
        wide = self.has_class("-wide")
        if wide and self.has_class("-nolist"):
            self.remove_class("-nolist")
        elif wide and self.list.has_focus:
            self.add_class("-nolist")
        elif not wide:
            self.toggle_class("-list")
        if self.has_class("-list") or (wide and not self.has_class("-nolist")):
            self.controller.look_up()
            self.call_after_refresh(self.list.focus)
        else:
            self.prompt.focus()

    def toggle_evidence(self) -> None:
        """Show or hide the evidence drawer."""
        self.toggle_class("-evidence")
        self.call_after_refresh(self.evidence.relay)

    def leave_columns(self) -> bool:
        """Hide the columns that lie above the chat and give the keys to the input; True when one was there."""
        above = not self.has_class("-wide") and (self.has_class("-list") or self.has_class("-evidence"))
        if above:
            self.remove_class("-list", "-evidence")
        if above or self.list.has_focus or self.evidence.has_focus:
            self.prompt.focus()
            return True
        return False
