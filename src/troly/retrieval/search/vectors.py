"""The vector store of documents: vectors of chunks by index, filtered by who may see them."""

from __future__ import annotations

import hashlib
import json
import math
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, cast

from troly.errors import StoreError
from troly.llm.failures import shown_url
from troly.stores.connections import Connection
from troly.stores.quarantine import QuarantinedFile, quarantine
from troly.stores.state import StateDb

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection


# Which chunks have a vector in which index, and the version that tells other processes of a change.


_UNSAFE = re.compile(r"[^a-z0-9]+")


class Index(NamedTuple):
    """One vector index: a corpus (`collection`) as one embedder sees it, in `dim` dimensions."""

    collection: str
    embedder: str
    dim: int

    @property
    def name(self) -> str:
        """A name that the vector store takes (letters, digits, hyphens; at most 63), different for each index."""
        exact = json.dumps([self.collection, self.embedder, self.dim])
        return f"{self.stem}{self.dim}-{hashlib.sha256(exact.encode()).hexdigest()[:10]}"

    @property
    def stem(self) -> str:
        """How the names of all indexes of this corpus and embedder begin, whatever their dimension."""
        readable = _UNSAFE.sub("-", f"{self.collection[:20]}-{self.embedder[:20]}".lower()).strip("-")
        return f"v-{readable}-"


class PendingChunk(NamedTuple):
    """A chunk without a vector; `access` is what the vector search filters by (see `access_key`)."""

    id: int
    text: str
    access: str


def access_key(owner: str | None, permission: str | None) -> str:
    """Owner and permission as one value, so that one condition filters both."""
    return json.dumps([owner, permission])


class IndexLedger:
    """What the state database knows of a folder of vectors: how often each index changed, and what it holds.

    A row is written after its vector is stored. `ROWS` is its table and `KEY` the id in it, `VERSIONS` the table of the
    versions and `INDEX` the index there, `LOST` gives rows (index, id) of what is gone, `NEXT` counts a version on.
    """

    ROWS: ClassVar[str]
    KEY: ClassVar[str]
    VERSIONS: ClassVar[str]
    INDEX: ClassVar[str]
    LOST: ClassVar[str]
    NEXT: ClassVar[str]

    def __init__(self, db: StateDb) -> None:
        self._db = db

    def identity(self) -> str:
        """What tells this state database from another one whose rows have the same ids."""
        with self._db.read() as connection:
            return str(connection.execute("SELECT identity FROM vector_store").fetchone()[0])

    def version(self, index: str) -> int:
        """Grows with each change of `index` by any process; 0 while nothing was written."""
        return self._number(f"SELECT version FROM {self.VERSIONS} WHERE {self.INDEX} = ?", index)  # noqa: S608 (our tables)

    def count(self, index: str) -> int:
        """How many records have a vector in `index`."""
        return self._number(f"SELECT count(*) FROM {self.ROWS} WHERE index_name = ?", index)  # noqa: S608

    def orphans(self, limit: int) -> list[tuple[str, Any]]:
        """Vectors (index, id) whose record is gone, of any index."""
        with self._db.read() as connection:
            return connection.execute(self.LOST, (limit,)).fetchall()

    def removed(self, index: str, ids: Sequence[Any]) -> int:
        """Note that `ids` have no vector any more; returns the new version."""
        with self._db.write() as connection:
            sql = f"DELETE FROM {self.ROWS} WHERE index_name = ? AND {self.KEY} = ?"  # noqa: S608
            connection.executemany(sql, [(index, key) for key in ids])
            return self._next(connection, index)

    def forget(self, index: str | None = None) -> None:
        """Note that `index`, or every index, holds nothing: its records are embedded again."""
        with self._db.write() as connection:
            every = [row[0] for row in connection.execute(f"SELECT {self.INDEX} FROM {self.VERSIONS}")]  # noqa: S608
            for name in [index] if index else every:
                connection.execute(f"DELETE FROM {self.ROWS} WHERE index_name = ?", (name,))  # noqa: S608
                self._next(connection, name)

    def _next(self, connection: Connection, index: str) -> int:
        row = connection.execute(self.NEXT, (index,)).fetchone()
        return int(row[0]) if row else 0

    def _number(self, sql: str, *values: str) -> int:
        with self._db.read() as connection:
            row = connection.execute(sql, values).fetchone()
        return int(row[0]) if row else 0


class VectorLedger(IndexLedger):
    """The vectors of chunks."""

    ROWS, KEY, VERSIONS, INDEX = "vectors", "chunk_id", "vector_versions", "collection"
    LOST = "SELECT index_name, chunk_id FROM vectors WHERE chunk_id NOT IN (SELECT id FROM chunks) LIMIT ?"
    NEXT = (
        "INSERT INTO vector_versions (collection, version) VALUES (?, 1)"
        " ON CONFLICT (collection) DO UPDATE SET version = version + 1 RETURNING version"
    )

    def holds(self, collection: str, embedder: str) -> bool:
        """Whether any chunk of `collection` may have a vector of `embedder`; True may be another corpus of like name."""
        stem = Index(collection, embedder, 0).stem
        with self._db.read() as connection:
            sql = "SELECT 1 FROM vectors WHERE index_name >= ? AND index_name < ? LIMIT 1"
            return connection.execute(sql, (stem, f"{stem}~")).fetchone() is not None

    def missing(self, index: Index, limit: int) -> list[PendingChunk]:
        """The first chunks of the corpus that have no vector in `index`."""
        with self._db.read() as connection:
            rows = connection.execute(
                "SELECT c.id, d.title, c.heading, c.text, c.owner, c.permission FROM chunks AS c"
                " JOIN documents AS d ON d.id = c.document_id WHERE c.collection = ? AND NOT EXISTS"
                " (SELECT 1 FROM vectors AS v WHERE v.index_name = ? AND v.chunk_id = c.id) ORDER BY c.id LIMIT ?",
                (index.collection, index.name, limit),
            ).fetchall()
        return [
            PendingChunk(row[0], "\n".join(filter(None, row[1:4])), access_key(row[4], row[5]))
            for row in rows
        ]

    def missing_count(self, index: Index) -> int:
        """How many chunks of the corpus have no vector in `index`."""
        sql = (
            "SELECT count(*) FROM chunks AS c WHERE c.collection = ? AND NOT EXISTS"
            " (SELECT 1 FROM vectors AS v WHERE v.index_name = ? AND v.chunk_id = c.id)"
        )
        return self._number(sql, index.collection, index.name)

    def added(self, index: str, ids: Sequence[int]) -> int:
        """Note that `ids` have a vector; returns the new version."""
        with self._db.write() as connection:
            rows = [(index, chunk) for chunk in ids]
            connection.executemany("INSERT OR IGNORE INTO vectors (index_name, chunk_id) VALUES (?, ?)", rows)
            return self._next(connection, index)


# A folder of Chroma collections: checked, reopened when another process wrote, set aside when damaged.


T = TypeVar("T")
L = TypeVar("L", bound=IndexLedger)

# Chroma takes 5461 records a call.
MAX_BATCH = 5000
# What SQLite and the system say of a store that is sound but cannot be used now.
_PASSING = (
    "locked", "busy", "is full", "no space", "readonly", "read-only", "permission", "denied",
    "unable to open", "too many open",
)  # fmt: skip


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


class ChromaServer(NamedTuple):
    """A Chroma server that several machines share: its address, and a token for it or for the proxy before it."""

    url: str
    token: str = ""


class ChromaFolder(Generic[L]):
    """Blocking, safe from any thread; one object a folder (or a server's share for one state database) and process.

    Errors are StoreError `knowledge.vectors_*`; `set_aside` names folders that were moved away. Ids of records are
    text; every collection is an `Index` and measures cosine distance.
    """

    def __init__(self, ledger: L, folder: Path, aside: Path, server: ChromaServer | None = None) -> None:
        self.set_aside: list[QuarantinedFile] = []
        self.ledger = ledger
        self._server = server
        self._folder = folder
        self._aside = aside
        self._lock = threading.RLock()
        self._client: Client | None = None
        self._open: dict[str, Collection] = {}
        self._seen: dict[str, int] = {}

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
            self._open.clear()
            if client is not None:
                client.close()

    def check(self) -> None:
        """Open what is there; a damaged folder is set aside. Raises StoreError."""
        if self._server or self._folder.exists():
            with self._lock:
                self._guard(lambda: self._connect().count_collections())

    def prune(self) -> int:
        """Delete the vectors of what is gone, of every index; returns how many."""
        pruned = 0
        while orphans := sorted(self.ledger.orphans(MAX_BATCH)):
            for name, rows in groupby(orphans, key=lambda row: row[0]):
                ids = [key for _, key in rows]
                with self._lock:
                    self._guard(lambda name=name, ids=ids: self._delete(name, ids))  # type: ignore[misc]
                    self._wrote(name, self.ledger.removed(name, ids))
                pruned += len(ids)
        return pruned

    def reconcile(self, index: Index) -> None:
        """Note as missing what the book has and the folder has not: one that was replaced or half copied."""
        with self._lock:
            known = self.ledger.count(index.name)
            if known and self._with(index, lambda collection: collection.count()) < known:
                self.ledger.forget(index.name)

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
            version = self.ledger.version(index.name)
            # A server shows every process what others wrote; a folder has to be opened again.
            if not self._server and self._client and self._seen.get(index.name, version) != version:
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
            if self._server:
                raise StoreError(
                    "knowledge.vectors_server", url=shown_url(self._server.url), reason=_brief(error)
                ) from error
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
        self.ledger.forget()
        self._seen.clear()

    def _collection(self, index: Index) -> Collection:
        known = self._open.get(index.name)
        if known is not None:
            return known
        identity = self.ledger.identity()
        facts = {"corpus": index.collection, "embedder": index.embedder, "dim": index.dim, "store": identity}
        client = self._connect()
        found = self._get(client, index, facts)
        if (found.metadata or {}).get("store") != identity:
            # Made for another state database: the same ids mean other texts.
            client.delete_collection(found.name)
            self.ledger.forget(index.name)
            found = self._get(client, index, facts)
        self._open[index.name] = found
        return found

    def _stored_name(self, name: str) -> str:
        """An index's collection; on a server each state database has its own."""
        if not self._server:
            return name
        return f"v-{hashlib.sha256(f'{self.ledger.identity()} {name}'.encode()).hexdigest()[:48]}"

    def _get(self, client: Client, index: Index, facts: dict[str, Any]) -> Collection:
        return client.get_or_create_collection(
            self._stored_name(index.name),
            metadata=facts,
            configuration={"hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200}},
            embedding_function=None,
        )

    def _delete(self, name: str, ids: Sequence[int] | Sequence[str]) -> None:
        from chromadb.errors import NotFoundError

        try:
            collection = self._connect().get_collection(self._stored_name(name), embedding_function=None)
            collection.delete(ids=[str(key) for key in ids])
        except NotFoundError:
            return

    def _connect(self) -> Client:
        if self._client is None:
            import chromadb
            from chromadb.config import Settings

            settings = Settings(anonymized_telemetry=False)
            if self._server:
                from troly.retrieval.search.chroma_http import open_server

                self._client = cast("Client", open_server(self._server.url, self._server.token))
                return self._client
            _check_file(self._folder)
            self._folder.mkdir(parents=True, exist_ok=True)
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


class VectorStore(ChromaFolder[VectorLedger]):
    """Vectors of chunks by index."""

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
