"""Searching what was ingested, by words and by vectors, and storing documents: the face of retrieval."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from troly.errors import StoreError, TrolyError
from troly.retrieval.documents.chunks import chunk_blocks, describe_place
from troly.retrieval.documents.files import Document
from troly.retrieval.documents.store import ChunkStore, DocumentRecord, Reader, StoredDocument
from troly.retrieval.schema import MIGRATIONS
from troly.retrieval.search import lexical
from troly.retrieval.search.glossary import meanings, reword
from troly.retrieval.search.ranking import Weights, fuse, judge
from troly.retrieval.search.terms import QueryTerms, read_question, terms_of
from troly.retrieval.search.vectors import (
    ChromaServer,
    Index,
    VectorLedger,
    VectorStore,
    access_key,
    check_vectors,
)
from troly.stores.connections import Connection
from troly.stores.migrations import Migration
from troly.stores.quarantine import QuarantinedFile
from troly.stores.state import StateDb
from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize

Embed = Callable[[list[str]], Awaitable[list[list[float]]]]
_CANDIDATES = 50
_EMBED_BATCH = 32
# How many questions are kept as they were read.
_QUESTIONS = 256
_PROBE = "xin chào"


@dataclass(frozen=True, slots=True)
class Passage:
    """A find. `score` (0-1) orders one result list only; ranks count from 1, None where that search had no such find.

    `coverage` is the share of what the question's words tell that the passage holds, `similarity` the cosine of the
    vectors (None without them): those two can be held against a threshold. `document` is the path or key.
    """

    chunk_id: int
    document: str
    title: str
    heading: str
    where: str
    text: str
    score: float
    bm25_rank: int | None
    vector_rank: int | None
    coverage: float = 0.0
    similarity: float | None = None
    document_id: int = 0
    permission: str | None = None
    ingested_at: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Passages, best first; `reason` says why vectors were asked for and not used."""

    passages: tuple[Passage, ...]
    used_vectors: bool = False
    reason: TrolyError | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingResult:
    """How many chunks got a vector, how many still have none, and what stopped it."""

    done: int
    left: int = 0
    error: TrolyError | None = None


@dataclass(frozen=True, slots=True)
class _Words:
    found: list[tuple[int, float]]
    weights: Weights


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it is looked for in all that is stored: the terms that select, and what each term tells."""

    wanted: QueryTerms
    weights: Weights


class Knowledge:
    """Documents, their chunks and vectors. Async methods leave blocking work to threads. Raises StoreError."""

    def __init__(
        self, db: StateDb, chroma: Path, set_aside: Path, server: ChromaServer | None = None
    ) -> None:
        self.store = ChunkStore(db)
        self._db = db
        self._ledger = VectorLedger(db)
        self._vectors = VectorStore(self._ledger, chroma, set_aside, server)
        # Collections and embedders: searched while vectors may be missing, and known to have them all.
        self._wanted: set[tuple[str, str]] = set()
        self._complete: set[tuple[str, str]] = set()
        self._asked: dict[tuple[str, lexical.Stand], _Asked] = {}

    @staticmethod
    def migrations() -> tuple[Migration, ...]:
        """The tables that the state database must have."""
        return MIGRATIONS

    def check(self) -> None:
        """Open the vectors; a damaged folder is set aside. Blocking; raises StoreError."""
        self._vectors.check()

    @property
    def set_aside(self) -> tuple[QuarantinedFile, ...]:
        """Damaged vector folders that were moved away by this process."""
        return tuple(self._vectors.set_aside)

    async def search(
        self,
        query: str,
        *,
        collection: str,
        owner: str | None = None,
        permissions: frozenset[str] = frozenset(),
        k: int = 8,
        embed: Embed | None = None,
        embedder: str = "",
        lang: Lang = "vi",
    ) -> SearchResult:
        """The `k` passages of `collection` that answer `query` best, out of what is shared and what is `owner`'s.

        `embed` gives the vectors of `embedder` and is not asked where the corpus has none; where it fails, words alone
        answer and `reason` says why. Any string is a valid query. `lang` is for the places ("trang 3").
        """
        reader, limit = Reader(collection, owner, permissions), max(_CANDIDATES, k)
        words, (near, reason) = await asyncio.gather(
            asyncio.to_thread(self._by_words, query, reader, limit),
            self._by_vectors(query, reader, limit, embed, embedder),
        )
        passages = await asyncio.to_thread(self._join, words, near, reader, lang)
        return SearchResult(tuple(passages[: max(0, k)]), embed is not None and reason is None, reason)

    def put(
        self,
        document: Document,
        *,
        collection: str,
        key: str,
        ingested_at: str,
        owner: str | None = None,
        permission: str | None = None,
        data: bytes = b"",
        mtime: int = 0,
    ) -> int:
        """Store `document` under `key` in one transaction, in place of what `key` held; returns its chunks' number.

        `data` is the file it was read from, to know it again. Blocking. An empty owner is refused (ValueError): it
        would belong to nobody.
        """
        if owner == "":
            raise ValueError("owner")
        chunks = chunk_blocks(document.blocks)
        record = DocumentRecord(
            collection, owner, key, hashlib.sha256(data).hexdigest(), len(data), mtime, document.title,
            document.kind, document.encoding, permission, ingested_at,
        )  # fmt: skip
        self.store.replace(record, chunks)
        self._complete = {pair for pair in self._complete if pair[0] != collection}
        return len(chunks)

    def list_documents(self, collection: str, owner: str | None = None) -> list[StoredDocument]:
        """The documents of exactly this owner (None: the shared ones), by path. Blocking."""
        return list(self.store.documents(collection, owner).values())

    def remove_document(self, collection: str, key: str, owner: str | None = None) -> bool:
        """Remove one document of exactly this owner; False when there was none. Blocking."""
        return self.store.remove(collection, owner, [key]) > 0

    async def embed_missing(
        self,
        collection: str,
        embed: Embed,
        embedder: str = "",
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        cancel: Callable[[], bool] = lambda: False,
    ) -> EmbeddingResult:
        """Give every chunk of `collection` that has none a vector of `embedder`; stopped, it goes on next time."""
        done = left = 0
        try:
            dim = check_vectors(await embed([_PROBE]), 1)
            index = Index(collection, embedder, dim)
            await asyncio.to_thread(self._vectors.reconcile, index)
            await asyncio.to_thread(self._vectors.prune)
            left = await asyncio.to_thread(self._ledger.missing_count, index)
            total = left
            while not cancel() and (
                batch := await asyncio.to_thread(self._ledger.missing, index, _EMBED_BATCH)
            ):
                vectors = await embed([chunk.text for chunk in batch])
                check_vectors(vectors, len(batch))
                ids, access = [chunk.id for chunk in batch], [chunk.access for chunk in batch]
                await asyncio.to_thread(self._vectors.upsert, index, ids, vectors, access)
                done, left = done + len(batch), max(0, left - len(batch))
                await asyncio.to_thread(progress, done, max(total, done))
        except TrolyError as error:
            return EmbeddingResult(done, left, error)
        return EmbeddingResult(done, left)

    async def embed_wanted(
        self,
        embed: Callable[[str, list[str]], Awaitable[list[list[float]]]],
        calm: Callable[[], Awaitable[None]],
    ) -> int:
        """Vectors for every chunk of the collections that were searched by meaning; returns how many got one.

        So pages that were loaded while no embedder answered are found by meaning later (000-53). `embed` takes an
        embedder and texts; `calm` is awaited before each batch. Raises ModelError when no embedder answers, StoreError.
        """
        done = 0
        for collection, embedder in self._wanted - self._complete:

            async def batch(texts: list[str], embedder: str = embedder) -> list[list[float]]:
                await calm()
                return await embed(embedder, texts)

            result = await self.embed_missing(collection, batch, embedder)
            if result.error is not None:
                raise result.error
            done += result.done
            self._complete.add((collection, embedder))
        return done

    def refresh(self) -> None:
        """Look at everything anew: the documents were exchanged for others."""
        self._complete.clear()
        self._vectors.close()

    def close(self) -> None:
        """Close the vector store; the state database belongs to the caller."""
        self._vectors.close()

    def _by_words(self, question: str, reader: Reader, limit: int) -> _Words:
        with self._db.read() as connection:
            asked = self._as_asked(connection, question)
            found = lexical.best_by_words(connection, asked.wanted, reader, limit)
        return _Words(found, asked.weights)

    def _as_asked(self, connection: Connection, question: str) -> _Asked:
        """One turn asks the same of several collections and for several readers: it is read once."""
        stand = lexical.stand(connection)
        asked = self._asked.get((question, stand))
        if asked is None:
            if len(self._asked) >= _QUESTIONS:
                self._asked = {}
            asked = self._asked[question, stand] = _read(connection, question, stand.chunks)
        return asked

    async def _by_vectors(
        self, question: str, reader: Reader, limit: int, embed: Embed | None, embedder: str
    ) -> tuple[list[tuple[int, float]], TrolyError | None]:
        text = sanitize(question.encode("utf-8", "replace").decode("utf-8")).strip()
        if embed is None or not text:
            return [], None
        self._wanted.add((reader.collection, embedder))
        if not await asyncio.to_thread(self._ledger.holds, reader.collection, embedder):
            return [], StoreError(
                "knowledge.vectors_missing", collection=reader.collection, embedder=embedder
            )
        access = [
            access_key(who, what) for who in {None, reader.owner} for what in (None, *reader.permissions)
        ]
        try:
            vectors = await embed([text])
            index = Index(reader.collection, embedder, check_vectors(vectors, 1))
            near = await asyncio.to_thread(self._vectors.nearest, index, vectors[0], access, limit)
        except TrolyError as error:
            return [], error
        return near, None

    def _join(
        self, words: _Words, near: Sequence[tuple[int, float]], reader: Reader, lang: Lang
    ) -> list[Passage]:
        points, similar = dict(words.found), dict(near)
        with self._db.read() as connection:
            known = lexical.candidates(connection, [*{**points, **similar}], reader)
        weights = words.weights
        standings = {
            key: judge(
                points.get(key, 0.0), one.words, weights, one.accented.split() if weights.others else ()
            )
            for key, one in known.items()
        }
        by_words = sorted(
            (key for key in points if key in known), key=lambda key: (-standings[key].points, key)
        )
        by_vectors = [key for key, _ in near if key in known]
        scores = fuse(standings, by_words, by_vectors)
        bm25_ranks = {key: rank for rank, (key, _) in enumerate(words.found, 1)}
        vector_ranks = {key: rank for rank, key in enumerate(by_vectors, 1)}
        return [
            Passage(
                chunk_id=key,
                document=sanitize(known[key].path, keep_newlines=False),
                title=known[key].title,
                heading=known[key].heading,
                where=describe_place(known[key].where, lang),
                text=known[key].text,
                score=scores[key],
                bm25_rank=bm25_ranks.get(key),
                vector_rank=vector_ranks.get(key),
                coverage=standings[key].coverage,
                similarity=similar.get(key),
                document_id=known[key].document_id,
                permission=known[key].permission,
                ingested_at=known[key].ingested_at,
            )
            for key in sorted(scores, key=lambda key: (-scores[key], key))
        ]


def _read(connection: Connection, question: str, total: int) -> _Asked:
    asked = read_question(question)
    meant = meanings(asked)
    query = lexical.correct_terms(
        connection, terms_of(asked), {word for each in meant for word in each.words}
    )
    words = lexical.rarity(connection, query.folded, "folded", total)
    marked = lexical.rarity(connection, query.accented, "accented", total)
    pairs = lexical.rarity(connection, query.bigrams, "bigrams", total)
    weights = Weights(words, pairs)
    if meant:
        others = reword(connection, meant, weights, total)
        weights, marked, pairs = (
            others.weights,
            {**marked, **others.accented},
            {**pairs, **others.bigrams},
        )
    wanted = QueryTerms(*(lexical.selective(told, total) for told in (marked, words, pairs)))
    return _Asked(wanted, weights)
