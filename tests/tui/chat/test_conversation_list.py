"""Whole conversations on the screen: found by their words, renamed, pinned, deleted, brought back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.support.process.waiting import until
from tests.support.scenes.base import HITS, LISTED
from tests.support.screen.screens import NOW, Scene, begin, settle, text_of
from troly.errors import StoreError
from troly.tui.chat.view import message

SAVED = {"c2": ("shopping", [message("user", NOW, "máy nào nhẹ cho kế toán")]), "c1": ("shopping", [])}


def scene(**more: Any) -> Scene:
    return Scene("vi", listed=list(LISTED), saved=dict(SAVED), **more)


def told(app: Scene) -> str:
    return " ".join(note.message for note in app._notifications)


async def choose(app: Scene, pilot: Pilot[Any], downs: int = 1) -> None:
    """The keys go to the list, on the entry after `downs` steps."""
    await begin(app, pilot)
    await until(lambda: len(app.controller.listed) == len(LISTED))
    app.chat.toggle_list()
    if not app.chat.list.has_focus:
        app.chat.list.focus()
    await until(lambda: app.chat.list.has_focus)
    await pilot.press(*["down"] * downs)


async def test_words_find_a_conversation_in_all_messages_and_open_it() -> None:
    app = scene(hits=HITS)
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await pilot.press("ctrl+f", *"may nhe")
        await until(lambda: app.fake.searched == ["may nhe"])
        await until(lambda: app.screen.query_one(OptionList).option_count == 2)
        await pilot.press("enter")
        await until(lambda: app.controller.pane.conversation == "c2")
        await settle(app, pilot)
        assert "máy nào nhẹ cho kế toán" in app.shown


async def test_hits_tell_who_said_it_when_and_stand_below_their_conversation() -> None:
    hits = [HITS[0], HITS[1], HITS[0]._replace(snippet="nhẹ", spans=(), who="user")]
    app = scene(hits=hits)
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await pilot.press("ctrl+f", *"nhe")
        await until(lambda: app.screen.query_one(OptionList).option_count == 3)
        options = app.screen.query_one(OptionList)
        rows = [str(options.get_option_at_index(at).prompt) for at in range(3)]
        assert rows[0].strip().startswith("Laptop dưới 20 triệu")
        assert rows[1].strip().startswith("Bạn 22/11/2026 09:13")
        assert rows[2].strip().startswith("So sánh doanh thu")
        await pilot.press("down", "enter")
        await until(lambda: app.controller.pane.conversation == "c2")


async def test_the_list_has_the_same_order_whatever_assistant_is_shown() -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        before = text_of(app.chat.list)
        await pilot.press("alt+2")
        await settle(app, pilot)
        assert text_of(app.chat.list) == before


async def test_a_search_that_finds_nothing_or_fails_says_so() -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await pilot.press("ctrl+f", *"xyz")
        await until(lambda: app.fake.searched == ["xyz"])
        await pilot.pause()
        assert "Không thấy" in str(app.screen.query_one("#none").render())
        app.fake.refusal = StoreError("store.busy", path="state.db", seconds=10)
        await pilot.press("a")
        await until(lambda: len(app.fake.searched) == 2)
        await until(lambda: "state.db" in str(app.screen.query_one("#none").render()))
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)


async def test_a_chosen_conversation_is_renamed() -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await choose(app, pilot)
        await pilot.press("alt+r")
        await until(lambda: app.screen is not app.chat)
        await pilot.press(*"Khach An", "enter")
        await until(lambda: app.fake.called("rename_conversation"))
        assert app.fake.called("rename_conversation") == [("rename_conversation", ("c1", "Khach An"))]


@pytest.mark.parametrize("pinned", [False, True])
async def test_pinning_goes_both_ways_and_is_marked(pinned: bool) -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        app.fake.listed = [LISTED[0]._replace(pinned=pinned), *LISTED[1:]]
        await choose(app, pilot)
        await pilot.press("alt+p")
        await until(lambda: app.fake.called("pin_conversation"))
        assert app.fake.called("pin_conversation") == [("pin_conversation", ("c1", not pinned))]
        assert ("◆ Bảo hành" in text_of(app.chat.list)) is pinned


@pytest.mark.parametrize("typed", ["đi duong", "phong tro", "update", "dddd", "x"])
async def test_what_is_typed_over_the_list_goes_to_the_input_and_changes_nothing(typed: str) -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await choose(app, pilot)
        await pilot.press(*("space" if letter == " " else letter for letter in typed))
        await until(lambda: app.chat.prompt.text == typed)
        assert not app.fake.called("delete_conversation", "pin_conversation", "rename_conversation")


async def test_another_assistant_takes_the_keys_from_the_list() -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await choose(app, pilot)
        await pilot.press("alt+3", "delete", *"di")
        await until(lambda: app.chat.prompt.text == "di")
        assert not app.fake.called("delete_conversation")


async def test_deleting_tells_how_to_take_it_back() -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await choose(app, pilot)
        await pilot.press("delete")
        await until(lambda: "Đã xóa" in told(app))
        await pilot.press("alt+u")
        await until(lambda: app.fake.called("restore_conversation"))
        assert app.fake.called("delete_conversation", "restore_conversation") == [
            ("delete_conversation", ("c1",)),
            ("restore_conversation", ("c1",)),
        ]


async def test_the_shown_conversation_goes_from_the_screen_when_it_is_deleted() -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await until(lambda: len(app.controller.listed) == len(LISTED))
        app.controller.open("c2")
        await until(lambda: app.controller.pane.conversation == "c2")
        app.action_delete()
        await until(lambda: app.controller.pane.conversation is None)
        await settle(app, pilot)
        assert "máy nào nhẹ" not in app.shown
        assert all(pane.conversation != "c2" for pane in app.controller.panes)


async def test_an_answer_that_is_being_written_is_not_deleted() -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "xin chào")
        asked.say(conversation="c1")
        await until(lambda: app.controller.pane.conversation == "c1")
        app.action_delete()
        await until(lambda: "đang viết" in told(app))
        assert not app.fake.called("delete_conversation")


@pytest.mark.parametrize("act", [lambda app: app.action_pin(), lambda app: app.action_delete()])
async def test_a_refusal_is_told(act: Callable[[Scene], None]) -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await choose(app, pilot)
        app.fake.refusal = StoreError("store.busy", path="state.db", seconds=10)
        act(app)
        await until(lambda: "state.db" in told(app))


async def test_nothing_to_bring_back_says_so() -> None:
    app = scene()
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        app.action_undelete()
        await until(lambda: "Chưa xóa" in told(app))


async def test_the_list_is_not_called_empty_before_it_was_read() -> None:
    app = Scene("vi", info=None)
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        assert "Chưa có hội thoại nào" not in text_of(app.chat.list)
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await until(lambda: "Chưa có hội thoại nào" in text_of(app.chat.list))


@pytest.mark.parametrize("size", [(60, 20), (120, 40)])
async def test_the_keys_of_the_list_are_seen_while_it_has_them_however_long_it_is(
    size: tuple[int, int],
) -> None:
    many = [LISTED[0]._replace(id=f"c{n}", title=f"hội thoại {n}") for n in range(90)]
    app = Scene("vi", listed=many)
    async with app.run_test(size=size) as pilot:
        await begin(app, pilot)
        await until(lambda: len(app.controller.listed) == len(many))
        await pilot.press("f2")
        await until(lambda: app.chat.list.has_focus)
        await settle(app, pilot)
        assert "Enter mở" in text_of(app.chat.status)
        await pilot.press("escape")
        await settle(app, pilot)
        assert "Enter mở" not in text_of(app.chat.status)


async def test_a_wide_list_tells_the_hour() -> None:
    app = scene()
    async with app.run_test(size=(200, 60)) as pilot:
        await begin(app, pilot)
        await until(lambda: len(app.controller.listed) == len(LISTED))
        await settle(app, pilot)
        rows = text_of(app.chat.list).splitlines()
        assert any(row.endswith("09:13") and "Bảo hành ABC123" in row for row in rows)


async def test_a_hit_begins_without_the_mark_of_a_list_and_its_matches_stay_marked() -> None:
    app = scene(hits=[HITS[0]._replace(snippet="- nhẹ và rẻ", spans=((2, 5),))])
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await pilot.press("ctrl+f", *"nhe")
        await until(lambda: app.screen.query_one(OptionList).option_count == 1)
        shown = app.screen.query_one(OptionList).get_option_at_index(0).prompt
        assert isinstance(shown, Content)
        assert shown.plain.endswith("09:13  nhẹ và rẻ")
        assert [
            shown.plain[span.start : span.end] for span in shown.spans if "underline" in str(span.style)
        ] == ["nhẹ"]
