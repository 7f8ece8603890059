"""Lets only so many agents work at once (004-39); an agent that works already may do several tasks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Slots:
    """At most `agents` different agents inside `of` at any moment."""

    def __init__(self, agents: int) -> None:
        self._most = max(1, agents)
        self._busy: Counter[str] = Counter()
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def of(self, agent: str) -> AsyncIterator[None]:
        """Wait for a place for `agent`, and give it back."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._busy[agent] or len(+self._busy) < self._most)
            self._busy[agent] += 1
        try:
            yield
        finally:
            self._busy[agent] -= 1
            async with self._changed:
                self._changed.notify_all()
