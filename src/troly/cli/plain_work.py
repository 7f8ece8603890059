"""Loading data and pulling a model from the chat in plain lines: told at a calm rate, stopped with Ctrl+C."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from troly.cli.answering import on_interrupt
from troly.cli.plain_printer import CALM, say_line
from troly.errors import StoppedError
from troly.text.catalogue import tr

if TYPE_CHECKING:
    from troly.cli.plain import PlainChat
    from troly.conversation.jobs import JobResult

SHOWN = 20


def ingest(chat: PlainChat, line: str) -> None:
    """Load what `line` asks for. Raises TrolyError."""
    from troly.conversation.jobs import LoadFiles, load_files
    from troly.plugin.ingest_arguments import kinds, read_order

    known = kinds(chat.session.registry)
    order = read_order(line, known, chat.lang)
    if not order.files:
        say_line(chat.say("load_file", example=order.kind.example(chat.lang)))
        for one in order.kind.parameters:
            say_line(chat.say("load_option", option=one.name, help=one.help[chat.lang]))
        return
    stop, report = threading.Event(), Told(chat)
    job = LoadFiles(order.kind.mode, order.kind.ingest, order.files, chat.lang, order.values)
    say_line(tr("ui.work.loading", chat.lang, name=", ".join(order.files)) + ".")
    with on_interrupt(stop.set):
        _tell(chat, chat.run(load_files(chat.session, job, report.step, stop)))


def pull(chat: PlainChat, model: str) -> None:
    """Download a model. Raises ModelError, StoppedError."""
    from troly.conversation.jobs import PullModel
    from troly.conversation.jobs import pull_model as pulling

    say_line(tr("ui.work.pulling", chat.lang, name=model) + ".")
    _tell(chat, chat.run(_stoppable(pulling(chat.session, PullModel(model), Told(chat).step))))


async def _stoppable(work: Coroutine[None, None, JobResult]) -> JobResult:
    """`work`, ended by Ctrl+C; raises StoppedError then."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    with on_interrupt(lambda: loop.call_soon_threadsafe(task.cancel)):
        try:
            return await task
        except asyncio.CancelledError:
            raise StoppedError("work.stopped") from None


class Told:
    """Says now and then how far it is."""

    def __init__(self, chat: PlainChat) -> None:
        self._chat = chat
        self._last = time.monotonic()

    def step(self, done: int, total: int | None, _unit: str) -> None:
        """So much is done."""
        now = time.monotonic()
        if total and now - self._last >= CALM:
            self._last = now
            say_line(self._chat.say("percent", percent=min(100, done * 100 // total)))


def _tell(chat: PlainChat, end: JobResult) -> None:
    for line in end.summary.splitlines():
        say_line(line)
    for problem in end.problems[:SHOWN]:
        say_line(problem)
    if len(end.problems) > SHOWN:
        say_line(tr("ui.work.more", chat.lang, count=len(end.problems) - SHOWN))
    say_line(chat.say("work_done"))
