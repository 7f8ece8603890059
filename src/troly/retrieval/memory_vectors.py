"""Vectors of messages: one record a message under the message's id, searched inside one conversation only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from troly.errors import StoreError
from troly.retrieval.chroma import MAX_BATCH, ChromaFolder, check_vectors
from troly.retrieval.ledger import Index
from troly.retrieval.memory_ledger import MemoryLedger, Waiting

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection


class MemoryVectors(ChromaFolder):
    """The memory's folder of vectors. Errors of the store are StoreError `knowledge.vectors_*`."""

    def __init__(self, ledger: MemoryLedger, folder: Path, aside: Path) -> None:
        super().__init__(ledger, folder, aside)
        self.ledger = ledger

    def nearest(
        self, index: Index, vector: Sequence[float], owner: str, conversation: str, limit: int
    ) -> list[tuple[str, float]]:
        """Up to `limit` messages of exactly this conversation of this owner, as (id, cosine similarity) (000-54)."""
        where = {"$and": [{"conversation_id": conversation}, {"user_id": owner}]}

        def query(collection: Collection) -> list[tuple[str, float]]:
            found = collection.query(
                query_embeddings=cast("Any", [list(vector)]),
                n_results=limit,
                where=cast("Any", where),
                include=["distances"],
            )
            distances = (found["distances"] or [[]])[0]
            return [(key, 1.0 - float(far)) for key, far in zip(found["ids"][0], distances, strict=True)]

        return self._with(index, query)

    def upsert(self, index: Index, messages: Sequence[Waiting], vectors: Sequence[Sequence[float]]) -> None:
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

    def prune(self) -> int:
        """Delete the vectors of messages that are gone or deleted, of every index; returns how many."""
        pruned = 0
        while orphans := sorted(self.ledger.orphans(MAX_BATCH)):
            for name, rows in groupby(orphans, key=lambda row: row[0]):
                ids = [message for _, message in rows]
                with self._lock:
                    self._guard(lambda name=name, ids=ids: self._delete(name, ids))  # type: ignore[misc]
                    self._wrote(name, self.ledger.removed(name, ids))
                pruned += len(ids)
        return pruned

    def reconcile(self, index: Index) -> None:
        """Note as waiting what the ledger has and the folder has not: one that was replaced or half copied."""
        with self._lock:
            known = self.ledger.count(index.name)
            if known and self._with(index, lambda collection: collection.count()) < known:
                self.ledger.forget(index.name)
