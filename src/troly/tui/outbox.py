"""The way of a turn's events from the house's thread to the screen."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from troly.tui.port import Deliver, Sink

if TYPE_CHECKING:
    from troly.plugin.events import Event

# What comes faster than the screen is painted wakes the screen's loop for nothing.
FRAME = 0.1


class Outbox:
    """Collects the events of one turn on the house's loop and hands them over in batches; tokens once a frame."""

    def __init__(self, deliver: Deliver, sink: Sink) -> None:
        self._deliver = deliver
        self._sink = sink
        self._events: deque[Event] = deque()
        self._conversation = ""
        self._on_its_way = False
        self._sent = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def put(self, event: Event, conversation: str) -> None:
        """Add one event; called on the house's loop."""
        from troly.plugin.events import Token

        self._conversation = conversation
        self._events.append(event)
        if not isinstance(event, Token):
            self._send()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(self._sent + FRAME, self._send)

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._on_its_way:
            self._on_its_way = True
            self._sent = asyncio.get_running_loop().time()
            self._deliver(self._hand_over)

    def _hand_over(self) -> None:
        self._on_its_way = False
        self._sink(list(_taken(self._events)), self._conversation)


def _taken(events: deque[Event]) -> Iterator[Event]:
    with suppress(IndexError):
        while True:
            yield events.popleft()


async def never_silent(work: Coroutine[Any, Any, None], outbox: Outbox) -> None:
    """A turn that breaks without its terminal event gets one, so that no answer stays open on the screen."""
    with _ending(outbox):
        await work


@contextmanager
def _ending(outbox: Outbox) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        from troly.plugin.events import TurnFailed

        outbox.put(TurnFailed(type(error).__name__, str(error)[:300], "", "turn.failed"), "")
        if not isinstance(error, Exception):
            raise
