"""The entries of the evidence drawer as lines: what is open shows its text and its own entries."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import islice

from troly.text.catalogue import Lang, tr
from troly.tui.evidence_node import Node, Para
from troly.tui.render.spans import Line, Span, clip, ends_apart, line, pad, width_of, wrap

OPEN = "evidence-open"
# What a closed step shows of its reason, and what an open entry shows of a long text; copying gives all of it.
SHORT, LONG = 3, 400
# Below this width the figures at the end of a line stand on a line of their own.
_APART = 26


class Laid:
    """Lines, and for each entry in order its node and the row of its line."""

    def __init__(self, width: int, opened: Container[str], chosen: str, lang: Lang) -> None:
        self.lines: list[Line] = []
        self.entries: list[tuple[Node, int]] = []
        self._width = width
        self._opened = opened
        self._chosen = chosen
        self._lang = lang

    def add(self, nodes: Sequence[Node]) -> None:
        """Lay `nodes` out; those of the first level that are steps are numbered."""
        for place, node in enumerate(nodes, start=1):
            number_of = f"{place} " if node.key.startswith("s") and node.key[1:].isdigit() else ""
            self._entry(node, 0, number_of)

    def _entry(self, node: Node, depth: int, prefix: str = "") -> None:
        opened, step = node.key in self._opened, bool(prefix)
        width, indent = self._width - 2 * depth, Span("  " * depth)
        self.entries.append((node, len(self.lines)))
        self.lines += [line(indent, *one) for one in self._head(node, width, prefix, opened=opened)]
        if node.body and (opened or step):
            most = LONG if opened else SHORT
            shown = list(islice(self._body(node.body, max(8, width - 2)), most + 1))
            for text in shown[:most]:
                self.lines.append(line(indent, Span("  "), *text))
            if len(shown) > most and opened:
                more = clip(tr("ui.evidence.more", self._lang), max(8, width - 2))
                self.lines.append(line(indent, Span("  "), Span(more, "dim")))
        if opened:
            for child in node.children:
                self._entry(child, depth + 1)

    def _head(self, node: Node, width: int, prefix: str, *, opened: bool) -> list[Line]:
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

    @staticmethod
    def _body(paras: Sequence[Para], width: int) -> Iterator[Line]:
        for para in paras:
            # No more of a very long prompt is laid out than can be shown.
            lines = wrap([Span(para.text[: (LONG + 1) * width], para.style)], width)
            yield from (pad(one, width, style="code") for one in lines) if para.style == "code" else lines
