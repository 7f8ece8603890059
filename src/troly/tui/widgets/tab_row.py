"""The open panes as one row of tabs: sign of the assistant, title, and marks for what is written or not yet read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from rich.cells import cell_len

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.controller import Controller
from troly.tui.render.spans import Line, Span, clip, line, width_of
from troly.tui.theme import Palette
from troly.tui.view import Pane
from troly.tui.widgets.lines import LinesView

# The streaming mark, turning; the only motion on the screen.
TURNING = "◐◓◑◒"
UNREAD = "•"
ADD = " + "
SIGN = "◇"
WIDEST_TITLE, NARROWEST_TITLE = 24, 8
# Room that "‹ 12 •" and "88 › " need at the ends when not all tabs fit.
EDGE = 8


def tabs_of(controller: Controller) -> list[Pane]:
    """The panes that have a tab: those with content, and those that are shown."""
    shown = controller.tabs.sides
    return [pane for pane in controller.panes if pane in shown or not pane.empty]


def mark_of(panes: Sequence[Pane], phase: int = 0) -> str:
    """What is to be said of `panes` in one sign: being written, not read, or nothing."""
    if any(pane.running for pane in panes):
        return TURNING[phase]
    return UNREAD if any(pane.unread for pane in panes) else ""


def sign_of(controller: Controller, pane: Pane) -> str:
    """The sign of the pane's assistant, one cell wide."""
    mode = controller.modes.get(pane.mode)
    return mode.icon if mode else SIGN


def title_of(pane: Pane, lang: Lang) -> str:
    """The pane's title on one line."""
    return sanitize(pane.title, keep_newlines=False) or tr("ui.pane.untitled", lang)


class TabRow(LinesView):
    """One line; hidden while there is only one pane. Where not all tabs fit, those around the shown one are there."""

    def __init__(self, controller: Controller, palette: Palette, **options: object) -> None:
        super().__init__(palette, **options)
        self.controller = controller
        self.phase = 0

    def turn(self, by: int) -> None:
        """Turn the mark `by` steps."""
        self.phase = (self.phase + by) % len(TURNING)
        if self.display:
            self.relay()

    def build(self, width: int) -> list[Line]:
        """The tabs with titles as long as there is room for."""
        panes, lang = tabs_of(self.controller), self.controller.language
        fixed = [width_of(self._label(pane, 0, lang)) for pane in panes[: width // NARROWEST_TITLE]]
        if len(fixed) == len(panes):
            titles = [cell_len(title_of(pane, lang)) for pane in panes]
            for room in range(WIDEST_TITLE, NARROWEST_TITLE - 1, -1):
                if sum(fixed) + sum(min(room, title) for title in titles) + len(ADD) <= width:
                    labels = [self._label(pane, room, lang) for pane in panes]
                    return [line(*chain(*labels), Span(ADD, "dim", "new"))]
        return [self._window(panes, width, lang)]

    def _window(self, panes: Sequence[Pane], width: int, lang: Lang) -> Line:
        at = panes.index(self.controller.pane)
        first = last = at
        labels = {at: self._label(panes[at], NARROWEST_TITLE * 2, lang)}
        used = width_of(labels[at]) + 2 * EDGE
        while True:
            grown = False
            for place in (last + 1, first - 1):
                if not 0 <= place < len(panes):
                    continue
                label = self._label(panes[place], NARROWEST_TITLE * 2, lang)
                if used + width_of(label) > width:
                    continue
                labels[place], used, grown = label, used + width_of(label), True
                first, last = min(first, place), max(last, place)
            if not grown:
                break
        before, after = panes[:first], panes[last + 1 :]
        shown = chain(*(labels[place] for place in range(first, last + 1)))
        return line(*self._edge(before, left=True), *shown, *self._edge(after, left=False))

    def _edge(self, hidden: Sequence[Pane], *, left: bool) -> Line:
        if not hidden:
            return ()
        mark = mark_of(hidden, self.phase)
        nearest = hidden[-1 if left else 0]
        count = f" ‹ {len(hidden)}" if left else f" {len(hidden)} ›"
        action = f"pane:{nearest.key}"
        return line(Span(count, "dim", action), Span(f" {mark}" if mark else "", "strong", action))

    def _label(self, pane: Pane, room: int, lang: Lang) -> Line:
        tabs, action = self.controller.tabs, f"pane:{pane.key}"
        shown = pane is tabs.shown
        edge = "▌" if shown else "│" if pane in tabs.sides else " "
        style = "strong" if shown else "" if pane.unread else "dim"
        mark = mark_of([pane], self.phase)
        return line(
            Span(edge, "accent" if shown else "dim", action),
            Span(f"{sign_of(self.controller, pane)} ", "accent" if shown else "dim", action),
            Span(clip(title_of(pane, lang), room), style, action),
            Span(f" {mark}" if mark else "", "strong", action),
            Span(" × " if shown else "  ", "dim", "close" if shown else action),
        )
