"""Works behind the scenes in a thread with an event loop of its own, and only while no turn is running."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from troly.errors import TrolyError

Calm = Callable[[], Awaitable[None]]
# So long nothing must have been saved: who has just been answered may be about to write again.
QUIET = 2.0
_LOOK = 0.05
log = logging.getLogger(__name__)


class MemoryQueue:
    """Runs `work(calm)` after each `wake`, one at a time; `work` awaits `calm` before each portion.

    No thread exists before the first wake. Safe from any thread. `end` runs in the queue's loop when it closes.
    """

    def __init__(self, work: Callable[[Calm], Awaitable[object]], end: Callable[[], Awaitable[None]]) -> None:
        self.quiet = QUIET
        self._work = work
        self._end = end
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._event: asyncio.Event | None = None
        self._wanted = self._closed = False
        self._held = 0
        self._last = 0.0

    def wake(self) -> None:
        """Let the work begin as soon as it is quiet; a wake during the work makes it run once more."""
        with self._lock:
            if self._closed:
                return
            self._last, self._wanted = time.monotonic(), True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memory", daemon=True)
                self._thread.start()
            elif self._loop is not None and self._event is not None and not self._event.is_set():
                # Where it is set already, the work that is to come sees this change as well.
                self._loop.call_soon_threadsafe(self._event.set)

    @contextmanager
    def held(self, *, wake: bool = True) -> Iterator[None]:
        """While open, nothing new is begun; then `wake`, where wanted."""
        with self._lock:
            self._held += 1
        try:
            yield
        finally:
            with self._lock:
                self._held -= 1
                self._last = time.monotonic()
            if wake:
                self.wake()

    def close(self) -> None:
        """Cancel what is running and wait for the thread's end; a second call does nothing."""
        with self._lock:
            self._closed = True
            thread, self._thread = self._thread, None
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(self._main())

    async def _main(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            self._event = asyncio.Event()
            if self._wanted:
                self._event.set()
        try:
            while await self._event.wait():
                self._event.clear()
                await self._calm()
                await self._once()
        finally:
            with self._lock:
                self._loop = None
            await self._end()

    async def _once(self) -> None:
        try:
            await self._work(self._calm)
        except TrolyError as error:
            log.info("memory waits: %s", error.key)
        except Exception as error:
            # The queue outlives any one failure; the messages stay waiting.
            log.warning("memory failed", exc_info=error)

    async def _calm(self) -> None:
        """Return once no turn is running and nothing was saved for `quiet` seconds."""
        while (left := self._last + self.quiet - time.monotonic()) > 0 or self._held:  # noqa: ASYNC110 (set by other threads)
            await asyncio.sleep(max(left, _LOOK))
