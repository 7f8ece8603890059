"""The screen of a running app as SVG: one picture, or several that follow one another without a script."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from troly.tui.app import TrolyApp

# A cell, and how far the text stands above its lower edge, for letters of 14.
WIDE, HIGH, UNDER, FONT = 8.4, 18, 5, 14
MARGIN = 12


class Frame(NamedTuple):
    """A screen as its rows, each the SVG of a row at the top, and for how many seconds it stands."""

    rows: tuple[str, ...]
    columns: int
    ground: str
    seconds: float = 1.0


def frame(app: TrolyApp, seconds: float = 1.0) -> Frame:
    """What the app shows now."""
    update: Any = app.screen._compositor.render_update(
        full=True, screen_stack=app._background_screens, simplify=True
    )
    ground = app.current_theme.background or "#000000"
    rows = tuple(_row(Strip.join(strips), ground.lower()) for strips in update.strips)
    return Frame(rows, app.size.width, ground, seconds)


def _row(strip: Strip, ground: str) -> str:
    shapes, column = [], 0
    for text, style, _ in strip:
        cells = cell_len(text)
        fill, behind, attributes = _look(style or Style.null())
        if behind not in ("", ground):
            shapes.append(
                f'<rect x="{column * WIDE:.1f}" width="{cells * WIDE:.1f}" height="{HIGH}" fill="{behind}"/>'
            )
        bare = text.strip()
        if bare:
            x = (column + cell_len(text) - cell_len(text.lstrip())) * WIDE
            shapes.append(
                f'<text x="{x:.1f}" y="{HIGH - UNDER}" textLength="{cell_len(bare) * WIDE:.1f}" fill="{fill}"{attributes}>'
                f"{html.escape(bare)}</text>"
            )
        column += cells
    return "".join(shapes)


def _look(style: Style) -> tuple[str, str, str]:
    """Colour, colour behind, and the attributes of a text."""
    front = style.color.get_truecolor().hex if style.color else "#888888"
    behind = style.bgcolor.get_truecolor().hex if style.bgcolor else ""
    if style.reverse:
        front, behind = behind, front
    attributes = ' font-weight="bold"' if style.bold else ""
    attributes += ' font-style="italic"' if style.italic else ""
    attributes += ' text-decoration="underline"' if style.underline else ""
    attributes += ' opacity=".6"' if style.dim else ""
    return front, behind, attributes


def animation(frames: Sequence[Frame]) -> str:
    """The frames one after the other, over and over; what shows no motion shows the last one."""
    first, total = frames[0], sum(one.seconds for one in frames)
    names: dict[str, str] = {}
    for one in frames:
        for row in one.rows:
            names.setdefault(row, f"r{len(names)}") if row else None
    styles, shown, at = [], [], 0.0
    for place, one in enumerate(frames):
        begin, end = 100 * at / total, 100 * (at + one.seconds) / total
        at += one.seconds
        steps = (
            f"0%{{visibility:hidden}}{begin:.2f}%{{visibility:visible}}"
            if place
            else "0%{visibility:visible}"
        )
        styles.append(
            f"@keyframes k{place}{{{steps}{end:.2f}%,to{{visibility:hidden}}}}"
            if end < 100
            else f"@keyframes k{place}{{{steps}to{{visibility:visible}}}}"
        )
        uses = "".join(
            f'<use href="#{names[row]}" y="{number * HIGH}"/>' for number, row in enumerate(one.rows) if row
        )
        last = place == len(frames) - 1
        moves = f"animation:k{place} {total:.1f}s step-end infinite" if len(frames) > 1 else ""
        shown.append(f'<g style="visibility:{"visible" if last else "hidden"};{moves}">{uses}</g>')
    defined = "".join(f'<g id="{name}">{row}</g>' for row, name in names.items())
    wide, high = first.columns * WIDE + 2 * MARGIN, len(first.rows) * HIGH + 2 * MARGIN
    keyframes = "".join(styles) if len(frames) > 1 else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high}" xml:space="preserve">\n'
        f"<style>text{{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:{FONT}px}}{keyframes}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{first.ground}"/>\n<defs>{defined}</defs>\n'
        f'<g transform="translate({MARGIN} {MARGIN})">\n' + "\n".join(shown) + "\n</g>\n</svg>\n"
    )
