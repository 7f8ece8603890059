"""All colours in one place: three themes, the styles of text by name, and the accent of a mode on each ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

DARK, LIGHT, CONTRAST = "troly-dark", "troly-light", "troly-contrast"
NAMES: Mapping[str, str] = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}
READABLE = 3.6


def _theme(name: str, *, dark: bool, text: str, dim: str, ground: str, raised: str, error: str) -> Theme:
    """A theme of two weights of one neutral; the framework's other colours are derived from them."""
    return Theme(
        name=name, primary=text, secondary=text, accent=text, foreground=text, background=ground, surface=ground,
        panel=raised, boost=raised, warning=text, error=error, success=text, dark=dark,
        variables={"quiet": dim, "raised": raised, "block-cursor-background": raised, "block-cursor-foreground": text,
                   "block-cursor-text-style": "bold", "block-cursor-blurred-background": raised,
                   "input-selection-background": f"{dim} 40%", "screen-selection-background": f"{dim} 50%",
                   "scrollbar": raised, "scrollbar-hover": dim, "scrollbar-active": dim,
                   "scrollbar-background": ground, "scrollbar-background-hover": ground,
                   "scrollbar-background-active": ground, "scrollbar-corner-color": ground},
    )  # fmt: skip


THEMES = (
    _theme(
        DARK, dark=True, text="#e4e4e4", dim="#8b8f96", ground="#14161a", raised="#23262d", error="#ff7b72"
    ),
    _theme(
        LIGHT, dark=False, text="#1f2328", dim="#656d76", ground="#fbfbfa", raised="#e9eaec", error="#c21d1d"
    ),
    _theme(
        CONTRAST,
        dark=True,
        text="#ffffff",
        dim="#d0d0d0",
        ground="#000000",
        raised="#303030",
        error="#ff8a80",
    ),
)


def theme_name(setting: str) -> str:
    """The theme that a setting names; the dark one for an unknown name."""
    return NAMES.get(setting, setting if setting in NAMES.values() else DARK)


@cache
def accent_on(accent: str, ground: str) -> str:
    """`accent` made lighter or darker until it can be read on `ground`."""
    colour, behind = Color.parse(accent), Color.parse(ground)
    change: Callable[[float], Color] = colour.lighten if behind.brightness < 0.5 else colour.darken
    for step in range(20):
        found = change(step * 0.04)
        if contrast(found, behind) >= READABLE:
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
        ground, text = theme.background or "#000000", theme.foreground or "#ffffff"
        self.accent = accent_on(accent, ground)
        dim, raised = theme.variables["quiet"], theme.variables["raised"]
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
            "chosen": Style(bgcolor=Color.parse(raised).blend(Color.parse(text), 0.16).hex6, bold=True),
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
