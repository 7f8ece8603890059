"""What the model calls behind an answer cost: tokens, context, speed; also of an answer that is still being written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# Below this time a rate says nothing.
_SHORTEST = 0.2


@dataclass(slots=True)
class Spent:
    """Sums over the calls of one answer.

    `used` of `window` tokens is the fullest context of a call; `ttft_ms` and `rate` (tokens a second) are of the call
    that wrote last. `pieces` came since `since`, of the call that is running.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    used: int = 0
    window: int = 0
    ttft_ms: float | None = None
    rate: float | None = None
    pieces: int = 0
    since: datetime | None = None

    def heard(self, now: datetime) -> None:
        """A piece of the answer came."""
        self.pieces += 1
        if self.since is None:
            self.since = now

    def call(self, call: Mapping[str, Any]) -> None:
        """A call ended; the names are those of the event `ModelCalled`."""
        said, asked = call.get("completion_tokens") or 0, call.get("prompt_tokens") or 0
        self.pieces, self.since = 0, None
        if call.get("kind") == "embed":
            return
        self.prompt_tokens += asked
        self.completion_tokens += said
        window = call.get("window") or 0
        if window and (asked + said) * (self.window or 1) >= self.used * window:
            self.used, self.window = asked + said, window
        first = call.get("ttft_ms")
        if first is not None and (call.get("kind") == "stream" or self.ttft_ms is None):
            self.ttft_ms = float(first)
            writing = (float(call.get("ms") or 0.0) - self.ttft_ms) / 1000
            self.rate = said / writing if said > 1 and writing > 0 else None

    def running_rate(self, now: datetime) -> float | None:
        """Pieces a second of the call that is running; None where there is none or it has just begun."""
        seconds = (now - self.since).total_seconds() if self.since else 0.0
        return self.pieces / seconds if seconds >= _SHORTEST else None


def spent_of(calls: Iterable[Mapping[str, Any]]) -> Spent | None:
    """The sums of saved calls; None without any."""
    found = None
    for call in calls:
        found = found or Spent()
        found.call(call)
    return found
