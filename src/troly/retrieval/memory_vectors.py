"""Vectors of messages: one record a message under the message's id, searched inside one conversation only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from troly.errors import StoreError
from troly.retrieval.chroma import ChromaFolder, check_vectors
from troly.retrieval.ledger import Index
from troly.retrieval.memory_ledger import MemoryLedger, Waiting


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
        return self._nearest(index, vector, where, limit)

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
