"""Colours: what is to be read can be read on every ground it stands on, and accents are apart from each other and from failures."""

from __future__ import annotations

import colorsys
import re
from itertools import combinations
from pathlib import Path

import pytest
import textual.widgets
from textual.color import Color
from textual.theme import Theme

from tests.support.screen.fake_backend import MODES
from troly import tui
from troly.tui.chat.view import ModeView
from troly.tui.theme import CLEAR, CONTRAST, READABLE, THEMES, Palette, contrast

GROUNDS = ("background", "raised", "chosen")
by_name = pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)


def colour(theme: Theme, token: str) -> Color:
    found = theme.variables.get(token) or getattr(theme, token)
    return Color.parse(str(found))


def least(theme: Theme) -> float:
    return CLEAR if theme.name == CONTRAST else READABLE


@by_name
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("token", ["foreground", "quiet", "error"])
def test_text_can_be_read_on_every_ground(theme: Theme, token: str, ground: str) -> None:
    assert contrast(colour(theme, token), colour(theme, ground)) >= least(theme)


@by_name
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.id)
def test_the_accent_of_every_assistant_can_be_read(theme: Theme, mode: ModeView) -> None:
    accent = Color.parse(Palette(theme, mode.accent).accent)
    for ground in GROUNDS[:2]:
        assert contrast(accent, colour(theme, ground)) >= least(theme)


@by_name
def test_every_style_of_text_can_be_read_on_its_own_ground(theme: Theme) -> None:
    palette = Palette(theme, MODES[0].accent)
    for name in (
        "",
        "dim",
        "quote",
        "error",
        "accent",
        "who",
        "mine",
        "action",
        "chip",
        "code",
        "chosen",
        "dim chosen",
    ):
        style = palette[name]
        text = str(style.color.name) if style.color else str(theme.foreground)
        ground = str(style.bgcolor.name) if style.bgcolor else str(theme.background)
        assert contrast(Color.parse(text), Color.parse(ground)) >= least(theme), name


@by_name
def test_what_is_chosen_and_where_parts_end_can_be_seen(theme: Theme) -> None:
    background, raised, chosen, rule = (colour(theme, name) for name in (*GROUNDS, "rule"))
    assert contrast(chosen, raised) >= 1.15
    assert contrast(rule, background) >= 1.5
    assert contrast(rule, raised) >= 1.4


def test_assistants_are_told_apart_by_colour_and_none_looks_like_a_failure() -> None:
    hues = [hue(mode.accent) for mode in MODES]
    red = hue(str(THEMES[0].error))
    for one, other in (*combinations(hues, 2), *((one, red) for one in hues)):
        apart = abs(one - other)
        assert min(apart, 360 - apart) >= 25


def hue(text: str) -> float:
    return 360 * colorsys.rgb_to_hls(*Color.parse(text).normalized)[0]


def test_every_widget_that_the_style_sheets_name_exists() -> None:
    """A renamed class would lose its colours and margins without a word."""
    folder = Path(tui.__path__[0])
    sources = "\n".join(path.read_text("utf-8") for path in folder.rglob("*.py"))
    known = set(re.findall(r"^class (\w+)", sources, re.MULTILINE))
    for sheet in folder.rglob("*.tcss"):
        rules = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)
        named = set(re.findall(r"(?<![\w.#:-])[A-Z]\w+", re.sub(r"\{[^}]*\}", "", rules)))
        strange = named - known - {"Screen", "ToastRack", "Toast"}
        assert not [name for name in strange if not hasattr(textual.widgets, name)]
