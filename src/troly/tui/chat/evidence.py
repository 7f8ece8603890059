"""The evidence drawer: how the chosen answer came about, as entries that open."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import islice
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from troly.text.catalogue import Lang, tr
from troly.tui import operations
from troly.tui.chat.controller import Controller
from troly.tui.chat.evidence_tree import EvidenceNode, EvidenceText, evidence_nodes, live_nodes
from troly.tui.chat.prompt import type_into_prompt
from troly.tui.chat.view import MessageView, TurnEvidence
from troly.tui.keymap import HINT_GAP, bindings, keymap_of
from troly.tui.render.figures import counted
from troly.tui.render.message import wrong_lines
from troly.tui.render.spans import BLANK, Line, Span, clip, ends_apart, line, pad, width_of, wrap, wrap_whole
from troly.tui.theme import Palette
from troly.tui.widgets.lines import LinesView

OPEN = "evidence-open"
# What a closed step shows of its reason, and what an open entry shows of a long text; copying gives all of it.
SHORT, LONG = 3, 400
# Below this width the figures at the end of a line stand on a line of their own.
_APART = 26


class EvidenceLayout:
    """Lines, and for each entry in order its node and the row of its line."""

    def __init__(self, width: int, opened: Container[str], chosen: str, lang: Lang) -> None:
        self.lines: list[Line] = []
        self.entries: list[tuple[EvidenceNode, int]] = []
        self._width = width
        self._opened = opened
        self._chosen = chosen
        self._lang = lang

    def add(self, nodes: Sequence[EvidenceNode]) -> None:
        """Lay `nodes` out; those of the first level that are steps are numbered."""
        for place, node in enumerate(nodes, start=1):
            number_of = f"{place} " if node.key.startswith("s") and node.key[1:].isdigit() else ""
            self._entry(node, 0, number_of)

    def _entry(self, node: EvidenceNode, depth: int, prefix: str = "") -> None:
        opened, step = node.key in self._opened, bool(prefix)
        width, indent = self._width - 2 * depth, Span("  " * depth)
        self.entries.append((node, len(self.lines)))
        self.lines += [line(indent, *one) for one in self._head(node, width, prefix, opened=opened)]
        if node.body and (opened or step):
            most = LONG if opened else SHORT
            shown = list(islice(body_lines(node.body, max(8, width - 2)), most + 1))
            for text in shown[:most]:
                self.lines.append(line(indent, Span("  "), *text))
            if len(shown) > most and opened:
                more = clip(tr("ui.evidence.more", self._lang), max(8, width - 2))
                self.lines.append(line(indent, Span("  "), Span(more, "dim")))
        if opened:
            for child in node.children:
                self._entry(child, depth + 1)

    def _head(self, node: EvidenceNode, width: int, prefix: str, *, opened: bool) -> list[Line]:
        action = f"{OPEN}:{node.key}"
        mark = ("▾ " if opened else "▸ ") if node.opens else "  "
        style = f"{node.tone} chosen".strip() if node.key == self._chosen else node.tone
        right = line(Span(" ".join(node.right.split()), "dim", action))
        room = width - len(mark) - len(prefix)
        own_line = width < _APART and node.right
        title = clip(node.title, max(6, room if own_line else room - len(node.right) - 1))
        left = line(Span(mark, "dim", action), Span(prefix, "dim", action), Span(title, style, action))
        if node.name and opened:
            spare = room - width_of(line(title)) - (0 if own_line else len(node.right)) - 3
            left = line(*left, Span(f"  {clip(node.name, spare)}" if spare > 3 else "", "dim", action))
        if own_line:
            return [left, line(Span("  "), *right)]
        return [ends_apart(left, right, width)]


def body_lines(paras: Sequence[EvidenceText], width: int, most: int = LONG) -> Iterator[Line]:
    """The lines of texts; of a very long one no more is laid out than `most` lines need."""
    for para in paras:
        lines = wrap([Span(para.text[: (most + 1) * width], para.style)], width)
        yield from (pad(one, width, style="code") for one in lines) if para.style == "code" else lines


class EvidenceDrawer(LinesView, can_focus=True):
    """How the chosen answer of the pane came about, the newest one where none is chosen.

    ↑ ↓ choose an entry, Enter or a click opens it. What a running answer does is shown as it happens; when it is done,
    the whole is read from the store.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", show=False),
        Binding("down", "choose(1)", show=False),
        *bindings("evidence"),
    ]

    def __init__(self, controller: Controller, palette: Palette) -> None:
        super().__init__(palette)
        self.controller = controller
        self._found: dict[str, TurnEvidence | None] = {}
        self._opened: set[str] = set()
        self._entries: list[tuple[EvidenceNode, int]] = []
        self._made: tuple[str, str, list[EvidenceNode]] = ("", "", [])
        self._chosen = ""
        self._of = 0

    @property
    def answer(self) -> MessageView | None:
        """The answer that is shown: the one chosen in the transcript, else the newest."""
        pane = self.controller.pane
        key = getattr(getattr(self.screen, "transcript", None), "chosen", 0)
        chosen = next(
            (one for one in pane.messages if key and one.key == key and one.who == "assistant"), None
        )
        return chosen if chosen is not None and (chosen.steps or chosen.turn) else pane.last_answer

    def build(self, width: int) -> list[Line]:
        """A head, the entries, and one line on the model."""
        lang = self.controller.language
        lines = self._head(width, lang)
        answer = self.answer
        self._entries = []
        if answer is None or not (answer.steps or answer.turn):
            return [*lines, *wrap([Span(tr("ui.evidence.none", lang), "dim")], width)]
        if answer.key != self._of:
            self._of, self._chosen = answer.key, ""
            self._opened.clear()
        lang = answer.spoken(lang)
        lines += self._marked(answer, width, lang)
        lines += self._laid(answer, width, len(lines), lang)
        if answer.finished:
            key = "ui.evidence.by_model" if answer.calls else "ui.evidence.by_rules"
            said = counted(key, answer.calls, lang) if answer.calls else tr(key, lang)
            lines += [BLANK, *wrap([Span(said, "dim")], width)]
        return lines

    def _head(self, width: int, lang: Lang) -> list[Line]:
        keymap = keymap_of(self)
        head = line(Span(tr("ui.head.evidence", lang), "dim"), Span(f"  {keymap.press('evidence')}", "dim"))
        if not self.has_focus:
            return [head, BLANK]
        hints = keymap.hints(
            ("evidence_open", "evidence_whole", "evidence_copy", "evidence_wrong"), lang
        ).split(HINT_GAP)
        return [head, *wrap_whole([line(Span(hint, "dim")) for hint in hints], width), BLANK]

    @staticmethod
    def _marked(answer: MessageView, width: int, lang: Lang) -> list[Line]:
        marked = wrong_lines(answer, width, lang)
        return [*marked, BLANK] if marked else []

    def _laid(self, answer: MessageView, width: int, above: int, lang: Lang) -> list[Line]:
        found = self._of_turn(answer) if answer.finished else None
        nodes = self._tree(found, lang) if found is not None else live_nodes(answer, lang)
        if self.has_focus and nodes and not self._chosen:
            self._chosen = nodes[0].key
        laid = EvidenceLayout(width, self._opened, self._chosen if self.has_focus else "", lang)
        laid.add(nodes)
        self._entries = [(node, row + above) for node, row in laid.entries]
        return laid.lines

    def _tree(self, found: TurnEvidence, lang: Lang) -> list[EvidenceNode]:
        """The entries of a turn, made once: a prompt may be very long."""
        if self._made[:2] != (found.turn, lang):
            self._made = (found.turn, lang, evidence_nodes(found, lang))
        return self._made[2]

    def _of_turn(self, answer: MessageView) -> TurnEvidence | None:
        """What the store has of the answer; asked for once, None until it is there."""
        turn = answer.turn
        if turn and turn not in self._found:
            self._found[turn] = None
            self.controller.backend.call(
                operations.read_evidence, lambda found: self._take(turn, found), turn
            )
        return self._found.get(turn)

    def _take(self, turn: str, found: TurnEvidence | Exception) -> None:
        if not isinstance(found, Exception):
            self._found[turn] = found
            self.rebuild()

    @property
    def chosen(self) -> EvidenceNode | None:
        """The entry that is chosen, the first where none is."""
        found = next((node for node, _ in self._entries if node.key == self._chosen), None)
        return found or next((node for node, _ in self._entries), None)

    def action_choose(self, by: int) -> None:
        """Choose another entry and keep it in view."""
        keys = [node.key for node, _ in self._entries]
        if not keys:
            return
        at = keys.index(self._chosen) + by if self._chosen in keys else 0
        self._chosen = keys[max(0, min(len(keys) - 1, at))]
        self.rebuild()
        row = next((row for node, row in self._entries if node.key == self._chosen), 0)
        if not self.scroll_y <= row < self.scroll_y + self.size.height - 1:
            self.scroll_to(y=max(0, row - self.size.height // 2), immediate=True)

    def action_open(self) -> None:
        """Open what is chosen, or close it."""
        if (chosen := self.chosen) is not None:
            self._turn_over(chosen.key)

    def action_copy(self) -> None:
        """Copy what is chosen with all that belongs to it."""
        if (chosen := self.chosen) is not None:
            self.app.copy_to_clipboard(chosen.copied())
            said = tr("ui.evidence.copied", self.controller.language, what=clip(chosen.title, 40))
            self.app.notify(said, markup=False, timeout=2)

    def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        """A click on an entry opens it."""
        event.stop()
        _, _, key = event.action.partition(":")
        self._chosen = key
        self._turn_over(key)

    def _turn_over(self, key: str) -> None:
        self._chosen = key
        self._opened ^= {key}
        self.rebuild()

    def watch_has_focus(self, has_focus: bool) -> None:
        """What is chosen, and the keys, are shown while the keys come here."""
        super().watch_has_focus(has_focus)
        self.rebuild()

    def on_key(self, event: events.Key) -> None:
        """Whoever types on means the input."""
        type_into_prompt(self, event, "evidence")
