"""Terminals too small to read: the screen survives every size, also with nothing written."""

from __future__ import annotations

from tests.support.screen.screens import MARKDOWN, Scene, begin, settle
from troly.plugin.events import Token


async def test_an_empty_input_survives_every_width() -> None:
    app = Scene("en")
    async with app.run_test(size=(60, 20)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "hỏi")).say(Token(MARKDOWN[:300]))
        for width, height in (
            (9, 40),
            (6, 40),
            (5, 2),
            (4, 40),
            (3, 40),
            (2, 40),
            (2, 2),
            (1, 40),
            (1, 1),
            (60, 20),
        ):
            await pilot.resize_terminal(width, height)
            await settle(app, pilot)
            assert app.is_running
        assert "hỏi" in app.shown
