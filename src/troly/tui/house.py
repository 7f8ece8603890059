"""The services behind the screen, on a thread and an event loop of their own: nothing a mode does can stop the typing."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from troly.errors import StoppedError
from troly.tui.chat.view import ConversationView, HealthView, HitView, HoldingsView, MessageView
from troly.tui.outbox import Outbox, never_silent
from troly.tui.port import Alteration, Arrival, Deliver, Question, Sink

if TYPE_CHECKING:
    from troly.conversation.input_history import Draft, InputHistory
    from troly.conversation.jobs import Job
    from troly.conversation.session import Session
    from troly.plugin.events import Table
    from troly.text.catalogue import Lang
    from troly.tui.errands import Errand
    from troly.tui.opened import OpenedHouse

T = TypeVar("T")
CLOSING = 3.0
LOOK_EVERY = 4.0
# Progress of a job is handed over this often at most, in seconds.
REPORT_EVERY = 0.2
# How long a thread may keep the interpreter while another waits for it: typing waits for the house ten times a key.
TURN_ABOUT = 0.001
# Rarer collections than usual: one of the oldest objects takes longer than a key may.
COLLECT_AT = (2_000, 10, 50)


class House:
    """Opens the services in a thread, runs turns there, and hands results back through `deliver`.

    `opener` is called once on that thread; it imports what is heavy. `deliver` runs a function on the screen's loop.
    Every `done` is called there with a result or with the exception.
    """

    def __init__(self, opener: Callable[[], OpenedHouse], deliver: Deliver) -> None:
        self._opener = opener
        self._deliver = deliver
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="troly-house", daemon=True)
        self._opened: OpenedHouse | None = None
        self._turns: set[asyncio.Task[None]] = set()
        self._closing = False

    def start(self, done: Callable[[Arrival | Exception], None]) -> None:
        """Begin to open; `done` gets the arrival or why it failed."""
        self._done = done
        self._thread.start()

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        sys.setswitchinterval(TURN_ABOUT)
        # A thousand modules are imported now: collecting among them would hold up the typing, now and later.
        gc.disable()
        self._open()
        gc.freeze()
        gc.set_threshold(*COLLECT_AT)
        gc.enable()
        if not self._closing:
            self._loop.run_forever()

    def _open(self) -> None:
        try:
            self._opened = self._opener()
            arrival = self._opened.arrival()
        except Exception as error:  # noqa: BLE001 (whatever a store or a third-party mode raises is shown as a card)
            failure = error
            self._deliver(lambda: self._done(failure))
        else:
            self._deliver(lambda: self._done(arrival))
            self._opened.preload_first()

    def ask(self, question: Question, sink: Sink) -> Callable[[], None]:
        """Answer `question`; `sink` gets batches of events and the conversation's id. Returns what stops it."""
        outbox = Outbox(self._deliver, sink)
        stop = Stop()

        async def run() -> None:
            await self._ready().answer(question, outbox.put, stop.reach)

        def begin() -> None:
            task = self._loop.create_task(never_silent(run(), outbox))
            self._turns.add(task)
            task.add_done_callback(self._turns.discard)

        self._loop.call_soon_threadsafe(begin)
        return lambda: self._call(stop)

    def prepare(self, mode: str) -> None:
        """Import what answers of `mode` need, so that the first is no slower than the second."""
        self._submit(asyncio.to_thread(self._ready().prepare, mode))

    def stock(self, mode: str, language: Lang, done: Callable[[Exception | None], None]) -> None:
        """Load the samples of `mode`; `done` is called when they are there, or cannot be."""
        self._query(lambda house: house.stock(mode, language), done)

    def welcomed(self) -> None:
        """The person put a first question: the welcome is not shown again."""
        self._query(lambda house: house.welcomed(), lambda _done: None)

    def conversations(self, done: Callable[[list[ConversationView] | Exception], None]) -> None:
        """The user's newest conversations of all modes."""
        self._query(lambda house: house.conversations(), done)

    def load(
        self, conversation: str, done: Callable[[tuple[str, list[MessageView]] | Exception], None]
    ) -> None:
        """The newest messages of a conversation, and its mode."""
        self._query(lambda house: house.load(conversation), done)

    def older(
        self,
        conversation: str,
        before: str,
        limit: int,
        done: Callable[[list[MessageView] | Exception], None],
    ) -> None:
        """Messages before the saved message `before`; none at the beginning of the conversation."""
        self._query(lambda house: house.older(conversation, before, limit), done)

    def keep(self, text: str, name: str, done: Callable[[str | Exception], None]) -> None:
        """Write a text as a file of its own; `done` gets the file's path."""
        self._query(lambda house: house.keep(text, name), done)

    def holdings(
        self, mode: str, language: Lang, done: Callable[[HoldingsView | Exception | None], None]
    ) -> None:
        """What data a mode has."""
        self._query(lambda house: house.holdings(mode, language), done)

    def alter(self, change: Alteration, done: Callable[[Exception | None], None]) -> None:
        """Rename, pin, delete or restore a conversation; `done` gets why that failed, or None."""
        self._query(lambda house: house.alter(change), done)

    def search(self, text: str, done: Callable[[list[HitView] | Exception], None]) -> None:
        """Messages of the user that hold all words of `text`."""
        self._query(lambda house: house.search(text), done)

    def mentions(
        self,
        mode: str,
        prefix: str,
        limit: int,
        language: Lang,
        done: Callable[[list[tuple[str, str]] | Exception], None],
    ) -> None:
        """Names of a mode's own things that begin like `prefix`, each with a hint."""
        self._query(lambda house: house.mentions(mode, prefix, limit, language), done)

    def typed(self, done: Callable[[InputHistory | Exception], None]) -> None:
        """What the person typed in earlier sessions."""
        self._query(lambda house: house.typed(), done)

    def keep_typed(self, message: str, drafts: Mapping[str, Draft | None]) -> None:
        """Keep a message that was sent ("" for none) and changed drafts."""
        self._query(lambda house: house.keep_typed(message, drafts), lambda _done: None)

    def keep_last(self, drafts: Mapping[str, Draft | None]) -> None:
        """Keep drafts at the end, when the loop of the house may not come to it any more; on the caller's thread."""
        if self._opened is not None and drafts:
            with suppress(OSError):
                self._opened.keep_typed("", drafts)

    def export(self, table: Table, done: Callable[[str | Exception], None]) -> None:
        """Write a table as a CSV file of its own; `done` gets the file's path."""
        self._query(lambda house: house.export(table), done)

    def errand(self, errand: Errand, done: Callable[[Any], None]) -> None:
        """A single question beside the chat (see `troly.tui.errands`); `done` gets its answer or the exception."""

        def answer(house: OpenedHouse) -> Any:
            from troly.tui.errands import run

            return run(house, errand)

        self._query(answer, done)

    def job(self, job: Job, heard: Callable[[Any], None]) -> Callable[[], None]:
        """Long work beside the chat; see `start_job`."""
        return start_job(self._loop, self._ready().session, self._deliver, job, heard)

    def watch(
        self, mode: Callable[[], str], language: Callable[[], Lang], seen: Callable[[HealthView], None]
    ) -> None:
        """Look at Ollama every few seconds, for ever."""

        async def look() -> None:
            while True:
                health = await self._ready().health(mode(), language())
                self._deliver(partial(seen, health))
                await asyncio.sleep(LOOK_EVERY)

        self._submit(look())

    def close(self, patience: float = CLOSING) -> None:
        """Stop the turns (what they said is saved), close the services, end the thread."""
        self._closing = True
        if not self._thread.is_alive():
            return
        if self._opened is not None and self._loop.is_running():
            ending = self._submit(self._end())
            with suppress(Exception):  # the process ends anyway: what could be saved is saved
                ending.result(patience)
        self._call(self._loop.stop)
        self._thread.join(0.5)

    async def _end(self) -> None:
        turns = list(self._turns)
        for task in turns:
            task.cancel()
        await asyncio.gather(*turns, return_exceptions=True)
        if self._opened is not None:
            await self._opened.close()

    def _ready(self) -> OpenedHouse:
        if self._opened is None:
            raise RuntimeError("asked before the services were open")
        return self._opened

    def _query(self, call: Callable[[OpenedHouse], T], done: Callable[[Any], None]) -> None:
        async def run() -> None:
            result: T | Exception
            try:
                result = await asyncio.to_thread(call, self._ready())
            except Exception as error:  # noqa: BLE001 (the screen shows it where the result would have been)
                result = error
            self._deliver(lambda: done(result))

        self._submit(run())

    def _submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _call(self, function: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(function)


def start_job(
    loop: asyncio.AbstractEventLoop,
    session: Session,
    deliver: Deliver,
    job: Job,
    heard: Callable[[Any], None],
) -> Callable[[], None]:
    """Run `job` on `loop`; `heard` gets its progress and last its result, on the screen's loop. Returns what cancels it."""
    from troly.conversation.jobs import JobProgress, JobResult, PullModel, run_job

    stop = threading.Event()
    last = 0.0

    def report(done: int, total: int | None, unit: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= REPORT_EVERY:
            last = now
            deliver(partial(heard, JobProgress(done, total, unit)))

    async def run() -> None:
        try:
            result = await run_job(session, job, report, stop)
        except asyncio.CancelledError:
            result = JobResult(error=StoppedError("work.stopped"))
        except Exception as error:  # noqa: BLE001 (the screen shows it as a card)
            result = JobResult(error=error)
        deliver(partial(heard, result))

    task = asyncio.run_coroutine_threadsafe(run(), loop)

    def cancel() -> None:
        stop.set()
        # A load ends between two batches and leaves the old data whole; it must not be left behind in its thread.
        if isinstance(job, PullModel):
            task.cancel()

    return cancel


class Stop:
    """What stops a turn, also when it is called before the turn has begun."""

    def __init__(self) -> None:
        self._asked = False
        self._calls: list[Callable[[], None]] = []

    def __call__(self) -> None:
        self._asked = True
        for call in self._calls:
            call()

    def reach(self, call: Callable[[], None]) -> None:
        """The turn can be stopped with `call` from now on."""
        self._calls.append(call)
        if self._asked:
            call()
