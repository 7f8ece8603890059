"""The first frame: brand, an empty input and what is going on, where the chat will show them a moment later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.screen import Screen
from textual.strip import Strip

from troly.text.catalogue import Lang, tr

if TYPE_CHECKING:
    from textual.theme import Theme

BRAND = "Troly"
# Below this many rows header and status share a line; from this many columns the list of conversations has its own.
SHORT, WIDE = 22, 110
# Smaller than this nothing fits.
COLUMNS, ROWS = 44, 11
ROOMY = 64
# Text is no wider than this; what stands around it in the transcript (marks, padding, scrollbar).
MEASURE, AROUND = 100, 5


class FirstScreen(Screen[None]):
    """One widget without parts: the frame that needs nothing but the framework."""

    def __init__(self, language: Lang) -> None:
        super().__init__()
        self.language: Lang = language

    def render_line(self, y: int) -> Strip:
        """Line `y` of the frame."""
        theme = self.app.current_theme
        width, height = self.size
        base = Style(color=theme.foreground, bgcolor=theme.background)
        dim = base + Style(color=theme.variables["quiet"])
        bottom = height - 1 if height >= SHORT else height
        beside, left, right = _chat(width)
        if y == 0:
            line = self._apart(
                f" {BRAND}", f"○ {tr('ui.head.opening', self.language)}   {self.language} ", width
            )
            return Strip(
                [Segment(f" {BRAND}", base + Style(bold=True)), Segment(line[len(BRAND) + 1 :], dim)]
            )
        if width < COLUMNS or height < ROWS:
            return Strip([Segment(" " * width, base)])
        if y == bottom:
            return Strip([Segment(f" {tr('ui.status.opening', self.language)}".ljust(width), dim)])
        edge = Segment(" " * left, base) if width < WIDE else _edge(beside, left, theme, base)
        text = self._input(y - bottom + 3, right - left)
        return Strip([edge, Segment(text, dim), Segment(" " * (width - left - len(text)), base)])

    def _input(self, row: int, width: int) -> str:
        """Row 0 to 2 of the input; nothing in the other rows."""
        inner = width - 2
        match row:
            case 0:
                return f"╭{'─' * inner}╮"
            case 1:
                return f"│ {tr('ui.prompt.hint', self.language)[: inner - 1].ljust(inner - 1)}│"
            case 2:
                return f"╰{'─' * inner}╯"
        return ""

    def _apart(self, left: str, right: str, width: int) -> str:
        return left + right[: max(0, width - len(left))].rjust(max(0, width - len(left)))


def _chat(width: int) -> tuple[int, int, int]:
    """The width of the list of conversations, and the columns between which the input stands."""
    margin = 1 if width >= ROOMY else 0
    beside = min(40, max(26, width * 18 // 100)) if width >= WIDE else 0
    # On a very wide screen the text has its column in the middle, and the input stands below it.
    indent = max(0, (width - beside - AROUND - MEASURE) // 2)
    return beside, beside + margin + indent, width - margin - indent


def _edge(beside: int, left: int, theme: Theme, base: Style) -> Segment:
    """The right edge of the list of conversations, and what is between it and the input."""
    return Segment(f"{' ' * (beside - 1)}▕".ljust(left), base + Style(color=theme.variables["rule"]))
