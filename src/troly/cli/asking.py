"""Answers questions in one process: the services are opened once and every question is one turn."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from troly.cli.answering import Answered, answer
from troly.cli.faults import STOPPED
from troly.cli.identity import Claim, profile_for
from troly.cli.invocation import Invocation
from troly.cli.lines import Line, parse_line, tag_of_line
from troly.cli.printer import JsonPrinter, Printer, TextPrinter
from troly.config import Profile
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest
from troly.errors import AccessError, InputError, TrolyError
from troly.plugin.events import TurnFailed
from troly.text.catalogue import Lang


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options of `ask` say; a JSON line may say something else for itself."""

    mode: str
    claim: Claim
    now: datetime | None
    lang: Lang | None
    model: str | None
    offline: bool
    conversation: str | None


@dataclass(slots=True)
class Lines:
    """One run of `--jsonl`. `labels` maps user, mode and a label to the conversation that its lines share."""

    invocation: Invocation
    session: Session
    asked: Asked
    runner: asyncio.Runner
    labels: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def answer(self, raw: bytes, number: int) -> Answered:
        """Answer one line; whatever is wrong with it becomes its TurnFailed."""
        try:
            line = parse_line(raw)
        except InputError as error:
            return self._refuse(error, self.asked.mode, tag_of_line(raw), number)
        mode = line.mode or self.asked.mode
        try:
            profile = profile_for(self.invocation, self.session.profile, self._claim(line))
            conversation, label = self._conversation(profile, mode, line.conversation)
        except TrolyError as error:
            return self._refuse(error, mode, line.tag, number)
        request = TurnRequest(
            mode=mode,
            text=line.text,
            conversation=conversation,
            language=line.lang or self.asked.lang,
            now=line.now or self.asked.now,
            offline=self.asked.offline,
            model=self.asked.model,
        )
        answered = self.runner.run(
            answer(self.session, profile, request, JsonPrinter(mode, line.tag, number))
        )
        if label and answered.conversation:
            self.labels[profile.login, mode, label] = answered.conversation
        return answered

    def _claim(self, line: Line) -> Claim:
        given, own = line.claim, self.asked.claim
        return Claim(given.user or own.user, given.role, given.permissions, given.department)

    def _conversation(self, profile: Profile, mode: str, name: str) -> tuple[str | None, str]:
        """The conversation to go on with, or None and the label that the new one will have."""
        if not name:
            return self.asked.conversation, ""
        known = self.labels.get((profile.login, mode, name))
        if known:
            return known, ""
        return (name, "") if exists(self.session, profile, name) else (None, name)

    def _refuse(self, error: TrolyError, mode: str, tag: str | float | None, number: int) -> Answered:
        text = error.render(self.asked.lang or self.invocation.lang)
        event = TurnFailed(text.title, text.message, text.remedy, error.key)
        JsonPrinter(mode, tag, number).show(event, "", "")
        return Answered("", completed=False, stopped=False)


def ask_once(
    invocation: Invocation,
    session: Session,
    asked: Asked,
    question: str,
    *,
    as_json: bool,
    details: bool = False,
) -> int:
    """Answer one question; returns the exit code. `details` prints entries of lists and computations whole.

    Raises AccessError when `--user` is not allowed, and for people ConfigError when the mode cannot be used; with
    `as_json` that is the turn's last event.
    """
    profile = profile_for(invocation, session.profile, asked.claim)
    if not as_json:
        session.registry.get(asked.mode)
    printer: Printer = JsonPrinter(asked.mode) if as_json else TextPrinter(invocation, details=details)
    request = TurnRequest(
        mode=asked.mode,
        text=question,
        conversation=asked.conversation,
        language=asked.lang,
        now=asked.now,
        offline=asked.offline,
        model=asked.model,
    )
    with model_loop(session) as runner:
        answered = runner.run(answer(session, profile, request, printer))
    if answered.completed:
        return 0
    return STOPPED if answered.stopped else 1


def ask_lines(invocation: Invocation, session: Session, asked: Asked, file: Path) -> int:
    """Answer every line of `file` (`-` is stdin) as it arrives; returns the exit code.

    A pipe can be kept open: each line is answered before the next one is read. Ctrl-C stops the answer that is being
    written and the run with it. Raises InputError when the file cannot be read, AccessError when `--user` is not
    allowed.
    """
    profile_for(invocation, session.profile, asked.claim)
    whole = True
    with model_loop(session) as runner:
        lines = Lines(invocation, session, asked, runner)
        for number, raw in numbered(file):
            answered = lines.answer(raw, number)
            whole = whole and answered.completed
            if answered.stopped:
                return STOPPED
    return int(not whole)


@contextmanager
def model_loop(session: Session) -> Iterator[asyncio.Runner]:
    """One event loop for all turns of a command; the model's connections are closed with it."""
    with asyncio.Runner() as runner:
        try:
            yield runner
        finally:
            runner.run(session.services.llm.aclose())


def numbered(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file or of stdin with their numbers from 1, empty ones left out; raises InputError."""
    try:
        stream = sys.stdin.buffer if str(file) == "-" else file.open("rb")
    except OSError as error:
        raise InputError("jsonl.file", file=file, reason=error.strerror or error) from error
    try:
        for number, raw in enumerate(stream, 1):
            if raw.strip():
                yield number, raw
    except OSError as error:
        raise InputError("jsonl.file", file=file, reason=error.strerror or error) from error
    finally:
        if stream is not sys.stdin.buffer:
            stream.close()


def exists(session: Session, profile: Profile, conversation: str) -> bool:
    """Whether the person has a conversation with this id."""
    try:
        session.services.conversations.get(profile.login, conversation)
    except AccessError:
        return False
    return True
