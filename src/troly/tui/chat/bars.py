"""The lines of chrome: modes and who answers above, the row of tabs, costs and keys below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from rich.cells import cell_len

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.controller import Controller
from troly.tui.chat.view import HealthView, MessageView, ModeView, Pane
from troly.tui.keymap import keymap_of
from troly.tui.render.figures import counted, duration, number
from troly.tui.render.spans import Line, Span, clip, ends_apart, line, width_of, wrap
from troly.tui.theme import Palette
from troly.tui.widgets.lines import LinesView

if TYPE_CHECKING:
    from troly.tui.chat.jobs import JobActions


# The streaming mark, turning; the only motion on the screen.
TURNING = "◐◓◑◒"
UNREAD = "•"
ALARM = "!"
ADD = " + "
SIGN = "◇"
WIDEST_TITLE, NARROWEST_TITLE = 24, 8
# Room that "‹ 12 •" and "88 › " need at the ends when not all tabs fit.
EDGE = 8


def tab_panes(controller: Controller) -> list[Pane]:
    """The panes that have a tab: those with content, and those that are shown."""
    shown = controller.tabs.sides
    return [pane for pane in controller.panes if pane in shown or not pane.empty]


def activity_mark(panes: Sequence[Pane], phase: int = 0) -> str:
    """What is to be said of `panes` in one sign: being written, urgent, not read, or nothing."""
    if any(pane.running for pane in panes):
        return TURNING[phase]
    if any(pane.alarm for pane in panes):
        return ALARM
    return UNREAD if any(pane.unread for pane in panes) else ""


def mode_icon(controller: Controller, pane: Pane) -> str:
    """The sign of the pane's assistant, one cell wide."""
    mode = controller.modes.get(pane.mode)
    return mode.icon if mode else SIGN


def pane_title(pane: Pane, lang: Lang) -> str:
    """The pane's title on one line."""
    return sanitize(pane.title, keep_newlines=False) or tr("ui.pane.untitled", lang)


class Bar(LinesView):
    """Lines about what the controller holds, with a mark that turns while an answer is written."""

    def __init__(self, controller: Controller, palette: Palette) -> None:
        super().__init__(palette)
        self.controller = controller
        self.phase = 0

    def turn(self, by: int) -> None:
        """Turn the mark `by` steps."""
        self.phase = (self.phase + by) % len(TURNING)
        self.rebuild()


class TabRow(Bar):
    """One line; hidden while there is only one pane. Where not all tabs fit, those around the shown one are there."""

    def build(self, width: int) -> list[Line]:
        """The tabs with titles as long as there is room for."""
        panes, lang = tab_panes(self.controller), self.controller.language
        fixed = [width_of(self._label(pane, 0, lang)) for pane in panes[: width // NARROWEST_TITLE]]
        if len(fixed) == len(panes):
            titles = [cell_len(pane_title(pane, lang)) for pane in panes]
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
        mark = activity_mark(hidden, self.phase)
        nearest = hidden[-1 if left else 0]
        count = f" ‹ {len(hidden)}" if left else f" {len(hidden)} ›"
        action = f"pane:{nearest.key}"
        return line(Span(count, "dim", action), Span(f" {mark}" if mark else "", "strong", action))

    def _label(self, pane: Pane, room: int, lang: Lang) -> Line:
        tabs, action = self.controller.tabs, f"pane:{pane.key}"
        shown = pane is tabs.shown
        edge = "▌" if shown else "│" if pane in tabs.sides else " "
        style = "strong" if shown else "" if pane.unread else "dim"
        mark = activity_mark([pane], self.phase)
        return line(
            Span(edge, "accent" if shown else "dim", action),
            Span(f"{mode_icon(self.controller, pane)} ", "accent" if shown else "dim", action),
            Span(clip(pane_title(pane, lang), room), style, action),
            Span(f" {mark or ' '}", "strong", action),
            Span(" × " if shown else " ", "dim", "close" if shown else action),
        )


class AlarmCard(Bar):
    """What is urgent in the shown conversation, above the input until somebody says that it was seen."""

    MOST_ROWS = 4

    def rebuild(self) -> None:
        """Be as high as the words, or not there at all."""
        alarm = self.controller.pane.alarm
        self.display = bool(alarm)
        if alarm:
            self.styles.height = len(self.build(self.size.width or self.app.size.width))
            super().rebuild()

    def build(self, width: int) -> list[Line]:
        """The words with an edge in the colour of alarm, and the key that takes them away."""
        lang, press = self.controller.language, keymap_of(self).press("acknowledge")
        lines = wrap([Span(sanitize(self.controller.pane.alarm), "error")], max(8, width - 3))[
            : self.MOST_ROWS
        ]
        seen = line(
            Span(press, "strong", "key:acknowledge"),
            Span(f" {tr('ui.key.acknowledge', lang)}", "dim", "key:acknowledge"),
        )
        return [(Span("▌ ", "error"), *row) for row in (*lines, seen)]


GAP = "   "


def status_figures(
    answer: MessageView | None,
    health: HealthView,
    lang: Lang,
    width: int,
    now: datetime | None = None,
) -> str:
    """Calls and time, tokens a second, context used, time to the first token, tokens; the last ones go first.

    `now` gives the rate of an answer that is being written. `health` tells whether an answer without calls was by rules
    because no model is there.
    """
    if answer is None:
        return ""
    parts: list[str] = []
    for part in _parts(answer, health, lang, now):
        if cell_len(GAP.join([*parts, part])) > width:
            break
        parts.append(part)
    return GAP.join(parts)


def _parts(answer: MessageView, health: HealthView, lang: Lang, now: datetime | None) -> list[str]:
    spent = answer.spent
    parts = []
    if answer.finished:
        if answer.ms is None:
            return []
        parts += [counted("ui.status.calls", answer.calls, lang), duration(answer.ms, lang)]
        if not answer.calls and health.known and not health.up:
            parts.append(tr("ui.status.no_model", lang))
    if spent is None:
        return parts
    rate = spent.rate if answer.finished or now is None else spent.running_rate(now) or spent.rate
    if rate is not None:
        parts.append(tr("ui.status.rate", lang, rate=number(rate, lang, 0 if rate >= 10 else 1)))
    if spent.window and spent.used:
        parts.append(
            tr("ui.status.context", lang, used=_kilo(spent.used, lang), window=_kilo(spent.window, lang))
        )
    if spent.ttft_ms is not None:
        parts.append(tr("ui.status.first", lang, time=duration(spent.ttft_ms, lang)))
    if spent.prompt_tokens or spent.completion_tokens:
        asked, said = _kilo(spent.prompt_tokens, lang), _kilo(spent.completion_tokens, lang)
        parts.append(tr("ui.status.tokens", lang, asked=asked, said=said))
    if spent.host:
        parts.append(sanitize(spent.host.partition("://")[2]))
    return parts


def _kilo(tokens: int, lang: Lang) -> str:
    return f"{number(tokens / 1000, lang, 1)}k" if tokens >= 1000 else number(tokens, lang)


# The input of the line that finds words, which is not imported for the first frame.
FIND = "find"
BRAND = "Troly"
# Below this many rows header and status share a line, as in the style sheet of the app.
SHORT = 16
MOST_KEYS = 6
# Cells that figures may take on a narrow line.
MOST_FIGURES = 36
# From so many columns a screen without a status line has room for a key.
NARROW = 50


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key on the status line: what to press, the name of what it does, and the action of a click."""

    press: str
    name: str
    action: str


class ModeBar(Bar):
    """Where I am, which modes are there, and who answers."""

    def build(self, width: int) -> list[Line]:
        """One line: all names (with signs) where they fit, else the shown one and signs, or it between ‹ and ›."""
        lang = self.controller.language
        right = self._right(lang, full=width >= 72)
        brand = Span(f" {BRAND} ", "strong")
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
            action = f"mode:{mode.id}"
            spans += [
                Span(" ", "", action),
                sign,
                *([Span(" ", "", action), *self._label(mode, lang)] if shown else self._mark(mode)),
            ]
        return line(*spans, *self._place())

    def _labels(self, lang: Lang, *, signs: bool) -> list[Span]:
        spans: list[Span] = []
        for mode in self.controller.modes.values():
            shown = mode.id == self.controller.pane.mode
            sign = [Span(f"{mode.icon} ", "accent" if shown else "dim", f"mode:{mode.id}")] if signs else []
            spans += [Span(" ", "", f"mode:{mode.id}"), *sign, *self._label(mode, lang)]
        return spans

    def _label(self, mode: ModeView, lang: Lang) -> list[Span]:
        shown = mode.id == self.controller.pane.mode
        style = "who" if shown else "dim"
        name = Span(mode.names[lang], f"{style} strike" if mode.broken else style, f"mode:{mode.id}")
        return [name, *self._mark(mode)]

    def _mark(self, mode: ModeView) -> list[Span]:
        # The room of the mark is kept: names do not move when one comes or goes.
        sign, style = (UNREAD if self.controller.unread(mode.id) else " "), "strong"
        if self.controller.running(mode.id):
            sign = TURNING[self.phase]
        elif mode.broken:
            sign, style = "×", "error"
        elif any(pane.alarm for pane in self.controller.panes if pane.mode == mode.id):
            sign, style = ALARM, "error"
        return [Span(f" {sign}", style, f"mode:{mode.id}")]

    def _one(self, lang: Lang) -> Line:
        mode = self.controller.modes.get(self.controller.pane.mode)
        if mode is None:
            return (Span(f" {BRAND}", "strong"),)
        names = line(Span(" ‹ ", "dim", "step:-1"), *self._label(mode, lang), Span(" ›", "dim", "step:1"))
        others = [pane for pane in self.controller.tabs.everywhere if pane.mode != mode.id]
        mark = activity_mark(others, self.phase)
        return line(*names, *self._place(), Span(f" {mark}" if mark else "", "strong", "panes"))

    def _place(self) -> Line:
        """Which of the open conversations this is."""
        panes, shown = tab_panes(self.controller), self.controller.pane
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
            who = [
                Span("● ", "accent", "key:settings"),
                Span(self.controller.pane.model or health.model, "", "key:settings"),
            ]
        else:
            who = [Span("○ ", "dim", "key:settings"), Span(tr("ui.head.rules", lang), "", "key:settings")]
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
            [Span("   "), *key_spans(KeyHint(keymap.press(name), name, f"key:{name}"), lang)]
            if keymap.press(name)
            else []
        )


class StatusBar(Bar):
    """What the last answer cost or what is going on, and at most six keys that help here."""

    def __init__(self, controller: Controller, palette: Palette) -> None:
        super().__init__(controller, palette)
        # How long the answer takes so far.
        self.seconds = 0.0

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

    def keys(self) -> Sequence[KeyHint]:
        """The keys for where one is, the most useful first."""
        pane = self.controller.pane
        last = pane.last_answer
        failed = (
            last is not None and last.state in ("failed", "stopped") and bool(last.source or last.trouble)
        )
        helps = ["again", "continue"] if last is not None and last.unfinished else ["again"]
        first = ["stop"] if pane.running else helps if failed else []
        usual = getattr(self.app.focused, "HINTS", ("palette", "help", "list", "evidence", "new", "quit"))
        names = ["quit", "help"] if self.controller.trouble is not None else [*first, *usual]
        keymap = keymap_of(self)
        return [KeyHint(press, name, _clicked(name)) for name in names if (press := keymap.press(name))]

    def _keys(self, keys: Sequence[KeyHint], lang: Lang) -> Line:
        spans: list[Span] = []
        for key in keys:
            spans += [Span("   "), *key_spans(key, lang)]
        return line(*spans, Span(" "))

    def _work(self, lang: Lang, width: int) -> list[Span]:
        """Who waits for a person, and how far the work beside the chat is."""
        if count := self.controller.waiting_people:
            press = "key:waiting"
            told = tr("ui.status.people", lang, count=count)
            return [
                Span(f"☎ {told}", "accent", press),
                Span("   "),
                *self._job(lang, width - width_of(line(told)) - 5),
            ]
        return self._job(lang, width)

    def _job(self, lang: Lang, width: int) -> list[Span]:
        """How far the work beside the chat is."""
        jobs: JobActions | None = getattr(self.app, "jobs", None)
        working = jobs.running if jobs is not None else None
        if working is None:
            return self._stocking(lang, width + width // 2)
        stop = "key:cancel_work"
        told = working.line(self.controller.now(), width - 2, lang)
        return [Span("↓ ", "accent", stop), Span(told, "", stop), Span(" ×", "action", stop), Span("   ")]

    def _stocking(self, lang: Lang, width: int) -> list[Span]:
        """Whose samples are being loaded."""
        modes = [self.controller.modes[mode].names[lang] for mode in self.controller.loading_samples]
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


def key_spans(key: KeyHint, lang: Lang) -> list[Span]:
    """A key and what it does, both to click."""
    return [
        Span(key.press, "strong", key.action),
        Span(f" {tr(f'ui.key.{key.name}', lang)}", "dim", key.action),
    ]


def _clicked(name: str) -> str:
    """What a click on the key of an action does: those of a message are done to the chosen one."""
    what = name.removeprefix("transcript_")
    return f"message:{what}" if what != name or what == "continue" else f"key:{name}"
