"""Scenes with several panes: tabs, a split screen, answers that are written where nobody looks."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tests.support.scenes.base import scene
from tests.support.screen.answers import FIGURES, ROOMS
from tests.support.screen.screens import MARKDOWN, NOW, Scene, settle, warranty
from troly.plugin.events import StepStarted, Token, TurnCompleted
from troly.tui.chat.view import Pane, message

TITLES = (
    "kiểm tra giúp ABC123, XYZ789", "Laptop dưới 20 triệu cho sinh viên kế toán", "Doanh thu tuần này theo chi nhánh",
    "phòng trọ giá rẻ ở gò vấp", "Nhổ răng khôn có đau không?", "Nghỉ phép mấy ngày?", "so sánh hai máy in",
)  # fmt: skip


async def several(pilot: Pilot[Any]) -> None:
    """An answer that is read, one that is written elsewhere, one that nobody read yet."""
    app = scene(pilot)
    (await app.ask(pilot, TITLES[0])).say(*warranty())
    await settle(app, pilot)
    await pilot.press("alt+2")
    (await app.ask(pilot, TITLES[2])).say(*FIGURES)
    await settle(app, pilot)
    await pilot.press("alt+3")
    unread = await app.ask(pilot, TITLES[3])
    await pilot.press("alt+5")
    (await app.ask(pilot, TITLES[5])).say(
        StepStarted("respond_stream"), Token(MARKDOWN[:200]), conversation="c5"
    )
    await pilot.press("alt+1")
    unread.say(*ROOMS, conversation="c3")
    await settle(app, pilot)


async def beside(pilot: Pilot[Any]) -> None:
    """Two panes on one screen; both are being written."""
    app = scene(pilot)
    first = await app.ask(pilot, TITLES[0])
    first.say(*warranty()[:-1])
    await pilot.press("alt+5")
    second = await app.ask(pilot, TITLES[5])
    second.say(StepStarted("respond_stream"), Token(MARKDOWN[:420]), conversation="c5")
    await app.run_action("split")
    await settle(app, pilot)


async def many(pilot: Pilot[Any]) -> None:
    """A hundred panes."""
    app = scene(pilot)
    await settle(app, pilot)
    fill(app, 100)
    await settle(app, pilot)


def fill(app: Scene, number: int) -> None:
    """Open `number` panes with a question and an answer each; the middle one is shown."""
    controller = app.controller
    modes = list(controller.modes)
    for index in range(number):
        messages = [
            message("user", NOW, TITLES[index % len(TITLES)]),
            message("assistant", NOW, f"Câu trả lời {index}.", source="rules", ms=3.0),
        ]
        pane = Pane(modes[index % len(modes)], f"s{index}", TITLES[index % len(TITLES)], messages)
        app.fake.saved[f"s{index}"] = (pane.mode, list(messages))
        controller.show(pane)
    controller.tabs.panes[3].unread = True
    controller.show(controller.tabs.panes[number // 2])


DONE = TurnCompleted("Xong.", {}, "rules", 0, 1.0)
