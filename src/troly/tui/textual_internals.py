"""All that reaches into Textual beyond its public names, each with the reason and the upstream symbol.

`tests/tui/test_textual_internals.py` fails when one of the symbols changes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache, lru_cache, partial
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual import _ansi_sequences, constants, events
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.color import Color
from textual.dom import DOMNode
from textual.filter import LineFilter
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.worker import Worker

from troly.tui.terminal import has_colours

ALT = "alt+"
REVERSED, NOT_REVERSED = Style(reverse=True), Style(reverse=False)
PASTE_BEGIN, PASTE_END = "\x1b[200~", "\x1b[201~"
# What a key does may take so long before the next keys are given out all the same (seconds).
KEY_PATIENCE = 2.0


class WithoutColours(LineFilter):
    """Leaves weight and reversal of the colours: reversed is what stands on another ground than the plain and the raised."""

    def __init__(self, ground: Color, raised: Color) -> None:
        super().__init__()
        self._ground = ground.brightness
        # Colours are rounded when they are mixed.
        self._most = abs(raised.brightness - ground.brightness) + 0.02

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 (Textual's hook)
        return [
            Segment(text, None if style is None else self._plain(style), control)
            for text, style, control in segments
        ]

    def _plain(self, style: Style) -> Style:
        behind = style.color if style.reverse else style.bgcolor
        other = behind is not None and not behind.is_default
        if other and behind is not None:
            other = abs(Color.from_rich_color(behind).brightness - self._ground) > self._most
        return style.without_color + (REVERSED if other else NOT_REVERSED)


@cache
def _without_colours(ground: str, raised: str) -> WithoutColours:
    """One for each theme: lines that are painted are kept by their filters."""
    return WithoutColours(Color.parse(ground), Color.parse(raised))


class TerminalApp(App[int]):
    """An app that survives what happens to its terminal, and gives each key to what the one before it left there.

    `fault` is what broke the screen; it is for the caller, who has a sentence and a log for it.
    """

    fault: BaseException | None = None

    def __init__(self) -> None:
        super().__init__()
        # Another driver (a browser's, a test's) has colours whatever the terminal is.
        self.no_color = self.no_color or (constants.DRIVER is None and not has_colours(os.environ))
        # What the last keys do and is not done yet, what was typed behind them, and what gives that out in its turn.
        self._undone: deque[Callable[[], Awaitable[object]]] = deque()
        self._typed: deque[events.Key | events.Paste] = deque()
        self._typing: Worker[None] | None = None

    def get_line_filters(self) -> Sequence[LineFilter]:
        """No colour at all where none is wanted or known; the framework would send greys."""
        if not self.no_color:
            return super().get_line_filters()
        return [_without_colours(self.theme_variables["background"], self.theme_variables["raised"])]

    async def on_event(self, event: events.Event) -> None:
        """Give out keys in order: what is typed right behind a key that opens a box belongs to the box.

        The framework gives each key to what has the focus when it is read. What the key before it does happens later,
        and a box has its input only when it is composed: what was typed in between went to the chat, or nowhere.
        """
        if not isinstance(event, (events.Key, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
        elif self._typing is None and self.screen.is_mounted:
            await self._give(event)
        else:
            self._typed.append(event)
            self._give_in_order()

    @property
    def waits_with_keys(self) -> bool:
        """Whether what the last key does still goes on; the next ones wait for it."""
        return self._typing is not None

    def may_open(self, target: Widget, key: events.Key) -> bool:
        """Whether `key` may give the focus to something else; a letter in an input does not."""
        return not (key.is_printable and isinstance(target, (Input, TextArea)))

    def focus_shown(self, widget: Widget) -> None:
        """Focus a part that is shown now, once it is laid out; keys wait for it."""
        focused = asyncio.Event()

        def focus() -> None:
            widget.focus()  # which the app does, in its turn
            self.call_later(focused.set)

        self.call_after_refresh(focus)
        self._undone.append(focused.wait)
        self._give_in_order()

    async def _give(self, event: events.Key | events.Paste) -> None:
        target: Widget = self.focused or self.screen
        opens = isinstance(event, events.Key) and self.may_open(target, event)
        await super().on_event(event)
        if opens:
            self._undone.append(partial(_done_above, target))
            self._give_in_order()

    def _give_in_order(self) -> None:
        if self._typing is None:
            self._typing = self.run_worker(self._give_typed, group="typing")

    async def _give_typed(self) -> None:
        """Give out what was typed, each key when that before it is done, or after KEY_PATIENCE."""
        try:
            while self._undone or self._typed:
                if self._undone:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._undone.popleft()(), KEY_PATIENCE)
                elif not self.screen.is_mounted:
                    self._undone.append(partial(_done_by, self.screen))
                else:
                    await _done_by(self, partial(self._give, self._typed.popleft()))
        finally:
            self._typing = None

    def _fatal_error(self) -> None:
        # `App._fatal_error` prints a traceback with all local variables, and so everybody's data, on the terminal.
        # There is no public hook for a fault of the screen itself.
        self.fault = self.fault or sys.exception()
        self._close_messages_no_wait()

    def repaint_when_resumed(self) -> None:
        """Paint everything once the shell gives the terminal back: it painted over it, or forgot it.

        Whoever was stopped from outside (`kill -STOP`) had no chance to put the terminal in order before:
        `LinuxDriver._sigcont_application` would begin to read it a second time (`_key_thread`), and at the end leave
        it as the shell does not want it. The loop calls this, not the signal itself: that may come while the lock of
        what is to be written is held, and would wait for itself.
        """
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh())
        resume = getattr(self._driver, "_sigcont_application", None)
        if resume is None or threading.current_thread() is not threading.main_thread():
            return

        def resumed() -> None:
            driver = self._driver
            reader = getattr(driver, "_key_thread", None)
            if driver is not None and reader is not None and reader.is_alive():
                driver.suspend_application_mode()
                self.call_later(self.refresh)
            resume()

        asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, resumed)

    def suspend_with_group(self) -> None:
        """Stop like any other program of a shell, the whole group as the terminal itself would.

        `App.action_suspend_process` stops this process only: whoever waits for it (`uv run`) must give way as well.
        """
        self._suspend_signal()
        os.kill(0, signal.SIGTSTP)


async def _done_by(node: DOMNode, work: Callable[[], Awaitable[None]] | None = None) -> None:
    """Return when `node` has done what waits for it, then `work`; at once where it is closed."""
    done = asyncio.Event()

    async def last() -> None:
        if work is not None:
            await work()
        done.set()

    if node.call_later(last):
        await done.wait()


async def _done_above(target: DOMNode) -> None:
    """Return when all is done that a key makes its widget, what is around that, and the app post to themselves.

    The key goes up from its widget; the app runs what it is bound to, which the widget may hear of in its turn, and
    that goes up again.
    """
    for node in [node for node in target.ancestors_with_self for _ in range(2)] * 2:
        await _done_by(node)


def teach_alt_keys(keys: Iterable[str]) -> None:
    """Let those of `keys` that are Alt with a letter, a digit or Enter be themselves (`ANSI_SEQUENCES_KEYS`).

    Terminals send them as Escape and the key. The framework takes Escape and a digit for a character of one macOS
    terminal ("¡", "™"), Escape and b for Ctrl+left, and Escape and Enter for two keys. With entries of their own they
    are also known at once, without waiting for the rest of a sequence.
    """
    wanted = {key for key in keys if key.startswith(ALT)}
    alone = {key for key in wanted if len(key) == len(ALT) + 1 or key == "alt+enter"}
    if not alone:
        return
    named = StrEnum("AltKey", {key.replace("+", "_"): key for key in sorted(alone)})  # type: ignore[misc]
    table: dict[str, object] = _ansi_sequences.ANSI_SEQUENCES_KEYS  # type: ignore[assignment]
    for key in named:
        last = key.value.removeprefix(ALT)
        for sent in ("\r", "\n") if last == "enter" else (last,):
            table[f"\x1b{sent}"] = (key,)


class PasteReader(XTermParser):
    """Reads a bracketed paste in one piece; `XTermParser` looks at each of its characters, seconds for 1 MB.

    A beginning that is torn apart between two reads is left to the framework, which knows it as well.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pieces: list[str] | None = None
        self._tail = ""

    def feed(self, data: str) -> Iterable[Message]:
        """The messages that `data` makes whole; "" is the end of all reading."""
        if not data:
            yield from super().feed(data)
        while data:
            if self._pieces is None:
                before, begin, data = data.partition(PASTE_BEGIN)
                if before:
                    yield from super().feed(before)
                if begin:
                    self._pieces, self._tail = [], ""
                continue
            # The end may be torn apart between two reads.
            place = (self._tail + data).find(PASTE_END)
            if place < 0:
                self._pieces.append(data)
                self._tail = (self._tail + data)[1 - len(PASTE_END) :]
                return
            after = place + len(PASTE_END) - len(self._tail)
            text = ("".join(self._pieces) + data[:after])[: -len(PASTE_END)]
            self._pieces, data = None, data[after:]
            yield events.Paste(text.replace("\x00", ""))


MOST_STYLES = 2048


def bound_caches() -> None:
    """Let the framework keep what one screen needs, not a day of them.

    `StylesCache.get_inner_outer` is cached with the `StylesCache` itself as a part of the key: a thousand of them, each
    with all the lines that its widget had painted, stay for ever. What it gives back depends on the two colours alone.
    `Strip.render_ansi` keeps 16,384 styles, and each piece of text that can be selected has one of its own.
    """
    painted: Any = vars(Strip)["render_ansi"].__func__
    if painted.cache_parameters()["maxsize"] > MOST_STYLES:
        fewer: Any = lru_cache(MOST_STYLES)(painted.__wrapped__)
        by_style: Any = classmethod(fewer)
        Strip.render_ansi = by_style  # type: ignore[method-assign]
    known: Any = vars(StylesCache)["get_inner_outer"]
    if not isinstance(known, staticmethod):
        by_colours: Any = staticmethod(lru_cache(1024)(partial(known.__wrapped__, None)))
        StylesCache.get_inner_outer = by_colours  # type: ignore[method-assign]


def read_pastes_whole() -> None:
    """Let the drivers read with `PasteReader`: they make their parser by the name in their own module."""
    for name in ("linux_driver", "linux_inline_driver"):
        driver = sys.modules.get(f"textual.drivers.{name}")
        if driver is not None:
            driver.XTermParser = PasteReader  # type: ignore[attr-defined]
