"""Documents and their chunks in the state database: each document wholly old or wholly new, owner checked here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from troly.retrieval.documents.chunks import Chunk
from troly.retrieval.search.terms import index_terms
from troly.stores.connections import Connection
from troly.stores.state import StateDb

# Raised when a reader or the chunker changes what it makes of the same bytes: documents are then read again.
MAKER = 1

VISIBLE = """
    {t}.collection = :collection
    AND ({t}.owner IS NULL OR {t}.owner = :owner)
    AND ({t}.permission IS NULL OR {t}.permission IN (SELECT value FROM json_each(:permissions)))
"""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who is asking: sees what is shared and what is `owner`'s, as far as `permissions` reach."""

    collection: str
    owner: str | None = None
    permissions: frozenset[str] = frozenset()

    def params(self) -> dict[str, object]:
        permissions = json.dumps(sorted(self.permissions))
        return {"collection": self.collection, "owner": self.owner, "permissions": permissions}


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document to store: `path` is its key within collection and owner (`owner` None = shared with all).

    `permission` is what a reader needs (None = nothing); `mtime` in nanoseconds; `ingested_at` ISO with offset.
    """

    collection: str
    owner: str | None
    path: str
    sha256: str
    bytes: int
    mtime: int
    title: str
    kind: str
    encoding: str
    permission: str | None
    ingested_at: str


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as stored; `current` is False when this version of the program would cut it differently."""

    id: int
    path: str
    sha256: str
    bytes: int
    mtime: int
    title: str
    kind: str
    permission: str | None
    ingested_at: str
    chunks: int
    current: bool


class ChunkStore:
    """The tables behind a search; every method is one transaction. Raises StoreError."""

    def __init__(self, db: StateDb) -> None:
        self.db = db

    def replace(self, record: DocumentRecord, chunks: Sequence[Chunk]) -> int:
        """Store `record` with `chunks` in place of what its key held; returns the new document's id."""
        terms = [index_terms(f"{record.title}\n{chunk.heading}\n{chunk.text}") for chunk in chunks]
        with self.db.write() as connection:
            _delete(connection, record.collection, record.owner, [record.path])
            document = _insert_document(connection, record)
            for chunk, term in zip(chunks, terms, strict=True):
                columns = (document, chunk.position, chunk.text, chunk.heading, chunk.where)
                access = (record.owner, record.collection, record.permission)
                (chunk_id,) = connection.execute(
                    "INSERT INTO chunks (document_id, position, text, heading, where_, owner, collection, permission)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                    columns + access,
                ).fetchone()
                connection.execute(
                    "INSERT INTO chunks_fts (rowid, accented, folded, bigrams) VALUES (?, ?, ?, ?)",
                    (chunk_id, *(" ".join(words) for words in term)),
                )
        return document

    def touch(self, document: int, mtime: int) -> None:
        """Note that the file is the same though its time changed."""
        with self.db.write() as connection:
            connection.execute("UPDATE documents SET mtime = ? WHERE id = ?", (mtime, document))

    def documents(self, collection: str, owner: str | None) -> dict[str, StoredDocument]:
        """The documents of exactly this collection and owner, by path."""
        with self.db.read() as connection:
            rows = connection.execute(
                "SELECT id, path, sha256, bytes, mtime, title, kind, permission, ingested_at,"
                " (SELECT count(*) FROM chunks WHERE document_id = documents.id), maker = ?"
                " FROM documents WHERE collection = ? AND owner IS ? ORDER BY path",
                (MAKER, collection, owner),
            ).fetchall()
        return {row[1]: StoredDocument(*(*row[:10], bool(row[10]))) for row in rows}

    def permissions(self, collection: str) -> frozenset[str]:
        """The permissions that documents of `collection` ask for, of any owner."""
        with self.db.read() as connection:
            sql = "SELECT DISTINCT permission FROM documents WHERE collection = ? AND permission IS NOT NULL"
            return frozenset(row[0] for row in connection.execute(sql, (collection,)))

    def permit(self, collection: str, path: str, permission: str | None) -> None:
        """Let a shared document ask for another permission; its vectors are made again, since they are filtered by it too."""
        with self.db.write() as connection:
            sql = "SELECT id FROM documents WHERE collection = ? AND owner IS NULL AND path = ?"
            for (document,) in connection.execute(sql, (collection, path)).fetchall():
                connection.execute("UPDATE documents SET permission = ? WHERE id = ?", (permission, document))
                connection.execute(
                    "UPDATE chunks SET permission = ? WHERE document_id = ?", (permission, document)
                )
                connection.execute(
                    "DELETE FROM vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE document_id = ?)",
                    (document,),
                )

    def rename(self, collection: str, path: str, new: str, owner: str | None = None) -> None:
        """Give a document another key, which nothing may have yet; its chunks and vectors stay."""
        with self.db.write() as connection:
            connection.execute(
                "UPDATE documents SET path = ? WHERE collection = ? AND owner IS ? AND path = ?",
                (new, collection, owner, path),
            )

    def remove(self, collection: str, owner: str | None, paths: Iterable[str]) -> int:
        """Remove documents of exactly this collection and owner; returns how many there were."""
        with self.db.write() as connection:
            return _delete(connection, collection, owner, paths)

    def visible(self, reader: Reader) -> int:
        """How many chunks `reader` can find."""
        with self.db.read() as connection:
            sql = f"SELECT count(*) FROM chunks AS c WHERE {VISIBLE.format(t='c')}"  # noqa: S608 (constant text)
            return int(connection.execute(sql, reader.params()).fetchone()[0])


def _insert_document(connection: Connection, record: DocumentRecord) -> int:
    row = connection.execute(
        "INSERT INTO documents (collection, owner, path, sha256, bytes, mtime, title, kind, encoding, permission,"
        " maker, ingested_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            record.collection, record.owner, record.path, record.sha256, record.bytes, record.mtime, record.title,
            record.kind, record.encoding, record.permission, MAKER, record.ingested_at,
        ),
    ).fetchone()  # fmt: skip
    return int(row[0])


def _delete(connection: Connection, collection: str, owner: str | None, paths: Iterable[str]) -> int:
    removed = 0
    for path in paths:
        cursor = connection.execute(
            "DELETE FROM documents WHERE collection = ? AND owner IS ? AND path = ?",
            (collection, owner, path),
        )
        removed += cursor.rowcount
    return removed
