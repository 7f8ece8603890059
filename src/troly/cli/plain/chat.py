"""`app --plain`: the chat line by line, for screen readers, pipes and dumb terminals: nothing painted, nothing moved."""

from __future__ import annotations

import asyncio
import select
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from troly.cli.failures import STOPPED
from troly.cli.invocation import Invocation
from troly.cli.output import data
from troly.cli.plain.commands import failure_line, run_command
from troly.cli.plain.lines import SpokenMarkdown
from troly.cli.plain.printer import PlainPrinter, say_line
from troly.cli.turns import TurnResult, model_loop, run_one_turn
from troly.conversation.commands import MARK
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest
from troly.errors import StoreError, TrolyError
from troly.plugin.samples import load_once
from troly.stores.handovers import STAFF, Handovers, colleague_of
from troly.text.catalogue import Lang
from troly.text.fold import nfc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from troly.plugin.contract import TalkCommand
    from troly.plugin.events import StepFinished
    from troly.stores.records import StoredMessage

LONGEST = 2_000_000
# Seconds in which a Ctrl-C at the prompt is seen at the latest.
SIGNALS_EVERY = 0.2
# Seconds after which it is looked whether a colleague wrote.
LOOK = 2.0
T = TypeVar("T")


def run_plain(invocation: Invocation, mode: str | None) -> int:
    """Talk until the end of stdin; returns the exit code: 1 when a question of a pipe was not answered.

    Raises ConfigError for a mode that is not there, StoreError.
    """
    say_line(invocation.say("plain.opening"))
    with invocation.open_session() as session, model_loop(session) as runner:
        chat = PlainChat(
            invocation, session, runner, mode or session.registry.first(invocation.settings.mode)
        )
        return chat.talk_on()


class PlainChat:
    def __init__(self, invocation: Invocation, session: Session, runner: asyncio.Runner, mode: str) -> None:
        session.registry.get(mode)
        self.invocation = invocation
        self.session = session
        self.mode = mode
        self.conversation: str | None = None
        self.deleted: str | None = None
        self.listed: list[str] = []
        self.steps: list[StepFinished] = []
        self.last = self.turn = ""
        self.unfinished = self.by_model = False
        self.leaving = False
        self.runner = runner
        # The last message that was told, by conversation: what colleagues write comes behind it.
        self._heard: dict[str, str] = {}
        self._typed = sys.stdin.isatty()
        self._whole = True

    @property
    def lang(self) -> Lang:
        return self.invocation.lang

    @property
    def login(self) -> str:
        return self.session.profile.login

    def say(self, key: str, **params: object) -> str:
        """The sentence `cli.plain.<key>`."""
        return self.invocation.say(f"plain.{key}", **params)

    def modes(self) -> dict[str, str]:
        """The assistants that can be used, by id, with their names."""
        return {mode.id: mode.names[self.lang] for mode in self.session.registry}

    def talk(self) -> Sequence[TalkCommand]:
        return self.session.registry.get(self.mode).talk

    def take_mode(self, mode: str) -> None:
        self.session.registry.get(mode)
        if mode != self.mode:
            self.mode, self.conversation, self.steps = mode, None, []
            self.last = self.turn = ""
        self.greet()

    def greet(self) -> None:
        """Say who listens, and what can be asked; its samples are there then."""
        mode = self.session.registry.get(self.mode)
        load_once(self.session.services, [mode], self.lang)
        say_line(self.say("ready", name=mode.names[self.lang]))
        for question in mode.first_questions.get(self.lang, ())[:3]:
            say_line(self.say("try", question=question))

    def talk_on(self) -> int:
        """Read and answer until there is nothing more to read."""
        self.greet()
        while not self.leaving:
            try:
                text = self._read()
            except KeyboardInterrupt:
                if not self._typed:
                    return STOPPED
                say_line("")
                say_line(self.say("leave"))
                continue
            if text is None:
                break
            if text.strip() and not self._take(text):
                return STOPPED
        say_line(self.say("bye"))
        return 0 if self._typed or self._whole else 1

    def _take(self, text: str) -> bool:
        """Do or answer one line; False when a pipe was interrupted."""
        try:
            if text.startswith(MARK) and run_command(self, text):
                return True
            return not self.ask(text).stopped or self._typed
        except TrolyError as error:
            self._whole = False
            say_line(failure_line(error, self))
            return True

    def ask(self, text: str, continues: str = "") -> TurnResult:
        """Put a question and say the answer, or go on with the one of the turn `continues`. Raises TrolyError."""
        self.last = text
        request = TurnRequest(
            self.mode, text, self.conversation, language=self.invocation.given, continues=continues
        )
        printer = PlainPrinter(self.invocation)
        answered = self.runner.run(self._answer(request, printer))
        self.conversation = answered.conversation or self.conversation
        self.steps, self.turn = printer.steps, printer.turn
        self.unfinished = not answered.completed
        self.by_model = any(step.source == "model" for step in printer.steps)
        self._whole = self._whole and answered.completed
        return answered

    async def _answer(self, request: TurnRequest, printer: PlainPrinter) -> TurnResult:
        company = asyncio.create_task(printer.report_silence())
        try:
            return await run_one_turn(self.session, self.session.profile, request, printer.show)
        finally:
            company.cancel()
            with suppress(asyncio.CancelledError):
                await company

    def repeat(self, message: StoredMessage) -> None:
        lines = SpokenMarkdown()
        for number, line in enumerate([*lines.feed(message.text), *lines.finish()]):
            if message.sender == "user":
                head = self.say("you") + line
            elif message.type == STAFF:
                head = self.say("colleague", who=colleague_of(message), text=line)
            else:
                head = self.say("reply", text=line)
            say_line(line if number else head)
        self._heard[message.conversation_id] = message.id

    def hear(self) -> bool:
        """Say what colleagues have written in this conversation; whether they have."""
        if self.conversation is None:
            return False
        store = Handovers(self.session.services.conversations)
        try:
            said, _ = store.words(self.login, self.conversation, self._heard.get(self.conversation, ""))
        except StoreError:
            # The next look finds what this one could not.
            return False
        for message in said:
            self.repeat(message)
        return bool(said)

    def _read(self) -> str | None:
        """The next line, None at the end; what is wrong with it is said, and it reads as empty."""
        self.hear()
        if self._typed:
            self._prompt()
            for _ in waits_for_line(LOOK):
                if self.hear():
                    self._prompt()
        raw = sys.stdin.buffer.readline(LONGEST + 1)
        if not raw:
            return None
        if len(raw) > LONGEST:
            while not raw.endswith(b"\n") and raw:
                raw = sys.stdin.buffer.readline(LONGEST)
            self._whole = False
            say_line(self.say("long", limit=LONGEST))
            return ""
        try:
            text = nfc(raw.decode("utf-8-sig").rstrip("\r\n"))
        except UnicodeDecodeError as error:
            self._whole = False
            say_line(self.say("bytes", byte=error.start + 1))
            return ""
        if not self._typed and text.strip():
            say_line(self.say("you") + text)
        return text

    def _prompt(self) -> None:
        data(self.say("you"), end="")
        sys.stdout.flush()


def waits_for_line(every: float) -> Iterator[None]:
    """Wait until a line was typed, and yield each `every` seconds until then.

    A Ctrl-C that comes just before a blocking read would not end that read.
    """
    told = time.monotonic()
    while sys.platform != "win32" and not select.select([sys.stdin], [], [], SIGNALS_EVERY)[0]:
        if time.monotonic() - told >= every:
            told = time.monotonic()
            yield
