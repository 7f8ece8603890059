"""The two columns beside the chat: conversations on the left, the evidence of the last answer on the right."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.controller import Controller
from troly.tui.keymap import bindings, keymap_of
from troly.tui.render.figures import counted, duration
from troly.tui.render.spans import BLANK, Line, Span, clip, ends_apart, line, wrap
from troly.tui.theme import Palette
from troly.tui.view import ConversationView, StepView
from troly.tui.widgets.lines import LinesView

OPEN = "open-conversation"
HINTS = ("list_search", "list_rename", "list_pin", "list_delete", "list_undelete")


class ConversationList(LinesView, can_focus=True):
    """The newest conversations, those of the shown mode first; ↑ ↓ choose, Enter opens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", show=False),
        Binding("down", "choose(1)", show=False),
        *bindings("list"),
    ]

    def __init__(self, controller: Controller, palette: Palette, **options: object) -> None:
        super().__init__(palette, **options)
        self.controller = controller
        self._chosen = 0
        self._entries: list[str] = []
        self._rows: list[int] = []

    @property
    def chosen(self) -> str:
        """The id of the conversation that is chosen; "" where it is the line to begin anew."""
        entry = self._entries[self._chosen] if self._chosen < len(self._entries) else ""
        kind, _, conversation = entry.partition(":")
        return conversation if kind == OPEN else ""

    def build(self, width: int) -> list[Line]:
        """A line to begin anew, then the conversations under the name of their mode."""
        lang = self.controller.language
        self._entries, self._rows = ["new"], [1]
        lines: list[Line] = [
            line(Span(tr("ui.head.list", lang), "dim"), Span(f"  {keymap_of(self).press('list')}", "dim")),
            self._entry(0, tr("ui.list.new", lang), width, "new"),
        ]
        for mode, found in self._groups():
            lines += [BLANK, line(Span(clip(mode, width), "dim"))]
            for conversation in found:
                action = f"{OPEN}:{conversation.id}"
                title = sanitize(conversation.title) or tr("ui.list.untitled", lang)
                title = f"◆ {title}" if conversation.pinned else title
                self._entries.append(action)
                self._rows.append(len(lines))
                lines.append(self._entry(len(self._entries) - 1, title, width, action, conversation.id))
        if len(self._entries) == 1:
            lines += [BLANK, *wrap([Span(tr("ui.list.none", lang), "dim")], width)]
        elif self.has_focus:
            lines += [BLANK, *wrap([Span(keymap_of(self).hints(HINTS, lang), "dim")], width)]
        return lines

    def _groups(self) -> list[tuple[str, list[ConversationView]]]:
        controller = self.controller
        order = sorted(controller.modes, key=lambda mode: mode != controller.pane.mode)
        groups = [
            (
                controller.modes[mode].names[controller.language],
                [c for c in controller.listed if c.mode == mode],
            )
            for mode in order
        ]
        return [group for group in groups if group[1]]

    def _entry(self, index: int, title: str, width: int, action: str, conversation: str = "") -> Line:
        shown = bool(conversation) and conversation == self.controller.pane.conversation
        chosen = self.has_focus and index == self._chosen
        mark = Span("▌" if shown else " ", "accent", action)
        style = "chosen" if chosen else "strong" if shown else ""
        return line(mark, Span(clip(title, width - 1), style, action))

    def action_choose(self, by: int) -> None:
        """Choose another entry and keep it in view."""
        self._chosen = max(0, min(len(self._entries) - 1, self._chosen + by))
        self.relay()
        row = self._rows[self._chosen]
        if not self.scroll_y <= row < self.scroll_y + self.size.height:
            self.scroll_to(y=max(0, row - self.size.height // 2), animate=False, immediate=True)

    def action_open(self) -> None:
        """Open what is chosen."""
        if self._chosen < len(self._entries):
            self.post_message(self.Pressed(self._entries[self._chosen]))

    def on_focus(self) -> None:
        """Show what is chosen."""
        self.relay()

    def on_blur(self) -> None:
        """Nothing is chosen while the keys go elsewhere."""
        self.relay()


class EvidenceDrawer(LinesView, can_focus=True):
    """How the last answer of the pane came about: its steps in order with who decided, why, and in what time."""

    def __init__(self, controller: Controller, palette: Palette, **options: object) -> None:
        super().__init__(palette, **options)
        self.controller = controller

    def build(self, width: int) -> list[Line]:
        """A head, the steps, and one line on the model."""
        lang = self.controller.language
        lines: list[Line] = [
            line(
                Span(tr("ui.head.evidence", lang), "dim"),
                Span(f"  {keymap_of(self).press('evidence')}", "dim"),
            ),
            BLANK,
        ]
        answer = self.controller.pane.last_answer
        if answer is None or not answer.steps:
            return [*lines, *wrap([Span(tr("ui.evidence.none", lang), "dim")], width)]
        for index, step in enumerate(answer.steps, start=1):
            lines += _step(index, step, width, lang)
        if answer.finished:
            key = "ui.evidence.by_model" if answer.calls else "ui.evidence.by_rules"
            lines += [
                BLANK,
                *wrap(
                    [Span(counted(key, answer.calls, lang) if answer.calls else tr(key, lang), "dim")], width
                ),
            ]
        return lines


def _step(index: int, step: StepView, width: int, lang: Lang) -> list[Line]:
    name = sanitize(" · ".join(part for part in (step.agent, step.tool, step.node) if part))
    if step.ms is not None:
        took = duration(step.ms, lang)
    else:
        took = tr("ui.evidence.failed" if step.failed else "ui.evidence.running", lang)
    right = line(Span(f"{step.source}  " if step.source else "", "dim"), Span(took, "dim"))
    left = line(
        Span(f"{index} ", "dim"), Span(clip(name, max(6, width - 20)), "error" if step.failed else "strong")
    )
    lines = [ends_apart(left, right, width)]
    if step.failed and step.ms is not None:
        lines.append(line(Span(f"  {tr('ui.evidence.failed', lang)}", "error")))
    detail = sanitize(step.detail)
    return [*lines, *((Span("  "), *text) for text in wrap([Span(detail, "dim")], width - 2) if detail)]
