"""Keeps what tools found for as long as configured; the key holds everything the result depends on (004-40)."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from troly import recording

_MOST = 512
TURN = "turn:"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A value, since when it is kept, and the id of the turn that found it ("-" for none)."""

    since: float
    value: Any
    maker: str


def digest(*values: Any) -> str:
    """SHA-256 of JSON values, in hexadecimal; equal values give equal digests in every process."""
    whole = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


class Cache:
    """At most 512 results, the longest unused leaves first. One for a process; `clock` gives seconds that only grow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def get(self, key: str, ttl: float) -> Any:
        """What was kept under `key` less than `ttl` seconds ago; None where there is nothing.

        Nothing of a turn that was marked as wrong is given again. The recording of a turn says whose finds it reused.
        """
        maker = recording.noted(f"rag.cache:{key[:16]}", lambda: self._maker(key, ttl))
        found = self._kept.get(key)
        if not maker or found is None:
            return None
        if maker != recording.turn():
            recording.used(f"{TURN}{maker}")
        self._kept.move_to_end(key)
        return found.value

    def _maker(self, key: str, ttl: float) -> str:
        """The turn that found what is kept under `key`; "" where nothing may be given."""
        found = self._kept.get(key)
        if found is None:
            return ""
        if self._clock() - found.since >= ttl or recording.barred(f"{TURN}{found.maker}"):
            self._kept.pop(key, None)
            return ""
        return found.maker

    def put(self, key: str, value: Any) -> None:
        """Keep `value`, never None, as found by the turn that is running."""
        maker = recording.turn()
        if maker:
            recording.made(f"{TURN}{maker}")
        self._kept[key] = _Kept(self._clock(), value, maker or "-")
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)


async def kept(
    cache: Cache | None, key: str, ttl: float, work: Callable[[], Awaitable[T]], good: Callable[[T], bool]
) -> T:
    """What was kept under `key`, else what `work` gives, which is kept when it is `good`; None as `cache` keeps nothing."""
    found: T | None = cache.get(key, ttl) if cache is not None else None
    if found is not None:
        return found
    value = await work()
    if cache is not None and good(value):
        cache.put(key, value)
    return value
