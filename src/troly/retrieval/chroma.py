"""A folder of Chroma collections: checked, reopened when another process wrote, set aside when damaged."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from troly.errors import StoreError
from troly.retrieval.ledger import Index
from troly.stores.quarantine import QuarantinedFile, quarantine

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")

# Chroma takes 5461 records a call.
MAX_BATCH = 5000
# What SQLite and the system say of a store that is sound but cannot be used now.
_PASSING = (
    "locked",
    "busy",
    "is full",
    "no space",
    "readonly",
    "read-only",
    "permission",
    "denied",
    "unable to open",
    "too many open",
)


def check_vectors(vectors: Sequence[Sequence[float]], count: int) -> int:
    """The dimension of `vectors`; raises StoreError `knowledge.vectors_bad` unless they are `count`, alike and finite.

    A vector of zeros has no direction and is refused too.
    """
    dim = len(vectors[0]) if vectors else 0
    sound = len(vectors) == count and dim > 0
    if not sound or not all(
        len(vector) == dim and all(map(math.isfinite, vector)) and any(vector) for vector in vectors
    ):
        raise StoreError("knowledge.vectors_bad", wanted=count, got=len(vectors))
    return dim


class Book(Protocol):
    """What the state database knows of a folder: whose it is, how often each index changed, what it holds."""

    def identity(self) -> str: ...

    def version(self, index: str) -> int: ...

    def forget(self, index: str | None = None) -> None: ...

    def count(self, index: str) -> int: ...

    def orphans(self, limit: int) -> Sequence[tuple[str, Any]]: ...

    def removed(self, index: str, ids: Sequence[Any]) -> int: ...


class ChromaFolder:
    """Blocking, safe from any thread; one object a folder and process.

    Errors are StoreError `knowledge.vectors_*`; `set_aside` names folders that were moved away. Ids of records are
    text; every collection is an `Index` and measures cosine distance.
    """

    def __init__(self, book: Book, folder: Path, aside: Path) -> None:
        self.set_aside: list[QuarantinedFile] = []
        self._book = book
        self._folder = folder
        self._aside = aside
        self._lock = threading.RLock()
        self._client: Client | None = None
        self._open: dict[str, Collection] = {}
        self._seen: dict[str, int] = {}

    def close(self) -> None:
        """Close the client; the next use opens it again."""
        with self._lock:
            client, self._client = self._client, None
            self._open.clear()
            if client is not None:
                client.close()

    def check(self) -> None:
        """Open what is there; a damaged folder is set aside. Raises StoreError."""
        if self._folder.exists():
            with self._lock:
                self._guard(lambda: self._connect().count_collections())

    def prune(self) -> int:
        """Delete the vectors of what is gone, of every index; returns how many."""
        pruned = 0
        while orphans := sorted(self._book.orphans(MAX_BATCH)):
            for name, rows in groupby(orphans, key=lambda row: row[0]):
                ids = [key for _, key in rows]
                with self._lock:
                    self._guard(lambda name=name, ids=ids: self._delete(name, ids))  # type: ignore[misc]
                    self._wrote(name, self._book.removed(name, ids))
                pruned += len(ids)
        return pruned

    def reconcile(self, index: Index) -> None:
        """Note as missing what the book has and the folder has not: one that was replaced or half copied."""
        with self._lock:
            known = self._book.count(index.name)
            if known and self._with(index, lambda collection: collection.count()) < known:
                self._book.forget(index.name)

    def _nearest(
        self, index: Index, vector: Sequence[float], where: Mapping[str, Any], limit: int
    ) -> list[tuple[str, float]]:
        """Up to `limit` records that meet `where`, as (id, cosine similarity), nearest first."""

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

    def _with(self, index: Index, action: Callable[[Collection], T]) -> T:
        """`action` on the collection of `index`, in the state that other processes left it."""
        with self._lock:
            version = self._book.version(index.name)
            if self._client is not None and self._seen.get(index.name, version) != version:
                self.close()
                self._seen.clear()
            self._seen[index.name] = version
            return self._guard(lambda: action(self._collection(index)))

    def _wrote(self, name: str, version: int) -> None:
        # A version that jumped tells of another process's write in between: it is left to be noticed.
        if self._seen.get(name, version - 1) == version - 1:
            self._seen[name] = version

    def _guard(self, action: Callable[[], T]) -> T:
        """`action`; failing, once more with the store reopened; failing again, the folder is set aside."""
        try:
            return action()
        except Exception as first:  # noqa: BLE001 (Chroma raises what SQLite, Rust and the system say, in many types)
            self._refuse_passing(first)
            self.close()
        try:
            return action()
        except Exception as error:
            self._refuse_passing(error)
            self._replace(error)
            raise StoreError("knowledge.vectors_damaged", path=self._folder, reason=_brief(error)) from error

    def _refuse_passing(self, error: Exception) -> None:
        """Raise what is no damage: a full disk, a lock, a missing right, or an error of ours."""
        if isinstance(error, StoreError):
            raise error
        said = str(error).lower()
        if isinstance(error, PermissionError) or any(word in said for word in _PASSING):
            raise StoreError("knowledge.vectors_busy", path=self._folder, reason=_brief(error)) from error

    def _replace(self, error: Exception) -> None:
        """Move the folder away whole; every chunk is then without a vector and embedded anew by the next ingest."""
        self.close()
        if self._folder.exists():
            self.set_aside.append(quarantine(self._folder, self._aside, _brief(error)))
        self._book.forget()
        self._seen.clear()

    def _collection(self, index: Index) -> Collection:
        known = self._open.get(index.name)
        if known is not None:
            return known
        identity = self._book.identity()
        facts = {"corpus": index.collection, "embedder": index.embedder, "dim": index.dim, "store": identity}
        client = self._connect()
        found = self._get(client, index, facts)
        if (found.metadata or {}).get("store") != identity:
            # Made for another state database: the same ids mean other texts.
            client.delete_collection(index.name)
            self._book.forget(index.name)
            found = self._get(client, index, facts)
        self._open[index.name] = found
        return found

    @staticmethod
    def _get(client: Client, index: Index, facts: dict[str, Any]) -> Collection:
        return client.get_or_create_collection(
            index.name,
            metadata=facts,
            configuration={"hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200}},
            embedding_function=None,
        )

    def _delete(self, name: str, ids: Sequence[int] | Sequence[str]) -> None:
        from chromadb.errors import NotFoundError

        try:
            self._connect().get_collection(name, embedding_function=None).delete(
                ids=[str(key) for key in ids]
            )
        except NotFoundError:
            return

    def _connect(self) -> Client:
        if self._client is None:
            import chromadb
            from chromadb.config import Settings

            _check_file(self._folder)
            self._folder.mkdir(parents=True, exist_ok=True)
            settings = Settings(anonymized_telemetry=False)
            self._client = cast(
                "Client", chromadb.PersistentClient(path=str(self._folder), settings=settings)
            )
        return self._client


def _check_file(folder: Path) -> None:
    """Raise sqlite3.DatabaseError when Chroma's catalogue is no database: its own start would only be slower to say."""
    catalogue = folder.resolve() / "chroma.sqlite3"
    if catalogue.is_file():
        with closing(sqlite3.connect(catalogue.as_uri() + "?mode=ro", uri=True)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
