"""Runs one turn to its end for the command line: events to a printer, Ctrl-C to the turn."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

from troly.cli.failures import say_error
from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json, note, paint
from troly.conversation.recorder import clean
from troly.conversation.session import Session
from troly.errors import ConfigError, ErrorText
from troly.plugin.events import (
    Computation,
    Content,
    Event,
    Handoff,
    ModelCalled,
    ModelLoading,
    Notice,
    Plan,
    Progress,
    Say,
    StepFinished,
    StepStarted,
    Suggestions,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    to_json,
)
from troly.presentation.text import content_text, hides, loading_text

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.conversation.turn import TurnRequest


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended: the conversation it belongs to, whether it was completed, and whether Ctrl-C was pressed.

    Both may be true: a Ctrl-C that comes when the answer is whole still means that no more is wanted.
    """

    conversation: str
    completed: bool
    stopped: bool


Show = Callable[[Event, str, str], None]


async def run_one_turn(session: Session, profile: Profile, request: TurnRequest, show: Show) -> TurnResult:
    """Run one turn and `show` its events in order, each with the ids of the conversation and the turn (empty before they are known).

    Ctrl-C stops it and its terminal event is still shown, a second one ends the program.

    The samples of a mode that never had any are loaded first.
    """
    from troly.conversation.turn import run_turn

    turn = run_turn(replace(session, profile=profile), request)
    loop = asyncio.get_running_loop()
    last: TurnCompleted | TurnFailed | None = None
    pressed = threading.Event()

    def stop() -> None:
        pressed.set()
        loop.call_soon_threadsafe(turn.cancel)

    with on_interrupt(stop):
        await asyncio.to_thread(_stock, session, request)
        async for event in turn.events():
            show(event, turn.conversation_id, turn.turn_id)
            if isinstance(event, (TurnCompleted, TurnFailed)):
                last = event
    return TurnResult(turn.conversation_id, isinstance(last, TurnCompleted), pressed.is_set())


def _stock(session: Session, request: TurnRequest) -> None:
    from troly.plugin.samples import load_once

    # A mode that cannot be used is told of by its turn.
    with suppress(ConfigError):
        load_once(session.services, [session.registry.get(request.mode)], request.language or "vi")


@contextmanager
def model_loop(session: Session) -> Iterator[asyncio.Runner]:
    """One event loop for all turns of a command; the model's connections are closed with it."""
    with asyncio.Runner() as runner:
        try:
            yield runner
        finally:
            runner.run(session.services.llm.aclose())


@contextmanager
def on_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` at the first Ctrl-C; the second raises KeyboardInterrupt as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def handle(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


GREETING = "greeting"


class JsonPrinter:
    """One JSON object a line: `event`, `id` where given, `mode`, `conversation`, `turn`, then the event's fields."""

    def __init__(self, mode: str, tag: str | float | None = None, line: int | None = None) -> None:
        self._head: dict[str, Any] = {} if tag is None else {"id": tag}
        self._mode = mode
        self._line = line

    def show(self, event: Event, conversation: str, turn: str) -> None:
        fields = to_json(event)
        head = {"event": fields.pop("event"), **self._head, "mode": self._mode}
        head |= {"conversation": conversation, "turn": turn}
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
            case ModelLoading():
                self._progress(Progress(loading_text(event, self._invocation.lang)))
            case TurnCompleted():
                self._completed(event)
            case TurnFailed():
                self._close()
                say_error(ErrorText(event.title, event.message, event.remedy))
            case TurnStarted() | StepStarted() | StepFinished() | ModelCalled():
                pass
            case _:
                self._content(clean(event))

    def _content(self, content: Content) -> None:
        """What belongs to the answer on stdout, remarks about it on stderr."""
        match content:
            case Notice():
                self._close()
                note(content_text(content, self._invocation.lang))
            case Handoff():
                self._close()
                note(
                    self._invocation.say(
                        "handoff", reason=content.reason, count=len(content.transcript_lines)
                    )
                )
            case Computation() | Suggestions():
                self._close()
                note(paint(self._text(content), "quiet", sys.stderr), painted=True)
            case Plan():  # while it is worked on: for who looks on
                pass
            case _:
                self._block(self._text(content))

    def _text(self, content: Content) -> str:
        self._hidden = self._hidden or (not self._details and hides(content))
        return content_text(content, self._invocation.lang, brief=not self._details)

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
        say = self._invocation.say
        parts = [say(f"source.{event.source}")]
        if event.calls:
            parts.append(say("calls_one" if event.calls == 1 else "calls", count=event.calls))
        parts.append(f"{event.ms:.0f} ms")
        if self._hidden:
            parts.append(say("ask.more"))
        note(paint(" · ".join(parts), "quiet", sys.stderr), painted=True)


def squeezed(text: str) -> str:
    """`text` with every run of spaces and line ends as one space, to compare what was shown."""
    return " ".join(text.split())
