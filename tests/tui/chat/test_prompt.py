"""The input: typed commands, names after @, pasted text as a token; never a key lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual import events

from tests.support.process.waiting import until
from tests.support.screen.screens import Scene, begin, burst, settle, text_of
from troly.plugin.events import Token, TurnCompleted
from troly.text.catalogue import LANGS
from troly.tui.dialogs.paste import PasteScreen
from troly.tui.dialogs.search import SearchScreen
from troly.tui.widgets.text_input import TypingArea

DONE = TurnCompleted("Xong.", {}, "rules", 0, 1.0)
NAMES = [("Doanh thu quý 3", "120 dòng"), ("Doanh số", "5 dòng"), ("Đơn hàng", "9 dòng")]
LONG = "\n".join(f"dòng {number} của lô hàng" for number in range(120))


def paste(app: Scene, text: str) -> None:
    """A bracketed paste, as the driver sends it."""
    app.post_message(events.Paste(text))


async def test_a_slash_shows_commands_that_fold_and_enter_runs_one() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "/")
        await until(lambda: app.chat.offers.display)
        await until(lambda: "/mode" in text_of(app.chat.offers))
        burst(app, "giao dien")
        await until(lambda: "/theme" in text_of(app.chat.offers))
        await until(lambda: app.chat.prompt.text == "/giao dien")


@pytest.mark.parametrize(
    ("typed", "check"),
    [
        ("/mode rag\r", lambda app: app.controller.pane.mode == "rag"),
        ("/mode noi bo\r", lambda app: app.controller.pane.mode == "rag"),
        ("/language en\r", lambda app: app.controller.language == "en"),
        ("/theme light\r", lambda app: app.theme == "troly-light"),
        ("/list\r", lambda app: app.chat.list.has_focus),
        ("/search bảo hành\r", lambda app: isinstance(app.screen, SearchScreen) and app.fake.searched),
    ],
)
async def test_commands_in_one_burst(typed: str, check: Callable[[Scene], object]) -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        burst(app, typed)
        await until(lambda: bool(check(app)))
        assert app.fake.asked == []
        assert app.chat.prompt.text == ""


async def test_tab_completes_step_by_step_and_enter_takes_the_chosen_value() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "/mo\t")
        await until(lambda: app.chat.prompt.text == "/mode ")
        await until(lambda: "dental" in text_of(app.chat.offers))
        await pilot.press("n", "h", "a", "enter")
        await until(lambda: app.controller.pane.mode == "dental")


async def test_escape_closes_the_list_only_and_it_stays_closed() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "hỏi")
        burst(app, "/ne")
        await until(lambda: app.chat.offers.display)
        await pilot.press("escape")
        await until(lambda: not app.chat.offers.display)
        assert not asked.stopped
        await pilot.press("w")
        await settle(app, pilot)
        assert not app.chat.offers.display
        assert app.chat.prompt.text == "/new"
        await pilot.press("escape")
        await until(lambda: asked.stopped)


@pytest.mark.parametrize("lang", LANGS)
async def test_what_is_no_command_is_told_and_not_lost(lang: str) -> None:
    app = Scene(lang)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await begin(app, pilot)
        burst(app, "/serach\r")
        await until(lambda: bool(app._notifications))
        assert "/search" in next(iter(app._notifications)).message
        await until(lambda: app.chat.prompt.text == "/serach")
        app.chat.prompt.put("/mode nowhere")
        await pilot.press("enter")
        await until(lambda: len(app._notifications) == 2)
        assert app.chat.prompt.text == "/mode nowhere"
        assert app.fake.asked == []


@pytest.mark.parametrize("text", ["/rooms/12 còn không?", "/ 12", "/12", "// chú thích", "/sql select 1"])
async def test_other_slashes_are_messages(text: str) -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, f"{text}\r")
        await until(lambda: app.fake.asked)
        assert app.fake.asked[0].question.text == text


@pytest.mark.parametrize("streaming", [False, True])
async def test_at_offers_names_and_puts_them_in_quotes(streaming: bool) -> None:
    app = Scene("vi", names=NAMES)
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        if streaming:
            (await app.ask(pilot, "hỏi")).say(Token("Một câu dài. " * 20))
        burst(app, "tổng của @doanh thu")
        await until(lambda: "120 dòng" in text_of(app.chat.offers))
        assert app.fake.mentioned[-1] == ("shopping", "doanh thu")
        await pilot.press("tab")
        await until(lambda: app.chat.prompt.text == 'tổng của "Doanh thu quý 3" ')
        burst(app, "@")
        await until(lambda: "9 dòng" in text_of(app.chat.offers))
        await pilot.press("down", "down", "enter")
        await until(lambda: app.chat.prompt.text == 'tổng của "Doanh thu quý 3" "Đơn hàng" ')


async def test_input_methods_inside_a_name_and_addresses_are_left_alone() -> None:
    app = Scene("vi", names=NAMES)
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "@d\x7fđ\x7fđon\x7f\x7fơn")
        await until(lambda: app.chat.prompt.text == "@đơn")
        await until(lambda: "Đơn hàng" in text_of(app.chat.offers))
        app.chat.prompt.put("")
        burst(app, "gửi an@sstc.vn nhé\r")
        await until(lambda: app.fake.asked)
        assert app.fake.asked[0].question.text == "gửi an@sstc.vn nhé"


async def test_a_failing_look_up_offers_nothing_and_disturbs_nothing() -> None:
    app = Scene("vi", names=NAMES, refusal=OSError("disk"))
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "@doanh")
        await until(lambda: app.fake.mentioned)
        await settle(app, pilot)
        assert not app.chat.offers.display
        assert app.chat.prompt.text == "@doanh"


async def test_an_offer_can_be_clicked() -> None:
    app = Scene("vi", names=NAMES)
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "@đơn")
        await until(lambda: "Đơn hàng" in text_of(app.chat.offers))
        await settle(app, pilot)
        await pilot.click(app.chat.offers, offset=(4, 0))
        await until(lambda: app.chat.prompt.text == '"Đơn hàng" ')


async def test_long_paste_is_one_token_that_is_sent_whole() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "tóm tắt ")
        paste(app, LONG)
        await until(lambda: app.chat.prompt.text.endswith("]"))
        assert app.chat.prompt.text == "tóm tắt [dán 120 dòng, 3 kB]"
        burst(app, " giu\x7f\x7fgiúp\r")
        await until(lambda: app.fake.asked)
        assert app.fake.asked[0].question.text == f"tóm tắt {LONG} ggiúp"


async def test_a_token_is_passed_deleted_and_undone_as_one() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        prompt = app.chat.prompt
        paste(app, LONG)
        await until(lambda: bool(prompt.text))
        token = prompt.text
        await pilot.press("left")
        assert prompt.cursor_location == (0, 0)
        await pilot.press("right")
        assert prompt.cursor_location == (0, len(token))
        burst(app, "x\x7f\x7f")
        await until(lambda: prompt.text == "")
        await pilot.press("alt+z")
        await until(lambda: token in prompt.text)
        prompt.move_cursor((0, 0))
        await pilot.press("delete")
        await until(lambda: token not in prompt.text)
        await pilot.press("alt+z")
        await until(lambda: prompt.whole.startswith(LONG))
        # A second paste of another text of the same size is another token.
        paste(app, LONG.replace("lô", "bô"))
        await until(lambda: "#2" in prompt.text)
        assert prompt.whole.count("bô hàng") == 120


async def test_a_token_opens_is_edited_and_goes_back() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        prompt = app.chat.prompt
        paste(app, LONG)
        await until(lambda: bool(prompt.text))
        await pilot.press("alt+o")
        await until(lambda: isinstance(app.screen, PasteScreen))
        area = app.screen.query_one(TypingArea)
        assert area.text == LONG
        area.insert("Mở đầu\n", (0, 0))
        await pilot.press("escape")
        await until(lambda: prompt.whole == f"Mở đầu\n{LONG}")
        assert prompt.text.startswith("[dán 121 dòng")
        await pilot.press("alt+o")
        await until(lambda: isinstance(app.screen, PasteScreen))
        app.screen.query_one(TypingArea).load_text("ngắn")
        await pilot.press("escape")
        await until(lambda: prompt.text == "ngắn")
        await pilot.press("alt+o")
        await settle(app, pilot)
        assert not isinstance(app.screen, PasteScreen)


async def test_an_earlier_long_message_comes_back_as_a_token() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        text = LONG * 4
        paste(app, text)
        await until(lambda: bool(app.chat.prompt.text))
        await pilot.press("enter")
        await until(lambda: app.fake.asked)
        app.fake.asked[0].say(DONE)
        await pilot.press("up")
        await until(lambda: app.chat.prompt.text.startswith("[dán"))
        assert app.chat.prompt.whole == text
        await pilot.press("down")
        await until(lambda: app.chat.prompt.text == "")


@pytest.mark.parametrize("size", [200_000, 5_000_000])
async def test_a_huge_paste_leaves_the_input_small(size: int) -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        paste(app, "x" * size)
        burst(app, " tiếp")
        await until(lambda: app.chat.prompt.text.endswith(" tiếp"))
        assert len(app.chat.prompt.text) < 60
        assert len(app.chat.prompt.whole) == size + 5
        await pilot.press("enter")
        await until(lambda: app.fake.asked)
        assert len(app.fake.asked[0].question.text) == size + 5


async def test_short_paste_and_escape_sequences_in_it() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        paste(app, "một\r\nhai\x1b[31m [b]ba[/b]")
        await until(lambda: app.chat.prompt.text == "một\nhai [b]ba[/b]")


async def test_a_page_that_is_clicked_gets_the_input_and_other_places_keep_the_focus() -> None:
    """`app serve --web` begins without the focus; a terminal that gets it back goes on where it was."""
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(app, pilot)
        app.screen.set_focus(None)
        app.post_message(events.AppFocus())
        await until(lambda: app.screen.focused is app.chat.prompt)
        app.chat.transcript.focus()
        await until(lambda: app.screen.focused is app.chat.transcript)
        app.post_message(events.AppBlur())
        await until(lambda: app.screen.focused is None)
        app.post_message(events.AppFocus())
        await settle(app, pilot)
        assert app.screen.focused is app.chat.transcript
