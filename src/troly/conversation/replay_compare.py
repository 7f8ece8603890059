"""Compares two runs of a turn event by event, and says where they part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from troly.conversation.event_log import Line, written

# Longer runs are compared place by place: the matcher's time grows with the square.
MATCHED = 2_000
GONE = "(none)"


@dataclass(frozen=True, slots=True)
class Difference:
    """One event that is not the same: its number from 1 in the recording, and both as they are; None where missing."""

    number: int
    recorded: Line | None
    replayed: Line | None

    @property
    def event(self) -> str:
        """The name of the event."""
        return str((self.recorded or self.replayed or {}).get("event", ""))

    @property
    def changes(self) -> list[tuple[str, Any, Any]]:
        """The fields that differ as (path, recorded, replayed); one without a path where an event is missing."""
        if self.recorded is None or self.replayed is None:
            return [("", self.recorded, self.replayed)]
        return list(_changes(self.recorded, self.replayed, ""))


def differences(recorded: Sequence[Line], replayed: Sequence[Line]) -> Iterator[Difference]:
    """All events that differ, in order."""
    was, now = [written(line) for line in recorded], [written(line) for line in replayed]
    if was == now:
        return
    for a, b, c, d in _blocks(was, now):
        for at in range(max(b - a, d - c)):
            left = recorded[a + at] if a + at < b else None
            right = replayed[c + at] if c + at < d else None
            yield Difference(min(a + at, len(was)) + 1, left, right)


def _blocks(was: list[str], now: list[str]) -> Iterator[tuple[int, int, int, int]]:
    if max(len(was), len(now)) > MATCHED:
        for at in range(max(len(was), len(now))):
            if was[at : at + 1] != now[at : at + 1]:
                yield at, min(at + 1, len(was)), at, min(at + 1, len(now))
        return
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag != "equal":
            yield a, b, c, d


def _changes(was: Any, now: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*was, *now]):
            yield from _changes(was.get(key, GONE), now.get(key, GONE), f"{path}.{key}".lstrip("."))
    elif isinstance(was, (list, tuple)) and isinstance(now, (list, tuple)) and len(was) == len(now):
        for at, pair in enumerate(zip(was, now, strict=True)):
            yield from _changes(*pair, f"{path}.{at}")
    elif was != now:
        yield path, was, now
