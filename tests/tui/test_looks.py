"""How every screen and every assistant looks, at the sizes, in the languages and in the themes that people have."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.screen.pictures import LOOKS, staged
from troly import tui
from troly.text.catalogue import Lang

Snap = Callable[..., bool]
COVER: tuple[tuple[tuple[int, int], Lang, str], ...] = (
    ((80, 24), "vi", "dark"),
    ((60, 20), "en", "light"),
    ((120, 40), "vi", "light"),
    ((240, 70), "en", "dark"),
)
# What is a variant of another scene: one of these pairs, in turn.
PAIRS: tuple[tuple[tuple[tuple[int, int], Lang, str], ...], ...] = (
    (((80, 24), "vi", "dark"), ((120, 40), "en", "light")),
    (((60, 20), "vi", "light"), ((240, 70), "en", "dark")),
)
OTHER: dict[Lang, Lang] = {"vi": "en", "en": "vi"}
BARE = "without colours"
# Besides: terminals that are smaller, high contrast, and no colours at all.
MORE: tuple[tuple[str, tuple[int, int], Lang, str], ...] = (
    ("talk", (46, 14), "vi", "dark"),
    ("talk", (40, 10), "vi", "dark"),
    ("two-sides", (80, 40), "vi", "contrast"),
    ("talk", (120, 40), "vi", "contrast"),
    ("empty-dental", (60, 20), "en", "contrast"),
    ("chosen", (240, 70), "en", "contrast"),
    ("find", (240, 70), "en", "contrast"),
    ("commands", (120, 40), "en", "contrast"),
    ("unfolded", (120, 40), "en", "contrast"),
    ("palette", (80, 24), "vi", "contrast"),
    ("evidence-prompt", (120, 40), "vi", "contrast"),
    ("company", (120, 40), "en", "contrast"),
    ("marking", (80, 24), "en", "contrast"),
    ("stream", (80, 24), "vi", BARE),
    ("failed", (80, 24), "en", BARE),
    ("list", (80, 24), "vi", BARE),
    ("chosen", (80, 24), "vi", BARE),
    ("find", (80, 24), "vi", BARE),
    ("menu", (80, 24), "en", BARE),
    ("marking", (60, 20), "vi", BARE),
    ("evidence", (120, 40), "vi", BARE),
    ("figures", (120, 40), "en", BARE),
    ("two-sides", (120, 40), "vi", BARE),
)


class Shot(NamedTuple):
    """One picture."""

    name: str
    size: tuple[int, int]
    lang: Lang
    theme: str

    def __str__(self) -> str:
        return "-".join((self.name, self.lang, self.theme, f"{self.size[0]}x{self.size[1]}")).replace(
            " ", "-"
        )


def every_shot() -> Iterator[Shot]:
    """Every scene in all sizes, so that both languages meet both themes; what a scene has small the next has large."""
    for place, (name, look) in enumerate(LOOKS.items()):
        for size, lang, theme in COVER if look.whole else PAIRS[place % 2]:
            yield Shot(name, size, lang if place // 2 % 2 else OTHER[lang], theme)
    yield from (Shot(*more) for more in MORE)


SHOTS = list(every_shot())


@pytest.mark.parametrize("shot", SHOTS, ids=str)
def test_it_looks_the_same(snap_compare: Snap, shot: Shot, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = shot.theme == BARE
    if bare:
        monkeypatch.setenv("NO_COLOR", "1")
    app, before = staged(shot.name, shot.lang, "dark" if bare else shot.theme)
    assert snap_compare(app, terminal_size=shot.size, run_before=before)


def test_every_scene_is_taken_small_and_large_in_both_languages_and_themes() -> None:
    for name, look in LOOKS.items():
        taken = [shot for shot in SHOTS if shot.name == name]
        small = {shot.size for shot in taken} & {(60, 20), (80, 24)}
        large = {shot.size for shot in taken} & {(120, 40), (240, 70)}
        assert (len(small), len(large)) == (2, 2) if look.whole else small and large
        assert {shot.lang for shot in taken} == {"vi", "en"}
        assert {shot.theme for shot in taken} >= {"dark", "light"}


async def test_every_screen_is_taken() -> None:
    shown = set()
    for name in (
        "talk",
        "palette",
        "help",
        "grid",
        "found",
        "renaming",
        "unfolded",
        "kinds",
        "menu",
        "marking",
        "models",
        "query",
        "comparing",
        "large",
    ):
        app, before = staged(name, "en", "dark")
        async with app.run_test(size=(80, 24)) as pilot:
            await before(pilot)
            shown.add(type(app.screen).__name__)
    there = set()
    for path in Path(tui.__path__[0]).rglob("*.py"):
        kinds = [one for one in ast.parse(path.read_text("utf-8")).body if isinstance(one, ast.ClassDef)]
        opened = re.compile(r"(Screen|Dialog)\[")
        there |= {one.name for one in kinds if any(opened.search(ast.unparse(base)) for base in one.bases)}
    assert there - {"Dialog", "ListDialog"} == shown
