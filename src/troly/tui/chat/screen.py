"""The one screen of the chat: lays out the parts and shows what the controller holds, at most ten times a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import MountError
from textual.widgets import Static

from troly.text.catalogue import tr
from troly.tui.chat.bars import (
    NARROWEST_TITLE,
    AlarmCard,
    ModeBar,
    StatusBar,
    TabRow,
    activity_mark,
    mode_icon,
    pane_title,
    tab_panes,
)
from troly.tui.chat.completion import Completer, CompletionList
from troly.tui.chat.controller import Change, Controller
from troly.tui.chat.conversation_list import ConversationList
from troly.tui.chat.empty import empty_lines
from troly.tui.chat.evidence import EvidenceDrawer
from troly.tui.chat.prompt import Prompt
from troly.tui.chat.transcript import Transcript
from troly.tui.chat.view import Pane
from troly.tui.keymap import keymap_of
from troly.tui.render.figures import day_name
from troly.tui.render.message import WIDEST_TEXT
from troly.tui.render.spans import BLANK, Line, Span, clip, ends_apart, line, width_of
from troly.tui.textual_internals import TerminalApp
from troly.tui.theme import Palette
from troly.tui.widgets.lines import LinesView

if TYPE_CHECKING:
    from textual.theme import Theme

# From so many rows there is a blank one above the head of a conversation.
ROOMY = 24
# The rows of that head.
ABOVE = 3
# The least room for two panes: beside each other, or one above the other.
COLUMNS, ROWS = 100, 32
# From so many columns the list of conversations has room beside two panes.
WITH_LIST = 150
NEUTRAL = "#8a8a8a"


def split_layout(width: int, height: int) -> Literal["beside", "stacked", ""]:
    """Where two panes stand on a screen of `width` x `height` cells; "" when there is room for one only."""
    if width >= COLUMNS:
        return "beside"
    return "stacked" if height >= ROWS and width >= COLUMNS // 2 else ""


def mode_palette(theme: Theme, controller: Controller, pane: Pane) -> Palette:
    """The theme with the accent of the pane's assistant."""
    mode = controller.modes.get(pane.mode)
    return Palette(theme, mode.accent if mode else NEUTRAL)


def conversation_head(controller: Controller, pane: Pane, width: int) -> Line:
    """What the conversation is called, with whom it is and since when; its name only where no title stands above it."""
    lang, mode, width = controller.language, controller.modes.get(pane.mode), min(width, WIDEST_TEXT)
    began = pane.messages[0].time
    when = f"{day_name(began.date(), controller.now().date(), lang)} {began:%H:%M}"
    who = f"{mode_icon(controller, pane)} {mode.names[lang]} · " if mode else ""
    title = "" if len(controller.tabs.sides) > 1 else pane_title(pane, lang)
    room = width - width_of(line(who, when)) - 2
    name = Span(clip(title, room), "dim") if room >= NARROWEST_TITLE else ""
    return ends_apart(line(name), line(Span(who, "dim"), Span(when, "dim")), width)


Above = Callable[[Pane, int, int], list[Line]]


class PaneTitle(LinesView):
    """The title of a side; the one with the input is marked. A click gives it the input."""

    def __init__(self, controller: Controller, palette: Palette, place: int) -> None:
        super().__init__(palette, classes="side-head")
        self.controller = controller
        self.place = place

    def build(self, width: int) -> list[Line]:
        """One line."""
        tabs = self.controller.tabs
        if self.place >= len(tabs.sides):
            return []
        pane, here = tabs.sides[self.place], self.place == tabs.focus
        action = f"pane:{pane.key}"
        mark = activity_mark([pane])
        return [
            line(
                Span("▌" if here else " ", "accent", action),
                Span(f"{mode_icon(self.controller, pane)} ", "accent" if here else "dim", action),
                Span(
                    clip(pane_title(pane, self.controller.language), max(4, width - 8)),
                    "strong" if here else "dim",
                    action,
                ),
                Span(f" {mark}" if mark else "", "strong", action),
            )
        ]


class PaneView(Vertical):
    """The side at `place` (0 is left or above); `above(pane, width, height)` is what stands above the messages."""

    def __init__(self, controller: Controller, palette: Palette, place: int, above: Above) -> None:
        super().__init__(classes="side -second" if place else "side")
        self.controller = controller
        self.place = place
        self.head = PaneTitle(controller, palette, place)
        self.transcript = Transcript(
            controller.tabs.sides[min(place, len(controller.tabs.sides) - 1)],
            palette,
            controller.language,
            lambda width, height: above(self.transcript.pane, width, height),
            controller.now,
        )

    def compose(self) -> ComposeResult:
        """The messages; the title comes when there are two sides."""
        yield self.transcript

    def name_it(self) -> None:
        """Put the title above the messages."""
        self.call_later(self.mount, self.head, before=0)

    def on_mouse_down(self) -> None:
        """Whoever presses on the other side means it: it gets the input first."""
        tabs = self.controller.tabs
        if self.place < len(tabs.sides) and self.place != tabs.focus:
            self.controller.turn()

    def apply_theme(self, palette: Palette) -> None:
        """Take the accent of the pane's assistant."""
        self.head.repaint(palette)
        self.transcript.repaint(palette)


FRAME = 0.1
SLOWEST = 1.0
# A paint may take a fifth of the time at most: a very long block is painted less often.
SHARE = 5
CLOCK = 0.5
# Seconds after which it is looked whether a colleague wrote, or somebody waits for one.
LOOK = 2.0


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
        self._changed: set[int] = set()
        self._typing = controller.pane
        self._laid: tuple[object, ...] = ()
        self._spoken = controller.language

    def compose(self) -> ComposeResult:
        """The parts of the first frame from top to bottom; what is hidden at first comes after it."""
        controller, palette = self.controller, self.palette
        self.modes = ModeBar(controller, palette)
        self.tabs = TabRow(controller, palette)
        self.list = ConversationList(controller, palette)
        self.sides = [PaneView(controller, palette, 0, self._above)]
        self.prompt = Prompt(tr("ui.prompt.hint", controller.language))
        self.prompt.lang = controller.language
        self.offers = CompletionList(palette)
        self.completer = Completer(controller, self.prompt, self.offers)
        self.prompt.completer = self.completer
        self.offers.pick = self.completer.take
        self.alarm = AlarmCard(controller, palette)
        self.evidence = EvidenceDrawer(controller, palette)
        self.status = StatusBar(controller, palette)
        self.small = Static(tr("ui.trouble.small", controller.language), id="small", markup=False)
        yield self.modes
        with Horizontal(id="middle"):
            yield self.list
            with Vertical(id="chat"):
                with Container(id="sides"):
                    yield from self.sides
                yield self.prompt
        yield self.status

    @property
    def transcript(self) -> Transcript:
        """The messages of the pane that the input belongs to."""
        return self.sides[min(self.controller.tabs.focus, len(self.sides) - 1)].transcript

    def on_mount(self) -> None:
        """Dress the input; turn the mark while an answer is written."""
        self.apply_theme(self.palette)
        self.set_interval(CLOCK, self._tick)
        self.set_interval(LOOK, self.controller.look_for_people)
        self.call_after_refresh(self._complete)

    def _complete(self) -> None:
        """Add what the first frame does not show; nothing is there to add to when the app ends already."""
        with suppress(NoMatches, MountError):
            self.mount(self.tabs, after=self.modes)
            self.query_one("#chat").mount(self.alarm, self.offers, before=self.prompt)
            self.query_one("#middle").mount(self.evidence)
            self.mount(self.small)

    def _above(self, pane: Pane, width: int, height: int) -> list[Line]:
        """What stands above the messages: their head, all there is in an empty pane, or why nothing could be opened."""
        controller = self.controller
        if pane.messages and controller.trouble is None:
            head = [] if pane.messages[0].before else [conversation_head(controller, pane, width)]
            return [BLANK, *head] if head and height >= ROOMY else head
        if pane.messages:
            return empty_lines(controller, pane, width, 0)
        return [] if pane.unloaded else empty_lines(controller, pane, width, height, keymap_of(self))

    def apply_theme(self, palette: Palette) -> None:
        """Take the accent of the shown mode and the colours of the theme."""
        self.palette = palette
        for part in (self.modes, self.tabs, self.list, self.evidence, self.status, self.offers, self.alarm):
            part.repaint(palette)
        for side in self.sides:
            side.apply_theme(mode_palette(self.app.current_theme, self.controller, side.transcript.pane))
        self.prompt.apply_theme(palette, self.app.current_theme.background or "#000000")

    @property
    def pending(self) -> bool:
        """Whether something changed that is not painted yet."""
        return self._waiting

    def take(self, what: Change, pane: Pane | None) -> None:
        """Something changed; it is painted soon, together with what else changes until then."""
        if what == "leaving":
            self.controller.pane.draft = self.prompt.text
            return
        if what == "pane" and pane not in self.controller.tabs.sides:
            return
        if what in ("panes", "draft"):
            self._swap(what)
        self._dirty.add(what)
        if pane is not None:
            self._changed.add(pane.key)
        if what == "panes":
            # With the swap in one frame; a frame that was waited for finds nothing left to do.
            self._paint()
        elif not self._waiting:
            self._waiting = True
            pause = min(SLOWEST, max(FRAME, self._cost * SHARE)) - (time.monotonic() - self._painted)
            self.set_timer(max(0.001, pause), self._paint)

    def _paint(self) -> None:
        began = time.monotonic()
        dirty, self._dirty, self._waiting = self._dirty, set(), False
        changed, self._changed = self._changed, set()
        if "pane" in dirty:
            for side in self.sides:
                if side.transcript.pane.key in changed:
                    side.transcript.grow()
        if dirty & {"panes", "list"} and self.list.display:
            self.list.rebuild()
        if dirty & {"panes", "pane"} and self.evidence.display:
            self.evidence.rebuild()
        if dirty & {"panes", "chrome", "finished"}:
            self._chrome()
        self._painted = time.monotonic()
        self._cost = self._painted - began

    def _swap(self, what: Change) -> None:
        """Show other panes at once: the next key already belongs to the draft of the one with the input."""
        controller = self.controller
        if self._typing is not controller.pane or what == "draft":
            self._typing = controller.pane
            self.prompt.put(controller.pane.draft)
        if what == "draft":
            return
        self.lay_out()
        for side, pane in zip(self.sides, controller.tabs.sides, strict=False):
            side.transcript.show(pane, controller.language)
            side.apply_theme(mode_palette(self.app.current_theme, controller, pane))
        if self._spoken != controller.language:
            self._spoken = controller.language
            self.prompt.set_language(tr("ui.prompt.hint", controller.language), controller.language)
            self.small.update(tr("ui.trouble.small", controller.language))

    def lay_out(self) -> None:
        """As many sides as panes are shown, where there is room for two; else the one with the input."""
        tabs = self.controller.tabs
        two = len(tabs.sides) > 1
        if two and len(self.sides) == 1:
            self.sides.append(PaneView(self.controller, self.palette, 1, self._above))
            self.query_one("#sides").mount(self.sides[1])
            for side in self.sides:
                side.name_it()
        how = split_layout(self.app.size.width, self.app.size.height) if two else ""
        shown = min(tabs.focus, len(tabs.sides) - 1)
        # Two columns of text leave no room for the list; there it lies above them when it is asked for.
        beside = how == "beside" or self.has_class("-evidence")
        pair = beside and self.app.size.width < WITH_LIST
        self.set_class(pair, "-pair")
        if self.has_class("-wide") and not pair:
            self.remove_class("-list")
        laid = (len(self.sides), how, shown)
        if laid == self._laid:
            return
        self._laid = laid
        self.query_one("#sides").set_classes([f"-{how}"] if how else [])
        for place, side in enumerate(self.sides):
            side.display = bool(how) or place == shown

    def on_transcript_moved(self) -> None:
        """The input stands below the column of the text, and below both where there are two."""
        shown = [side.transcript.indent for side in self.sides if side.display]
        margin = shown[0] if len(shown) == 1 else 0
        for part, beside in ((self.prompt, 1), (self.offers, 2), (self.alarm, 2)):
            part.styles.margin = (0, beside + margin) if margin else None

    def on_descendant_focus(self) -> None:
        """Other keys help where the keys go now."""
        self.status.rebuild()

    def on_resize(self) -> None:
        """Another size may have room for two sides, or no longer."""
        self.lay_out()
        self._chrome()

    def _chrome(self) -> None:
        tabs = self.controller.tabs
        for side, pane in zip(self.sides, tabs.sides, strict=False):
            # What stands above the messages has a title, which may be another one.
            if not pane.messages or side.transcript.scroll_y < ABOVE:
                side.transcript.rebuild()
            if len(tabs.sides) > 1:
                side.head.rebuild()
        self.set_class(len(tab_panes(self.controller)) > 1, "-tabs")
        self.tabs.rebuild()
        self.alarm.rebuild()
        self.modes.rebuild()
        self.status.rebuild()

    def _tick(self) -> None:
        if any(pane.running for pane in self.controller.tabs.everywhere):
            # Whoever wants no motion keeps the mark, standing still.
            moving = int(self.app.animation_level != "none")
            self.modes.turn(moving)
            self.tabs.turn(moving)
            now = self.controller.now()
            for side in self.sides:
                answer = side.transcript.pane.answer
                if answer is not None and side.display:
                    answer.wait((now - answer.asked).total_seconds())
                    side.transcript.grow()
            answer = self.controller.pane.answer
            if answer is not None:
                self.status.seconds = answer.waited
                self.status.turn(moving)

    def on_prompt_paged(self, event: Prompt.Paged) -> None:
        """Scroll the conversation by a page while the keys stay in the input."""
        page = max(1, self.transcript.size.height - 2)
        self.transcript.scroll_relative(y=event.by * page)

    def toggle_list(self) -> None:
        """On a wide screen the keys go to the list, a second time it hides; on a narrow one it comes and goes."""
        wide = self.has_class("-wide") and not self.has_class("-pair")
        if wide and self.has_class("-nolist"):
            self.remove_class("-nolist")
        elif wide and self.list.has_focus:
            self.add_class("-nolist")
        elif not wide:
            self.toggle_class("-list")
        if self.has_class("-list") or (wide and not self.has_class("-nolist")):
            self.controller.refresh()
            self._give_keys(self.list)
        else:
            self.prompt.focus()

    def _give_keys(self, part: LinesView) -> None:
        """Focus a part that is shown just now; what was typed behind the key that shows it is for it."""
        if isinstance(self.app, TerminalApp):
            self.app.focus_shown(part)

    def toggle_evidence(self) -> None:
        """Show the evidence drawer and give it the keys, or hide it."""
        self.toggle_class("-evidence")
        self.lay_out()
        self.call_after_refresh(self.evidence.rebuild)
        if self.has_class("-evidence"):
            self._give_keys(self.evidence)
        elif self.evidence.has_focus:
            self.prompt.focus()

    def leave_columns(self) -> bool:
        """Hide the columns that lie above the chat and give the keys to the input; True when one was there."""
        wide = self.has_class("-wide")
        above = self.has_class("-list") or (not wide and self.has_class("-evidence"))
        if above:
            self.remove_class("-list", *(() if wide else ("-evidence",)))
        if above or self.list.has_focus or self.evidence.has_focus:
            self.prompt.focus()
            return True
        return False
