"""The vector store of documents: vectors of chunks by index, filtered by who may see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.errors import StoreError
from troly.retrieval.chroma import MAX_BATCH, ChromaFolder, check_vectors
from troly.retrieval.ledger import Index, Ledger

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

__all__ = ["MAX_BATCH", "VectorStore", "check_vectors"]


class VectorStore(ChromaFolder):
    """Vectors of chunks by index. Blocking, safe from any thread; one object a folder and process.

    Errors of the store are StoreError `knowledge.vectors_*`; `set_aside` names folders that were moved away.
    """

    def __init__(self, ledger: Ledger, folder: Path, aside: Path) -> None:
        super().__init__(ledger, folder, aside)
        self.ledger = ledger

    def nearest(
        self, index: Index, vector: Sequence[float], access: Iterable[str], limit: int
    ) -> list[tuple[int, float]]:
        """Up to `limit` chunks whose access key is in `access`, as (id, cosine similarity), nearest first.

        Raises StoreError `knowledge.vectors_missing` when nothing was embedded for `index` yet.
        """
        check_vectors([vector], 1)
        if not self.ledger.count(index.name):
            raise StoreError(
                "knowledge.vectors_missing", collection=index.collection, embedder=index.embedder
            )
        where = {"access": {"$in": sorted(set(access))}}
        return [(int(key), alike) for key, alike in self._nearest(index, vector, where, limit)]

    def upsert(
        self, index: Index, ids: Sequence[int], vectors: Sequence[Sequence[float]], access: Sequence[str]
    ) -> None:
        """Store a vector for each chunk; `access` has an access key each. Raises StoreError."""
        if check_vectors(vectors, len(ids)) != index.dim:
            raise StoreError("knowledge.vectors_bad", wanted=index.dim, got=len(vectors[0]))
        for at in range(0, len(ids), MAX_BATCH):
            part = slice(at, at + MAX_BATCH)
            keys = [str(key) for key in ids[part]]
            data = [list(map(float, vector)) for vector in vectors[part]]
            notes = [{"access": key} for key in access[part]]

            def write(collection: Collection, keys: Any = keys, data: Any = data, notes: Any = notes) -> None:
                collection.upsert(ids=keys, embeddings=data, metadatas=notes)

            with self._lock:
                self._with(index, write)
                self._wrote(index.name, self.ledger.added(index.name, ids[part]))
