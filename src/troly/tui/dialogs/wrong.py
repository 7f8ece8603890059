"""Asks what is wrong with an answer: the usual reasons, and a line of one's own words."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from troly.text.catalogue import Lang, tr
from troly.tui.chat.view import WrongReport
from troly.tui.keymap import bindings
from troly.tui.render.spans import Line, Span, clip, line
from troly.tui.theme import Palette
from troly.tui.widgets.dialog import ListDialog
from troly.tui.widgets.lines import LinesView
from troly.tui.widgets.text_input import TypingInput

# As in `troly.conversation.wrong_answers`, which is too heavy to import for a list of words.
REASONS = ("facts", "figures", "question", "missing", "tone", "other")
TAKE_BACK = "take_back"
LONGEST = 500


class Reasons(LinesView, can_focus=False):
    """The reasons, one a line; the chosen one is marked."""

    def __init__(self, palette: Palette, lang: Lang, offered: tuple[str, ...]) -> None:
        super().__init__(palette)
        self._lang: Lang = lang
        self.offered = offered
        self.chosen = 0

    def build(self, width: int) -> list[Line]:
        lines = []
        for at, name in enumerate(self.offered):
            said = tr("ui.wrong.take_back" if name == TAKE_BACK else f"cli.wrong.reasons.{name}", self._lang)
            mark, style = ("▌ ", "chosen") if at == self.chosen else ("  ", "")
            lines.append(line(Span(mark, "accent"), Span(clip(said, width - 2), style, f"reason:{at}")))
        return lines

    def move(self, by: int) -> None:
        self.chosen = (self.chosen + by) % len(self.offered)
        self.rebuild()


class WrongScreen(ListDialog[WrongReport | None]):
    """Gives back the mark; one with the reason "" takes the mark back, None leaves everything as it is."""

    DEFAULT_CSS = """
    WrongScreen TypingInput { margin: 1 0 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("dialog"), Binding("escape", "leave", show=False)]

    def __init__(self, palette: Palette, lang: Lang, marked: WrongReport | None) -> None:
        super().__init__()
        self._lang: Lang = lang
        self._palette = palette
        self._marked = marked

    def compose(self) -> ComposeResult:
        """A line that asks, the reasons, a line for words, the keys."""
        lang, marked = self._lang, self._marked
        offered = (*REASONS, TAKE_BACK) if marked else REASONS
        with Vertical(id="palette"):
            yield Static(tr("ui.wrong.title", lang), classes="title", markup=False)
            yield (reasons := Reasons(self._palette, lang, offered))
            reasons.styles.height = len(offered)
            if marked and marked.reason in offered:
                reasons.chosen = offered.index(marked.reason)
            yield TypingInput(
                marked.note if marked else "",
                placeholder=tr("ui.wrong.note", lang),
                compact=True,
                max_length=LONGEST,
            )
            yield Static(tr("ui.wrong.keys", lang), markup=False, id="keys")

    def action_move(self, by: int) -> None:
        self.query_one(Reasons).move(by)

    def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        reasons = self.query_one(Reasons)
        reasons.move(int(event.action.partition(":")[2]) - reasons.chosen)

    def on_input_submitted(self, event: TypingInput.Submitted) -> None:
        reasons = self.query_one(Reasons)
        name = reasons.offered[reasons.chosen]
        self.dismiss(WrongReport("") if name == TAKE_BACK else WrongReport(name, event.value.strip()))
