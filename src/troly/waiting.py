"""A time limit for each of many waits, with one timer for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Watchdog:
    """Limits each wait of a task as `asyncio.timeout` does, for waits that follow one another by the thousand.

    A timer of its own for each piece of an answer costs more than the piece; this one is set again only when it goes off
    and finds that the wait it was set for is over. `close` takes it away.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._set_for = 0.0
        self._waiting: asyncio.Task[object] | None = None
        self._until = 0.0
        self._late = False

    async def wait(self, work: Awaitable[T], seconds: float) -> T:
        """What `work` gives; raises TimeoutError where it takes longer than `seconds` (any sign)."""
        task = asyncio.current_task(self._loop)
        assert task is not None  # noqa: S101 (only a task can wait)
        asked = task.cancelling()
        self._waiting, self._until, self._late = task, self._loop.time() + seconds, False
        if self._timer is None or self._set_for > self._until:
            self._set()
        try:
            return await work
        except asyncio.CancelledError as error:
            if self._late and task.cancelling() <= asked + 1:
                raise TimeoutError from error
            raise
        finally:
            self._waiting = None
            if self._late:
                task.uncancel()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self) -> None:
        self.close()
        self._set_for = self._until
        self._timer = self._loop.call_at(self._until, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._waiting is None:
            return
        if self._loop.time() < self._until:
            self._set()
        else:
            self._late = True
            self._waiting.cancel()
