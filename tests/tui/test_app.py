"""The screen as a person uses it: keys, input methods, switching, columns, failures."""

from __future__ import annotations

import pytest

from tests.support.process.waiting import until
from tests.support.screen.fake_backend import MODES
from tests.support.screen.screens import (
    MARKDOWN,
    NOW,
    Scene,
    begin,
    burst,
    cut_off,
    settle,
    text_of,
    warranty,
)
from troly.plugin.events import Item, ItemList, Token, TurnCompleted, TurnFailed, TurnStarted
from troly.tui.chat.view import ConversationView, HealthView, SessionInfo, message
from troly.tui.render.spans import plain

DONE = TurnCompleted("Xong.", {}, "rules", 0, 1.0)


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    ("sent", "wanted"),
    [
        ("(h\x7fha\x7fạnh\x7f\x7f\x7fạnh)", "(hạnh)"),
        ("(vie\x7fêt\x7f\x7fệt)", "(việt)"),
        ("(d\x08đu\x08ưo\x08\x08ươc\x08\x08ợc)", "(được)"),
        ("một\nhai", "một\nhai"),
        ("một\x1b\rhai", "một\nhai"),
        ("abc\x1b[D\x1b[Dx", "axbc"),
        ("tie\u0302\u0301ng", "tie\u0302\u0301ng"),
        ("nhầm\x1b[F\x15đúng", "đúng"),
    ],
)
async def test_input_methods_keep_their_order(sent: str, wanted: str, streaming: bool) -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        if streaming:
            asked = await app.ask(pilot, "hỏi")
            asked.say(*(Token(piece) for piece in MARKDOWN[:300]))
        burst(app, sent)
        await until(lambda: app.chat.prompt.text == wanted)


async def test_enter_sends_what_was_typed_decomposed_and_all() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "tie\u0302\u0301ng\r")
        await until(lambda: app.fake.asked)
        assert app.fake.asked[0].question.text == "tiếng"
        assert app.chat.prompt.text == ""


async def test_a_message_before_the_services_are_open_waits_on_screen() -> None:
    app = Scene("vi", info=None)
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "sớm\r")
        await until(lambda: "sớm" in app.shown)
        assert "Đang mở kho dữ liệu" in app.shown
        app.fake.open(SessionInfo(MODES, "an"))
        await until(lambda: app.fake.asked)
        app.fake.asked[0].say(DONE)
        await until(lambda: "Xong." in app.shown)
        assert "Đang mở" not in app.shown


async def test_switching_while_streaming_keeps_drafts_and_marks_the_unread() -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "hỏi")
        asked.say(Token("Bắt đầu"))
        burst(app, "nháp một\x1b2nháp hai")
        await until(lambda: app.chat.prompt.text == "nháp hai")
        assert app.controller.pane.mode == "analysis"
        asked.say(Token(" và hết."), TurnCompleted("Bắt đầu và hết.", {}, "model", 1, 5.0))
        await until(lambda: "bảo hành •" in text_of(app.chat.modes))
        burst(app, "\x1b1")
        await until(lambda: app.chat.prompt.text == "nháp một")
        await until(lambda: "Bắt đầu và hết." in app.shown)
        await until(lambda: "•" not in text_of(app.chat.modes))


async def test_escape_stops_the_answer_and_ctrl_r_asks_again() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "hỏi")
        await pilot.press("escape")
        await until(lambda: asked.stopped)
        asked.say(*cut_off("nửa câu"))
        await until(lambda: "Ctrl+R hỏi lại" in app.shown)
        assert "nửa câu" in app.shown
        await pilot.press("ctrl+r")
        await until(lambda: len(app.fake.asked) == 2)


async def test_arrow_up_recalls_questions_and_offers_some_at_first() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await pilot.press("up")
        assert app.chat.prompt.text == MODES[0].questions["vi"][0]
        await pilot.press("down")
        for text in ("một", "hai"):
            (await app.ask(pilot, text)).say(DONE)
            await settle(app, pilot)
        await pilot.press("up", "up")
        assert app.chat.prompt.text == "một"
        await pilot.press("down")
        assert app.chat.prompt.text == "hai"
        await pilot.press("x", "up")
        assert app.chat.prompt.text == "haix"


async def test_the_input_grows_to_a_third_and_shrinks() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        for _ in range(20):
            await pilot.press("a", "ctrl+j")
        assert app.chat.prompt.outer_size.height == 24 // 3
        app.chat.prompt.put("")
        await pilot.pause()
        assert app.chat.prompt.outer_size.height == 3


async def test_reading_above_is_not_disturbed_by_new_text() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "hỏi")
        asked.say(Token("dòng\n\n" * 40))
        await settle(app, pilot)
        transcript = app.chat.transcript
        # An answer that is longer than the screen is shown from its question on.
        assert transcript.scroll_y < transcript.max_scroll_y
        assert any("hỏi" in span.text for span in transcript.line_at(round(transcript.scroll_y) + 1) or ())
        last = transcript.row_at(transcript.size.height - 1)
        assert any("↓ còn" in span.text for span in last.text or ())
        await pilot.press("ctrl+end")
        assert transcript.scroll_y == transcript.max_scroll_y
        await pilot.press("pageup")
        await pilot.pause()
        place = transcript.scroll_y
        asked.say(Token("mới\n\n" * 40))
        await settle(app, pilot)
        assert transcript.scroll_y == place
        assert transcript.behind
        await pilot.press("ctrl+end")
        await pilot.pause()
        assert transcript.scroll_y == transcript.max_scroll_y
        assert not transcript.behind


@pytest.mark.parametrize("lines", range(4, 24))
async def test_an_answer_is_seen_to_its_end_or_from_its_beginning(lines: int) -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        text = "".join(f"- câu {n}\n" for n in range(lines))
        (await app.ask(pilot, "hỏi")).say(Token(text), TurnCompleted(text, {}, "rules", 0, 1.0))
        await settle(app, pilot)
        transcript = app.chat.transcript
        rows = [plain(transcript.row_at(y).text or ()) for y in range(transcript.size.height)]
        assert any("câu 0" in text for text in rows)
        hidden = [n for n in range(lines) if not any(text.endswith(f"câu {n}") for text in rows)]
        assert not hidden or (len(hidden) > 1 and any("↓ còn" in text for text in rows))


async def test_questions_of_an_empty_pane_and_lists_open_by_click() -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        row = next(y for y, text in enumerate(app.shown.split("\n")) if MODES[0].questions["vi"][1] in text)
        await pilot.click(app.chat.transcript, offset=(6, row))
        await until(lambda: app.fake.asked)
        assert app.fake.asked[0].question.text == MODES[0].questions["vi"][1]
        app.fake.asked[0].say(ItemList((Item("Laptop", "", "chi tiết bên trong"),)), DONE)
        await until(lambda: "▸ 1. Laptop" in app.shown)
        row = next(y for y, text in enumerate(app.shown.split("\n")) if "▸ 1. Laptop" in text)
        await pilot.click(app.chat.transcript, offset=(6, row))
        await until(lambda: "chi tiết bên trong" in app.shown)


async def test_the_list_opens_a_conversation_by_keys() -> None:
    app = Scene(
        "vi",
        listed=[ConversationView("c7", "rag", "Cũ", NOW)],
        saved={"c7": ("rag", [message("user", NOW, "câu cũ")])},
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await pilot.press("f2")
        await until(lambda: app.chat.list.has_focus)
        await pilot.press("down", "enter")
        await until(lambda: "câu cũ" in app.shown)
        await until(lambda: app.chat.prompt.has_focus)
        assert app.controller.pane.mode == "rag"
        await pilot.press("ctrl+n")
        await until(lambda: "câu cũ" not in app.shown)


@pytest.mark.parametrize(
    ("typed", "check"), [("doi tro ly noi", "rag"), ("giao dien sang", "troly-light"), ("tieng anh", "en")]
)
async def test_the_palette_finds_without_diacritics(typed: str, check: str) -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await pilot.press("ctrl+p", *typed, "enter")
        await until(lambda: check in (app.controller.pane.mode, app.theme, app.controller.language))
        await until(lambda: app.chat.prompt.has_focus)


async def test_the_palette_takes_input_method_bursts() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await pilot.press("ctrl+p")
        burst(app, "thoa\x7fát\r")
        await until(lambda: not app.is_running)


async def test_language_changes_what_is_on_the_screen() -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "kiểm tra")).say(*warranty())
        await until(lambda: "Bạn" in app.shown)
        await app.run_action("language('en')")
        await settle(app, pilot)
        # What was said stays in its language.
        assert "Bạn" in app.shown
        assert "· Today" in app.shown
        assert "Conversations" in text_of(app.chat.list)


async def test_ollama_gone_and_back_is_seen() -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await until(lambda: "● gpt-oss" in text_of(app.chat.modes))
        app.fake.look(HealthView(known=True))
        await until(lambda: "○ quy tắc" in text_of(app.chat.modes))
        app.fake.look(HealthView(known=True, up=True, model="qwen"))
        await until(lambda: "● qwen" in text_of(app.chat.modes))


async def test_the_header_does_not_move_when_a_mark_comes_and_every_cell_of_it_can_be_clicked() -> None:
    app = Scene("vi")
    async with app.run_test(size=(140, 30)) as pilot:
        await begin(app, pilot)
        before = text_of(app.chat.modes)
        asked = await app.ask(pilot, "hỏi")
        writing = text_of(app.chat.modes)
        assert "◐" in writing
        places = [at for at, span in enumerate(app.chat.modes.lines[0]) if span.action.startswith("mode:")]
        assert len(places) == 1 + places[-1] - places[0], "a mark is part of its name"
        assert [at for at, sign in enumerate(writing) if sign != "◐" and sign != before[at]] == []
        asked.say(*warranty())
        await settle(app, pilot)
        assert text_of(app.chat.modes) == before
        names = [span for span in app.chat.modes.lines[0] if span.action.startswith("mode:")]
        joined = "".join(span.text for span in names)
        assert joined in before, "no dead cells between the names"


async def test_a_small_screen_keeps_its_status_and_a_stop_is_no_failure() -> None:
    app = Scene("vi")
    async with app.run_test(size=(60, 20)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "hỏi")
        stopped = TurnFailed("Đã dừng", "Bạn đã dừng.", "", "turn.stopped", "nửa câu", 1, 5.0)
        asked.say(TurnStarted("hỏi", "vi", turn="t1"), Token("nửa câu"), stopped)
        await settle(app, pilot)
        assert app.chat.status.display
        assert "Ctrl+T" in text_of(app.chat.status), "the keys that help here"
        styles = [span.style for line in app.chat.transcript.lines for span in line if "Đã dừng" in span.text]
        assert styles == ["strong"]


async def test_the_next_urgent_answer_shows_its_own_words_after_one_was_seen() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        card = app.chat.alarm
        for first, said in (
            ("Sưng lan phải đi ngay.", "swelling"),
            ("Răng rơi phải cắm lại.", "tooth"),
            ("Hóc.", "x"),
        ):
            asked = await app.ask(pilot, said)
            asked.say(TurnCompleted(f"{first}\n\n- Gọi 115.", {}, "rules", 0, 1.0, metadata={"urgent": True}))
            await settle(app, pilot)
            await until(lambda: card.display and bool(card.lines))
            assert first in "".join(span.text for row in card.lines for span in row)
            await pilot.press("alt+a")
            await until(lambda: not card.display)
            await settle(app, pilot)
