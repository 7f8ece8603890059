"""Draws the pictures of the README from the scenes of the snapshot tests: `python -m tests.support.screenshots`."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from tests.support.scenes import LISTED, Before, company, empty, failed, figures, rooms, stream, talk
from tests.support.screens import Scene

FOLDER = Path(__file__).parents[2] / "screenshots"
SIZE = (120, 32)
# Textual's pictures name a font on the web; nobody's README should fetch one.
_FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}\s*")
# Identifiers made from the picture's text, so that two pictures can share a page.
_NUMBER = re.compile(r"terminal-\d+")


def shots() -> dict[str, tuple[Scene, Before]]:
    """The app and what happens in it, by the picture's file name."""
    return {
        "welcome": (Scene("vi", listed=LISTED), empty),
        "warranty": (Scene("vi", listed=LISTED), talk),
        "streaming": (Scene("vi", listed=LISTED), stream),
        "failure": (Scene("en", listed=LISTED), failed),
        "figures": (Scene("vi", mode="analysis", listed=LISTED), figures),
        "rooms": (Scene("vi", mode="rental", listed=LISTED), rooms),
        "company": (Scene("vi", mode="rag", listed=LISTED), company),
        "light": (Scene("en", theme="light", listed=LISTED), talk),
    }


async def draw(app: Scene, before: Before) -> str:
    """The screen after `before`, as SVG."""
    async with app.run_test(size=SIZE) as pilot:
        await before(pilot)
        svg = app.export_screenshot(title="Troly")
    svg = _NUMBER.sub("terminal", _FONT_FACE.sub("", svg))
    return svg.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, (app, before) in shots().items():
        (FOLDER / f"{name}.svg").write_text(asyncio.run(draw(app, before)), encoding="utf-8")


if __name__ == "__main__":
    main()
