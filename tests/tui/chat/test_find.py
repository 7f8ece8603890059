"""Finding words in one conversation: folded, counted, marked, also where nothing was rendered or loaded yet."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot
from textual.widgets import Static

from tests.support.process.waiting import until
from tests.support.screen.long_conversation import long_talk
from tests.support.screen.screens import NOW, Scene, begin, settle
from troly.plugin.events import Item, ItemList
from troly.tui.chat.find import FindBar, Finder, Match, find_in_lines, search_form, styled_line, texts_in
from troly.tui.chat.view import MessageView, message
from troly.tui.render.message import MessageLines
from troly.tui.render.spans import Span, plain, wrap


async def opened(app: Scene, pilot: Pilot[Any], views: list[MessageView]) -> None:
    await begin(app, pilot)
    app.fake.saved["c9"] = ("shopping", views)
    app.controller.open("c9")
    await until(lambda: app.controller.pane.messages is views)
    await settle(app, pilot)


def said(app: Scene) -> str:
    """What stands beside the input of the search."""
    return str(app.chat.query_one(FindBar).query_one(Static).content)


def marked(app: Scene) -> list[str]:
    """The texts in view that carry the mark of the chosen match."""
    transcript = app.chat.transcript
    top = round(transcript.scroll_y)
    marks, ledger = transcript.marks, transcript.ledger
    assert marks is not None
    return [
        span.text
        for row in range(top, top + transcript.size.height)
        for span in marks.paint(ledger, row, transcript.line_at(row) or ())
        if span.style.endswith("found-here")
    ]


async def test_words_are_found_without_accents_far_from_what_is_rendered() -> None:
    app, views = Scene("vi"), long_talk(2000)
    views.insert(7, message("assistant", NOW, "Mã **giảm giá** là TROLY10."))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, views)
        await pilot.press("ctrl+g", *"giam", "space", *"gia")
        await until(lambda: said(app) == "1/1")
        assert marked(app) == ["giảm giá"]
        await pilot.press("escape")
        await until(lambda: app.chat.prompt.has_focus)
        assert not app.chat.query(FindBar)
        assert app.chat.transcript.marks is None


async def test_matches_are_walked_through_from_the_newest() -> None:
    app = Scene("vi")
    views = [message("user", NOW, "bảo hành một, bảo hành hai"), message("assistant", NOW, "bảo hành ba")]
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, views)
        await pilot.press("ctrl+g", *"bao", "space", *"hanh")
        await until(lambda: said(app) == "1/3")
        places = []
        for key in ("up", "up", "up", "down"):
            await pilot.press(key)
            places.append(said(app))
        assert places == ["2/3", "3/3", "1/3", "3/3"]
        await pilot.press("x")
        await until(lambda: said(app) == "không thấy")
        await pilot.press("up", "down")
        assert said(app) == "không thấy"


async def test_older_messages_are_loaded_and_looked_through() -> None:
    app = Scene("vi")
    views = long_talk(700)
    views[500].before, views[100].before = "m500", "m100"
    async with app.run_test(size=(80, 24)) as pilot:
        app.fake.older_pages = {"m500": views[100:500], "m100": views[:100]}
        await opened(app, pilot, views[500:])
        await pilot.press("ctrl+g", *"ABC00010")
        await until(lambda: said(app) == "1/1")
        await until(lambda: marked(app) == ["ABC00010"])
        assert len(app.controller.pane.messages) == 700


async def test_a_match_in_messages_that_are_not_laid_out_yet_is_brought_into_view() -> None:
    app = Scene("vi")
    views = long_talk(60)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, views[20:])
        await pilot.press("ctrl+g", "A")
        await until(lambda: said(app).startswith("1/"))
        await pilot.pause()
        app.controller.pane.messages[:0] = views[:20]
        await pilot.press(*"BC00010")
        await until(lambda: said(app) == "1/1")
        assert marked(app) == ["ABC00010"]


async def test_what_a_closed_card_holds_is_opened() -> None:
    app = Scene("vi")
    view = message("assistant", NOW, "Đây ạ")
    view.parts.append(ItemList((Item("Phòng 1", "", "gần chợ Bà Chiểu"),)))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, [message("user", NOW, "hỏi"), view])
        assert "Bà Chiểu" not in app.shown
        await pilot.press("ctrl+g", *"ba", "space", *"chieu")
        await until(lambda: said(app) == "1/1")
        assert "Bà Chiểu" in app.shown
        assert marked(app) == ["Bà Chiểu"]


async def test_another_pane_closes_the_search() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, long_talk(20))
        await pilot.press("ctrl+g", *"abc")
        await until(lambda: said(app) == "1/10")
        app.controller.switch("rental")
        await until(lambda: not app.chat.query(FindBar))
        assert app.chat.transcript.marks is None


@pytest.mark.parametrize("wanted", ["\x1b[31m", "[/b]", "***", "   ", "(", "ａｂｃ", "\u200b"])
async def test_odd_words_do_no_harm(wanted: str) -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, long_talk(6))
        await pilot.press("ctrl+g")
        await until(lambda: bool(app.chat.query(FindBar)))
        app.chat.query_one("FindBar TypingInput").value = wanted  # type: ignore[attr-defined]
        await settle(app, pilot)
        assert app.is_running


@given(
    st.text("aạ b*_`\n1", min_size=1, max_size=120),
    st.integers(4, 40),
    st.text("aạb1", min_size=1, max_size=3),
)
def test_places_in_lines_are_the_places_in_the_text(text: str, width: int, wanted: str) -> None:
    lines = wrap([Span(text)], width)
    needle = search_form(wanted)
    for found in find_in_lines(lines, needle):
        piece = plain(lines[found.row])[found.start : found.end]
        assert piece
        assert search_form(piece) in needle or needle in search_form(piece)
        painted = styled_line(lines[found.row], found.start, found.end, "found")
        assert plain(painted) == plain(lines[found.row])
        assert "".join(span.text for span in painted if span.style == "found") == piece


def test_a_match_across_two_lines_is_marked_in_both() -> None:
    lines = wrap([Span("một hai ba bốn năm")], 8)
    found = find_in_lines(lines, search_form("hai BA"))
    assert [plain(lines[piece.row])[piece.start : piece.end] for piece in found] == ["hai", "ba"]
    assert {piece.number for piece in found} == {0}


def test_matches_under_emphasis_and_in_another_normal_form() -> None:
    view = message("assistant", NOW, "một **hai** ba, tie\u0302\u0301ng")
    lines = MessageLines(view).lines(40, "vi")
    assert len(find_in_lines(lines, search_form("mot hai ba"), 1)) == 1
    assert len(find_in_lines(lines, search_form("tiếng"), 1)) == 1


def test_the_finder_takes_what_changes_and_what_is_added() -> None:
    views = [message("user", NOW, "abc"), message("assistant", NOW, "abc abc")]
    finder = Finder(lambda: views)
    finder.look_for("ABC")
    while not finder.work(0.0):
        continue
    assert finder.count == 3
    assert finder.begin([views[0].key]) == Match(views[0].key, 0)
    assert finder.at == 3
    views.insert(0, message("user", NOW, "ABC cũ"))
    views[-1].write(" abc")
    assert finder.work(1.0)
    assert (finder.count, finder.at) == (5, 4)
    assert finder.step(1) == Match(views[0].key, 0)
    assert finder.step(1) == Match(views[-1].key, 2)


def test_all_texts_of_typed_content_are_looked_through() -> None:
    card = ItemList((Item("tên", "phụ", "chi tiết", (("giá", "5"),), "/a"),), "danh sách")
    assert list(texts_in(card)) == ["tên", "phụ", "chi tiết", "giá", "5", "/a", "danh sách", ""]
