"""Scenes of the conversation itself: a long one, a chosen message with its menu, words that were looked for, a stopped answer."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tests.support.process.waiting import until
from tests.support.scenes.base import scene
from tests.support.screen.long_conversation import long_talk
from tests.support.screen.screens import Scene, begin, cut_off, settle
from troly.tui.chat.find import FindBar
from troly.tui.dialogs.message_menu import MessageMenu

MESSAGES = 60


async def long(pilot: Pilot[Any]) -> Scene:
    """A conversation of several days, opened from the store, with older messages there."""
    app = scene(pilot)
    await begin(app, pilot)
    views = long_talk(MESSAGES)
    views[0].before = "m0"
    app.fake.saved["c9"] = ("shopping", views)
    app.controller.open("c9")
    await until(lambda: app.controller.pane.messages is views)
    await settle(app, pilot)
    return app


async def days(pilot: Pilot[Any]) -> None:
    """The end of a day and the beginning of the next."""
    app = await long(pilot)
    views = app.controller.pane.messages
    first = next(at for at in range(len(views)) if views[at].time.date() == views[-1].time.date())
    ledger = app.chat.transcript.ledger
    app.chat.transcript.bring(ledger.span(views[first].key)[0] - 12)
    await settle(app, pilot)


async def chosen(pilot: Pilot[Any]) -> None:
    """The keys are with the messages, and one of them is chosen."""
    app = await long(pilot)
    await pilot.press("f9", "up", "up")
    await settle(app, pilot)


async def menu(pilot: Pilot[Any]) -> None:
    """What can be done with an answer that has a block of code."""
    app = await long(pilot)
    await pilot.press("f9", *["up"] * 4, "m")
    await until(lambda: isinstance(app.screen, MessageMenu))
    await pilot.pause()


async def find(pilot: Pilot[Any]) -> None:
    """Words found without accents; the second match from below."""
    app = await long(pilot)
    await pilot.press("ctrl+g", *"con", "space", *"bao", "space", *"hanh")
    await until(lambda: bool(app.chat.query(FindBar)))
    bar = app.chat.query_one(FindBar)
    await until(lambda: bar.finder.wanted == "con bao hanh" and bar.finder.count > 0)
    # The line that finds takes a row from the conversation: only then is the next match looked for.
    await settle(app, pilot)
    await pilot.press("up")
    await settle(app, pilot)


async def stopped(pilot: Pilot[Any]) -> None:
    """An answer that was cut off, with the keys that help."""
    app = scene(pilot)
    asked = await app.ask(pilot, "khách không đăng nhập được thì làm sao?")
    asked.say(
        *cut_off("Anh làm theo **ba bước**:\n\n```sh\ntroly --version\n```\n\n1. Đăng xuất mọi thiết bị")
    )
    await settle(app, pilot)


async def opening(pilot: Pilot[Any]) -> None:
    """The stores are still being opened."""
    await until(lambda: scene(pilot).chat.prompt.has_focus)
    await pilot.pause()
