"""The steps of an answer that is not read from the store (yet), as entries of the evidence drawer."""

from __future__ import annotations

from troly.text.catalogue import Lang, tr
from troly.tui.evidence_node import Node, Para, step_title, text_of
from troly.tui.render.figures import duration
from troly.tui.view import MessageView, StepView


def live_nodes(answer: MessageView, lang: Lang) -> list[Node]:
    """One entry a step, in order."""
    return [_node(at, step, lang) for at, step in enumerate(answer.steps)]


def _node(at: int, step: StepView, lang: Lang) -> Node:
    title, name = step_title(text_of(step.node), text_of(step.agent), text_of(step.tool), lang)
    if step.ms is not None:
        took = duration(step.ms, lang)
    else:
        took = tr("ui.evidence.failed" if step.failed else "ui.evidence.running", lang)
    body = [Para(text_of(step.detail))] if step.detail else []
    if step.failed and step.ms is not None:
        body.insert(0, Para(tr("ui.evidence.failed", lang), "error"))
    tone = "error" if step.failed else "strong"
    return Node(f"s{at}", title, f"{text_of(step.source)}  {took}".strip(), tone, tuple(body), name=name)
