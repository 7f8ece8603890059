"""Scenes of the boxes above the chat, and of the columns beside it."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

from tests.support.process.waiting import until
from tests.support.scenes.base import empty, scene, talk
from tests.support.scenes.evidence import answered
from tests.support.screen.screens import settle
from troly.conversation.jobs import MissingModel

MODELS = [
    MissingModel("gpt-oss", {"vi": "gpt-oss · cho chat, chưa có", "en": "gpt-oss · for chat, not here yet"}),
    MissingModel("bge-m3", {"vi": "bge-m3 · cho embed, chưa có", "en": "bge-m3 · for embed, not here yet"}),
]


async def _box(pilot: Pilot[Any]) -> Screen[Any]:
    app = scene(pilot)
    await until(lambda: app.screen is not app.chat)
    await settle(app, pilot)
    return app.screen


async def palette(pilot: Pilot[Any]) -> None:
    """All commands."""
    await talk(pilot)
    await pilot.press("ctrl+p")
    await _box(pilot)


async def palette_found(pilot: Pilot[Any]) -> None:
    """Commands found without accents."""
    await palette(pilot)
    await pilot.press(*("doi tro ly" if scene(pilot).controller.language == "vi" else "assistant"))
    await _box(pilot)


async def palette_none(pilot: Pilot[Any]) -> None:
    """No such command."""
    await palette(pilot)
    await pilot.press(*"xyzzy")
    await _box(pilot)


async def helped(pilot: Pilot[Any]) -> None:
    """The keys."""
    await empty(pilot)
    await pilot.press("f1")
    await _box(pilot)


async def searching(pilot: Pilot[Any]) -> None:
    """Nothing is looked for yet."""
    await empty(pilot)
    await pilot.press("ctrl+f")
    await _box(pilot)


async def listed(pilot: Pilot[Any]) -> None:
    """The keys are with the conversations; the third line is chosen."""
    await talk(pilot)
    app = scene(pilot)
    await pilot.press("f2")
    await until(lambda: app.chat.list.has_focus)
    await pilot.press("down", "down")
    await settle(app, pilot)


async def renaming(pilot: Pilot[Any]) -> None:
    """Another title for a conversation."""
    await listed(pilot)
    await pilot.press("alt+r")
    await _box(pilot)


async def pulling(pilot: Pilot[Any]) -> None:
    """Which model?"""
    await answered(pilot)
    app = scene(pilot)
    app.fake.results["missing_models"] = MODELS
    await app.run_action("pull")
    await _box(pilot)
