"""How an answer came about in full width: its steps, prompts, queries and passages in a list, each whole beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from troly.text.catalogue import tr
from troly.tui import operations
from troly.tui.chat.evidence_tree import EvidenceNode, EvidenceText, evidence_nodes, live_nodes
from troly.tui.chat.view import MessageView, TurnEvidence
from troly.tui.dialogs.browse import BrowseScreen, Entry, Page

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp


class EvidencePage(Page):
    """The evidence of one answer; what a running one does is shown as it happens."""

    hints = ("browse_choose", "browse_scroll", "browse_copy", "browse_close")
    reading = True

    def __init__(self, app: TrolyApp, answer: MessageView) -> None:
        super().__init__(app, tr("ui.head.evidence", app.controller.language))
        self._answer = answer
        self._nodes: list[EvidenceNode] = []

    def load(self) -> None:
        if self._answer.finished and self._answer.turn:
            self.app.backend.call(operations.read_evidence, self._take_evidence, self._answer.turn)

    def _take_evidence(self, found: TurnEvidence | Exception) -> None:
        if not isinstance(found, Exception):
            self._nodes = evidence_nodes(found, self._answer.spoken(self.app.controller.language))

    def entries(self) -> Sequence[Entry]:
        lang = self._answer.spoken(self.app.controller.language)
        return [
            Entry(node.key, f"{'  ' * depth}{node.title}", " ".join(node.right.split()), tuple(_whole(node)))
            for depth, node in _flat(self._nodes or live_nodes(self._answer, lang))
        ]


def _flat(nodes: Sequence[EvidenceNode], depth: int = 0) -> Iterator[tuple[int, EvidenceNode]]:
    for node in nodes:
        yield depth, node
        yield from _flat(node.children, depth + 1)


def _whole(node: EvidenceNode) -> Iterator[EvidenceText]:
    """All of an entry with what is within it."""
    yield EvidenceText(
        " · ".join(part for part in (node.title, node.name, " ".join(node.right.split())) if part), "strong"
    )
    yield from node.body
    for child in node.children:
        yield EvidenceText("")
        yield from _whole(child)


def evidence_screen(app: TrolyApp, answer: MessageView) -> BrowseScreen:
    """The evidence of `answer` on the whole screen."""
    return BrowseScreen(
        app.mode_palette(), [EvidencePage(app, answer)], tr("ui.evidence.find", app.controller.language)
    )
