"""The keys above the chat: those of where one is, then the rest."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from troly.tui.keymap import HelpEntry
from troly.tui.render.spans import BLANK, Line, Span, line, pad
from troly.tui.theme import Palette
from troly.tui.widgets.lines import LinesView

Groups: TypeAlias = "list[tuple[str, list[HelpEntry]]]"
KEYS_WIDTH = 20
FRAME = 2


class HelpLines(LinesView, can_focus=True):
    """The lines of the help."""

    def __init__(self, palette: Palette, groups: Groups) -> None:
        super().__init__(palette)
        self._groups = groups

    def on_mount(self) -> None:
        """Be as high as the lines."""
        self.styles.height = len(self.build(0)) + FRAME

    def build(self, width: int) -> list[Line]:  # noqa: ARG002 (keys are short)
        """One line a key, a blank line between groups."""
        lines: list[Line] = []
        for heading, entries in self._groups:
            lines += [BLANK] if lines else []
            lines.append(line(Span(heading, "dim")))
            for entry in entries:
                lines.append(line(*pad(line(Span(entry.press, "strong")), KEYS_WIDTH), entry.does))
        return lines


class HelpScreen(ModalScreen[None]):
    """Closed by any of the keys that open or leave things."""

    CSS_PATH = "../styles/above.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,enter,question_mark,q", "app.pop_screen", show=False)
    ]

    def __init__(self, palette: Palette, groups: Groups) -> None:
        super().__init__()
        self._palette = palette
        self._groups = groups

    def compose(self) -> ComposeResult:
        """Nothing but the lines."""
        yield HelpLines(self._palette, self._groups)
