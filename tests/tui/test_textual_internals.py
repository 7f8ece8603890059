"""What the framework leaves to us: pastes in one piece, however the terminal tears them apart; memory that is given back."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import _ansi_sequences, events
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.strip import Strip

from tests.support.process.waiting import until
from tests.support.screen.screens import Scene, begin, settle, warranty
from troly.tui.textual_internals import MOST_STYLES, PasteReader
from troly.tui.textual_internals import PASTE_BEGIN as BEGIN
from troly.tui.textual_internals import PASTE_END as END

PIECES = st.lists(
    st.sampled_from(
        ["a", "ệ", "\x7f", "\r", "\n", "\x1b[A", "\x1b[20", "[201~", BEGIN, END, "\x00", "xin chào"]
    ),
    max_size=12,
)


def read(parser: XTermParser, *parts: str) -> list[tuple[str, str]]:
    found = []
    for part in parts:
        for event in parser.feed(part):
            if isinstance(event, events.Paste):
                found.append(("paste", event.text))
            elif isinstance(event, events.Key):
                found.append(("key", event.key))
    return found


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({0, len(text), *(min(place, len(text)) for place in places)})
    return [text[start:end] for start, end in pairwise(ends)]


@given(st.text("abệ\n\t\x00[~201", max_size=40), st.lists(st.integers(0, 60), max_size=6), PIECES)
def test_a_paste_torn_apart_anywhere_is_one_paste(text: str, places: list[int], after: list[str]) -> None:
    keys = "".join(piece for piece in after if piece in ("a", "ệ", "\x7f", "\x1b[A"))
    parts = cut(text + END, places)
    found = read(PasteReader(), f"x{BEGIN}", *parts, keys or "z")
    expected = read(XTermParser(), keys or "z")
    assert found == [("key", "x"), ("paste", text.replace("\x00", "")), *expected]


@given(st.lists(st.sampled_from(["a", "ệ", "\x7f", "\r", "\x1b[A", "\x1bOP", "\x1b2"]), max_size=12))
def test_keys_are_read_as_by_the_framework(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert read(PasteReader(), *([text] if text else [])) == read(XTermParser(), *([text] if text else []))


def test_a_beginning_that_is_torn_apart_is_still_a_paste() -> None:
    assert read(PasteReader(), "a\x1b[20", f"0~một{END}b") == [("key", "a"), ("paste", "một"), ("key", "b")]


def test_two_pastes_in_one_read() -> None:
    text = f"{BEGIN}một{END}x{BEGIN}hai\n{END}"
    assert read(PasteReader(), text) == [("paste", "một"), ("key", "x"), ("paste", "hai\n")]


def test_the_symbols_of_the_framework_that_are_used_are_there() -> None:
    """What `troly.tui.textual_internals` reaches into; a change upstream is seen here first."""
    assert callable(App._fatal_error)
    assert callable(App._close_messages_no_wait)
    assert callable(App._suspend_signal)
    assert callable(LinuxDriver._sigcont_application)
    assert list(inspect.signature(StylesCache.get_inner_outer).parameters)[-2:] == [
        "base_background",
        "background",
    ]
    assert "_key_thread" in inspect.getsource(LinuxDriver)
    assert vars(linux_driver)["XTermParser"] in (XTermParser, PasteReader)
    assert isinstance(_ansi_sequences.ANSI_SEQUENCES_KEYS, dict)
    assert _ansi_sequences.ANSI_SEQUENCES_KEYS["\x1b[A"]


@pytest.fixture
def only_new_objects() -> Iterator[None]:
    """The collector looks at what the test makes, not at all that other tests left."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("only_new_objects")
async def test_nothing_is_kept_of_what_was_open_above_the_chat() -> None:
    app = Scene("en")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "one")).say(*warranty())
        await settle(app, pilot)

        async def open_and_close_all() -> None:
            for key in ("ctrl+p", "f1", "f5", "ctrl+f"):
                await pilot.press(key)
                await until(lambda: app.screen is not app.chat)
                await settle(app, pilot)
                await pilot.press("escape")
                await until(lambda: app.screen is app.chat)
                await settle(app, pilot)

        def kept() -> int:
            gc.collect()
            return sum(type(one) is StylesCache for one in gc.get_objects())

        await open_and_close_all()
        first = kept()
        for _ in range(5):
            await open_and_close_all()
        # Each box has several; the last one may still be on its way out.
        await until(lambda: kept() < first + 4, seconds=20)
        assert Strip.render_ansi.cache_info().maxsize == MOST_STYLES
