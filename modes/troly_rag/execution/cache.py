"""Keeps what tools and models found for as long as configured; the key holds everything a result depends on (004-40)."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from troly import recording
from troly.text.dates import HCM

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly_rag.config import RagConfig
    from troly_rag.corpus.access import UserContext

_MOST = 512
TURN = "turn:"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _CacheEntry:
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
        self._entries: OrderedDict[str, _CacheEntry] = OrderedDict()

    def get(self, key: str, ttl: float) -> Any:
        """What was kept under `key` less than `ttl` seconds ago; None where there is nothing.

        Nothing of a turn that was marked as wrong is given again. The recording of a turn says whose finds it reused.
        """
        maker = recording.recorded(f"rag.cache:{key[:16]}", lambda: self._maker(key, ttl))
        entry = self._entries.get(key)
        if not maker or entry is None:
            return None
        if maker != recording.turn():
            recording.reused(f"{TURN}{maker}")
        self._entries.move_to_end(key)
        return entry.value

    def _maker(self, key: str, ttl: float) -> str:
        """The turn that found what is kept under `key`; "" where nothing may be given."""
        entry = self._entries.get(key)
        if entry is None:
            return ""
        if self._clock() - entry.since >= ttl or recording.excluded(f"{TURN}{entry.maker}"):
            self._entries.pop(key, None)
            return ""
        return entry.maker

    def put(self, key: str, value: Any) -> None:
        """Keep `value`, never None, as found by the turn that is running."""
        maker = recording.turn()
        if maker:
            recording.kept_for_reuse(f"{TURN}{maker}")
        self._entries[key] = _CacheEntry(self._clock(), value, maker or "-")
        self._entries.move_to_end(key)
        while len(self._entries) > _MOST:
            self._entries.popitem(last=False)


@dataclass(frozen=True, slots=True)
class TurnCache:
    """The cache as one turn may use it: what a model decided or wrote for the same question of somebody who may see
    the same. `cache` is None where caching is off; `scope` is that of `cache_scope`.
    """

    cache: Cache | None
    ttl: float
    scope: tuple[Any, ...]

    async def get_or_make(
        self, what: str, about: object, work: Callable[[], Awaitable[T]], good: Callable[[T], bool]
    ) -> T:
        """What is kept of `about`, else what `work` gives; only what is `good` is kept."""
        key = digest(what, about, self.scope)
        found: T | None = self.cache.get(key, self.ttl) if self.cache is not None else None
        if found is not None:
            return found
        value = await work()
        if self.cache is not None and good(value):
            self.cache.put(key, value)
        return value


def cache_scope(turn: TurnContext, user: UserContext, config: RagConfig) -> tuple[Any, ...]:
    """What a kept result is good for: the asker's rights, the documents and settings as they stand, the day, the model.

    Blocking: reads the state database.
    """
    # A figure that changes with every document that is added, changed or taken away.
    sql = "SELECT count(*), coalesce(max(id), 0), coalesce(sum(id), 0), coalesce(max(ingested_at), '') FROM documents"
    with turn.services.index.read() as connection:
        documents = list(connection.execute(sql).fetchone())
    return (
        user.tenant_id,
        sorted(user.permissions),
        sorted(user.accessible_departments),
        user.department,
        str(config),
        documents,
        turn.language,
        turn.now.astimezone(HCM).date().isoformat(),
        turn.model.reason_unavailable is None,
    )
