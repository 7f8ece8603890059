"""Which conversation a client of the program means by a name of its own (`user`, `chat_id`, the messages so far)."""

from __future__ import annotations

from collections.abc import Iterable

from troly.stores.state import StateDb


class Threads:
    """Names of conversations by owner and assistant; every method raises StoreError."""

    def __init__(self, db: StateDb) -> None:
        self._db = db

    def find(self, owner: str, mode: str, name: str) -> str | None:
        """The owner's conversation of that name that is not deleted."""
        sql = (
            "SELECT t.conversation_id FROM threads AS t JOIN conversations AS c ON c.id = t.conversation_id "
            "WHERE t.user_id = ? AND t.mode = ? AND t.name = ? AND c.user_id = t.user_id AND c.deleted_at IS NULL"
        )
        with self._db.read(owner) as connection:
            row = connection.execute(sql, (owner, mode, name)).fetchone()
        return None if row is None else str(row[0])

    def put(self, owner: str, mode: str, conversation: str, names: Iterable[str]) -> None:
        """Let `names` mean `conversation` from now on; what was said in it before no longer does (`messages:…`)."""
        with self._db.write(owner) as connection:
            connection.execute(
                "DELETE FROM threads WHERE conversation_id = ? AND name LIKE 'messages:%'", (conversation,)
            )
            connection.executemany(
                "INSERT INTO threads (user_id, mode, name, conversation_id) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (user_id, mode, name) DO UPDATE SET conversation_id = excluded.conversation_id",
                [(owner, mode, name, conversation) for name in names],
            )
