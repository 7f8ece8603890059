"""How the input looks with what it offers, small and large, in both languages and all themes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.scenes import LISTED, Before
from tests.support.scenes_input import commands, keys, names, pasted, unfolded
from tests.support.screens import Scene
from troly.text.catalogue import Lang

Snap = Callable[..., bool]
LOOKS = pytest.mark.parametrize(
    ("size", "lang", "theme"),
    [((80, 24), "vi", "dark"), ((60, 20), "en", "light"), ((120, 40), "en", "contrast")],
    ids=["80x24", "60x20", "120x40"],
)


@LOOKS
@pytest.mark.parametrize("before", [commands, names, pasted, unfolded], ids=lambda before: before.__name__)
def test_the_input(snap_compare: Snap, before: Before, size: tuple[int, int], lang: Lang, theme: str) -> None:
    assert snap_compare(Scene(lang, theme=theme, listed=LISTED), terminal_size=size, run_before=before)


def test_the_keys_of_the_list(snap_compare: Snap) -> None:
    assert snap_compare(Scene("vi", listed=LISTED), terminal_size=(80, 24), run_before=keys)
