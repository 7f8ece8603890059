"""Conversations and their messages, each seen by its owner only (000-52)."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from troly.errors import AccessError
from troly.stores.message_search import search_messages
from troly.stores.records import (
    CONVERSATION_COLUMNS,
    MESSAGE_COLUMNS,
    Conversation,
    ConversationExport,
    NewMessage,
    SearchHit,
    Sender,
    StoredMessage,
    Turn,
    conversation_of,
    dump,
    fetch_one,
    instant,
    message_of,
    storable,
)
from troly.stores.turns import TurnLog

__all__ = [
    "Conversation",
    "ConversationExport",
    "Conversations",
    "NewMessage",
    "SearchHit",
    "StoredMessage",
    "Turn",
]

# SQLite has no endless LIMIT but this.
_ALL = -1


class Conversations(TurnLog):
    """The conversation store; see `TurnLog` for turns and for what every method raises.

    Times are aware, in UTC. Ids are text and sort by creation.
    """

    def create(
        self,
        owner: str,
        mode: str,
        *,
        language: str | None = None,
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """A new, empty conversation."""
        with self._db.write() as connection:
            conversation_id, now = self._new_id(), instant(self._clock())
            connection.execute(
                "INSERT INTO conversations (id, user_id, mode, title, language, created_at, updated_at, metadata) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    conversation_id,
                    owner,
                    mode,
                    storable(title),
                    language,
                    now,
                    now,
                    dump(dict(metadata or {})),
                ),
            )
            return self._owned(connection, owner, conversation_id)

    def get(self, owner: str, conversation_id: str) -> Conversation:
        """One conversation that is not deleted."""
        with self._db.read() as connection:
            return self._owned(connection, owner, conversation_id)

    def list(
        self, owner: str, *, mode: str | None = None, limit: int = 50, before: str | None = None
    ) -> builtins.list[Conversation]:
        """A page of the owner's conversations: pinned ones first, then those last spoken in.

        `before` is the id of the last conversation of the page before.
        """
        where, values = ["c.user_id = ?", "c.deleted_at IS NULL"], [owner]
        with self._db.read() as connection:
            if before is not None:
                self._owned(connection, owner, before)
                key = "SELECT pinned, updated_at, seq FROM conversations WHERE id = ?"
                where.append(f"(c.pinned, c.updated_at, c.seq) < ({key})")
                values.append(before)
            if mode is not None:
                where.append("c.mode = ?")
                values.append(mode)
            sql = (
                f"SELECT {CONVERSATION_COLUMNS} FROM conversations AS c WHERE {' AND '.join(where)} "  # noqa: S608 (constants)
                "ORDER BY c.pinned DESC, c.updated_at DESC, c.seq DESC LIMIT ?"
            )
            return [conversation_of(row) for row in connection.execute(sql, (*values, max(0, limit)))]

    def messages(
        self, owner: str, conversation_id: str, *, limit: int = 200, before: str | None = None
    ) -> builtins.list[StoredMessage]:
        """The newest `limit` messages, or the newest before the message `before`; oldest first."""
        with self._db.read() as connection:
            self._owned(connection, owner, conversation_id)
            return self._page(connection, conversation_id, max(0, limit), before)

    def message(self, owner: str, message_id: str) -> StoredMessage:
        """One message of the owner's."""
        with self._db.read() as connection:
            found = self._message(connection, message_id)
            self._owned(connection, owner, found.conversation_id)
            return found

    def add_message(
        self,
        owner: str,
        conversation_id: str,
        sender: Sender,
        text: str,
        *,
        type: str = "",  # noqa: A002 (the documents' column)
        metadata: Mapping[str, Any] | None = None,
    ) -> StoredMessage:
        """Save a message outside of any turn, such as the greeting."""
        with self._db.write() as connection:
            self._owned(connection, owner, conversation_id)
            now = instant(self._clock())
            message = NewMessage(sender, text, type, metadata or {})
            message_id = self._insert(connection, conversation_id, message, now)
            self._touch(connection, conversation_id, now)
            return self._message(connection, message_id)

    def update(
        self,
        owner: str,
        conversation_id: str,
        *,
        title: str | None = None,
        language: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
    ) -> Conversation:
        """Change what is given (`metadata` as a whole); the time of the last message stays."""
        changes: dict[str, Any] = {
            "title": None if title is None else storable(title),
            "language": language,
            "metadata": None if metadata is None else dump(dict(metadata)),
            "pinned": None if pinned is None else int(pinned),
        }
        given = {column: value for column, value in changes.items() if value is not None}
        with self._db.write() as connection:
            self._owned(connection, owner, conversation_id)
            if given:
                columns = ", ".join(f"{column} = ?" for column in given)
                sql = f"UPDATE conversations SET {columns} WHERE id = ?"  # noqa: S608 (column names from above)
                connection.execute(sql, (*given.values(), conversation_id))
            return self._owned(connection, owner, conversation_id)

    def delete(self, owner: str, conversation_id: str) -> None:
        """Put a conversation away; `restore` brings it back until it is purged."""
        with self._db.write() as connection:
            self._owned(connection, owner, conversation_id)
            sql = "UPDATE conversations SET deleted_at = ? WHERE id = ?"
            connection.execute(sql, (instant(self._clock()), conversation_id))

    def restore(self, owner: str, conversation_id: str) -> Conversation:
        """Bring a deleted conversation back."""
        with self._db.write() as connection:
            self._owned(connection, owner, conversation_id, deleted=True)
            connection.execute("UPDATE conversations SET deleted_at = NULL WHERE id = ?", (conversation_id,))
            return self._owned(connection, owner, conversation_id)

    def purge_deleted(self, older_than: datetime) -> int:
        """Remove for good what was deleted before `older_than`, of all owners; returns how many conversations."""
        with self._db.write() as connection:
            sql = "DELETE FROM conversations WHERE deleted_at < ?"
            return connection.execute(sql, (instant(older_than),)).rowcount

    def search(self, owner: str, text: str, limit: int = 20) -> builtins.list[SearchHit]:
        """The owner's messages that hold all words of `text`, with or without diacritics, best first."""
        with self._db.read() as connection:
            return search_messages(connection, owner, text, max(0, limit))

    def export(self, owner: str, conversation_id: str) -> ConversationExport:
        """The whole conversation as it is at one moment."""
        with self._db.read() as connection:
            conversation = self._owned(connection, owner, conversation_id)
            messages = self._page(connection, conversation_id, _ALL, None)
            turns = (
                replace(turn, trace=self.recording(owner, turn.id) or turn.trace)
                for turn in self.turns(owner, conversation_id)
            )
            return ConversationExport(conversation, tuple(messages), tuple(turns))

    @staticmethod
    def _message(connection: Any, message_id: str) -> StoredMessage:
        sql = f"SELECT {MESSAGE_COLUMNS} FROM messages AS m WHERE m.id = ?"  # noqa: S608 (constants)
        row = fetch_one(connection, sql, (message_id,))
        if row is None:
            raise AccessError("store.not_yours")
        return message_of(row)

    @staticmethod
    def _page(
        connection: Any, conversation_id: str, limit: int, before: str | None
    ) -> builtins.list[StoredMessage]:
        where, values = "m.conversation_id = ?", [conversation_id]
        if before is not None:
            sql = "SELECT seq FROM messages WHERE id = ? AND conversation_id = ?"
            row = fetch_one(connection, sql, (before, conversation_id))
            if row is None:
                raise AccessError("store.not_yours")
            where += " AND m.seq < ?"
            values.append(row[0])
        sql = f"SELECT {MESSAGE_COLUMNS} FROM messages AS m WHERE {where} ORDER BY m.seq DESC LIMIT ?"  # noqa: S608 (constants)
        return [message_of(row) for row in connection.execute(sql, (*values, limit))][::-1]
