"""The keys above the chat: those of where one is, then the rest."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from troly.text.catalogue import tr
from troly.tui.keymap import HelpEntry, language_of
from troly.tui.render.spans import BLANK, Line, Span, ends_apart, line, pad, wrap
from troly.tui.theme import Palette
from troly.tui.widgets.dialog import Dialog
from troly.tui.widgets.lines import LinesView

Groups: TypeAlias = "list[tuple[str, list[HelpEntry]]]"
KEYS_WIDTH = 20
# As in the style sheet: the box, what its frame and the scrollbar take beside the text, and its frame above and below.
WIDTH, BESIDE, FRAME = 66, 7, 2


class HelpLines(LinesView, can_focus=True):
    def __init__(self, palette: Palette, groups: Groups, keys: str) -> None:
        super().__init__(palette)
        self._groups = groups
        self._keys = keys

    def show(self, groups: Groups) -> None:
        self._groups = groups
        self.on_mount()
        self.rebuild()

    def on_mount(self) -> None:
        room = min(WIDTH, self.app.size.width * 96 // 100) - BESIDE
        self.styles.height = len(self.build(room)) + FRAME

    def build(self, width: int) -> list[Line]:
        """One line a key, a blank line between groups."""
        lines: list[Line] = []
        presses = [entry.press for _, entries in self._groups for entry in entries]
        column = min(width // 2 or KEYS_WIDTH, max(map(cell_len, presses), default=0) + 2)
        for heading, entries in self._groups:
            head = line(Span(heading, "dim"))
            lines += [BLANK, head] if lines else [ends_apart(head, line(Span(self._keys, "dim")), width)]
            for entry in entries:
                keys = pad(line(Span(entry.press, "strong")), column)
                does = entry.does[:1].upper() + entry.does[1:]
                for text in wrap([Span(does)], max(8, width - column)):
                    lines.append(line(*keys, *text))
                    keys = line(Span(" " * column))
        return lines


class HelpScreen(Dialog[None]):
    """The first group at once, all `groups` with Tab; closed by any of the keys that open or leave things."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,enter,question_mark,q", "app.pop_screen", show=False),
        Binding("tab", "all", show=False, priority=True),
    ]

    def __init__(self, palette: Palette, groups: Groups) -> None:
        super().__init__()
        self._palette = palette
        self._groups = groups

    def compose(self) -> ComposeResult:
        yield HelpLines(self._palette, self._groups[:1], tr("ui.help.keys", language_of(self)))

    def action_all(self) -> None:
        self.query_one(HelpLines).show(self._groups)
