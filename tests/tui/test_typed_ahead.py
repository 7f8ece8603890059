"""What is typed in one read of the terminal goes where it was meant: each key to what the one before it opened."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from tests.support.process.waiting import until
from tests.support.scenes.base import HITS, LISTED
from tests.support.screen.screens import Scene, begin, burst

LETTERS = "abcdefghij" * 8


def written(app: Scene) -> str:
    """What stands in the input of the box above the chat."""
    found = app.screen.query(Input) if app.screen is not app.chat else ()
    return found[0].value if found else ""


@pytest.mark.parametrize("keys", ["\x10", "\x06", "/search\r", "x\x7f\x10", "\x1bOQ\x06"], ids=ascii)
async def test_letters_behind_the_key_that_opens_a_box_are_in_the_box(keys: str) -> None:
    app = Scene("en", listed=LISTED, hits=HITS)
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, keys + LETTERS)
        await until(lambda: written(app) == LETTERS)
        assert app.chat.prompt.text == ""


async def test_a_paste_behind_it_is_in_the_box_and_what_follows_its_end_in_the_chat() -> None:
    app = Scene("en")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "\x10")
        app.post_message(events.Paste("pasted"))
        burst(app, " on")
        await until(lambda: written(app) == "pasted on")
        app.post_message(events.Key("escape", None))
        burst(app, LETTERS + "\x10palette")
        app.post_message(events.Key("escape", None))
        burst(app, "more")
        await until(lambda: app.chat.prompt.text == LETTERS + "more")
        assert app.screen is app.chat


async def test_arrows_behind_the_key_that_shows_a_list_move_in_the_list() -> None:
    app = Scene("en", listed=LISTED)
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await until(lambda: len(app.controller.listed) > 1)
        burst(app, "\x1bOQ" + "\x1b[B" * 2)
        await until(lambda: app.chat.list.chosen == LISTED[1].id)
