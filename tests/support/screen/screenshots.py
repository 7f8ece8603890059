"""Draws the pictures of the README from the scenes of the snapshot tests: `python -m tests.support.screen.screenshots`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from tests.support.scenes.base import Before
from tests.support.screen.pictures import staged
from tests.support.screen.screens import Scene
from troly.text.catalogue import Lang

FOLDER = Path(__file__).parents[3] / "screenshots"
SIZE = (120, 32)
# Textual's pictures name a font on the web; nobody's README should fetch one.
_FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}\s*")
# Identifiers made from the picture's text, so that two pictures can share a page.
_NUMBER = re.compile(r"terminal-\d+")


SHOTS: Mapping[str, tuple[str, Lang, str]] = {
    "welcome": ("welcome", "vi", "dark"),
    "warranty": ("talk", "vi", "dark"),
    "figures": ("figures", "vi", "dark"),
    "rooms": ("rooms", "vi", "dark"),
    "dental": ("real-dental", "vi", "dark"),
    "company": ("company", "vi", "dark"),
    "evidence": ("evidence-prompt", "en", "dark"),
    "failure": ("failed", "en", "dark"),
    "light": ("two-sides", "en", "light"),
}


def shots() -> dict[str, tuple[Scene, Before]]:
    """The app and what happens in it, by the picture's file name: scenes that the snapshot tests compare too."""
    return {name: staged(*look) for name, look in SHOTS.items()}


async def draw(app: Scene, before: Before) -> str:
    """The screen after `before`, as SVG."""
    async with app.run_test(size=SIZE) as pilot:
        await before(pilot)
        svg = app.export_screenshot(title="Troly")
    svg = _NUMBER.sub("terminal", _FONT_FACE.sub("", svg))
    return svg.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.svg"):
        old.unlink()
    for name, (app, before) in shots().items():
        (FOLDER / f"{name}.svg").write_text(asyncio.run(draw(app, before)), encoding="utf-8")


if __name__ == "__main__":
    main()
