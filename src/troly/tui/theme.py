"""All colours in one place: three themes, the styles of text by name, and the accent of a mode on each ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

DARK, LIGHT, CONTRAST = "troly-dark", "troly-light", "troly-contrast"
NAMES: Mapping[str, str] = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}
# The least contrast of what is to be read, as accessibility guidelines have it: plain, and for high contrast.
READABLE, CLEAR = 4.5, 7.0


class Tokens(NamedTuple):
    """The colours of a theme: one neutral in two weights, three grounds, lines between parts, and red for failures."""

    text: str
    quiet: str
    ground: str
    raised: str
    chosen: str
    rule: str
    error: str


DARK_TOKENS = Tokens("#e6e7e9", "#979daa", "#14161a", "#1d2026", "#2e333e", "#3d434f", "#ff8a80")
LIGHT_TOKENS = Tokens("#1f2328", "#5b626b", "#fbfbfa", "#f1f1ef", "#dfe1e5", "#c2c6cc", "#b01818")
CONTRAST_TOKENS = Tokens("#ffffff", "#dcdcdc", "#000000", "#1a1a1a", "#363636", "#8a8a8a", "#ffbab3")


def _theme(name: str, tokens: Tokens, *, dark: bool) -> Theme:
    """The framework's other colours are derived from the tokens."""
    text, quiet, ground, raised, chosen, rule, error = tokens
    return Theme(
        name=name, primary=text, secondary=text, accent=text, foreground=text, background=ground, surface=ground,
        panel=raised, boost=raised, warning=text, error=error, success=text, dark=dark,
        variables={"quiet": quiet, "raised": raised, "chosen": chosen, "rule": rule,
                   "block-cursor-background": chosen, "block-cursor-foreground": text,
                   "block-cursor-text-style": "bold", "block-cursor-blurred-background": raised,
                   "input-selection-background": f"{quiet} 40%", "screen-selection-background": f"{quiet} 50%",
                   "scrollbar": rule, "scrollbar-hover": quiet, "scrollbar-active": quiet,
                   "scrollbar-background": ground, "scrollbar-background-hover": ground,
                   "scrollbar-background-active": ground, "scrollbar-corner-color": ground},
    )  # fmt: skip


THEMES = (
    _theme(DARK, DARK_TOKENS, dark=True),
    _theme(LIGHT, LIGHT_TOKENS, dark=False),
    _theme(CONTRAST, CONTRAST_TOKENS, dark=True),
)


def theme_name(setting: str) -> str:
    """The theme that a setting names; the dark one for an unknown name."""
    return NAMES.get(setting, setting if setting in NAMES.values() else DARK)


@cache
def accent_on(accent: str, ground: str, least: float = READABLE) -> str:
    """`accent` made lighter or darker until its contrast on `ground` is at least `least`."""
    colour, behind = Color.parse(accent), Color.parse(ground)
    change: Callable[[float], Color] = colour.lighten if behind.brightness < 0.5 else colour.darken
    for step in range(20):
        found = change(step * 0.04)
        if contrast(found, behind) >= least:
            return found.hex6
    return "#ffffff" if behind.brightness < 0.5 else "#000000"


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of two colours, 1 to 21, as accessibility guidelines define it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.03928 else float(((part + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(part) for part in colour.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Palette:
    """Names of styles as terminal styles on one theme and with one accent; a name may be several with blanks between."""

    def __init__(self, theme: Theme, accent: str) -> None:
        text = theme.foreground or "#ffffff"
        dim, raised, chosen, rule = (theme.variables[name] for name in ("quiet", "raised", "chosen", "rule"))
        # What can be read on the raised ground can be read on the plain one.
        self.accent = accent_on(accent, raised, CLEAR if theme.name == CONTRAST else READABLE)
        self._known = {
            "": Style.null(),
            "strong": Style(bold=True),
            "em": Style(italic=True),
            "strike": Style(strike=True),
            "link": Style(underline=True),
            "dim": Style(color=dim),
            "quote": Style(color=dim),
            "heading": Style(bold=True, underline=True),
            "code": Style(bgcolor=raised),
            "error": Style(color=theme.error, bold=True),
            "accent": Style(color=self.accent),
            "who": Style(color=self.accent, bold=True),
            "mine": Style(color=dim),
            "action": Style(color=dim, underline=True),
            "rule": Style(color=rule),
            "chosen": Style(bgcolor=chosen, bold=True),
            "found": Style(underline=True, bold=True),
            "found-here": Style(reverse=True, bold=True),
            "chip": Style(color=text, bgcolor=raised, bold=True),
        }
        self._made: dict[str, Style] = {}

    def __getitem__(self, names: str) -> Style:
        """The style of `names`; unknown names count for nothing."""
        found = self._made.get(names)
        if found is None:
            found = Style.combine(
                [self._known.get(name, self._known[""]) for name in names.split()] or [Style.null()]
            )
            self._made[names] = found
        return found
