"""Which saved messages have a vector in which index of the conversation memory; what is without one waits."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from typing import NamedTuple

from troly.retrieval.ledger import Index, identity
from troly.stores.state import StateDb

_WAITING = """
SELECT m.id, m.text, m.conversation_id, c.user_id, m.created_at
FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
WHERE c.deleted_at IS NULL AND trim(m.text) <> '' AND c.mode IN (SELECT value FROM json_each(:modes))
    AND m.id NOT IN (SELECT value FROM json_each(:skip))
    AND NOT EXISTS (SELECT 1 FROM memory_vectors AS v WHERE v.index_name = :name AND v.message_id = m.id)
ORDER BY m.seq DESC LIMIT :limit
"""
_ORPHANS = """
SELECT v.index_name, v.message_id FROM memory_vectors AS v
LEFT JOIN messages AS m ON m.id = v.message_id
LEFT JOIN conversations AS c ON c.id = m.conversation_id AND c.deleted_at IS NULL
WHERE c.id IS NULL LIMIT ?
"""
_NOTE_INDEX = """
INSERT INTO memory_indexes (name, collection, embedder, dim) VALUES (:name, :collection, :embedder, :dim)
ON CONFLICT (name) DO NOTHING
"""
_CURRENT = "UPDATE memory_indexes SET current = (name = :name) WHERE collection = :collection AND embedder = :embedder"


class Waiting(NamedTuple):
    """A message without a vector, and what is kept beside the vector (000-56); `created_at` as stored."""

    id: str
    text: str
    conversation: str
    owner: str
    created_at: str


class MemoryLedger:
    """The memory's tables of the state database. A message's row is written after its vector is stored.

    There is no other queue: what is saved and has no row is waiting, whichever process saved it.
    """

    def __init__(self, db: StateDb) -> None:
        self._db = db

    def identity(self) -> str:
        """What tells this state database from another one."""
        return identity(self._db)

    def version(self, index: str) -> int:
        """Grows with each change of `index` by any process; 0 while nothing was written."""
        return self._number("SELECT version FROM memory_indexes WHERE name = ?", index)

    def count(self, index: str) -> int:
        """How many messages have a vector in `index`."""
        return self._number("SELECT count(*) FROM memory_vectors WHERE index_name = ?", index)

    def index(self, collection: str, embedder: str) -> Index:
        """The index that `embedder` writes now; its `dim` is 0 while it has written nothing."""
        sql = "SELECT dim FROM memory_indexes WHERE collection = ? AND embedder = ? AND current"
        return Index(collection, embedder, self._number(sql, collection, embedder))

    def modes(self) -> list[str]:
        """The modes that have conversations."""
        with self._db.read() as connection:
            sql = "SELECT DISTINCT mode FROM conversations WHERE deleted_at IS NULL"
            return [str(row[0]) for row in connection.execute(sql)]

    def waiting(self, index: Index, modes: Sequence[str], limit: int, skip: Collection[str]) -> list[Waiting]:
        """The newest messages of `modes` that have no vector in `index`, without those of `skip`."""
        lists = {"modes": json.dumps(list(modes)), "skip": json.dumps(sorted(skip))}
        with self._db.read() as connection:
            rows = connection.execute(_WAITING, {**lists, "name": index.name, "limit": limit})
            return [Waiting(*row) for row in rows]

    def remembers(self, index: Index, conversation: str) -> bool:
        """Whether any message of `conversation` has a vector in `index`."""
        sql = (
            "SELECT 1 FROM messages AS m JOIN memory_vectors AS v ON v.index_name = ? AND v.message_id = m.id "
            "WHERE m.conversation_id = ? LIMIT 1"
        )
        return self._number(sql, index.name, conversation) > 0

    def orphans(self, limit: int) -> list[tuple[str, str]]:
        """Vectors (index, message) whose message is gone or belongs to a deleted conversation."""
        with self._db.read() as connection:
            return connection.execute(_ORPHANS, (limit,)).fetchall()

    def added(self, index: Index, ids: Sequence[str]) -> int:
        """Note that `ids` have a vector in `index`, which is the embedder's current one; returns the new version."""
        facts = {"name": index.name, **index._asdict()}
        with self._db.write() as connection:
            connection.execute(_NOTE_INDEX, facts)
            connection.execute(_CURRENT, facts)
            rows = [(index.name, message) for message in ids]
            sql = "INSERT OR IGNORE INTO memory_vectors (index_name, message_id) VALUES (?, ?)"
            connection.executemany(sql, rows)
            return _bump(connection, index.name)

    def removed(self, index: str, ids: Sequence[str]) -> int:
        """Note that `ids` have no vector any more; returns the new version."""
        with self._db.write() as connection:
            rows = [(index, message) for message in ids]
            connection.executemany("DELETE FROM memory_vectors WHERE index_name = ? AND message_id = ?", rows)
            return _bump(connection, index)

    def forget(self, index: str | None = None) -> None:
        """Note that `index`, or every index, holds nothing: its messages wait again."""
        with self._db.write() as connection:
            every = [row[0] for row in connection.execute("SELECT name FROM memory_indexes")]
            for name in [index] if index else every:
                connection.execute("DELETE FROM memory_vectors WHERE index_name = ?", (name,))
                _bump(connection, name)

    def _number(self, sql: str, *values: str) -> int:
        with self._db.read() as connection:
            row = connection.execute(sql, values).fetchone()
        return int(row[0]) if row else 0


def _bump(connection: sqlite3.Connection, index: str) -> int:
    sql = "UPDATE memory_indexes SET version = version + 1 WHERE name = ? RETURNING version"
    row = connection.execute(sql, (index,)).fetchone()
    return int(row[0]) if row else 0
