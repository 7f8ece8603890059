"""One piece of work for all who ask for it at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """`await shared()` joins the work that is running, else starts it; it is cancelled when nobody waits any more."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._work = work
        self._task: asyncio.Task[T] | None = None
        self._waiting: dict[asyncio.Task[T], int] = {}

    async def __call__(self) -> T:
        task = self._task
        if task is None or task.done():
            task = self._task = asyncio.create_task(self._work())
        self._waiting[task] = self._waiting.get(task, 0) + 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]
                await self._end(task)

    async def _end(self, task: asyncio.Task[T]) -> None:
        if task.done():
            return
        if self._task is task:
            self._task = None
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
