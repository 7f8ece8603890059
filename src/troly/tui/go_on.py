"""The question that goes on with an answer that was stopped."""

from __future__ import annotations

from troly.text.catalogue import tr


def going_on(question: str) -> str:
    """The question with the wish to go on, in its own language; a question that has it stays."""
    from troly.text.language import detect

    whole = tr("ui.act.go_on", detect(question), question=question.strip())
    wish = tr("ui.act.go_on", detect(question), question="")
    return question if question.rstrip().endswith(wish.strip()) else whole
