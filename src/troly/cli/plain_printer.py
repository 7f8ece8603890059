"""The events of a turn for a screen reader: who speaks, whole lines, progress at a calm rate."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from troly.cli.output import data
from troly.cli.plain_lines import Heard, card_lines
from troly.cli.printer import GREETING, squeezed
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Event,
    Handoff,
    ItemList,
    Notice,
    Plan,
    Progress,
    Say,
    Sources,
    StepFinished,
    Suggestions,
    Table,
    Token,
    TurnCompleted,
    TurnFailed,
)
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
    """Shows one turn; `steps` are kept for whoever asks for them afterwards. `clock` gives seconds."""

    def __init__(self, invocation: Invocation, clock: Callable[[], float] = time.monotonic) -> None:
        self._invocation = invocation
        self._clock = clock
        self._heard = Heard()
        self._named = False
        self._shown: list[str] = []
        self._told = 0.0
        self._last = clock()
        self._told_tasks: set[tuple[int, bool]] = set()
        self.steps: list[StepFinished] = []

    def show(self, event: Event, conversation: str, turn: str) -> None:  # noqa: ARG002 (the ids are for programs)
        """Say `event`."""
        match event:
            case Token():
                self._shown.append(event.text)
                self._lines(self._heard.feed(event.text))
            case Say():
                self._end()
                if event.message_type != GREETING:
                    self._shown.append(f"\n\n{event.text}\n\n")
                self._named = False
                self._lines([*Heard().feed(f"{event.text}\n")])
                self._named = False
            case Table() | Chart() | ItemList() | Sources() | Suggestions() | Computation() | Conflict():
                self._end()
                self._lines(list(card_lines(event, self._invocation.lang)))
            case Progress():
                self._progress(event)
            case Plan():
                self._plan(event)
            case StepFinished():
                self.steps.append(event)
            case _:
                self._show_rest(event)

    def _show_rest(self, event: Event) -> None:
        say = self._invocation.say
        match event:
            case Notice():
                self._lines(
                    [" ".join(part for part in (f"{event.title}.", event.message, event.remedy) if part)]
                )
            case Handoff():
                self._lines([say("plain.handoff", reason=event.reason)])
            case TurnCompleted():
                self._end()
                if squeezed(sanitize(event.text)) != squeezed(sanitize("".join(self._shown))):
                    self._lines([*Heard().feed(f"{event.text}\n")])
                source = say(f"source.{event.source}")
                if event.calls:
                    source = say(
                        "plain.calls_one" if event.calls == 1 else "plain.calls",
                        source=source,
                        count=event.calls,
                    )
                say_line(say("plain.done", source=source))
            case TurnFailed():
                self._end()
                if event.code == STOPPED:
                    say_line(say("plain.stopped"))
                else:
                    say_line(
                        say(
                            "plain.failed",
                            title=event.title.rstrip("."),
                            message=event.message,
                            remedy=event.remedy,
                        )
                    )

    async def keep_company(self) -> None:
        """Say now and then that work goes on, while nothing else is said; ends when it is cancelled."""
        while True:
            await asyncio.sleep(max(0.1, SILENCE - (self._clock() - self._last)))
            if self._clock() - self._last >= SILENCE:
                self._lines([self._invocation.say("plain.still")], speaks=False)

    def _plan(self, plan: Plan) -> None:
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
        self._lines(self._heard.finish())

    def _lines(self, lines: list[str], *, speaks: bool = True) -> None:
        for line in lines:
            if not line.strip():
                continue
            if speaks and not self._named:
                line = self._invocation.say("plain.reply", text=line)  # noqa: PLW2901 (the name goes before it)
                self._named = True
            say_line(line)
            self._last = self._clock()
