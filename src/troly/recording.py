"""What one turn takes from outside itself (times, the network, memories), kept in order so that a replay is given the same."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TypeVar

T = TypeVar("T")
# A replay that has left the recorded path waits this long for a branch that no longer comes.
PATIENCE = 5.0
_DIGITS = 3


class TurnRecording:
    """Values by label, in the order in which they were taken; with `recorded` they are given back instead of taken.

    `made` and `used` are keys of answers that were kept for reuse, and that were reused; `excluded` says whether a key
    may not be reused. `missed` names the labels of a replay for which nothing was recorded. `turn` is the turn's id.
    """

    def __init__(self, recorded: Mapping[str, Any] | None = None) -> None:
        self.replaying = recorded is not None
        saved = recorded or {}
        self._values: dict[str, list[Any]] = {}
        self._left = {name: deque(values) for name, values in dict(saved.get("values", {})).items()}
        self._orders: dict[str, list[str]] = {}
        self._awaited = {name: deque(keys) for name, keys in dict(saved.get("orders", {})).items()}
        self._moved = asyncio.Event()
        self.turn = ""
        self.excluded: Callable[[str], bool] = lambda _key: False
        self.made: list[str] = []
        self.used: list[str] = []
        self.missed: list[str] = []

    def keep(self, label: str, value: Any) -> None:
        self._values.setdefault(label, []).append(value)

    def resume(self, recorded: Mapping[str, Any]) -> None:
        """Let the turn go on from an earlier run: what the network gave then is not asked for again."""
        self._left = {name: deque(values) for name, values in dict(recorded.get("values", {})).items()}

    def resumed(self, label: str) -> bool:
        """Whether the earlier run of a turn that goes on has a value of `label` to give."""
        return not self.replaying and bool(self._left.get(label))

    def last(self, label: str) -> Any:
        return self._values[label][-1]

    def left(self, label: str) -> bool:
        """Whether a replay has a value of `label` to give; where it has none the label is noted as missed."""
        if self._left.get(label):
            return True
        self.missed.append(label)
        return False

    def next(self, label: str) -> Any:
        """The next recorded value; IndexError where there is none."""
        return self._left[label].popleft()

    async def in_order(self, name: str, key: str) -> None:
        """Live: note that `key` comes now. In a replay: wait until all that came before it has come again."""
        if not self.replaying:
            self._orders.setdefault(name, []).append(key)
            return
        waiting = self._awaited.get(name, deque())
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while key in waiting and waiting[0] != key:
                    self._moved.clear()
                    await self._moved.wait()
        with suppress(ValueError):
            waiting.remove(key)
        self._moved.set()

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON values, for the trace."""
        return {"values": self._values, "orders": self._orders}


_RECORDING: ContextVar[TurnRecording | None] = ContextVar("troly_recording", default=None)
_NODE: ContextVar[str] = ContextVar("troly_node", default="")


@contextmanager
def at_node(name: str) -> Iterator[None]:
    """While open, the step of a turn that is at work is `name`; see `node`."""
    token = _NODE.set(name)
    try:
        yield
    finally:
        _NODE.reset(token)


def node() -> str:
    """The step that is at work; "" outside of any."""
    return _NODE.get()


@contextmanager
def running(recording: TurnRecording) -> Iterator[TurnRecording]:
    """While open, everything below records on `recording` or is given from it; threads and tasks begun inside included."""
    token = _RECORDING.set(recording)
    try:
        yield recording
    finally:
        _RECORDING.reset(token)


def replaying() -> bool:
    """Whether the turn that runs here is a replay."""
    recording = _RECORDING.get()
    return recording is not None and recording.replaying


def duration(label: str, value: float) -> float:
    """A measured time: `value`, or in a replay the one that was recorded."""
    recording = _RECORDING.get()
    if recording is None:
        return value
    if recording.replaying:
        return float(recording.next(label)) if recording.left(label) else 0.0
    value = round(value, _DIGITS)
    recording.keep(label, value)
    return value


def current_time(label: str) -> datetime:
    """The time now, in UTC, or in a replay the time that was recorded."""
    now, recording = datetime.now(UTC), _RECORDING.get()
    if recording is None:
        return now
    if recording.replaying:
        return datetime.fromisoformat(recording.next(label)) if recording.left(label) else now
    recording.keep(label, now.isoformat())
    return now


def recorded(label: str, work: Callable[[], Any]) -> Any:
    """The JSON value that `work` gives; in a replay the recorded one, and `work` is not called.

    A replay without a recording calls it.
    """
    recording = _RECORDING.get()
    if recording is None:
        return work()
    if recording.replaying and recording.left(label):
        return recording.next(label)
    value = work()
    if not recording.replaying:
        recording.keep(label, value)
    return value


async def recorded_call(
    label: str,
    work: Callable[[], Awaitable[T]],
    pack: Callable[[T], Any],
    unpack: Callable[[Any], T],
    otherwise: Callable[[], T] | None = None,
) -> T:
    """What `work` gives, recorded as the JSON that `pack` makes of it; in a replay what `unpack` makes of the recording.

    A replay without a recording takes `otherwise`, and calls `work` only where that is None (nothing of the network).
    """
    recording = _RECORDING.get()
    if recording is None:
        return await work()
    if recording.replaying:
        if recording.left(label):
            return unpack(recording.next(label))
        return otherwise() if otherwise is not None else await work()
    if recording.resumed(label):
        recording.keep(label, recording.next(label))
        return unpack(recording.last(label))
    value = await work()
    recording.keep(label, pack(value))
    return value


async def in_order(name: str, key: str) -> None:
    """A point that side-by-side work passes in the same order again when the turn is replayed."""
    recording = _RECORDING.get()
    if recording is not None:
        await recording.in_order(name, key)


def turn() -> str:
    """The id of the turn that runs here; "" outside of one."""
    recording = _RECORDING.get()
    return recording.turn if recording is not None else ""


def excluded(key: str) -> bool:
    """Whether what stands under `key` may not be reused, because an answer of it was marked as wrong."""
    recording = _RECORDING.get()
    return recording is not None and recording.excluded(key)


def kept_for_reuse(key: str) -> None:
    """Something of this turn is kept for reuse under `key` (`rental.reuse:12`, `turn:<id>`)."""
    _note("made", key)


def reused(key: str) -> None:
    """This turn reuses what stands under `key`."""
    _note("used", key)


def _note(kind: str, key: str) -> None:
    recording = _RECORDING.get()
    if recording is not None:
        keys: list[str] = getattr(recording, kind)
        if key not in keys:
            keys.append(key)


def keys_of(trace: Mapping[str, Any], *kinds: str) -> Sequence[str]:
    """The reuse keys of a saved trace: of `kinds` (`made`, `used`), or of both."""
    found = trace.get("provenance") or {}
    return [str(key) for kind in kinds or ("made", "used") for key in found.get(kind, ())]
