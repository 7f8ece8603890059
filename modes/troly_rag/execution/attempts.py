"""Runs one tool with its time limit and retries; every way to fail becomes a result, and siblings go on (004-35, 004-39)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from troly.errors import AccessError, ConfigError, InputError, TrolyError
from troly.text.catalogue import Lang

T = TypeVar("T")
TIMEOUT, KILLED = "timeout", "killed"
# Trying again does not help against these.
_FINAL = (InputError, ConfigError, AccessError)
_PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class Attempted(Generic[T]):
    """The value, or why there is none: `error_type` (timeout, killed, or the error's name) and `error` in words."""

    value: T | None
    attempts: int
    error_type: str = ""
    error: str = ""


async def attempt(
    work: Callable[[], Awaitable[T]], *, seconds: float, retries: int, lang: Lang
) -> Attempted[T]:
    """Call `work` until it gives a value, at most `retries` more times and `seconds` in all.

    Only the cancelling of the caller itself is raised.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    failed: Attempted[T] = Attempted(None, 0, TIMEOUT)
    for number in range(1, retries + 2):
        left = until - loop.time()
        if left <= 0:
            return Attempted(None, number - 1, failed.error_type, failed.error)
        task = asyncio.ensure_future(work())
        try:
            done, _ = await asyncio.wait({task}, timeout=left)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not done:
            _abandon(task)
            return Attempted(None, number, TIMEOUT, f"{seconds:g} s")
        if task.cancelled():
            return Attempted(None, number, KILLED)
        error = task.exception()
        if error is None:
            return Attempted(task.result(), number)
        failed = Attempted(None, number, type(error).__name__, _words(error, lang))
        if isinstance(error, _FINAL) or not isinstance(error, Exception):
            break
        await asyncio.sleep(min(_PAUSE * 2 ** (number - 1), max(0.0, until - loop.time())))
    return failed


def _abandon(task: asyncio.Future[T]) -> None:
    """Cancel it and let it end by itself; what it still says is nobody's."""
    task.add_done_callback(lambda ended: None if ended.cancelled() else ended.exception())
    task.cancel()


def _words(error: BaseException, lang: Lang) -> str:
    if isinstance(error, TrolyError):
        return error.render(lang).line()
    return " ".join(str(error).split())[:200] or type(error).__name__
