"""The events of a turn for a screen reader: who speaks, whole lines, progress at a calm rate."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from troly.cli.output import data
from troly.cli.plain.lines import SpokenMarkdown, spoken_lines
from troly.cli.turns import GREETING, squeezed
from troly.conversation.recorder import clean
from troly.plugin.events import (
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
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from troly.presentation.text import loading_text
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.cli.invocation import Invocation

# Seconds between two lines of progress, and of silence until one hears that work goes on.
CALM = 5.0
SILENCE = 4.0
STOPPED = "turn.stopped"


def say_line(text: str) -> None:
    """One line on stdout, at once."""
    data(" ".join(sanitize(text, keep_newlines=False).split()))
    sys.stdout.flush()


class PlainPrinter:
    """Shows one turn; `steps` and the id of the `turn` are kept for whoever asks for them afterwards. `clock` gives seconds."""

    def __init__(self, invocation: Invocation, clock: Callable[[], float] = time.monotonic) -> None:
        self._invocation = invocation
        self._clock = clock
        self._markdown = SpokenMarkdown()
        self._named = False
        self._shown: list[str] = []
        self._told = 0.0
        self._last = clock()
        self._told_tasks: set[tuple[int, bool]] = set()
        self.steps: list[StepFinished] = []
        self.turn = ""

    def show(self, event: Event, conversation: str, turn: str) -> None:  # noqa: ARG002 (the conversation is for programs; one case an event)
        self.turn = turn
        match event:
            case Token():
                self._shown.append(event.text)
                self._lines(self._markdown.feed(event.text))
            case Say():
                self._end()
                if event.message_type != GREETING:
                    self._shown.append(f"\n\n{event.text}\n\n")
                self._named = False
                self._lines([*SpokenMarkdown().feed(f"{event.text}\n")])
                self._named = False
            case Progress():
                self._progress(event)
            case ModelLoading():
                self._progress(Progress(loading_text(event, self._invocation.lang)))
            case StepFinished():
                self.steps.append(event)
            case TurnCompleted():
                self._completed(event)
            case TurnFailed():
                self._end()
                say_line(self._failure(event))
            case TurnStarted() | StepStarted() | ModelCalled():
                pass
            case _:
                self._content(clean(event))

    def _content(self, content: Content) -> None:
        match content:
            case Notice():
                parts = (f"{content.title}.", content.message, content.remedy)
                self._lines([" ".join(part for part in parts if part)])
            case Handoff():
                self._lines([self._invocation.say("plain.handoff", reason=content.reason)])
            case Plan():
                self._steps(content)
            case _:
                self._end()
                self._lines(list(spoken_lines(content, self._invocation.lang)))

    def _completed(self, event: TurnCompleted) -> None:
        say = self._invocation.say
        self._end()
        if squeezed(sanitize(event.text)) != squeezed(sanitize("".join(self._shown))):
            self._lines([*SpokenMarkdown().feed(f"{event.text}\n")])
        source = say(f"source.{event.source}")
        if event.calls:
            key = "plain.calls_one" if event.calls == 1 else "plain.calls"
            source = say(key, source=source, count=event.calls)
        say_line(say("plain.done", source=source))

    def _failure(self, event: TurnFailed) -> str:
        if event.code == STOPPED:
            return self._invocation.say("plain.stopped")
        return self._invocation.say(
            "plain.failed", title=event.title.rstrip("."), message=event.message, remedy=event.remedy
        )

    async def report_silence(self) -> None:
        """Say now and then that work goes on, while nothing else is said; ends when it is cancelled."""
        while True:
            await asyncio.sleep(max(0.1, SILENCE - (self._clock() - self._last)))
            if self._clock() - self._last >= SILENCE:
                self._lines([self._invocation.say("plain.still")], speaks=False)

    def _steps(self, plan: Plan) -> None:
        """The tasks once; afterwards only what did not work out."""
        say = self._invocation.say
        if not self._told_tasks:
            self._lines([say("plain.plan", count=len(plan.tasks))], speaks=False)
        for task in plan.tasks:
            bad = task.status in ("failed", "denied")
            key = "task_bad" if bad else "task"
            if (task.step, bad) in self._told_tasks or (not bad and (task.step, True) in self._told_tasks):
                continue
            self._told_tasks.add((task.step, bad))
            state = say(f"plain.{task.status}_task") if bad else ""
            told = say(f"plain.{key}", number=task.step, purpose=task.purpose.rstrip("."), state=state)
            self._lines([told], speaks=False)

    def _progress(self, event: Progress) -> None:
        now = self._clock()
        if self._told and now - self._told < CALM:
            return
        self._told = now
        message = event.message.rstrip(".…")
        if event.percent is None:
            self._lines([f"{message}."], speaks=False)
        else:
            percent = f"{event.percent:.0f}"
            self._lines(
                [self._invocation.say("plain.progress", message=message, percent=percent)], speaks=False
            )

    def _end(self) -> None:
        self._lines(self._markdown.finish())

    def _lines(self, lines: list[str], *, speaks: bool = True) -> None:
        for line in lines:
            if not line.strip():
                continue
            if speaks and not self._named:
                line = self._invocation.say("plain.reply", text=line)  # noqa: PLW2901 (the name goes before it)
                self._named = True
            say_line(line)
            self._last = self._clock()
