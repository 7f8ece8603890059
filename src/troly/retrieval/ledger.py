"""Which chunks have a vector in which index, and the version that tells other processes of a change."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from troly.stores.state import StateDb

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
        readable = _UNSAFE.sub("-", f"{self.collection[:20]}-{self.embedder[:20]}".lower()).strip("-")
        return f"v-{readable}-{self.dim}-{hashlib.sha256(exact.encode()).hexdigest()[:10]}"


class Unembedded(NamedTuple):
    """A chunk without a vector; `access` is what the vector search filters by (see `access_key`)."""

    id: int
    text: str
    access: str


def access_key(owner: str | None, permission: str | None) -> str:
    """Owner and permission as one value, so that one condition filters both."""
    return json.dumps([owner, permission])


def identity(db: StateDb) -> str:
    """What tells a state database from another one whose rows have the same ids."""
    with db.read() as connection:
        return str(connection.execute("SELECT identity FROM vector_store").fetchone()[0])


class Ledger:
    """The vector tables of the state database. A chunk's row is written after its vector is stored."""

    def __init__(self, db: StateDb) -> None:
        self._db = db

    def identity(self) -> str:
        """What tells this state database from another one with the same chunk ids."""
        return identity(self._db)

    def version(self, index: str) -> int:
        """Grows with each change of `index` by any process; 0 while nothing was written."""
        with self._db.read() as connection:
            row = connection.execute(
                "SELECT version FROM vector_versions WHERE collection = ?", (index,)
            ).fetchone()
        return int(row[0]) if row else 0

    def count(self, index: str) -> int:
        """How many chunks have a vector in `index`."""
        with self._db.read() as connection:
            sql = "SELECT count(*) FROM vectors WHERE index_name = ?"
            return int(connection.execute(sql, (index,)).fetchone()[0])

    def missing(self, index: Index, limit: int) -> list[Unembedded]:
        """The first chunks of the corpus that have no vector in `index`."""
        with self._db.read() as connection:
            rows = connection.execute(
                "SELECT c.id, d.title, c.heading, c.text, c.owner, c.permission FROM chunks AS c"
                " JOIN documents AS d ON d.id = c.document_id WHERE c.collection = ? AND NOT EXISTS"
                " (SELECT 1 FROM vectors AS v WHERE v.index_name = ? AND v.chunk_id = c.id) ORDER BY c.id LIMIT ?",
                (index.collection, index.name, limit),
            ).fetchall()
        return [
            Unembedded(row[0], "\n".join(filter(None, row[1:4])), access_key(row[4], row[5])) for row in rows
        ]

    def missing_count(self, index: Index) -> int:
        """How many chunks of the corpus have no vector in `index`."""
        with self._db.read() as connection:
            sql = (
                "SELECT count(*) FROM chunks AS c WHERE c.collection = ? AND NOT EXISTS"
                " (SELECT 1 FROM vectors AS v WHERE v.index_name = ? AND v.chunk_id = c.id)"
            )
            return int(connection.execute(sql, (index.collection, index.name)).fetchone()[0])

    def orphans(self, limit: int) -> list[tuple[str, int]]:
        """Vectors (index, chunk) whose chunk is gone, of any index."""
        with self._db.read() as connection:
            return connection.execute(
                "SELECT index_name, chunk_id FROM vectors WHERE chunk_id NOT IN (SELECT id FROM chunks) LIMIT ?",
                (limit,),
            ).fetchall()

    def added(self, index: str, ids: Sequence[int]) -> int:
        """Note that `ids` have a vector; returns the new version."""
        with self._db.write() as connection:
            rows = [(index, chunk) for chunk in ids]
            connection.executemany("INSERT OR IGNORE INTO vectors (index_name, chunk_id) VALUES (?, ?)", rows)
            return _bump(connection, index)

    def removed(self, index: str, ids: Sequence[int]) -> int:
        """Note that `ids` have no vector any more; returns the new version."""
        with self._db.write() as connection:
            rows = [(index, chunk) for chunk in ids]
            connection.executemany("DELETE FROM vectors WHERE index_name = ? AND chunk_id = ?", rows)
            return _bump(connection, index)

    def forget(self, index: str | None = None) -> None:
        """Note that `index`, or every index, holds nothing: its chunks will be embedded again."""
        with self._db.write() as connection:
            names = (
                [index]
                if index
                else [row[0] for row in connection.execute("SELECT collection FROM vector_versions")]
            )
            for name in names:
                connection.execute("DELETE FROM vectors WHERE index_name = ?", (name,))
                _bump(connection, name)


def _bump(connection: sqlite3.Connection, index: str) -> int:
    row = connection.execute(
        "INSERT INTO vector_versions (collection, version) VALUES (?, 1)"
        " ON CONFLICT (collection) DO UPDATE SET version = version + 1 RETURNING version",
        (index,),
    ).fetchone()
    return int(row[0])
