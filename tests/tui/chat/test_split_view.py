"""Tabs and two panes on the screen: keys, clicks, drafts, streams on both sides, and what a small screen shows."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from tests.support.process.waiting import until
from tests.support.scenes.panes import fill
from tests.support.screen.screens import Scene, begin, burst, settle, text_of
from troly.plugin.events import Token, TurnCompleted
from troly.text.fold import fold
from troly.tui.chat.bars import tab_panes
from troly.tui.dialogs.palette import PaletteScreen

DONE = TurnCompleted("Xong.", {}, "rules", 0, 1.0)
WIDE, NARROW, TALL, SMALL = (120, 40), (80, 24), (80, 40), (60, 20)


async def test_tabs_show_titles_marks_and_answer_to_clicks() -> None:
    app = Scene("vi")
    async with app.run_test(size=WIDE) as pilot:
        await begin(app, pilot)
        assert not app.chat.tabs.display
        first = await app.ask(pilot, "câu một")
        await pilot.press("alt+2")
        (await app.ask(pilot, "câu hai")).say(DONE, conversation="c2")
        await settle(app, pilot)
        row = text_of(app.chat.tabs)
        assert app.chat.tabs.display
        assert "₫ câu một ◐" in row
        assert "▌∑ câu hai" in row
        first.say(DONE, conversation="c1")
        await until(lambda: "₫ câu một •" in text_of(app.chat.tabs))
        assert any("câu một" in toast.message for toast in app._notifications)
        await pilot.click(app.chat.tabs, offset=(4, 0))
        await until(lambda: "▌₫ câu một" in text_of(app.chat.tabs))
        assert "•" not in text_of(app.chat.tabs)
        await pilot.click(app.chat.tabs, offset=(text_of(app.chat.tabs).index("×"), 0))
        await until(lambda: len(app.controller.panes) == 1)
        await pilot.press("alt+t")
        await until(lambda: len(app.controller.panes) == 2)


async def test_keys_go_along_the_row_and_drafts_stay_where_they_were_typed() -> None:
    app = Scene("vi")
    async with app.run_test(size=NARROW) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "một")).say(DONE, conversation="c1")
        await settle(app, pilot)
        burst(app, "nháp một\x0enháp hai\x1b[5;5~")
        await until(lambda: app.chat.prompt.text == "nháp một")
        burst(app, "!\x1b[6;5~?")
        await until(lambda: app.chat.prompt.text == "nháp hai?")
        burst(app, "\x1bw")
        await until(lambda: app.chat.prompt.text == "nháp một!")
        burst(app, "\x1bt")
        await until(lambda: app.chat.prompt.text == "nháp hai?")


async def test_an_open_conversation_is_found_by_title_without_diacritics_or_by_number() -> None:
    app = Scene("vi")
    async with app.run_test(size=NARROW) as pilot:
        await begin(app, pilot)
        fill(app, 20)
        await settle(app, pilot)
        wanted = next(pane for pane in app.controller.panes if "răng" in pane.title)
        await pilot.press("f8")
        await until(lambda: isinstance(app.screen, PaletteScreen))
        assert app.screen.query_one(Input).placeholder == "Tìm hội thoại đang mở…"
        await pilot.press(*"rang khon", "enter")
        await until(lambda: app.controller.pane is wanted)
        await app.run_action("pane_number(3)")
        assert app.controller.pane is app.controller.panes[2]
        await app.run_action("pane_number(99)")
        await until(lambda: any("99" in toast.message for toast in app._notifications))


async def test_two_sides_stream_at_once_and_the_input_belongs_to_the_marked_one() -> None:
    app = Scene("vi")
    async with app.run_test(size=WIDE) as pilot:
        await begin(app, pilot)
        left = await app.ask(pilot, "câu trái")
        burst(app, "nháp trái")
        await until(lambda: app.chat.prompt.text == "nháp trái")
        await pilot.press("f6")
        await settle(app, pilot)
        assert app.chat.prompt.text == ""
        right = await app.ask(pilot, "câu phải")
        left.say(Token("chữ trái "), conversation="c1")
        right.say(Token("chữ phải "), conversation="c2")
        await settle(app, pilot)
        first, second = app.chat.sides
        assert "chữ trái" in text_of(first.transcript)
        assert "chữ phải" in text_of(second.transcript)
        assert "▌₫ câu phải" in text_of(second.head)
        assert "▌" not in text_of(first.head)
        await pilot.press("f7")
        await until(lambda: app.chat.prompt.text == "nháp trái")
        await settle(app, pilot)
        assert "▌₫ câu trái" in text_of(first.head)
        await pilot.click(second.transcript, offset=(4, 25))
        await until(lambda: app.chat.transcript is second.transcript)
        await pilot.press("f6")
        await settle(app, pilot)
        await until(lambda: not app.chat.sides[1].display)
        assert "chữ phải" in app.shown


@pytest.mark.parametrize(
    ("size", "both", "stacked"), [(WIDE, True, False), (TALL, True, True), (NARROW, False, False)]
)
async def test_two_sides_stand_where_there_is_room(size: tuple[int, int], both: bool, stacked: bool) -> None:
    app = Scene("vi")
    async with app.run_test(size=size) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "một")).say(DONE)
        await pilot.press("f6")
        await settle(app, pilot)
        first, second = app.chat.sides
        assert first.display == both
        assert second.display
        assert (first.region.y < second.region.y and both) == stacked
        assert any("100" in toast.message for toast in app._notifications) != both


async def test_a_screen_that_shrinks_shows_the_side_with_the_input_and_grows_back_to_two() -> None:
    app = Scene("vi")
    async with app.run_test(size=WIDE) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "một")
        await pilot.press("f6")
        await settle(app, pilot)
        for width, height in (SMALL, (1, 1), (3, 30), (240, 70), NARROW):
            await pilot.resize_terminal(width, height)
            asked.say(Token("chữ "))
            await settle(app, pilot)
        await until(lambda: [side.display for side in app.chat.sides] == [False, True])
        await pilot.resize_terminal(*WIDE)
        await until(lambda: [side.display for side in app.chat.sides] == [True, True])
        assert text_of(app.chat.sides[0].transcript).count("chữ") == 5


@pytest.mark.parametrize("size", [SMALL, NARROW, WIDE, (240, 70)])
async def test_a_hundred_panes_leave_the_header_usable(size: tuple[int, int]) -> None:
    app = Scene("vi")
    async with app.run_test(size=size) as pilot:
        await begin(app, pilot)
        fill(app, 100)
        await settle(app, pilot)
        panes = tab_panes(app.controller)
        assert len(panes) == 100
        assert sum(bool(pane.messages) for pane in panes) <= 12
        if size == SMALL:
            assert "51/100" in text_of(app.chat.modes)
            return
        row = text_of(app.chat.tabs)
        assert len(row) <= size[0]
        assert "▌" in row
        await pilot.click(app.chat.tabs, offset=(2, 0))
        await settle(app, pilot)
        assert app.controller.pane is not panes[50]
        hidden = int(fold(text_of(app.chat.tabs)).split("‹")[1].split()[0])
        assert hidden > 0
