"""Shows the events of a turn as they come: an answer as plain text for people, or JSON lines for programs."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from troly.cli.faults import say_error
from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json, note, paint
from troly.errors import ErrorText
from troly.plugin.events import (
    Event,
    ModelCalled,
    Progress,
    Say,
    StepFinished,
    StepStarted,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    to_json,
)
from troly.presentation.blocks import Block, Callout, Details, Handover, Questions, Steps, blocks
from troly.presentation.text import block_text, hides

GREETING = "greeting"


class Printer(Protocol):
    """Takes the events of one turn in order."""

    def show(self, event: Event, conversation: str, turn: str) -> None:
        """Print `event`; the ids are empty before the turn has them."""
        ...


class JsonPrinter:
    """One JSON object a line: `event`, `id` where given, `mode`, `conversation`, `turn`, then the event's fields."""

    def __init__(self, mode: str, tag: str | float | None = None, line: int | None = None) -> None:
        self._head: dict[str, Any] = {} if tag is None else {"id": tag}
        self._mode = mode
        self._line = line

    def show(self, event: Event, conversation: str, turn: str) -> None:
        fields = to_json(event)
        head = {
            "event": fields.pop("event"),
            **self._head,
            "mode": self._mode,
            "conversation": conversation,
            "turn": turn,
        }
        if self._line is not None and isinstance(event, TurnFailed):
            head["line"] = self._line
        data_json({**head, **fields})


class TextPrinter:
    """The answer on stdout as it is written; everything about the answer on stderr.

    Without `details` a list has one line an entry, and a computation no code; the last line says how to see them.
    """

    def __init__(self, invocation: Invocation, *, details: bool = False) -> None:
        self._invocation = invocation
        self._details = details
        self._hidden = False
        self._blocks: list[str] = []
        self._open = ""

    def show(self, event: Event, conversation: str, turn: str) -> None:  # noqa: ARG002 (the ids are for JSON)
        match event:
            case Token():
                self._token(event.text)
            case Say():
                self._say(event)
            case Progress():
                self._progress(event)
            case TurnCompleted():
                self._completed(event)
            case TurnFailed():
                self._close()
                say_error(ErrorText(event.title, event.message, event.remedy))
            case TurnStarted() | StepStarted() | StepFinished() | ModelCalled():
                pass
            case _:
                for block in blocks(event, self._invocation.lang):
                    self._content(block)

    def _content(self, block: Block) -> None:
        """What belongs to the answer on stdout, remarks about it on stderr."""
        match block:
            case Callout():
                self._close()
                note(block_text(block))
            case Handover():
                self._close()
                note(self._invocation.say("handoff", reason=block.reason, count=len(block.transcript)))
            case Details() | Questions():
                self._close()
                note(paint(self._text(block), "quiet", sys.stderr), painted=True)
            case Steps():  # while it is worked on: for who looks on
                pass
            case _:
                self._block(self._text(block))

    def _text(self, block: Block) -> str:
        self._hidden = self._hidden or (not self._details and hides(block))
        return block_text(block, brief=not self._details)

    def _token(self, text: str) -> None:
        if not self._open:
            text = text.lstrip("\n")
            self._gap(text)
        self._open += text
        data(text, end="")
        sys.stdout.flush()

    def _say(self, event: Say) -> None:
        if event.message_type == GREETING:
            note(paint(event.text, "quiet", sys.stderr), painted=True)
        else:
            self._close()
            self._gap(event.text)
            self._blocks.append(event.text.strip())
            data(event.text)

    def _block(self, text: str) -> None:
        self._close()
        if text:
            self._gap(text)
            data(text)
            self._blocks.append("")

    def _gap(self, text: str) -> None:
        if text and self._blocks:
            data()

    def _close(self) -> None:
        if self._open:
            data(end="" if self._open.endswith("\n") else "\n")
            self._blocks.append(self._open.strip())
            self._open = ""
        sys.stdout.flush()

    def _progress(self, event: Progress) -> None:
        if sys.stderr.isatty():
            percent = "" if event.percent is None else f" {event.percent:.0f} %"
            note(paint(f"{event.message}{percent}", "quiet", sys.stderr), painted=True)

    def _completed(self, event: TurnCompleted) -> None:
        """End the answer. An answer that replaces what was streamed is printed whole, after it."""
        self._close()
        shown = "\n\n".join(block for block in self._blocks if block)
        if squeezed(event.text) != squeezed(shown):
            self._gap(event.text)
            data(event.text)
        sys.stdout.flush()
        note(paint(self._badge(event), "quiet", sys.stderr), painted=True)

    def _badge(self, event: TurnCompleted) -> str:
        say = self._invocation.say
        parts = [say(f"source.{event.source}")]
        if event.calls:
            parts.append(say("calls_one" if event.calls == 1 else "calls", count=event.calls))
        more = [say("ask.more")] if self._hidden else []
        return " · ".join([*parts, f"{event.ms:.0f} ms", *more])


def squeezed(text: str) -> str:
    """`text` with every run of spaces and line ends as one space, to compare what was shown."""
    return " ".join(text.split())
