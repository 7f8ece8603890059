"""How tabs, two sides and the welcome look, at the sizes that people have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.fake_house import MODES
from tests.support.scenes import LISTED, empty
from tests.support.scenes_panes import beside, many, several
from tests.support.screens import Scene
from troly.text.catalogue import Lang
from troly.tui.port import Arrival

Snap = Callable[..., bool]
SMALL, TALL, WIDE, VAST = (80, 24), (80, 40), (120, 40), (240, 70)


@pytest.mark.parametrize(("lang", "size"), [("vi", SMALL), ("en", WIDE)], ids=["vi-80x24", "en-120x40"])
def test_tabs(snap_compare: Snap, lang: Lang, size: tuple[int, int]) -> None:
    assert snap_compare(Scene(lang, listed=LISTED), terminal_size=size, run_before=several)


@pytest.mark.parametrize("size", [(60, 20), WIDE], ids=["60x20", "120x40"])
def test_a_hundred_tabs(snap_compare: Snap, size: tuple[int, int]) -> None:
    assert snap_compare(Scene("vi"), terminal_size=size, run_before=many)


@pytest.mark.parametrize(
    ("lang", "theme", "size"),
    [("vi", "dark", WIDE), ("en", "light", VAST), ("vi", "contrast", TALL), ("en", "dark", SMALL)],
    ids=["vi-dark-120x40", "en-light-240x70", "vi-contrast-80x40", "en-dark-80x24"],
)
def test_two_sides(snap_compare: Snap, lang: Lang, theme: str, size: tuple[int, int]) -> None:
    app = Scene(lang, theme=theme, listed=LISTED)
    assert snap_compare(app, terminal_size=size, run_before=beside)


def test_two_sides_without_colour(snap_compare: Snap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(Scene("vi", listed=LISTED), terminal_size=WIDE, run_before=beside)


@pytest.mark.parametrize(
    ("lang", "size"),
    [("vi", (60, 20)), ("en", SMALL), ("vi", WIDE)],
    ids=["vi-60x20", "en-80x24", "vi-120x40"],
)
def test_welcome(snap_compare: Snap, lang: Lang, size: tuple[int, int]) -> None:
    app = Scene(lang, listed=LISTED if size == WIDE else [], arrival=Arrival(MODES, "an@sstc", (), True))
    assert snap_compare(app, terminal_size=size, run_before=empty)
