"""What can be done with a message: chosen by keys or the mouse, copied, saved, quoted, edited, asked again, continued."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.support.process.waiting import until
from tests.support.screen.long_conversation import long_talk
from tests.support.screen.screens import NOW, Scene, begin, cut_off, settle, text_of
from troly.plugin.events import Chart, Evidence, Item, ItemList, Series, Sources, Table, Token, TurnCompleted
from troly.tui.chat.view import HealthView, MessageView, message
from troly.tui.dialogs.grid import GridScreen
from troly.tui.dialogs.message_menu import MessageMenu
from troly.tui.dialogs.read import PartText, ReadScreen

CODE = "Một:\n\n```python\nx = 1\n```\n\n- hai:\n\n  ```sh\n  ls\n  ```\n\nhết"
TABLE = Table(("Serial", "Hết hạn"), (("ABC123", "31/12/2027"),), "Bảo hành")


def talk() -> list[MessageView]:
    """Two questions, the second with an answer that was stopped."""
    stopped = message("assistant", NOW, "nửa câu", state="stopped")
    return [
        message("user", NOW, "câu một"),
        message("assistant", NOW, CODE),
        message("user", NOW, "câu hai dài hơn"),
        stopped,
    ]


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "VTE_VERSION", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)


async def opened(app: Scene, pilot: Pilot[Any], views: list[MessageView]) -> None:
    await begin(app, pilot)
    app.fake.saved["c9"] = ("shopping", views)
    app.controller.open("c9")
    await until(lambda: app.controller.pane.messages is views)
    await settle(app, pilot)


async def choose(app: Scene, pilot: Pilot[Any], view: MessageView) -> None:
    """Go to the messages and up to one of them."""
    if not app.chat.transcript.has_focus:
        await pilot.press("f9")
    await until(lambda: app.chat.transcript.has_focus)
    while app.chat.transcript.chosen != view.key:
        before = app.chat.transcript.chosen
        await pilot.press("up")
        assert app.chat.transcript.chosen != before


async def test_keys_choose_a_message_and_give_the_input_back() -> None:
    app, views = Scene("vi"), talk()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        await pilot.press("f9")
        await until(lambda: app.chat.transcript.chosen == views[3].key)
        await pilot.press("k", "up", "j")
        assert app.chat.transcript.chosen == views[2].key
        row = app.chat.transcript.ledger.span(views[2].key)[0]
        assert app.chat.transcript.render_line(row).text.startswith("▌Bạn")
        await pilot.press("escape")
        await until(lambda: app.chat.prompt.has_focus)
        assert app.chat.transcript.chosen == 0


async def test_a_click_leaves_the_keys_with_the_input_and_the_right_button_opens_the_menu() -> None:
    app, views = Scene("vi"), talk()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        name = next(at for at, text in enumerate(app.shown.split("\n")) if text.startswith("Bạn"))
        await pilot.click(app.chat.transcript, offset=(4, name + 1))
        assert app.chat.prompt.has_focus
        await pilot.click(app.chat.transcript, offset=(4, name + 1), button=3)
        await until(lambda: isinstance(app.screen, MessageMenu))
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)
        assert app.chat.transcript.chosen == 0
        await pilot.click(app.chat.transcript, offset=(2, name))
        await until(lambda: isinstance(app.screen, MessageMenu))


async def test_the_menu_does_what_is_chosen_and_takes_the_same_keys() -> None:
    app, views = Scene("en"), talk()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        await choose(app, pilot, views[1])
        await pilot.press("m")
        await until(lambda: isinstance(app.screen, MessageMenu))
        assert app.screen.query_one(OptionList).option_count == 8
        await pilot.press("down", "enter")
        await until(lambda: app.clipboard == CODE)
        await pilot.press("m", "b")
        await until(lambda: app.clipboard == "x = 1\n")
        await choose(app, pilot, views[0])
        await pilot.press("enter", "s")
        await until(lambda: app.fake.kept == [("câu một\n", "câu một")])


async def test_blocks_of_code_are_copied_one_by_one_and_by_a_click() -> None:
    app, views = Scene("vi"), talk()
    async with app.run_test(size=(80, 40)) as pilot:
        await opened(app, pilot, views)
        await choose(app, pilot, views[1])
        copied = []
        for _ in range(3):
            await pilot.press("b")
            copied.append(app.clipboard)
        assert copied == ["x = 1\n", "ls\n", "x = 1\n"]
        rows = app.shown.split("\n")
        row = next(at for at, text in enumerate(rows) if text.startswith("  sh"))
        await pilot.click(app.chat.transcript, offset=(2 + rows[row].index("chép"), row))
        await until(lambda: app.clipboard == "ls\n")
        await pilot.press("up", "b")
        assert app.clipboard == "ls\n"


async def test_quoting_keeps_what_was_typed() -> None:
    app, views = Scene("vi"), talk()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        app.chat.prompt.put("xem lại nhé")
        await choose(app, pilot, views[2])
        await pilot.press("q")
        await until(lambda: app.chat.prompt.has_focus)
        assert app.chat.prompt.text == "xem lại nhé\n> câu hai dài hơn\n"


async def test_any_question_is_edited_and_a_draft_is_not_lost() -> None:
    app, views = Scene("vi"), talk()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        app.chat.prompt.put("đang gõ dở")
        await choose(app, pilot, views[1])
        await pilot.press("e")
        await until(lambda: app.chat.prompt.text == "câu một")
        assert app.chat.prompt.has_focus
        app.chat.prompt.put("")
        await pilot.press("up")
        assert app.chat.prompt.text == "đang gõ dở"


async def test_any_question_is_asked_again() -> None:
    app, views = Scene("vi"), talk()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        await choose(app, pilot, views[1])
        await pilot.press("r")
        await until(lambda: app.fake.asked)
        assert app.fake.asked[0].question.text == "câu một"
        assert app.chat.prompt.has_focus
        assert app.chat.transcript.following


async def test_a_stopped_answer_is_continued_by_keys_and_by_a_click() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 30)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "làm sao để xóa bộ nhớ đệm?")).say(*cut_off("Bước một: ABC123"))
        await until(lambda: "Ctrl+T viết tiếp" in app.shown)
        await pilot.press("ctrl+t")
        await until(lambda: len(app.fake.asked) == 2)
        continued = app.fake.asked[1].question
        assert (continued.text, continued.continues) == ("làm sao để xóa bộ nhớ đệm?", "t9")
        assert app.shown.count("Bước một: ABC123") == 1
        app.fake.asked[1].say(*cut_off("Bước một: ABC123, bước hai"))
        await until(lambda: "bước hai" in app.shown)
        assert app.shown.count("Bước một") == app.shown.count("▌ làm sao") == 1
        await settle(app, pilot)
        rows = app.shown.split("\n")
        row = next(at for at, text in enumerate(rows) if "Ctrl+T viết tiếp" in text)
        y = row - round(app.chat.transcript.scroll_y)
        await pilot.click(app.chat.transcript, offset=(2 + rows[row].index("Ctrl+T"), y))
        await until(lambda: len(app.fake.asked) == 3)
        assert app.fake.asked[2].question.continues == "t9"


async def test_without_a_model_the_question_is_asked_as_it_was() -> None:
    app, views = Scene("vi", health=HealthView(known=True)), talk()
    views[3].calls = 1
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        await choose(app, pilot, views[3])
        await pilot.press("c")
        await until(lambda: app.fake.asked)
        assert app.fake.asked[0].question.text == "câu hai dài hơn"


async def test_an_answer_that_is_whole_is_not_continued() -> None:
    app, views = Scene("vi"), talk()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        await choose(app, pilot, views[1])
        await pilot.press("c")
        await until(lambda: len(app._notifications) == 1)
        assert app.fake.asked == []


async def test_copying_copies_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/tmp/socket,1,0")
    app, views = Scene("vi"), talk()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot, views)
        await choose(app, pilot, views[0])
        await pilot.press("y")
        await until(lambda: len(app._notifications) == 1)
        assert app.clipboard == "câu một"
        assert app.fake.kept == []
        assert "s để lưu" in next(iter(app._notifications)).message, (
            "where the terminal may not take it, what does"
        )
        app.fake.refusal = OSError("disk full")
        await pilot.press("s")
        await until(lambda: len(app._notifications) == 2)


async def test_each_part_of_an_answer_is_chosen_copied_quoted_and_opened() -> None:
    app = Scene("vi", mode="analysis")
    async with app.run_test(size=(120, 50)) as pilot:
        await begin(app, pilot)
        rows = (("T1", "1"), ("T2", "5"), ("T3", "2"))
        sources = Sources((Evidence(7, "Sổ tay", "đoạn căn cứ"),))
        asked = await app.ask(pilot, "theo tháng")
        asked.say(
            Token("Cao nhất T2 [7]."),
            Table(("Tháng", "Số"), rows),
            Chart("line", ("T1", "T2", "T3"), (Series("Số", (1.0, 5.0, 2.0)),)),
            Table(("Khác", "Số"), (("x", "9"),)),
            sources,
            TurnCompleted("Cao nhất T2 [7].", {}, "rules", 0, 1.0),
        )
        await settle(app, pilot)
        transcript, key = app.chat.transcript, app.controller.pane.messages[-1].key
        await pilot.press("f9")
        await until(lambda: transcript.chosen == key)
        await pilot.press("y")
        assert app.clipboard == "Cao nhất T2 [7]."
        await pilot.press("7")
        await settle(app, pilot)
        assert "đoạn căn cứ" in app.shown, "the number of a source in a text opens its passage"
        await pilot.press("j", "t")
        await settle(app, pilot)
        assert "T2" in app.shown.split("▸ Bảng")[0].split("Cao nhất T2")[1], "the table behind the plot"
        await pilot.press("j", "q")
        assert app.chat.prompt.text.startswith("> Khác")
        assert "T1" not in app.chat.prompt.text
        app.chat.prompt.put("")
        await pilot.press("f9")
        await until(lambda: transcript.chosen == key)
        await pilot.press("j", "j", "enter")
        await until(lambda: isinstance(app.screen, GridScreen))
        assert app.screen._table.columns[0] == "Khác"  # type: ignore[attr-defined]
        await pilot.press("n")
        assert app.screen._table.columns[0] == "Tháng"  # type: ignore[attr-defined]
        await pilot.press("f", *"t2", "enter", "e")
        await until(lambda: bool(app.fake.exported))
        assert app.fake.exported[0].rows == (("T2", "5"),)
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)
        app.messages.press("source", f"{key}.7")
        await settle(app, pilot)
        assert "đoạn căn cứ" not in app.shown, "a click on the number closes it again"


async def test_each_part_of_an_answer_is_opened_large_with_one_key() -> None:
    app = Scene("vi", mode="analysis")
    async with app.run_test(size=(120, 50)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "theo tháng")
        asked.say(
            Token("Cao nhất **T2** [7]."),
            Chart("line", ("T1", "T2", "T3"), (Series("Số", (1.0, 5.0, 2.0)),)),
            Sources((Evidence(7, "Sổ tay", "đoạn căn cứ"),)),
            TurnCompleted("Cao nhất T2 [7].", {}, "rules", 0, 1.0),
        )
        await settle(app, pilot)
        key = app.controller.pane.messages[-1].key
        await pilot.press("f9")
        await until(lambda: app.chat.transcript.chosen == key)
        for place, (seen, opening) in enumerate(
            [("Cao nhất T2", ("f5", "enter")), ("T2 5", ("f5", "enter")), ("đoạn căn cứ", ("f5",))]
        ):
            assert app.chat.transcript.block == place
            for press in opening:
                await pilot.press(press)
                await until(lambda: isinstance(app.screen, ReadScreen))
                await settle(app, pilot)
                large = text_of(app.screen.query_one(PartText)).replace("\u00a0", " ")
                assert seen in large
                # The axis of a plot is as high as the screen.
                assert large.count("│") > 20 or place != 1
                await pilot.press("y", "s")
                await until(lambda: bool(app.fake.kept))
                assert app.fake.kept.pop()[0].strip() == app.clipboard.strip() != ""
                await pilot.press("escape")
                await until(lambda: app.screen is app.chat)
                assert app.chat.transcript.chosen == key, "the reader comes back to where they were"
            await pilot.press("j")


async def test_the_large_view_goes_through_the_parts_and_follows_what_is_written() -> None:
    app = Scene("en")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "first")
        asked.say(Token("begin"), Sources((Evidence(1, "Book", "a passage"),)))
        await settle(app, pilot)
        await pilot.press("f5")
        await until(lambda: isinstance(app.screen, ReadScreen))
        text = app.screen.query_one(PartText)
        await until(lambda: "begin" in text_of(text))
        asked.say(Token("no, another part"))
        await pilot.press("n")
        assert "another part" in text_of(text)
        asked.say(Token(" and more"))
        await until(lambda: "and more" in text_of(text))
        await pilot.press("n")
        assert "a passage" in text_of(text)
        await pilot.press("p", "p", "q")
        await until(lambda: app.screen is app.chat)


async def test_f5_opens_the_list_of_an_answer_and_what_a_reader_unfolds_is_nothing_new() -> None:
    app = Scene("vi", mode="rental")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        rooms = tuple(Item(f"Phòng {n}", "rẻ", "chi tiết\n\n" * 9) for n in range(10))
        (await app.ask(pilot, "phòng")).say(
            Token("Đây là mười phòng."), ItemList(rooms), TurnCompleted("", {}, "rules", 0, 1.0)
        )
        await settle(app, pilot)
        await pilot.press("f5")
        await until(lambda: isinstance(app.screen, ReadScreen))
        assert "Phòng 9" in text_of(app.screen.query_one(PartText))
        await pilot.press("escape", "f9", "j", "up")
        transcript = app.chat.transcript
        transcript.action_scroll_home()
        await pilot.press("j", "enter")
        await settle(app, pilot)
        assert "chi tiết" in app.shown
        assert not (transcript.behind and not transcript.following)


async def test_a_message_higher_than_the_screen_is_scrolled_through_first() -> None:
    app = Scene("vi")
    views = [
        message("user", NOW, "hỏi"),
        message("assistant", NOW, "dòng\n\n" * 60),
        message("user", NOW, "cuối"),
    ]
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, views)
        await choose(app, pilot, views[1])
        pressed = 0
        while app.chat.transcript.chosen == views[1].key:
            await pilot.press("up")
            pressed += 1
        assert pressed > 5
        assert app.chat.transcript.chosen == views[0].key


async def test_choosing_in_a_very_long_conversation() -> None:
    app, views = Scene("vi"), long_talk(2000)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, views)
        await choose(app, pilot, views[1950])
        transcript = app.chat.transcript
        first, last = transcript.ledger.span(views[1950].key)
        assert transcript.scroll_y <= first <= last <= transcript.scroll_y + transcript.size.height


async def test_an_answer_with_a_table_only_is_copied_as_a_table() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 30)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "tra ABC123")).say(TABLE, TurnCompleted("", {}, "rules", 0, 1.0))
        await until(lambda: "31/12/2027" in app.shown)
        await pilot.press("f9", "y")
        await until(lambda: "ABC123  31/12/2027" in app.clipboard)


async def test_a_chosen_part_folds_to_one_line_and_opens_again() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        answer = message("assistant", NOW, "\n\n".join(f"đoạn {n}" for n in range(9)))
        answer.parts.append(Table(("Năm", "Số"), (("2025", "7"), ("2026", "8")), "Theo năm"))
        await opened(app, pilot, [message("user", NOW, "câu một"), answer])
        await choose(app, pilot, answer)
        await pilot.press("z")
        await settle(app, pilot)
        assert "▸ đoạn 0  16 dòng nữa" in app.shown
        assert "đoạn 8" not in app.shown
        assert "2026" in app.shown
        await pilot.press("space")
        await settle(app, pilot)
        assert "đoạn 8" in app.shown


async def test_the_passage_that_a_number_opens_comes_into_view() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        answer = message("assistant", NOW, "Đầu tiên [1].\n\n" + "\n\n".join(f"đoạn {n}" for n in range(30)))
        answer.parts.append(Sources((Evidence(1, "Sổ tay", "Nguyên văn của đoạn."),)))
        await opened(app, pilot, [message("user", NOW, "câu một"), answer])
        await choose(app, pilot, answer)
        app.chat.transcript.action_scroll_home()
        await settle(app, pilot)
        await pilot.press("1")
        await settle(app, pilot)
        top = round(app.chat.transcript.scroll_y)
        seen = app.shown.split("\n")[top : top + app.chat.transcript.size.height]
        assert any("Nguyên văn của đoạn." in line for line in seen)
