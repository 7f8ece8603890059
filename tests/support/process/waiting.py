"""Waiting for a condition in tests, in place of sleeping for a guessed time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

STEP = 0.002


async def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Return as soon as `condition()` is true; raises TimeoutError after `seconds`."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(STEP)


def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """The same for tests that have no event loop."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        pause.wait(STEP)
