"""The private memory of conversations: every saved message gets a vector behind the scenes, and is found again.

That is done in a thread with an event loop of its own, and only while no turn is running.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from troly.errors import ModelError, StoreError, TrolyError
from troly.retrieval.schema import OWNER_OF
from troly.retrieval.search.ranking import RelevanceScore, Weights, fuse, judge
from troly.retrieval.search.terms import index_terms, query_terms
from troly.retrieval.search.vectors import ChromaFolder, ChromaServer, Index, IndexLedger, check_vectors
from troly.stores.connections import Connection
from troly.stores.message_search import word_index
from troly.stores.quarantine import QuarantinedFile
from troly.stores.state import StateDb
from troly.text.fold import bigrams
from troly.text.sanitize import sanitize

# Which saved messages have a vector in which index of the conversation memory; what is without one waits.


_WAITING = """
SELECT m.id, m.text, m.conversation_id, c.user_id, m.created_at
FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
WHERE c.deleted_at IS NULL AND trim(m.text) <> '' AND c.mode IN (SELECT value FROM json_each(:modes))
    AND m.id NOT IN (SELECT value FROM json_each(:skip))
    AND NOT EXISTS (SELECT 1 FROM memory_vectors AS v WHERE v.index_name = :name AND v.message_id = m.id)
ORDER BY m.seq DESC LIMIT :limit
"""
_ADD = f"""
INSERT INTO memory_vectors (index_name, message_id, user_id) VALUES (?, ?, {OWNER_OF.format("?")}) ON CONFLICT DO NOTHING
"""  # noqa: S608 (constants)
_NOTE_INDEX = """
INSERT INTO memory_indexes (name, collection, embedder, dim) VALUES (:name, :collection, :embedder, :dim)
ON CONFLICT (name) DO NOTHING
"""
_CURRENT = "UPDATE memory_indexes SET current = CASE WHEN name = :name THEN 1 ELSE 0 END WHERE collection = :collection AND embedder = :embedder"


class PendingMessage(NamedTuple):
    """A message without a vector, and what is kept beside the vector (000-56); `created_at` as stored."""

    id: str
    text: str
    conversation: str
    owner: str
    created_at: str


class MemoryLedger(IndexLedger):
    """The vectors of messages.

    There is no other queue: what is saved and has no row is waiting, whichever process saved it.
    """

    ROWS, KEY, VERSIONS, INDEX = "memory_vectors", "message_id", "memory_indexes", "name"
    LOST = """
        SELECT v.index_name, v.message_id FROM memory_vectors AS v
        LEFT JOIN messages AS m ON m.id = v.message_id
        LEFT JOIN conversations AS c ON c.id = m.conversation_id AND c.deleted_at IS NULL
        WHERE c.id IS NULL LIMIT ?
    """
    NEXT = "UPDATE memory_indexes SET version = version + 1 WHERE name = ? RETURNING version"

    def index(self, collection: str, embedder: str) -> Index:
        """The index that `embedder` writes now; its `dim` is 0 while it has written nothing."""
        sql = "SELECT dim FROM memory_indexes WHERE collection = ? AND embedder = ? AND current = 1"
        return Index(collection, embedder, self._number(sql, collection, embedder))

    def modes(self) -> list[str]:
        with self._db.read() as connection:
            sql = "SELECT DISTINCT mode FROM conversations WHERE deleted_at IS NULL"
            return [str(row[0]) for row in connection.execute(sql)]

    def waiting(
        self, index: Index, modes: Sequence[str], limit: int, skip: Collection[str]
    ) -> list[PendingMessage]:
        """The newest messages of `modes` that have no vector in `index`, without those of `skip`."""
        lists = {"modes": json.dumps(list(modes)), "skip": json.dumps(sorted(skip))}
        with self._db.read() as connection:
            rows = connection.execute(_WAITING, {**lists, "name": index.name, "limit": limit})
            return [PendingMessage(*row) for row in rows]

    def remembers(self, index: Index, conversation: str) -> bool:
        """Whether any message of `conversation` has a vector in `index`."""
        sql = (
            "SELECT 1 FROM messages AS m JOIN memory_vectors AS v ON v.index_name = ? AND v.message_id = m.id "
            "WHERE m.conversation_id = ? LIMIT 1"
        )
        return self._number(sql, index.name, conversation) > 0

    def added(self, index: Index, ids: Sequence[str]) -> int:
        """Note that `ids` have a vector in `index`, which is the embedder's current one; returns the new version."""
        facts = {"name": index.name, **index._asdict()}
        with self._db.write() as connection:
            connection.execute(_NOTE_INDEX, facts)
            connection.execute(_CURRENT, facts)
            rows = [(index.name, message, message) for message in ids]
            connection.executemany(_ADD, rows)
            return self._next(connection, index.name)


# Finds messages of one conversation by words; how much a word tells is counted inside that conversation alone.


# A message is judged by its beginning; a pasted file says early what it is about.
JUDGED_CHARS = 4_000
_WORD_CANDIDATES = 100
_COLUMNS = "m.seq, m.id, m.sender, m.type, m.created_at, m.text"
_MINE = (
    "m.conversation_id = :conversation AND c.user_id = :owner AND c.deleted_at IS NULL "
    "AND m.id NOT IN (SELECT value FROM json_each(:skip)) "
    # An answer that was marked as wrong is not remembered.
    "AND NOT (m.sender = 'assistant' AND m.turn_id IN (SELECT turn_id FROM wrong_answers))"
)
# The bounds let the index leave out other conversations before it looks at a row.
_BY_WORDS = f"""
SELECT {_COLUMNS} FROM messages_fts AS f
JOIN messages AS m ON m.seq = f.rowid JOIN conversations AS c ON c.id = m.conversation_id
WHERE {{match}} AND f.rowid BETWEEN :first AND :last AND {_MINE}
ORDER BY f.rowid DESC LIMIT :limit
"""  # noqa: S608 (constants; everything typed is a parameter)
_BY_ID = f"""
SELECT {_COLUMNS} FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
WHERE m.id IN (SELECT value FROM json_each(:ids)) AND {_MINE}
"""  # noqa: S608 (constants)
_BOUNDS = "SELECT min(seq), max(seq), count(*) FROM messages WHERE conversation_id = ?"


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """Where is searched: one conversation of one owner, without the messages `skip`."""

    owner: str
    conversation: str
    skip: Collection[str] = ()

    def params(self) -> dict[str, str]:
        return {"owner": self.owner, "conversation": self.conversation, "skip": json.dumps(sorted(self.skip))}


@dataclass(frozen=True, slots=True)
class MessageCandidate:
    """A message that may be meant; `seq` is its order of arrival, `created_at` as stored."""

    seq: int
    id: str
    sender: str
    type: str
    created_at: str
    text: str


@dataclass(frozen=True, slots=True)
class WordMatches:
    """Candidates and how well the words fit each, by `seq`."""

    said: dict[int, MessageCandidate]
    standings: dict[int, RelevanceScore]
    weights: Weights


def messages_by_words(connection: Connection, question: str, place: MemoryScope) -> WordMatches:
    """The newest messages of `place` that hold a word of `question`, judged. Any string is a valid question."""
    terms = query_terms(question)
    first, last, total = connection.execute(_BOUNDS, (place.conversation,)).fetchone()
    if not terms.folded or not total:
        return WordMatches({}, {}, Weights({}, {}))
    index = word_index(connection)
    params = {
        "expression": index.any_of(terms.folded),
        "first": first,
        "last": last,
        "limit": _WORD_CANDIDATES,
    }
    rows = connection.execute(_BY_WORDS.format(match=index.match), {**place.params(), **params})
    said = {row[0]: MessageCandidate(*row) for row in rows}
    texts = {seq: _words(one) for seq, one in said.items()}
    weights = Weights(
        _weights(terms.folded, [set(words) for words in texts.values()], total),
        _weights(terms.bigrams, [set(bigrams(words)) for words in texts.values()], total),
    )
    standings = {seq: judge(0.0, words, weights) for seq, words in texts.items()}
    return WordMatches(said, standings, weights)


def standing(said: MessageCandidate, weights: Weights) -> RelevanceScore:
    """How well the words fit a message that was found otherwise."""
    return judge(0.0, _words(said), weights)


def _words(said: MessageCandidate) -> list[str]:
    return index_terms(said.text[:JUDGED_CHARS]).folded


def _weights(terms: Sequence[str], texts: Sequence[set[str]], total: int) -> dict[str, float]:
    """Inverse document frequency of each term among the conversation's messages."""
    counts = {term: sum(term in words for words in texts) for term in terms}
    return {term: math.log((total - n + 0.5) / (n + 0.5) + 1) for term, n in counts.items()}


# Vectors of messages: one record a message under the message's id, searched inside one conversation only.


class MemoryVectors(ChromaFolder[MemoryLedger]):
    """The memory's folder of vectors. Errors of the store are StoreError `knowledge.vectors_*`."""

    def nearest(
        self, index: Index, vector: Sequence[float], owner: str, conversation: str, limit: int
    ) -> list[tuple[str, float]]:
        """Up to `limit` messages of exactly this conversation of this owner, as (id, cosine similarity) (000-54)."""
        where = {"$and": [{"conversation_id": conversation}, {"user_id": owner}]}
        return self._nearest(index, vector, where, limit)

    def upsert(
        self, index: Index, messages: Sequence[PendingMessage], vectors: Sequence[Sequence[float]]
    ) -> None:
        """Store a vector for each of at most MAX_BATCH messages, with the documents' metadata (000-56)."""
        if check_vectors(vectors, len(messages)) != index.dim:
            raise StoreError("knowledge.vectors_bad", wanted=index.dim, got=len(vectors[0]))
        ids = [message.id for message in messages]
        data: Any = [list(map(float, vector)) for vector in vectors]
        notes: Any = [
            {
                "conversation_id": message.conversation,
                "user_id": message.owner,
                "message_id": message.id,
                "created_at": message.created_at,
            }
            for message in messages
        ]
        with self._lock:
            self._with(index, lambda collection: collection.upsert(ids=ids, embeddings=data, metadatas=notes))
            self._wrote(index.name, self.ledger.added(index, ids))


Calm = Callable[[], Awaitable[None]]
# So long nothing must have been saved: who has just been answered may be about to write again.
QUIET = 2.0
_LOOK = 0.05
log = logging.getLogger(__name__)
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
class RecallResult:
    """Recollections, best first; `reason` says why vectors were asked for and not used."""

    messages: tuple[Recollection, ...]
    used_vectors: bool = False
    reason: TrolyError | None = None


class MemoryQueue:
    """Runs `work(calm)` after each `wake`, one at a time; `work` awaits `calm` before each portion.

    No thread exists before the first wake. Safe from any thread. `end` runs in the queue's loop when it closes.
    """

    def __init__(self, work: Callable[[Calm], Awaitable[object]], end: Callable[[], Awaitable[None]]) -> None:
        self.quiet = QUIET
        self._work = work
        self._end = end
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._event: asyncio.Event | None = None
        self._wanted = self._closed = False
        self._held = 0
        self._last = 0.0

    def wake(self) -> None:
        """Let the work begin as soon as it is quiet; a wake during the work makes it run once more."""
        with self._lock:
            if self._closed:
                return
            self._last, self._wanted = time.monotonic(), True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memory", daemon=True)
                self._thread.start()
            elif self._loop is not None and self._event is not None and not self._event.is_set():
                # Where it is set already, the work that is to come sees this change as well.
                self._loop.call_soon_threadsafe(self._event.set)

    @contextmanager
    def held(self, *, wake: bool = True) -> Iterator[None]:
        """While open, nothing new is begun; then `wake`, where wanted."""
        with self._lock:
            self._held += 1
        try:
            yield
        finally:
            with self._lock:
                self._held -= 1
                self._last = time.monotonic()
            if wake:
                self.wake()

    def close(self) -> None:
        """Cancel what is running and wait for the thread's end; a second call does nothing."""
        with self._lock:
            self._closed = True
            thread, self._thread = self._thread, None
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(self._main())

    async def _main(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            self._event = asyncio.Event()
            if self._wanted:
                self._event.set()
        try:
            while await self._event.wait():
                self._event.clear()
                await self._calm()
                try:
                    await self._work(self._calm)
                except TrolyError as error:
                    log.info("memory waits: %s", error.key)
                except Exception as error:
                    # The queue outlives any one failure; the messages stay waiting.
                    log.warning("memory failed", exc_info=error)
        finally:
            with self._lock:
                self._loop = None
            await self._end()

    async def _calm(self) -> None:
        """Return once no turn is running and nothing was saved for `quiet` seconds."""
        while (left := self._last + self.quiet - time.monotonic()) > 0 or self._held:  # noqa: ASYNC110 (set by other threads)
            await asyncio.sleep(max(left, _LOOK))


async def _at_once() -> None:
    """No waiting between batches."""


async def _no_pages(_embed: EmbedWith, _calm: Calm) -> int:
    return 0


class Memory:
    """Conversations as they are searched (C9). Async methods leave blocking work to threads. Raises StoreError.

    `embedder_of` names the embedder of a mode, `embed` asks it, `end` closes what `embed` opened in its event loop.
    `embed_pages` is run by the same queue after the messages: what else waits for vectors.
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
        embed_pages: Callable[[EmbedWith, Calm], Awaitable[int]] = _no_pages,
        server: ChromaServer | None = None,
    ) -> None:
        self.collection = collection + SUFFIX
        self._db = db
        self._ledger = MemoryLedger(db)
        self._vectors = MemoryVectors(self._ledger, folder, set_aside, server)
        self._embedder_of = embedder_of
        self._embed = embed
        self._embed_pages = embed_pages
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

    async def embed_waiting(self, calm: Calm = _at_once) -> int:
        """Remove the vectors of deleted conversations, then embed what waits, messages and pages; returns how many.

        Newest messages first. `calm` is awaited before each batch. Cancelled or killed, the next call goes on.
        Raises ModelError when no embedder answers, StoreError.
        """
        if await asyncio.to_thread(self._ledger.orphans, 1):
            await asyncio.to_thread(self._vectors.prune)
        return await self.embed_messages(calm) + await self._embed_pages(self._embed, calm)

    async def embed_messages(self, calm: Calm = _at_once) -> int:
        """Embed the messages that wait, and nothing else; as `embed_waiting`."""
        done = 0
        modes: dict[str, list[str]] = {}
        for mode in await asyncio.to_thread(self._ledger.modes):
            modes.setdefault(self._embedder_of(mode), []).append(mode)
        for embedder, names in modes.items():
            done += await self._embed_for(embedder, names, calm)
        return done

    async def _embed_for(self, embedder: str, modes: Sequence[str], calm: Calm) -> int:
        done, size = 0, _BATCH
        while True:
            await calm()
            index = await asyncio.to_thread(self._ledger.index, self.collection, embedder)
            batch = await asyncio.to_thread(self._ledger.waiting, index, modes, size, self._refused)
            if not batch:
                return done
            try:
                # A message of control characters alone has no text left; it must not wait for ever.
                texts = [_shortened(message.text) or "…" for message in batch]
                vectors = await self._embed(embedder, texts)
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
    ) -> RecallResult:
        """The `k` messages of exactly this conversation of `owner` that `query` may mean (000-54), without `skip`.

        `embed` gives the vectors of `embedder`; where it is None or fails, words alone answer and `reason` says why.
        """
        place = MemoryScope(owner, conversation_id, frozenset(skip))
        near, reason = await self._by_vectors(query, place, max(_CANDIDATES, k), embed, embedder)
        found = await asyncio.to_thread(self._join, query, place, near)
        return RecallResult(tuple(found[: max(0, k)]), bool(near), reason)

    async def _by_vectors(
        self, query: str, place: MemoryScope, limit: int, embed: Embed | None, embedder: str
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

    def _join(self, query: str, place: MemoryScope, near: Sequence[tuple[str, float]]) -> list[Recollection]:
        similar = dict(near)
        with self._db.read() as connection:
            found = messages_by_words(connection, query, place)
            rows = connection.execute(_BY_ID, {**place.params(), "ids": json.dumps(list(similar))})
            others = [MessageCandidate(*row) for row in rows]
        standings = dict(found.standings)
        said: dict[int, MessageCandidate] = {**found.said, **{one.seq: one for one in others}}
        for one in others:
            standings.setdefault(one.seq, standing(one, found.weights))
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
