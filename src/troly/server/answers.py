"""A turn's events as running Markdown text, for clients that know an answer as text only."""

from __future__ import annotations

from collections.abc import Iterable

from troly.plugin.events import (
    Computation,
    Event,
    ModelCalled,
    ModelLoading,
    Plan,
    Progress,
    Say,
    Sources,
    StepFinished,
    StepStarted,
    Suggestions,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from troly.presentation.markdown import content_markdown
from troly.text.catalogue import Lang

GAP = "\n\n"


class AnswerWriter:
    """Turns events into the pieces of one Markdown text; the pieces join without a separator.

    Tables, charts and notices stand where they came, sources at the end; what is about the answer (steps, plans,
    queries, suggestions) is left out. A failure is not told: who reads hears of it in the client's own form.
    """

    def __init__(self, lang: Lang) -> None:
        self._lang = lang
        self._said: list[str] = []
        self._open = False
        self._begun = False
        self._sources: list[Sources] = []

    def take(self, event: Event) -> str:
        """The text that `event` adds."""
        match event:
            case Token():
                piece = event.text if self._begun else event.text.lstrip("\n")
                if not self._open:
                    piece = self._apart(piece)
                    self._open = bool(piece)
                self._said.append(event.text)
                return piece
            case Say() if event.message_type != "greeting":
                self._said.append(f" {event.text} ")
                return self._block(event.text.strip())
            case TurnStarted():
                self._lang = "en" if event.language == "en" else "vi"
            case Sources():
                self._sources.append(event)
            case TurnCompleted() | TurnFailed():
                said = "".join(self._said).split()
                # An answer that replaces what was streamed stands after it, whole.
                new = isinstance(event, TurnCompleted) and event.text.split() != said
                last = [event.text] if new else []
                last += [content_markdown(one, self._lang) for one in self._sources]
                return "".join(map(self._block, last))
            case Say() | StepStarted() | StepFinished() | ModelCalled():
                pass
            case ModelLoading() | Progress() | Suggestions() | Plan() | Computation():
                pass
            case _:
                self._said.append(" ")
                return self._block(content_markdown(event, self._lang))
        return ""

    def _block(self, text: str) -> str:
        piece = self._apart(text)
        self._open = False
        return piece

    def _apart(self, text: str) -> str:
        """`text` after a blank line, where something stands before it."""
        if not text:
            return ""
        gap, self._begun = GAP if self._begun else "", True
        return gap + text


def answer_markdown(events: Iterable[Event], lang: Lang) -> str:
    writer = AnswerWriter(lang)
    return "".join(writer.take(event) for event in events).strip()
