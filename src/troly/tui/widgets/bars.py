"""The two lines of chrome: modes and who answers above, what happened and what to press below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang, tr
from troly.tui.controller import Controller
from troly.tui.keymap import keymap_of
from troly.tui.render.figures import duration
from troly.tui.render.spans import Line, Span, clip, ends_apart, line, width_of
from troly.tui.screens.first import BRAND, SHORT
from troly.tui.theme import Palette
from troly.tui.view import ModeView
from troly.tui.widgets.lines import LinesView
from troly.tui.widgets.status_figures import status_figures
from troly.tui.widgets.tab_row import TURNING, UNREAD, mark_of, tabs_of
from troly.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from troly.tui.working import Working

# The input of the line that finds words, which is not imported for the first frame.
FIND = "find"
MOST_KEYS = 6
# Cells that figures may take on a narrow line.
MOST_FIGURES = 36
# From so many columns a screen without a status line has room for a key.
NARROW = 50


@dataclass(frozen=True, slots=True)
class Key:
    """A key on the status line: what to press, the name of what it does, and the action of a click."""

    press: str
    name: str
    action: str


class ModeBar(LinesView):
    """Where I am, which modes are there, and who answers."""

    def __init__(self, controller: Controller, palette: Palette, **options: object) -> None:
        super().__init__(palette, **options)
        self.controller = controller
        self.phase = 0

    def turn(self, by: int) -> None:
        """Turn the mark `by` steps."""
        self.phase = (self.phase + by) % len(TURNING)
        self.relay()

    def build(self, width: int) -> list[Line]:
        """One line: all names (with signs) where they fit, else the shown one and signs, or it between ‹ and ›."""
        lang = self.controller.language
        right = self._right(lang, full=width >= 72)
        brand = Span(f" {BRAND}", "strong")
        names = (brand, *self._labels(lang, signs=False))
        for left in ((brand, *self._labels(lang, signs=True)), names, self._signs(lang)):
            if width_of(left) + width_of(right) + 2 <= width:
                return [ends_apart(left, right, width)]
        return [ends_apart(self._one(lang), right, width)]

    def _signs(self, lang: Lang) -> Line:
        """The name of the shown mode and a sign with its marks for every other one, in their order."""
        spans: list[Span] = []
        for mode in self.controller.modes.values():
            shown = mode.id == self.controller.pane.mode
            sign = Span(mode.icon, "accent" if shown else "dim", f"mode:{mode.id}")
            spans += [
                Span("  " if spans else " "),
                sign,
                *([Span(" "), *self._label(mode, lang)] if shown else self._mark(mode)),
            ]
        return line(*spans, *self._place())

    def _labels(self, lang: Lang, *, signs: bool) -> list[Span]:
        spans: list[Span] = []
        for mode in self.controller.modes.values():
            shown = mode.id == self.controller.pane.mode
            sign = [Span(f"{mode.icon} ", "accent" if shown else "dim", f"mode:{mode.id}")] if signs else []
            spans += [Span("   "), *sign, *self._label(mode, lang)]
        return spans

    def _label(self, mode: ModeView, lang: Lang) -> list[Span]:
        shown = mode.id == self.controller.pane.mode
        style = "who" if shown else "dim"
        name = Span(mode.names[lang], f"{style} strike" if mode.broken else style, f"mode:{mode.id}")
        return [name, *self._mark(mode)]

    def _mark(self, mode: ModeView) -> list[Span]:
        if self.controller.running(mode.id):
            return [Span(f" {TURNING[self.phase]}", "strong")]
        if mode.broken:
            return [Span(" ×", "error")]
        return [Span(f" {UNREAD}", "strong")] if self.controller.unread(mode.id) else []

    def _one(self, lang: Lang) -> Line:
        mode = self.controller.modes.get(self.controller.pane.mode)
        if mode is None:
            return (Span(f" {BRAND}", "strong"),)
        names = line(Span(" ‹ ", "dim", "step:-1"), *self._label(mode, lang), Span(" ›", "dim", "step:1"))
        others = [pane for pane in self.controller.tabs.everywhere if pane.mode != mode.id]
        mark = mark_of(others, self.phase)
        return line(*names, *self._place(), Span(f" {mark}" if mark else "", "strong", "panes"))

    def _place(self) -> Line:
        """Which of the open conversations this is."""
        panes, shown = tabs_of(self.controller), self.controller.pane
        return (
            line(Span(f"   {panes.index(shown) + 1}/{len(panes)}", "dim", "panes")) if len(panes) > 1 else ()
        )

    def _right(self, lang: Lang, *, full: bool) -> Line:
        health = self.controller.health
        if self.controller.trouble is not None:
            who = [Span("× ", "error"), Span(tr("ui.head.closed", lang), "dim")]
        elif not health.known:
            who = [Span("○ ", "dim"), Span(tr("ui.head.opening", lang), "dim")]
        elif health.up:
            who = [Span("● ", "accent"), Span(health.model)]
        else:
            who = [Span("○ ", "dim"), Span(tr("ui.head.rules", lang))]
        rest = (
            [Span(f"   {lang}", "dim", "language"), Span(f"   {self.controller.user}", "dim")] if full else []
        )
        return line(*who, *rest, *self._instead(lang), Span(" "))

    def _instead(self, lang: Lang) -> list[Span]:
        """The key that helps most, on a screen too low for the status line."""
        if self.app.size.height >= SHORT or self.app.size.width < NARROW:
            return []
        controller = self.controller
        name = "quit" if controller.trouble is not None else "stop" if controller.pane.running else "help"
        keymap = keymap_of(self)
        return (
            [Span("   "), *key_spans(Key(keymap.press(name), name, f"key:{name}"), lang)]
            if keymap.press(name)
            else []
        )


class StatusBar(LinesView):
    """What the last answer cost or what is going on, and at most six keys that help here."""

    def __init__(self, controller: Controller, palette: Palette, **options: object) -> None:
        super().__init__(palette, **options)
        self.controller = controller
        self.seconds = 0.0
        self.phase = 0

    def turn(self, by: int, seconds: float) -> None:
        """Turn the mark `by` steps; `seconds` is how long the answer takes so far."""
        self.phase = (self.phase + by) % len(TURNING)
        self.seconds = seconds
        self.relay()

    def build(self, width: int) -> list[Line]:
        """One line; keys that do not fit are left out from the right."""
        lang = self.controller.language
        left = line(Span(" "), *self._state(lang, max(MOST_FIGURES, width // 2)))
        hint = line(Span(f"{self._hint(lang)} ", "dim"))
        if len(hint[0].text) > 1 and width_of(left) + width_of(hint) + 1 <= width:
            return [ends_apart(left, hint, width)]
        keys = self.keys()[:MOST_KEYS]
        while keys:
            right = self._keys(keys, lang)
            if width_of(left) + width_of(right) + 1 <= width:
                return [ends_apart(left, right, width)]
            keys = keys[:-1]
        return [left]

    def _hint(self, lang: Lang) -> str:
        """The keys of what is open beside the input: what it offers, or the line that finds words."""
        offers = getattr(self.screen, "offers", None)
        if offers is not None and offers.shown:
            return tr("ui.complete.keys", lang)
        return tr("ui.find.keys", lang) if getattr(self.app.focused, "id", "") == FIND else ""

    def keys(self) -> Sequence[Key]:
        """The keys for where one is, the most useful first."""
        pane = self.controller.pane
        last = pane.last_answer
        failed = (
            last is not None and last.state in ("failed", "stopped") and bool(last.source or last.trouble)
        )
        first = ["stop"] if pane.running else ["again", "continue"] if failed else []
        usual = ["palette", "help", "list", "evidence", "new", "quit"]
        if isinstance(self.app.focused, Transcript):
            usual = ["transcript_menu", "transcript_copy", "transcript_quote", "transcript_find", "help"]
        names = ["quit", "help"] if self.controller.trouble is not None else [*first, *usual]
        keymap = keymap_of(self)
        return [Key(press, name, _clicked(name)) for name in names if (press := keymap.press(name))]

    def _keys(self, keys: Sequence[Key], lang: Lang) -> Line:
        spans: list[Span] = []
        for key in keys:
            spans += [Span("   "), *key_spans(key, lang)]
        return line(*spans, Span(" "))

    def _work(self, lang: Lang, width: int) -> list[Span]:
        """How far the work beside the chat is."""
        working: Working | None = getattr(self.app, "working", None)
        if working is None:
            return self._stocking(lang, width + width // 2)
        stop = "key:cancel_work"
        told = working.line(self.controller.now(), width - 2, lang)
        return [Span("↓ ", "accent", stop), Span(told, "", stop), Span(" ×", "action", stop), Span("   ")]

    def _stocking(self, lang: Lang, width: int) -> list[Span]:
        """Whose samples are being loaded."""
        modes = [self.controller.modes[mode].names[lang] for mode in self.controller.stocking]
        if not modes:
            return []
        said = tr("ui.status.stocking", lang, mode=", ".join(modes))
        return [Span("↓ ", "accent"), Span(clip(said, width)), Span("   ")]

    def _state(self, lang: Lang, width: int) -> list[Span]:
        controller = self.controller
        if controller.trouble is not None:
            return []
        if not controller.opened:
            return [Span(tr("ui.status.opening", lang), "dim")]
        pane = controller.pane
        waiting = (
            [Span(f"   {tr('ui.status.queued', lang, count=len(pane.waiting))}", "dim")]
            if pane.waiting
            else []
        )
        work = self._work(lang, width)
        if pane.running:
            rate = status_figures(pane.answer, controller.health, lang, width // 2, controller.now())
            return [
                *work,
                Span(f"{TURNING[self.phase]} "),
                Span(f"{tr('ui.status.writing', lang)}  {duration(self.seconds * 1000, lang)}", "dim"),
                Span(f"   {rate}" if rate else "", "dim"),
                *waiting,
            ]
        room = width - width_of(line(*work))
        return [*work, Span(status_figures(pane.last_answer, controller.health, lang, room), "dim")]


def key_spans(key: Key, lang: Lang) -> list[Span]:
    """A key and what it does, both to click."""
    return [
        Span(key.press, "strong", key.action),
        Span(f" {tr(f'ui.key.{key.name}', lang)}", "dim", key.action),
    ]


def _clicked(name: str) -> str:
    """What a click on the key of an action does: those of a message are done to the chosen one."""
    what = name.removeprefix("transcript_")
    return f"message:{what}" if what != name or what == "continue" else f"key:{name}"
