"""How the conversation looks: days, the chosen message, its menu, words found, an answer that was stopped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.scenes import Before
from tests.support.scenes_transcript import chosen, days, find, menu, stopped
from tests.support.screens import Scene
from troly.text.catalogue import Lang

Snap = Callable[..., bool]
SCENES = pytest.mark.parametrize(
    "before", [days, chosen, menu, find, stopped], ids=lambda scene: scene.__name__
)


@SCENES
@pytest.mark.parametrize("lang", ["vi", "en"])
def test_wide(snap_compare: Snap, before: Before, lang: Lang) -> None:
    assert snap_compare(Scene(lang), terminal_size=(120, 40), run_before=before)


@SCENES
@pytest.mark.parametrize("size", [(60, 20), (80, 24)], ids=["60x20", "80x24"])
def test_small(snap_compare: Snap, before: Before, size: tuple[int, int]) -> None:
    assert snap_compare(Scene("vi", theme="light"), terminal_size=size, run_before=before)


@pytest.mark.parametrize("before", [chosen, find], ids=lambda scene: scene.__name__)
def test_without_colours(snap_compare: Snap, before: Before, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(Scene("vi"), terminal_size=(80, 24), run_before=before)


@pytest.mark.parametrize("before", [chosen, find], ids=lambda scene: scene.__name__)
def test_high_contrast_and_very_wide(snap_compare: Snap, before: Before) -> None:
    assert snap_compare(Scene("en", theme="contrast"), terminal_size=(240, 70), run_before=before)
