"""Draws the pictures of the README, `python -m tests.support.screen.screenshots`: the best answer of every assistant in
both themes, and one that moves; real turns are put to the real screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support import turns
from tests.support.scenes.base import LISTED
from tests.support.scenes.evidence import opened
from tests.support.screen.screens import Scene, settle
from tests.support.screen.svg import Frame, animation, frame
from troly.plugin.events import Say, Token
from troly.tui.chat.view import HealthView

FOLDER = Path(__file__).parents[3] / "screenshots"
WIDE = 112
# The rows that each answer needs to be seen whole.
ROWS: Mapping[str, int] = {"shopping": 35, "analysis": 42, "rental": 40, "dental": 30, "rag": 43}
MOVING_ROWS = 30
# Pieces that a text arrives in, and letters typed at once.
PIECES, LETTERS = 9, 4

Drawing = Callable[[], Coroutine[Any, Any, str]]


def _scene(mode: str, theme: str) -> Scene:
    return Scene("vi", mode=mode, theme=theme, health=HealthView(known=True), listed=LISTED)


async def steady(app: Scene, pilot: Pilot[Any], seconds: float = 1.0) -> Frame:
    """What is shown once nothing moves any more."""
    before: Frame | None = None
    while before is None or before.rows != frame(app).rows:
        before = frame(app, seconds)
        await settle(app, pilot)
    return before


async def still(mode: str, theme: str) -> str:
    """A real turn of an assistant."""
    app, told = _scene(mode, theme), turns.read(mode)
    async with app.run_test(size=(WIDE, ROWS[mode])) as pilot:
        (await app.ask(pilot, turns.question(told))).say(*(one for one in told if not isinstance(one, Say)))
        return animation([await steady(app, pilot)])


async def evidence() -> str:
    """How an answer came about, down to the prompt."""
    app = Scene("en", mode="rag", theme="dark")
    async with app.run_test(size=(WIDE, 34)) as pilot:
        await opened(pilot)
        return animation([await steady(app, pilot)])


class Recording:
    """Types at the app, lets it answer, and keeps what is seen."""

    def __init__(self, app: Scene, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot
        self.frames: list[Frame] = []

    async def look(self, seconds: float) -> None:
        """Keep what is shown, once nothing moves any more, for so long."""
        self.frames.append(await steady(self.app, self.pilot, seconds))

    async def press(self, seconds: float, *keys: str) -> None:
        """Press keys and look."""
        await self.pilot.press(*keys)
        await self.look(seconds)

    async def ask(self, name: str, seconds: float) -> None:
        """Type the question of a turn letter by letter, and let its answer arrive as it did; look at it for so long."""
        told = turns.read(name)
        question = turns.question(told)
        for end in range(LETTERS, len(question) + LETTERS, LETTERS):
            self.app.chat.prompt.put(question[:end])
            await self.look(0.12)
        asked = await self.app.ask(self.pilot, question)
        for event in told:
            if isinstance(event, Token):
                size = -(-len(event.text) // PIECES)
                for begin in range(0, len(event.text), size):
                    asked.say(Token(event.text[begin : begin + size]))
                    await self.look(0.09)
            else:
                asked.say(event)
        await self.look(seconds)


async def moving() -> str:
    """A morning at the desk: a warranty, a plot and what is behind it, a policy with its passage, an emergency."""
    app = _scene("shopping", "dark")
    async with app.run_test(size=(WIDE, MOVING_ROWS)) as pilot:
        seen = Recording(app, pilot)
        await seen.look(1.5)
        await seen.ask("warranty", 3.0)
        await seen.press(0.8, "alt+2")
        await seen.ask("analysis", 3.0)
        await seen.press(0.8, "f9")
        await seen.press(0.8, "down")
        await seen.press(2.5, "enter")
        await seen.press(0.4, "escape")
        await seen.press(0.6, "escape")
        await seen.press(0.8, "alt+5")
        await seen.ask("rag", 3.0)
        await seen.press(0.8, "f9")
        await seen.press(3.0, "1")
        await seen.press(0.6, "escape")
        await seen.press(0.8, "alt+4")
        await seen.ask("dental", 4.0)
        return animation(seen.frames)


def shots() -> dict[str, Drawing]:
    """What draws each picture, by its file name."""
    drawn = {f"{mode}-{theme}": partial(still, mode, theme) for mode in ROWS for theme in ("dark", "light")}
    return {"desk": moving, **drawn, "evidence": evidence}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.svg"):
        old.unlink()
    for name, draw in shots().items():
        (FOLDER / f"{name}.svg").write_text(asyncio.run(draw()), encoding="utf-8")


if __name__ == "__main__":
    main()
