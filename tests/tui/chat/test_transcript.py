"""The transcript with very many messages: opening, paging from the store, the reader's place, copying what is selected."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.geometry import Offset
from textual.selection import Selection

from tests.support.modes.made import registry_of
from tests.support.process.waiting import until
from tests.support.screen.long_conversation import long_talk
from tests.support.screen.screens import NOW, Scene, begin, settle
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.errors import StoreError
from troly.plugin.events import Token
from troly.stores.records import NewMessage
from troly.tui.chat.history import message_page
from troly.tui.chat.transcript import Transcript
from troly.tui.chat.view import MessageView, message
from troly.tui.operations import load_older
from troly.tui.render.spans import plain


def visible(transcript: Transcript) -> list[str]:
    top = round(transcript.scroll_y)
    return [plain(transcript.line_at(row) or ()).rstrip() for row in range(top, top + transcript.size.height)]


async def opened(app: Scene, pilot: object, views: list[MessageView]) -> Transcript:
    app.fake.saved["c9"] = ("shopping", views)
    app.controller.open("c9")
    await until(lambda: app.controller.pane.messages is views)
    await settle(app, pilot)  # type: ignore[arg-type]
    return app.chat.transcript


async def test_a_very_long_conversation_opens_at_its_end_and_scrolls_to_its_beginning() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        transcript = await opened(app, pilot, long_talk(3000))
        assert transcript.scroll_y == transcript.max_scroll_y
        assert any("số 2999" in text for text in visible(transcript))
        await pilot.press("pageup")
        page = visible(transcript)
        await pilot.press("pageup", "pagedown")
        assert visible(transcript) == page
        transcript.action_scroll_home()
        await pilot.pause()
        assert any("số 0:" in text for text in visible(transcript))
        assert not transcript.following


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)], ids=str)
async def test_a_conversation_says_at_its_head_what_it_is_called_with_whom_it_is_and_since_when(
    size: tuple[int, int],
) -> None:
    app = Scene("en")
    views = [
        message("user", NOW - timedelta(days=1), "warranty?"),
        message("assistant", NOW, "Until 2027.", turn="t1"),
    ]
    async with app.run_test(size=size) as pilot:
        await begin(app, pilot)
        transcript = await opened(app, pilot, views)
        app.controller.pane.title = "Laptop 7"
        app.controller.changed("chrome", app.controller.pane)
        await until(lambda: any("Laptop 7" in text for text in visible(transcript)))
        [head] = [text for text in visible(transcript) if "Laptop 7" in text]
        assert "Shop and warranty · Yesterday 09:13" in head
        assert sum("Yesterday" in text for text in visible(transcript)) == 1, "the day is told once"
        views[0].before = "older"
        app.chat.transcript.rebuild()
        assert not any("Laptop 7" in text for text in visible(transcript)), "its beginning is not here yet"


async def test_older_messages_come_when_the_reader_scrolls_up_without_a_jump() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        views = long_talk(600)
        newest = views[400:]
        newest[0].before = "m400"
        views[200].before = "m200"
        app.fake.older_pages = {"m400": views[200:400], "m200": views[:200]}
        transcript = await opened(app, pilot, newest)
        assert len(app.controller.pane.messages) == 200
        transcript.action_scroll_home()
        before = visible(transcript)
        assert "tin cũ" in before[0]
        await until(lambda: len(app.controller.pane.messages) >= 400)
        await settle(app, pilot)
        row = next(at for at, text in enumerate(before) if text.startswith("Bạn"))
        assert visible(transcript)[row:] == before[row:]
        while len(app.controller.pane.messages) < 600:
            transcript.action_scroll_home()
            await settle(app, pilot)
        transcript.action_scroll_home()
        await settle(app, pilot)
        assert any("số 0:" in text for text in visible(transcript))
        assert not any("tin cũ" in text for text in visible(transcript))


async def test_older_messages_that_cannot_be_read_are_told_and_can_be_asked_for_again() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        views = long_talk(300)
        views[100].before = "m"
        app.fake.older_pages = {"m": views[:100]}
        app.fake.refusal = StoreError("store.busy")
        transcript = await opened(app, pilot, views[100:])
        transcript.action_scroll_home()
        await until(lambda: len(app._notifications) > 0)
        app.fake.refusal = None
        pane = app.controller.pane
        await until(lambda: app.older.fetch(pane) or len(pane.messages) == 300)
        await until(lambda: len(pane.messages) == 300)
        assert not app.older.failed(pane)


async def test_a_page_of_older_messages_that_comes_back_to_another_pane_changes_nothing_there() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        views = long_talk(300)
        views[100].before = "m"
        app.fake.older_pages = {"m": views[:100]}
        transcript = await opened(app, pilot, views[100:])
        first = app.controller.pane
        transcript.action_scroll_home()
        app.controller.switch("rental")
        await until(lambda: len(first.messages) == 300)
        await settle(app, pilot)
        assert app.controller.pane.messages == []
        app.controller.show(first)
        await settle(app, pilot)
        assert any("số" in text for text in visible(transcript))


async def test_the_reader_stays_while_an_answer_is_written_below_and_the_window_changes() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        transcript = await opened(app, pilot, long_talk(200))
        asked = await app.ask(pilot, "hỏi thêm")
        await pilot.press("pageup", "pageup", "pageup")
        head = next(text for text in visible(transcript) if "số" in text)
        asked.say(*(Token("dòng mới\n\n") for _ in range(50)))
        await settle(app, pilot)
        assert any(text == head for text in visible(transcript))
        assert transcript.behind
        await pilot.resize_terminal(70, 24)
        await settle(app, pilot)
        assert any(head.split(":")[0] in text for text in visible(transcript))
        await pilot.resize_terminal(1, 1)
        await pilot.resize_terminal(100, 30)
        await settle(app, pilot)
        assert any(head.split(":")[0] in text for text in visible(transcript))


async def test_panes_keep_their_places() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        transcript = await opened(app, pilot, long_talk(400))
        pane = app.controller.pane
        await pilot.press(*["pageup"] * 4)
        page = visible(transcript)
        app.controller.switch("rental")
        await settle(app, pilot)
        app.controller.show(pane)
        await settle(app, pilot)
        assert visible(transcript) == page
        app.controller.set_language("en")
        await settle(app, pilot)
        assert any(text.startswith("You") for text in visible(transcript))


async def test_what_is_selected_is_copied_as_it_is_seen() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        transcript = await opened(app, pilot, long_talk(500))
        await pilot.press("pageup")
        top = round(transcript.scroll_y)
        row = next(at for at, text in enumerate(visible(transcript)) if text.startswith("▌ Câu hỏi"))
        app.chat.selections = {transcript: Selection(Offset(2, top + row), Offset(12, top + row))}
        await pilot.pause()
        assert app.chat.get_selected_text() == "Câu hỏi số"
        transcript.action_scroll_home()
        await pilot.pause()
        assert app.chat.get_selected_text() == "Câu hỏi số"


@pytest.mark.parametrize("limit", [3, 4, 5, 7, 100])
def test_pages_from_the_store_part_no_answer_from_its_question(tmp_path: Path, limit: int) -> None:
    with services_at(tmp_path) as services:
        store = services.conversations
        conversation = store.create("an", "shopping").id
        for number in range(9):
            turn = store.begin_turn("an", conversation, f"hỏi {number}")
            said = [
                NewMessage("assistant", f"chào {number}", "greeting"),
                NewMessage("assistant", f"đáp {number}"),
            ]
            store.finish_turn("an", turn.id, status="completed", messages=said, source="rules", ms=1.0)
        session = Session(services, registry_of(), profile("an"))
        views = message_page(session, conversation, limit)
        while before := views[0].before:
            views[0].before = ""
            views = [*load_older(session, conversation, before, limit), *views]
        wanted = [text for n in range(9) for text in (f"hỏi {n}", f"chào {n}", f"đáp {n}")]
        assert [view.text for view in views] == wanted
        assert all(view.source == "rules" for view in views if view.text.startswith("đáp"))
        assert {view.time.utcoffset() for view in views} == {NOW.utcoffset()}


async def test_text_of_one_megabyte_on_one_line_is_shown_and_typing_goes_on() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        giant = "một hai ba bốn " * 70_000
        await opened(app, pilot, [message("user", NOW, "hỏi"), message("assistant", NOW, giant + "HẾT")])
        await pilot.press(*"abc")
        assert app.chat.prompt.text == "abc"
        await pilot.press("ctrl+end")
        await until(lambda: any(text.endswith("HẾT") for text in visible(app.chat.transcript)), 60.0)


def test_what_is_read_again_is_in_the_language_of_its_answer(tmp_path: Path) -> None:
    with services_at(tmp_path) as services:
        store = services.conversations
        conversation = store.create("an", "shopping").id
        store.add_message("an", conversation, "assistant", "Welcome!", type="greeting")
        turn = store.begin_turn("an", conversation, "hello")
        said = [NewMessage("assistant", "One moment.", "cute"), NewMessage("assistant", "Here.")]
        store.finish_turn("an", turn.id, status="completed", messages=said, trace={"language": "en"})
        views = message_page(Session(services, registry_of(), profile("an")), conversation, 100)
    assert [(view.text, view.spoken("vi")) for view in views] == [
        (text, "en") for text in ("Welcome!", "hello", "One moment.", "Here.")
    ]
