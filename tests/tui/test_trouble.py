"""What can go wrong on the screen: closed stores, hostile strings, sizes, floods."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.process.waiting import until
from tests.support.screen.fake_backend import MODES
from tests.support.screen.screens import MARKDOWN, NOW, Scene, begin, burst, cut_off, settle, text_of
from troly.errors import StoreError
from troly.plugin.events import Token, TurnCompleted
from troly.tui.chat.view import ConversationView, HealthView, SessionInfo


async def test_services_that_cannot_be_opened_leave_a_card_and_a_way_out() -> None:
    app = Scene("en", info=StoreError("paths.read_only", path="/data/[/b]", variable="TROLY_HOME"))
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await until(lambda: "Troly cannot open" in app.shown)
        assert "[/b]" in app.shown.replace("\n", "").replace(" ", "")
        burst(app, "typed anyway\r")
        await until(lambda: "typed anyway" in app.shown)
        assert "Troly cannot open" in app.shown
        await pilot.press("ctrl+q")
        await until(lambda: not app.is_running)


@pytest.mark.parametrize(
    "hostile", ["[TENANT]", "[/b]", "[@click=app.quit]x[/]", "\x1b]52;c;aGk=\x07\x1b[31mđỏ", "\x9b31m\u202ex"]
)
async def test_hostile_strings_are_text_everywhere(hostile: str) -> None:
    mode = MODES[0]._replace(
        names={"vi": hostile, "en": hostile},
        summaries={"vi": hostile, "en": hostile},
        questions={"vi": (hostile,)},
    )
    app = Scene(
        "vi", info=SessionInfo((mode, *MODES[1:]), hostile, (hostile,)), health=HealthView(known=True, up=True, model=hostile),
        listed=[ConversationView("c", "shopping", hostile, NOW)],
    )  # fmt: skip
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press("escape")
        (await app.ask(pilot, f"hỏi {hostile}")).say(*cut_off(hostile))
        await settle(app, pilot)
        assert app.is_running
        for view in (app.chat.modes, app.chat.list, app.chat.transcript):
            assert not set("\x1b\x9b\x07\u202e") & set(text_of(view))


async def test_resizing_to_nothing_and_back_loses_nothing() -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "hỏi")
        burst(app, "nháp")
        for size in ((1, 1), (40, 10), (60, 20), (240, 70), (3, 50), (120, 40)):
            await pilot.resize_terminal(*size)
            asked.say(Token(f"cỡ {size[0]}. "))
            burst(app, "x")
            await settle(app, pilot)
        asked.say(TurnCompleted("cỡ 1. cỡ 40. cỡ 60. cỡ 240. cỡ 3. cỡ 120.", {}, "model", 1, 1.0))
        await settle(app, pilot)
        assert "cỡ 1. cỡ 40." in app.shown
        assert app.chat.prompt.text == "nhápxxxxxx"


async def test_the_loop_is_never_held_up_by_a_long_stream() -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "hỏi")
        for _ in range(200):
            asked.say(*(Token(piece) for piece in MARKDOWN.split(" ")))
            await asyncio.sleep(0)
        burst(app, "vẫn gõ được")
        await until(lambda: app.chat.prompt.text == "vẫn gõ được")
