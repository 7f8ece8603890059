"""Scenes of the input for the snapshot tests: commands, names, pasted text, help."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.pilot import Pilot

from tests.support.process.waiting import until
from tests.support.scenes.base import scene, talk
from tests.support.screen.screens import begin, burst, settle, text_of
from troly.tui.dialogs.paste import PasteScreen

NAMES = [("Doanh thu quý 3", "1.200 dòng"), ("Đơn hàng 2026", "48.210 dòng"), ("Khách hàng", "913 dòng")]
LINES = "\n".join(f"{number:03d}  khách không đăng nhập được, mã 401" for number in range(1, 121))


async def commands(pilot: Pilot[Any]) -> None:
    await talk(pilot)
    app = scene(pilot)
    burst(app, "/")
    await until(lambda: "/new" in text_of(app.chat.offers))
    await settle(app, pilot)


async def names(pilot: Pilot[Any]) -> None:
    await talk(pilot)
    app = scene(pilot)
    app.fake.names = NAMES
    burst(app, "so sánh @")
    await until(lambda: "913" in text_of(app.chat.offers))
    await pilot.press("down")
    await settle(app, pilot)


async def pasted(pilot: Pilot[Any]) -> None:
    app = scene(pilot)
    await begin(app, pilot)
    burst(app, "tóm tắt giúp ")
    app.post_message(events.Paste(LINES))
    await until(lambda: app.chat.prompt.text.endswith("]"))
    await settle(app, pilot)


async def unfolded(pilot: Pilot[Any]) -> None:
    await pasted(pilot)
    app = scene(pilot)
    await pilot.press("alt+o")
    await until(lambda: isinstance(app.screen, PasteScreen))
    await settle(app, pilot)


async def keys(pilot: Pilot[Any]) -> None:
    app = scene(pilot)
    await begin(app, pilot)
    await pilot.press("f2")
    await until(lambda: app.chat.list.has_focus)
    await pilot.press("question_mark")
    await until(lambda: app.screen is not app.chat)
    await settle(app, pilot)
