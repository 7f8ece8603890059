"""Runs one turn to its end for the command line: events to a printer, Ctrl-C to the turn."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING

from troly.conversation.session import Session
from troly.errors import ConfigError
from troly.plugin.events import TurnCompleted, TurnFailed

if TYPE_CHECKING:
    from troly.cli.printer import Printer
    from troly.config import Profile
    from troly.conversation.turn import TurnRequest


@dataclass(frozen=True, slots=True)
class Answered:
    """How a turn ended: the conversation it belongs to, whether it was completed, and whether Ctrl-C was pressed.

    Both may be true: a Ctrl-C that comes when the answer is whole still means that no more is wanted.
    """

    conversation: str
    completed: bool
    stopped: bool


async def answer(session: Session, profile: Profile, request: TurnRequest, printer: Printer) -> Answered:
    """Run one turn; Ctrl-C stops it and its terminal event is still printed, a second one ends the program.

    The samples of a mode that never had any are loaded first.
    """
    from troly.conversation.turn import run_turn

    turn = run_turn(replace(session, profile=profile), request)
    loop = asyncio.get_running_loop()
    last: TurnCompleted | TurnFailed | None = None
    pressed = threading.Event()

    def stop() -> None:
        pressed.set()
        loop.call_soon_threadsafe(turn.cancel)

    with on_interrupt(stop):
        await asyncio.to_thread(_stock, session, request)
        async for event in turn.events():
            printer.show(event, turn.conversation_id, turn.turn_id)
            if isinstance(event, (TurnCompleted, TurnFailed)):
                last = event
    return Answered(turn.conversation_id, isinstance(last, TurnCompleted), pressed.is_set())


def _stock(session: Session, request: TurnRequest) -> None:
    from troly.plugin.samples import load_once

    # A mode that cannot be used is told of by its turn.
    with suppress(ConfigError):
        load_once(session.services, [session.registry.get(request.mode)], request.language or "vi")


@contextmanager
def on_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` at the first Ctrl-C; the second raises KeyboardInterrupt as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def handle(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
