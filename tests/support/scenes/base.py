"""The scenes that the snapshot tests and the README's pictures show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.support.process.waiting import until
from tests.support.screen.answers import COMPANY, FIGURES, ROOMS
from tests.support.screen.screens import MARKDOWN, NOW, Scene, cut_off, settle, warranty
from troly.plugin.events import StepStarted, Token
from troly.tui.chat.view import ConversationView, HitView

Before = Callable[[Pilot[Any]], Awaitable[None]]
LISTED = [
    ConversationView("c1", "shopping", "Bảo hành ABC123", NOW),
    ConversationView("c2", "shopping", "Laptop dưới 20 triệu cho sinh viên kế toán năm nhất", NOW),
    ConversationView("c3", "analysis", "So sánh doanh thu tuần này", NOW),
]

HITS = [
    HitView("c2", "shopping", "Laptop dưới 20 triệu", NOW, "máy nào nhẹ cho kế toán", ((0, 3), (8, 11))),
    HitView(
        "c3",
        "analysis",
        "So sánh doanh thu",
        NOW,
        "…máy tính nhẹ bán chạy nhất tuần này, tăng 15,5%",
        ((1, 4), (10, 13)),
    ),
]


def scene(pilot: Pilot[Any]) -> Scene:
    assert isinstance(pilot.app, Scene)
    return pilot.app


async def empty(pilot: Pilot[Any]) -> None:
    await until(lambda: scene(pilot).chat.prompt.has_focus)
    await settle(scene(pilot), pilot)


async def talk(pilot: Pilot[Any]) -> None:
    app = scene(pilot)
    asked = await app.ask(pilot, "kiểm tra giúp ABC123, XYZ789")
    asked.say(*warranty())
    await settle(app, pilot)


async def stream(pilot: Pilot[Any]) -> None:
    await talk(pilot)
    app = scene(pilot)
    asked = await app.ask(pilot, "khách không đăng nhập được thì làm sao?")
    asked.say(StepStarted("respond_stream"), Token(MARKDOWN[:420]))
    await settle(app, pilot)


async def failed(pilot: Pilot[Any]) -> None:
    app = scene(pilot)
    asked = await app.ask(pilot, "khách không đăng nhập được thì làm sao?")
    asked.say(*cut_off(MARKDOWN))
    await settle(app, pilot)
    await pilot.press("f3")
    await until(lambda: app.chat.evidence.has_focus and bool(app.chat.evidence.lines))
    await settle(app, pilot)


async def figures(pilot: Pilot[Any]) -> None:
    """An answer with a plot, a computation that stands open, and questions to go on with."""
    app = scene(pilot)
    asked = await app.ask(pilot, "doanh thu từng tháng năm nay")
    asked.say(*FIGURES)
    await settle(app, pilot)
    app.chat.transcript.post_message(
        app.chat.transcript.Pressed(f"open:{app.controller.pane.messages[-1].key}.3")
    )
    await settle(app, pilot)


async def rooms(pilot: Pilot[Any]) -> None:
    """A list with its badge, one entry open."""
    app = scene(pilot)
    asked = await app.ask(pilot, "phòng trọ giá rẻ ở gò vấp")
    asked.say(*ROOMS)
    await settle(app, pilot)
    app.chat.transcript.post_message(
        app.chat.transcript.Pressed(f"open:{app.controller.pane.messages[-1].key}.1.0")
    )
    await settle(app, pilot)


async def company(pilot: Pilot[Any]) -> None:
    """A plan that is under way, and sources that disagree."""
    app = scene(pilot)
    asked = await app.ask(pilot, "đi muộn mấy lần thì bị trừ lương?")
    asked.say(*COMPANY)
    await settle(app, pilot)


async def grid(pilot: Pilot[Any]) -> None:
    """The table of an answer above the chat, sorted by its last column."""
    await talk(pilot)
    await pilot.press("f5")
    await pilot.press("right", "s")
    await settle(scene(pilot), pilot)


async def found(pilot: Pilot[Any]) -> None:
    """Words looked for in all conversations."""
    app = scene(pilot)
    await empty(pilot)
    await pilot.press("ctrl+f", *"may nhe")
    await until(lambda: app.screen.query_one(OptionList).option_count == len(HITS))
    await settle(app, pilot)
