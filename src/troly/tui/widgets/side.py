"""One of the panes that are shown: its messages, and above them a title while there are two beside each other."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult

from troly.tui.controller import Controller
from troly.tui.render.spans import Line, Span, clip, line
from troly.tui.theme import Palette
from troly.tui.view import Pane
from troly.tui.widgets.lines import LinesView
from troly.tui.widgets.painted import PaintedVertical
from troly.tui.widgets.tab_row import mark_of, sign_of, title_of
from troly.tui.widgets.transcript import Transcript

Above = Callable[[Pane, int, int], list[Line]]


class SideHead(LinesView):
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
        mark = mark_of([pane])
        return [
            line(
                Span("▌" if here else " ", "accent", action),
                Span(f"{sign_of(self.controller, pane)} ", "accent" if here else "dim", action),
                Span(
                    clip(title_of(pane, self.controller.language), max(4, width - 8)),
                    "strong" if here else "dim",
                    action,
                ),
                Span(f" {mark}" if mark else "", "strong", action),
            )
        ]


class Side(PaintedVertical):
    """The side at `place` (0 is left or above); `above(pane, width, height)` is what stands above the messages."""

    def __init__(self, controller: Controller, palette: Palette, place: int, above: Above) -> None:
        super().__init__(classes="side -second" if place else "side")
        self.controller = controller
        self.place = place
        self.head = SideHead(controller, palette, place)
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

    def dress(self, palette: Palette) -> None:
        """Take the accent of the pane's assistant."""
        self.head.repaint(palette)
        self.transcript.repaint(palette)
