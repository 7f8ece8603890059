"""Keeps what tools found for as long as configured; the key holds everything the result depends on (004-40)."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

_MOST = 512
T = TypeVar("T")


def digest(*values: Any) -> str:
    """SHA-256 of JSON values, in hexadecimal; equal values give equal digests in every process."""
    whole = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


class Cache:
    """At most 512 results, the longest unused leaves first. One for a process; `clock` gives seconds that only grow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Any]] = OrderedDict()

    def get(self, key: str, ttl: float) -> Any:
        """What was kept under `key` less than `ttl` seconds ago; None where there is nothing."""
        found = self._kept.get(key)
        if found is None:
            return None
        if self._clock() - found[0] >= ttl:
            self._kept.pop(key, None)
            return None
        self._kept.move_to_end(key)
        return found[1]

    def put(self, key: str, value: Any) -> None:
        """Keep `value`, never None."""
        self._kept[key] = (self._clock(), value)
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
