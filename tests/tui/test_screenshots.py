"""The README's pictures show the screen as it is: they are drawn anew and compared."""

from __future__ import annotations

import re

import pytest

from tests.support.screen.screenshots import FOLDER, shots


@pytest.mark.parametrize("name", shots())
async def test_pictures_are_current(name: str) -> None:
    drawn = await shots()[name]()
    kept = (FOLDER / f"{name}.svg").read_text("utf-8")
    assert kept == drawn, "run: python -m tests.support.screen.screenshots"


def test_pictures_fetch_nothing_and_are_all_shown() -> None:
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    assert set(re.findall(r"screenshots/([\w-]+)\.svg", readme)) == {
        path.stem for path in FOLDER.glob("*.svg")
    }
    for path in FOLDER.glob("*.svg"):
        drawn = path.read_text("utf-8")
        assert not re.search(r"url\(http|<script|@font-face", drawn)


def test_the_picture_that_moves_shows_every_frame_once_and_stands_still_at_its_end() -> None:
    drawn = (FOLDER / "desk.svg").read_text("utf-8")
    frames = re.findall(r'<g style="visibility:(\w+);animation:k(\d+)', drawn)
    assert [int(number) for _, number in frames] == list(range(len(frames)))
    assert [seen for seen, _ in frames[-2:]] == ["hidden", "visible"]
    assert drawn.count("@keyframes") == len(frames) > 50
