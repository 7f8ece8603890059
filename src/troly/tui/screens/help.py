"""The keys, in three groups, above the chat."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from troly.text.catalogue import Lang, tr
from troly.tui.render.spans import BLANK, Line, Span, line, pad
from troly.tui.theme import Palette
from troly.tui.widgets.lines import LinesView

GROUPS = (
    ("write", (("Enter", "send"), ("Alt+Enter  Ctrl+J", "newline"), ("↑ ↓", "history"))),
    (
        "talk",
        (("Esc", "stop"), ("Ctrl+R", "again"), ("Ctrl+N", "new"), ("Alt+1 … Alt+5", "mode"), ("F4", "next_mode")),
    ),
    (
        "look",
        (
            ("PageUp  PageDown", "scroll"), ("Ctrl+End", "end"), ("F2", "list"), ("Ctrl+F", "search"),
            ("F3", "evidence"), ("F5", "grid"),
            ("Ctrl+P", "palette"),
            ("Ctrl+C", "copy"), ("Ctrl+Q", "quit"),
        ),
    ),
)  # fmt: skip
KEYS_WIDTH = 20
FRAME = 2


class HelpLines(LinesView, can_focus=True):
    """The lines of the help."""

    def __init__(self, palette: Palette, lang: Lang) -> None:
        super().__init__(palette)
        self._lang: Lang = lang

    def on_mount(self) -> None:
        """Be as high as the lines."""
        self.styles.height = len(self.build(0)) + FRAME

    def build(self, width: int) -> list[Line]:  # noqa: ARG002 (keys are short)
        """One line a key, a blank line between groups."""
        lines: list[Line] = []
        for group, keys in GROUPS:
            lines += [BLANK] if lines else []
            lines.append(line(Span(tr(f"ui.help.{group}", self._lang), "dim")))
            for press, name in keys:
                lines.append(
                    line(*pad(line(Span(press, "strong")), KEYS_WIDTH), tr(f"ui.help.{name}", self._lang))
                )
        return lines


class HelpScreen(ModalScreen[None]):
    """Closed by any of the keys that open or leave things."""

    CSS_PATH = "../styles/above.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,enter,question_mark,q", "app.pop_screen", show=False)
    ]

    def __init__(self, palette: Palette, lang: Lang) -> None:
        super().__init__()
        self._palette = palette
        self._lang: Lang = lang

    def compose(self) -> ComposeResult:
        """Nothing but the lines."""
        yield HelpLines(self._palette, self._lang)
