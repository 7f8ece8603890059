"""Keeps what was said so far of a running turn, and lets what must be saved be saved."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from troly.errors import StoreError
from troly.stores.conversations import Conversations

PARTIAL_EVERY = 2.0  # seconds
log = logging.getLogger(__name__)


async def keep_partial(
    store: Conversations, said: Callable[[], tuple[str, str]], every: float = PARTIAL_EVERY
) -> None:
    """Now and then keep what was said so far: a crash of the program must not lose a long answer.

    `said` gives the turn's id ("" before it has one) and the text. Goes on until it is cancelled.
    """
    kept = ""
    while True:
        await asyncio.sleep(every)
        turn, text = said()
        if not turn or text == kept:
            continue
        try:
            await asyncio.to_thread(store.save_partial, turn, text)
            kept = text
        except StoreError as error:
            # A store that is busy now may take the next one.
            log.warning("partial answer not saved", exc_info=error)


async def uncancelled(work: Any) -> None:
    """Wait for `work` to its end even if this task is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.done():
                break
    task.result()
