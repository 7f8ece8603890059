"""The private memory of conversations: every saved message gets a vector behind the scenes, and is found again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from troly.errors import ModelError, TrolyError
from troly.retrieval import memory_words
from troly.retrieval.chroma import check_vectors
from troly.retrieval.ledger import Index
from troly.retrieval.memory_ledger import MemoryLedger, Waiting
from troly.retrieval.memory_queue import MemoryQueue
from troly.retrieval.memory_vectors import MemoryVectors
from troly.retrieval.memory_words import Place, Said
from troly.retrieval.ranking import fuse
from troly.stores.quarantine import QuarantinedFile
from troly.stores.state import StateDb
from troly.text.sanitize import sanitize

Embed = Callable[[list[str]], Awaitable[list[list[float]]]]
EmbedWith = Callable[[str, list[str]], Awaitable[list[list[float]]]]
# Documents and conversations never share a collection: another name, in another folder.
SUFFIX = "-memory"
# What an embedder is given of a message: beyond it a vector says nothing, and its window is not endless.
EMBED_CHARS = 2_000
_BATCH = 16
_CANDIDATES = 50


@dataclass(frozen=True, slots=True)
class Recollection:
    """A message that was found again. `score` (0-1) orders one result list only.

    `coverage` is the share of what the question's words tell that the message holds, `similarity` the cosine of the
    vectors (None without them): those two can be held against a threshold.
    """

    message_id: str
    sender: str
    text: str
    type: str
    created_at: datetime
    score: float
    coverage: float
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """Recollections, best first; `reason` says why vectors were asked for and not used."""

    messages: tuple[Recollection, ...]
    used_vectors: bool = False
    reason: TrolyError | None = None


async def _at_once() -> None:
    """No waiting between batches."""


class Memory:
    """Conversations as they are searched (C9). Async methods leave blocking work to threads. Raises StoreError.

    `embedder_of` names the embedder of a mode, `embed` asks it, `end` closes what `embed` opened in its event loop.
    """

    def __init__(
        self,
        db: StateDb,
        folder: Path,
        set_aside: Path,
        *,
        collection: str,
        embedder_of: Callable[[str], str],
        embed: EmbedWith,
        end: Callable[[], Awaitable[None]] = _at_once,
    ) -> None:
        self.collection = collection + SUFFIX
        self._db = db
        self._ledger = MemoryLedger(db)
        self._vectors = MemoryVectors(self._ledger, folder, set_aside)
        self._embedder_of = embedder_of
        self._embed = embed
        self._checked: set[Index] = set()
        self._refused: set[str] = set()
        self.queue = MemoryQueue(self.embed_waiting, end)

    @property
    def set_aside(self) -> tuple[QuarantinedFile, ...]:
        """Damaged folders that were moved away by this process."""
        return tuple(self._vectors.set_aside)

    def check(self) -> None:
        """Open the vectors; a damaged folder is set aside. Blocking; raises StoreError."""
        self._vectors.check()

    def enqueue(self) -> None:
        """Say that messages were saved: they get their vectors later, when no turn is running (000-59)."""
        self.queue.wake()

    def during_turn(self, *, offline: bool = False) -> AbstractContextManager[None]:
        """While open nothing is embedded; afterwards what was saved is, unless the turn was `offline`."""
        return self.queue.held(wake=not offline)

    def close(self) -> None:
        """End the queue, then close the vectors; what is still waiting is taken up by the next start."""
        self.queue.close()
        self._vectors.close()

    async def embed_waiting(self, calm: Callable[[], Awaitable[None]] = _at_once) -> int:
        """Remove the vectors of deleted conversations, then embed every message that waits; returns how many.

        Newest messages first. `calm` is awaited before each batch. Cancelled or killed, the next call goes on.
        Raises ModelError when no embedder answers, StoreError.
        """
        done = 0
        if await asyncio.to_thread(self._ledger.orphans, 1):
            await asyncio.to_thread(self._vectors.prune)
        modes: dict[str, list[str]] = {}
        for mode in await asyncio.to_thread(self._ledger.modes):
            modes.setdefault(self._embedder_of(mode), []).append(mode)
        for embedder, names in modes.items():
            done += await self._embed_for(embedder, names, calm)
        return done

    async def _embed_for(
        self, embedder: str, modes: Sequence[str], calm: Callable[[], Awaitable[None]]
    ) -> int:
        done, size = 0, _BATCH
        while True:
            await calm()
            index = await asyncio.to_thread(self._ledger.index, self.collection, embedder)
            batch = await asyncio.to_thread(self._ledger.waiting, index, modes, size, self._refused)
            if not batch:
                return done
            try:
                vectors = await self._embed(embedder, [_embedded(message) for message in batch])
            except ModelError as error:
                if error.key != "ollama.refused_length":
                    raise
                # One message is too long for this model: found one by one, and left alone by this process.
                self._refused.update(message.id for message in batch if len(batch) == 1)
                size = 1
                continue
            index = Index(self.collection, embedder, check_vectors(vectors, len(batch)))
            if index not in self._checked:
                await asyncio.to_thread(self._vectors.reconcile, index)
                self._checked.add(index)
            await asyncio.to_thread(self._vectors.upsert, index, batch, vectors)
            done += len(batch)

    async def search(
        self,
        owner: str,
        conversation_id: str,
        query: str,
        *,
        k: int = 4,
        embed: Embed | None = None,
        embedder: str = "",
        skip: Collection[str] = (),
    ) -> Recall:
        """The `k` messages of exactly this conversation of `owner` that `query` may mean (000-54), without `skip`.

        `embed` gives the vectors of `embedder`; where it is None or fails, words alone answer and `reason` says why.
        """
        place = Place(owner, conversation_id, frozenset(skip))
        near, reason = await self._by_vectors(query, place, max(_CANDIDATES, k), embed, embedder)
        found = await asyncio.to_thread(self._join, query, place, near)
        return Recall(tuple(found[: max(0, k)]), bool(near), reason)

    async def _by_vectors(
        self, query: str, place: Place, limit: int, embed: Embed | None, embedder: str
    ) -> tuple[list[tuple[str, float]], TrolyError | None]:
        text = _shortened(query)
        if embed is None or not text:
            return [], None
        index = await asyncio.to_thread(self._ledger.index, self.collection, embedder)
        if not index.dim or not await asyncio.to_thread(self._ledger.remembers, index, place.conversation):
            return [], None
        try:
            vectors = await embed([text])
            index = Index(self.collection, embedder, check_vectors(vectors, 1))
            if not await asyncio.to_thread(self._ledger.remembers, index, place.conversation):
                return [], None
            limit += len(place.skip)
            args = (index, vectors[0], place.owner, place.conversation, limit)
            return await asyncio.to_thread(self._vectors.nearest, *args), None
        except TrolyError as error:
            return [], error

    def _join(self, query: str, place: Place, near: Sequence[tuple[str, float]]) -> list[Recollection]:
        similar = dict(near)
        with self._db.read() as connection:
            found = memory_words.by_words(connection, query, place)
            others = memory_words.by_id(connection, list(similar), place)
        standings = dict(found.standings)
        said: dict[int, Said] = {**found.said, **{one.seq: one for one in others}}
        for one in others:
            standings.setdefault(one.seq, memory_words.standing(one, found.weights))
        by_words = sorted(found.said, key=lambda seq: (-standings[seq].points, -seq))
        by_vectors = sorted((one.seq for one in others), key=lambda seq: (-similar[said[seq].id], -seq))
        scores = fuse(standings, by_words, by_vectors)
        return [
            Recollection(
                message_id=said[seq].id,
                sender=said[seq].sender,
                text=said[seq].text,
                type=said[seq].type,
                created_at=datetime.fromisoformat(said[seq].created_at),
                score=scores[seq],
                coverage=standings[seq].coverage,
                similarity=similar.get(said[seq].id),
            )
            for seq in sorted(scores, key=lambda seq: (-scores[seq], -seq))
        ]


def _shortened(text: str) -> str:
    return sanitize(text[:EMBED_CHARS].encode("utf-8", "replace").decode("utf-8")).strip()


def _embedded(message: Waiting) -> str:
    # A message of control characters alone has no text left; it must not wait for ever.
    return _shortened(message.text) or "…"
