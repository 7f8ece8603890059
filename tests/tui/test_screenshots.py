"""The README's pictures show the screen as it is: they are drawn anew and compared."""

from __future__ import annotations

import re

import pytest

from tests.support.screen.screenshots import FOLDER, draw, shots


@pytest.mark.parametrize("name", shots())
async def test_pictures_are_current(name: str) -> None:
    drawn = await draw(*shots()[name])
    kept = (FOLDER / f"{name}.svg").read_text("utf-8")
    assert kept == drawn, "run: python -m tests.support.screen.screenshots"


def test_pictures_fetch_nothing_and_are_all_shown() -> None:
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    assert set(re.findall(r"screenshots/(\w+)\.svg", readme)) == {path.stem for path in FOLDER.glob("*.svg")}
    for path in FOLDER.glob("*.svg"):
        assert "url(http" not in path.read_text("utf-8")
