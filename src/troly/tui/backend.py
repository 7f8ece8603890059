"""The services behind the screen, on a thread and an event loop of their own: nothing a mode does can stop the typing."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar

from troly.text.catalogue import Lang
from troly.tui import operations

if TYPE_CHECKING:
    from troly.conversation.jobs import Job, JobProgress, JobResult
    from troly.conversation.session import Session
    from troly.plugin.events import Event
    from troly.plugin.sample_loading import SampleLoader
    from troly.tui.chat.view import HealthView, SessionInfo

P = ParamSpec("P")
T = TypeVar("T")
# Runs a function on the screen's loop, from any thread.
Deliver = Callable[[Callable[[], None]], object]
# Gets events of a turn and the id of its conversation.
EventSink: TypeAlias = "Callable[[list[Event], str], None]"
JobSink: TypeAlias = "Callable[[JobProgress | JobResult], None]"
# How long closing may take before what still runs is left alone (seconds).
CLOSING = 3.0
HEALTH_EVERY = 4.0
# Progress of a job is handed over this often at most (seconds).
PROGRESS_EVERY = 0.2


class ChatQuestion(NamedTuple):
    """One message to answer, as the screen asks it; `continues` is the turn whose unfinished answer goes on.

    `model` is asked instead of the usual one, "" for that.
    """

    mode: str
    text: str
    conversation: str | None
    continues: str = ""
    model: str = ""


class Backend(Protocol):
    """What the screen needs; every `done` and sink is called on the screen's loop."""

    def start(self, ready: Callable[[SessionInfo | Exception], None]) -> None:
        """Open the session; `ready` gets what it holds, or why that failed."""

    def call(
        self,
        function: Callable[Concatenate[Session, P], T],
        done: Callable[[T | Exception], None],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run `function` (see `troly.tui.operations`) on a thread that may block; `done` gets result or exception."""

    def stream(self, question: ChatQuestion, sink: EventSink) -> Callable[[], None]:
        """Answer `question`; returns what stops it."""

    def run(self, job: Job, sink: JobSink) -> Callable[[], None]:
        """Do long work beside the chat; the last news is a `JobResult`. Returns what cancels it."""

    def load_samples(self, mode: str, language: Lang, done: Callable[[object], None]) -> None:
        """Load the samples of a mode that never had them; `done` is called when they are there, or cannot be."""

    def watch_health(
        self, mode: Callable[[], str], language: Callable[[], Lang], sink: Callable[[HealthView], None]
    ) -> None:
        """Look at the model's server every few seconds until the end."""

    def close(self, last: Callable[[Session], object] | None = None) -> None:
        """Stop the turns, do `last` on the caller's thread, close the services."""


class SessionBackend:
    """The backend on real services; `open_session` is called once on its thread and imports what is heavy.

    `loaded` is called after the first answer of each assistant: all that it needs is there from then on.
    """

    def __init__(
        self,
        open_session: Callable[[], Session],
        deliver: Deliver,
        loaded: Callable[[], object] = lambda: None,
    ) -> None:
        self._open_session = open_session
        self._deliver = deliver
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._session: Session | None = None
        self._samples: SampleLoader | None = None
        self._closing = False
        self._loaded = loaded
        # The assistants that were asked something.
        self._used: set[str] = set()

    def start(self, ready: Callable[[SessionInfo | Exception], None]) -> None:
        """Open the session; `ready` gets what it holds, or why that failed."""
        self._thread = threading.Thread(target=self._work, args=(ready,), name="troly-backend", daemon=True)
        self._thread.start()

    def _work(self, ready: Callable[[SessionInfo | Exception], None]) -> None:
        asyncio.set_event_loop(self._loop)
        found: SessionInfo | Exception
        try:
            found = self._open()
        except Exception as error:  # noqa: BLE001 (whatever a store or a third-party mode raises is shown as a card)
            found = error
        self._deliver(partial(ready, found))
        try:
            self._loop.run_forever()
        finally:
            # What was asked for in the moment of closing has begun no step yet, and ends here too.
            with suppress(Exception):  # the process ends anyway: what could be saved is saved
                self._loop.run_until_complete(self._end())
            self._loop.close()

    def _open(self) -> SessionInfo:
        from troly.plugin.sample_loading import SampleLoader

        session = self._session = self._open_session()
        self._samples = SampleLoader(session.services, session.registry)
        return operations.describe_session(session, self._samples.lacking())

    def call(
        self,
        function: Callable[Concatenate[Session, P], T],
        done: Callable[[T | Exception], None],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run `function` on a thread that may block; `done` gets result or exception."""

        async def run() -> None:
            result: T | Exception
            try:
                result = await asyncio.to_thread(function, self._ready(), *args, **kwargs)
            except Exception as error:  # noqa: BLE001 (the screen shows it where the result would have been)
                result = error
            self._deliver(partial(done, result))

        self._submit(run())

    def stream(self, question: ChatQuestion, sink: EventSink) -> Callable[[], None]:
        batch = EventBatch(self._deliver, sink)
        turn = RunningTurn()
        self._submit(self._answer(question, batch, turn))
        return lambda: self._call_soon(turn.stop)

    async def _answer(self, question: ChatQuestion, batch: EventBatch, running: RunningTurn) -> None:
        """A turn that breaks without its terminal event gets one, so that no answer stays open on the screen."""
        from troly.conversation.turn import TurnRequest, run_turn
        from troly.plugin.events import TurnFailed

        try:
            session = self._ready()
            request = TurnRequest(
                question.mode,
                question.text,
                question.conversation,
                continues=question.continues,
                model=question.model or None,
            )
            turn = run_turn(session, request)
            running.begin(turn.cancel)
            async for event in turn.events():
                batch.put(event, turn.conversation_id)
            if question.mode not in self._used:
                self._used.add(question.mode)
                self._loaded()
        except BaseException as error:
            batch.put(TurnFailed(type(error).__name__, str(error)[:300], "", "turn.failed"), "")
            if not isinstance(error, Exception):
                raise

    def run(self, job: Job, sink: JobSink) -> Callable[[], None]:
        return start_job(self._loop, self._ready(), self._deliver, job, sink)

    def load_samples(self, mode: str, language: Lang, done: Callable[[object], None]) -> None:
        """Load the samples of a mode that never had them; `done` is called when they are there, or cannot be."""

        def load(_session: Session) -> None:
            if self._samples is not None:
                self._samples.stock(mode, language)

        self.call(load, done)

    def watch_health(
        self, mode: Callable[[], str], language: Callable[[], Lang], sink: Callable[[HealthView], None]
    ) -> None:
        """Look at the model's server every few seconds until the end."""

        async def look() -> None:
            while True:
                health = await operations.check_health(self._ready(), mode(), language())
                self._deliver(partial(sink, health))
                await asyncio.sleep(HEALTH_EVERY)

        self._submit(look())

    def close(self, last: Callable[[Session], object] | None = None) -> None:
        """Stop the turns (what they said is saved), do `last` on this thread, close the services, end the thread."""
        again, self._closing = self._closing, True
        if self._session is not None and last is not None:
            with suppress(OSError):
                last(self._session)
        if self._thread is None:
            self._loop.close()
            return
        # A second stop would break off the ending that the first one began (a hang-up closes, and so does the exit).
        if not again:
            self._call_soon(self._loop.stop)
        self._thread.join(CLOSING)

    async def _end(self) -> None:
        await end_tasks()
        if self._samples is not None:
            self._samples.close()
        if self._session is not None:
            await self._session.services.llm.aclose()
            self._session.services.close()

    def _ready(self) -> Session:
        if self._session is None:
            raise RuntimeError("asked before the services were open")
        return self._session

    def _submit(self, work: Coroutine[Any, Any, Any]) -> None:
        if self._closing:
            work.close()
        else:
            asyncio.run_coroutine_threadsafe(work, self._loop)

    def _call_soon(self, function: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(function)


async def end_tasks() -> None:
    """Cancel all other tasks of this loop and wait for them.

    Each has begun before it is cancelled: the coroutine that a task of anyio wraps is otherwise never awaited, which Python
    prints on the screen. A task that one of them starts meanwhile is ended by the one that waits for it, or in the next round.
    """
    while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def start_job(
    loop: asyncio.AbstractEventLoop, session: Session, deliver: Deliver, job: Job, sink: JobSink
) -> Callable[[], None]:
    """Do `job` on `loop`; `sink` gets news of it now and then, last a `JobResult`. Returns what cancels it."""
    from troly.conversation.jobs import JobProgress, JobResult, PullModel, run_job
    from troly.errors import StoppedError

    stop = threading.Event()
    last = 0.0

    def report(done: int, total: int | None, unit: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PROGRESS_EVERY:
            last = now
            deliver(partial(sink, JobProgress(done, total, unit)))

    async def work() -> None:
        end: JobResult
        try:
            end = await run_job(session, job, report, stop)
        except asyncio.CancelledError:
            end = JobResult(error=StoppedError("work.stopped"))
        except Exception as error:  # noqa: BLE001 (the screen shows it as a card)
            end = JobResult(error=error)
        deliver(partial(sink, end))

    task = asyncio.run_coroutine_threadsafe(work(), loop)

    def cancel() -> None:
        stop.set()
        # A load ends between two batches and leaves the old data whole; it must not be left behind in its thread.
        if isinstance(job, PullModel):
            task.cancel()

    return cancel


class RunningTurn:
    """What stops a turn, also when it is stopped before it has begun; on the backend's loop only."""

    def __init__(self) -> None:
        self._stopped = False
        self._cancel: Callable[[], None] | None = None

    def begin(self, cancel: Callable[[], None]) -> None:
        self._cancel = cancel
        if self._stopped:
            cancel()

    def stop(self) -> None:
        self._stopped = True
        if self._cancel is not None:
            self._cancel()


class EventBatch:
    """Hands the events of one turn to the screen's loop: what comes before the loop takes a batch goes with it."""

    def __init__(self, deliver: Deliver, sink: EventSink) -> None:
        self._deliver = deliver
        self._sink = sink
        self._events: deque[Event] = deque()
        self._conversation = ""
        self._on_its_way = False

    def put(self, event: Event, conversation: str) -> None:
        """Add one event; called on the backend's loop."""
        self._conversation = conversation
        self._events.append(event)
        if not self._on_its_way:
            self._on_its_way = True
            self._deliver(self._hand_over)

    def _hand_over(self) -> None:
        self._on_its_way = False
        taken: list[Event] = []
        with suppress(IndexError):
            while True:
                taken.append(self._events.popleft())
        if taken:
            self._sink(taken, self._conversation)
