"""Conversations with their messages and turns, each seen by its owner only (000-52).

A turn is begun with its question saved, and ended once, or found interrupted after a crash.
"""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from troly.errors import AccessError, StoreError
from troly.stores.connections import Connection
from troly.stores.message_search import index_message, search_messages
from troly.stores.processes import is_alive, process_start
from troly.stores.records import (
    CONVERSATION_COLUMNS,
    ENDINGS,
    MESSAGE_COLUMNS,
    TURN_COLUMNS,
    Conversation,
    ConversationExport,
    IdMaker,
    NewMessage,
    SearchHit,
    Sender,
    StoredMessage,
    StoredTurn,
    conversation_of,
    dump,
    instant,
    message_of,
    pack,
    storable,
    turn_of,
    unpack,
)
from troly.stores.state import StateDb

# More messages than a conversation has.
EVERY = 2**31 - 1
# The life of a turn: begun with its question saved, ended once, or found interrupted after a crash.


_TURNS = f"SELECT {TURN_COLUMNS} FROM turns AS t JOIN conversations AS c ON c.id = t.conversation_id"  # noqa: S608 (constants)
_FINISH = """
UPDATE turns SET status = ?, finished_at = ?, ms = ?, source = ?, calls = ?, state = ?, trace = ?, error = ?,
    partial = ''
WHERE id = ? AND status = 'running'
"""
_COPY_TURN = """
INSERT INTO turns (id, conversation_id, mode, question_message_id, status, pid, process_started, started_at, finished_at,
    ms, source, calls, partial, state, trace, error)
SELECT ?, ?, mode, ?, status, pid, process_started, started_at, finished_at, ms, source, calls, partial, state, trace, error
FROM turns WHERE id = ? AND status != 'running'
"""
_COPY_RECORDING = "INSERT INTO recordings (turn_id, data) SELECT ?, data FROM recordings WHERE turn_id = ?"
_ALL = 2**62
# No answer takes so long: its machine is gone.
_LOST = timedelta(hours=1)
# What the first edition called parts of a trace.
FIRST_NAMES = {"tape": "recording", "leans": "provenance"}


class Conversations:
    """Conversations with their messages and turns. Times are aware, in UTC. Ids are text and sort by creation.

    Every method that names an owner raises AccessError `store.not_yours` for what is not the owner's or does not exist, the
    same for both. All raise StoreError when the database refuses.
    """

    def __init__(self, db: StateDb, clock: Callable[[], datetime]) -> None:
        # Stores that stand beside this one use them too.
        self.db = db
        self.clock = clock
        self._new_id = IdMaker(clock)

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
        with self.db.write(owner) as connection:
            conversation_id, now = self._new_id(), instant(self.clock())
            kept = dump(dict(metadata or {}))
            row = (conversation_id, owner, mode, storable(title), language, now, now, kept)
            connection.execute(
                "INSERT INTO conversations (id, user_id, mode, title, language, created_at, updated_at, metadata) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            return conversation_of((*row, 0, None))

    def get(self, owner: str, conversation_id: str) -> Conversation:
        """One conversation that is not deleted."""
        with self.db.read(owner) as connection:
            return self._owned(connection, owner, conversation_id)

    def list(
        self, owner: str, *, mode: str | None = None, limit: int = 50, before: str | None = None
    ) -> builtins.list[Conversation]:
        """A page of the owner's conversations: pinned ones first, then those last spoken in.

        `before` is the id of the last conversation of the page before.
        """
        where, values = ["c.user_id = ?", "c.deleted_at IS NULL"], [owner]
        with self.db.read(owner) as connection:
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
        self, owner: str, conversation_id: str, *, limit: int = EVERY, before: str | None = None
    ) -> builtins.list[StoredMessage]:
        """The newest `limit` messages, or the newest before the message `before`; oldest first."""
        with self.db.read(owner) as connection:
            self._owned(connection, owner, conversation_id)
            return self._page(connection, conversation_id, max(0, limit), before)

    def message(self, owner: str, message_id: str) -> StoredMessage:
        with self.db.read(owner) as connection:
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
        with self.db.write(owner) as connection:
            self._owned(connection, owner, conversation_id)
            now = instant(self.clock())
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
        with self.db.write(owner) as connection:
            self._owned(connection, owner, conversation_id)
            if given:
                columns = ", ".join(f"{column} = ?" for column in given)
                sql = f"UPDATE conversations SET {columns} WHERE id = ?"  # noqa: S608 (column names from above)
                connection.execute(sql, (*given.values(), conversation_id))
            return self._owned(connection, owner, conversation_id)

    def delete(self, owner: str, conversation_id: str) -> None:
        """Put a conversation away; `restore` brings it back until it is purged."""
        with self.db.write(owner) as connection:
            self._owned(connection, owner, conversation_id)
            sql = "UPDATE conversations SET deleted_at = ? WHERE id = ?"
            connection.execute(sql, (instant(self.clock()), conversation_id))

    def restore(self, owner: str, conversation_id: str) -> Conversation:
        with self.db.write(owner) as connection:
            self._owned(connection, owner, conversation_id, deleted=True)
            connection.execute("UPDATE conversations SET deleted_at = NULL WHERE id = ?", (conversation_id,))
            return self._owned(connection, owner, conversation_id)

    def purge_deleted(self, older_than: datetime) -> int:
        """Remove for good what was deleted before `older_than`, of all owners; returns how many conversations."""
        with self.db.write() as connection:
            sql = "DELETE FROM conversations WHERE deleted_at < ?"
            return connection.execute(sql, (instant(older_than),)).rowcount

    def search(self, owner: str, text: str, limit: int = 20) -> builtins.list[SearchHit]:
        """The owner's messages that hold all words of `text`, with or without diacritics, best first."""
        with self.db.read(owner) as connection:
            return search_messages(connection, owner, text, max(0, limit))

    def export(self, owner: str, conversation_id: str) -> ConversationExport:
        with self.db.read(owner) as connection:
            conversation = self._owned(connection, owner, conversation_id)
            messages = self._page(connection, conversation_id, _ALL, None)
            turns = (
                replace(turn, trace=self.recording(owner, turn.id) or turn.trace)
                for turn in self.turns(owner, conversation_id)
            )
            return ConversationExport(conversation, tuple(messages), tuple(turns))

    def branch(
        self,
        owner: str,
        conversation_id: str,
        turn_id: str,
        *,
        after: bool,
        title: str,
        metadata: Mapping[str, Any],
    ) -> Conversation:
        """A new conversation with all that was said before the turn `turn_id`, and in it where it goes on `after` it.

        Messages and turns are copies with ids of their own. Raises StoreError `store.turn_running` while the turn runs.
        """
        with self.db.write(owner) as connection:
            before = self._owned(connection, owner, conversation_id)
            turn = self._turn(connection, owner, turn_id)
            if turn.conversation_id != conversation_id:
                raise AccessError("store.not_yours")
            if turn.status == "running":
                raise StoreError("store.turn_running", turn=turn_id)
            new = self.create(owner, before.mode, language=before.language, title=title, metadata=metadata)
            bound = f"SELECT {'max(seq) + 1' if after else 'min(seq)'} FROM messages WHERE turn_id = ?"  # noqa: S608 (constants)
            (end,) = connection.execute(bound, (turn_id,)).fetchone()
            select = f"SELECT {MESSAGE_COLUMNS} FROM messages AS m WHERE m.conversation_id = ? AND m.seq < ? ORDER BY m.seq"  # noqa: S608 (constants)
            turns: dict[str, str] = {}
            for row in connection.execute(select, (conversation_id, end)).fetchall():
                said = message_of(row)
                message_id, old = self._new_id(), said.turn_id
                if old and old not in turns:
                    turns[old] = self._new_id()
                    connection.execute(_COPY_TURN, (turns[old], new.id, message_id, old))
                    connection.execute(_COPY_RECORDING, (turns[old], old))
                copy = NewMessage(said.sender, said.text, said.type, said.metadata, said.status)
                when, turn_of_copy = instant(said.created_at), turns[old] if old else None
                self._insert(connection, new.id, copy, when, turn_id=turn_of_copy, message_id=message_id)
            return new

    @staticmethod
    def _message(connection: Connection, message_id: str) -> StoredMessage:
        sql = f"SELECT {MESSAGE_COLUMNS} FROM messages AS m WHERE m.id = ?"  # noqa: S608 (constants)
        row = connection.execute(sql, (message_id,)).fetchone()
        if row is None:
            raise AccessError("store.not_yours")
        return message_of(row)

    @staticmethod
    def _page(
        connection: Connection, conversation_id: str, limit: int, before: str | None
    ) -> builtins.list[StoredMessage]:
        where, values = "m.conversation_id = ?", [conversation_id]
        if before is not None:
            sql = "SELECT seq FROM messages WHERE id = ? AND conversation_id = ?"
            row = connection.execute(sql, (before, conversation_id)).fetchone()
            if row is None:
                raise AccessError("store.not_yours")
            where += " AND m.seq < ?"
            values.append(row[0])
        sql = f"SELECT {MESSAGE_COLUMNS} FROM messages AS m WHERE {where} ORDER BY m.seq DESC LIMIT ?"  # noqa: S608 (constants)
        return [message_of(row) for row in connection.execute(sql, (*values, limit))][::-1]

    # --- turns

    def begin_turn(self, owner: str, conversation_id: str, text: str) -> StoredTurn:
        """Save the user's message and the running turn; both are committed when this returns."""
        pid, started = self._me
        turn_id = self._new_id()
        with self.db.write(owner) as connection:
            conversation = self._owned(connection, owner, conversation_id)
            now = instant(self.clock())
            message_id = self._new_id()
            connection.execute(
                "INSERT INTO turns (id, conversation_id, mode, question_message_id, status, pid, process_started, "
                "host, started_at) VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?)",
                (turn_id, conversation_id, conversation.mode, message_id, pid, started, self.db.host, now),
            )
            question = NewMessage("user", text)
            self._insert(connection, conversation_id, question, now, turn_id=turn_id, message_id=message_id)
            self._touch(connection, conversation_id, now)
            return self._turn(connection, owner, turn_id)

    def finish_turn(
        self,
        owner: str,
        turn_id: str,
        *,
        status: str,
        messages: Sequence[NewMessage] = (),
        source: str | None = None,
        calls: int = 0,
        ms: float = 0.0,
        state: Mapping[str, Any] | None = None,
        trace: Any = None,
        error: Any = None,
        recording: Mapping[str, Any] | None = None,
    ) -> StoredTurn:
        """Save how a turn ended, with its messages, in one transaction; `recording` is read by `recording` alone.

        `status` is one of `completed`, `failed`, `stopped`, `interrupted` (ValueError otherwise). A turn ends once:
        the second time raises StoreError `store.turn_finished`.
        """
        if status not in ENDINGS:
            raise ValueError(f"a turn cannot end as {status!r}")
        blobs = (dump(dict(state or {})), dump(trace), None if error is None else dump(error))
        with self.db.write(owner) as connection:
            turn = self._turn(connection, owner, turn_id)
            if turn.status != "running":
                raise StoreError("store.turn_finished", turn=turn_id, status=turn.status)
            now = instant(self.clock())
            connection.execute(_FINISH, (status, now, ms, source, calls, *blobs, turn_id))
            if recording is not None:
                sql = (
                    "INSERT INTO recordings (turn_id, data) VALUES (?, ?) "
                    "ON CONFLICT (turn_id) DO UPDATE SET data = excluded.data"
                )
                connection.execute(sql, (turn_id, pack(recording)))
            for message in messages:
                self._insert(connection, turn.conversation_id, message, now, turn_id=turn_id)
            self._touch(connection, turn.conversation_id, now)
            return self._turn(connection, owner, turn_id)

    def reopen_turn(self, owner: str, turn_id: str) -> StoredTurn:
        """Let a turn that ended run again in this process: what it said is kept as partial text alone until it ends anew.

        Raises AccessError for somebody else's, StoreError `store.turn_running` for one that runs.
        """
        pid, started = self._me
        with self.db.write(owner) as connection:
            turn = self._turn(connection, owner, turn_id)
            if turn.status == "running":
                raise StoreError("store.turn_running", turn=turn_id)
            said = "turn_id = ? AND sender = 'assistant' AND type != 'greeting'"
            texts = connection.execute(f"SELECT text FROM messages WHERE {said} ORDER BY seq", (turn_id,))  # noqa: S608 (constants)
            partial = "\n\n".join(row[0] for row in texts)
            connection.execute(f"DELETE FROM messages WHERE {said}", (turn_id,))  # noqa: S608 (constants)
            connection.execute(
                "UPDATE turns SET status = 'running', partial = ?, pid = ?, process_started = ? WHERE id = ?",
                (partial, pid, started, turn_id),
            )
            return self._turn(connection, owner, turn_id)

    def save_partial(self, owner: str, turn_id: str, text: str) -> None:
        """Keep what was said so far of a running turn of this process, for the case of a crash."""
        with self.db.write(owner) as connection:
            connection.execute(
                "UPDATE turns SET partial = ? WHERE id = ? AND status = 'running' AND pid = ? AND process_started = ?",
                (storable(text), turn_id, *self._me),
            )

    def is_excluded(self, key: str) -> bool:
        """Whether what is kept under `key` may not be reused, for an answer of it was marked as wrong."""
        with self.db.read() as connection:
            return connection.execute("SELECT 1 FROM excluded WHERE key = ?", (key,)).fetchone() is not None

    def turn(self, owner: str, turn_id: str) -> StoredTurn:
        with self.db.read(owner) as connection:
            return self._turn(connection, owner, turn_id)

    def recording(self, owner: str, turn_id: str) -> dict[str, Any]:
        """All that a turn kept: its trace with the prompts, replies and inputs; what an older version kept of it."""
        with self.db.read(owner) as connection:
            turn = self._turn(connection, owner, turn_id)
            row = connection.execute("SELECT data FROM recordings WHERE turn_id = ?", (turn_id,)).fetchone()
        trace = dict(turn.trace) if isinstance(turn.trace, Mapping) else {}
        trace |= unpack(row[0]) if row else {}
        return {FIRST_NAMES.get(name, name): value for name, value in trace.items()}

    def turns(
        self, owner: str, conversation_id: str, *, ids: Collection[str] | None = None
    ) -> builtins.list[StoredTurn]:
        """The turns of a conversation, oldest first; only those of `ids` where given."""
        with self.db.read(owner) as connection:
            self._owned(connection, owner, conversation_id)
            where, values = "t.conversation_id = ?", [conversation_id]
            if ids is not None:
                where += " AND t.id IN (SELECT value FROM json_each(?))"
                values.append(json.dumps(sorted(ids)))
            rows = connection.execute(f"{_TURNS} WHERE {where} ORDER BY t.seq", values)
            return [turn_of(row) for row in rows]

    def running_here(self) -> set[str]:
        """The turns, of all owners, that this process began and that did not end in the store."""
        sql = "SELECT id FROM turns WHERE status = 'running' AND host = ? AND pid = ? AND process_started = ?"
        with self.db.read() as connection:
            return {name for (name,) in connection.execute(sql, (self.db.host, *self._me))}

    def recover(
        self, alive: Callable[[int, float], bool] = is_alive, lost: Collection[str] = ()
    ) -> builtins.list[StoredTurn]:
        """Mark the running turns of processes that are gone as interrupted, and those in `lost`; returns them, of all owners.

        `alive(pid, process_started)` says whether a process of this machine still runs; a turn of another machine is gone
        after an hour. What was kept by `save_partial` becomes an
        assistant's message with the status `interrupted`.
        """
        sql = f"{_TURNS} WHERE t.status = 'running' AND (t.host = ? OR t.started_at < ?)"
        with self.db.read() as connection:
            found = connection.execute(sql, (self.db.host, instant(self.clock() - _LOST)))
            running = [turn_of(row) for row in found]
        gone = [turn for turn in running if turn.id in lost or not alive(turn.pid, turn.process_started)]
        if not gone:
            return []
        with self.db.write() as connection:
            marked = [turn.id for turn in gone if self._interrupt(connection, turn.id)]
            by_id = f"{_TURNS} WHERE t.id = ?"
            return [turn_of(row) for name in marked for row in connection.execute(by_id, (name,))]

    @cached_property
    def _me(self) -> tuple[int, float]:
        pid = os.getpid()
        return pid, process_start(pid) or 0.0

    def _interrupt(self, connection: Connection, turn_id: str) -> bool:
        """Unless another process has just done it, or the turn ended after all."""
        sql = "SELECT conversation_id, partial FROM turns WHERE id = ? AND status = 'running'"
        row = connection.execute(sql, (turn_id,)).fetchone()
        if row is None:
            return False
        conversation_id, partial = row
        now = instant(self.clock())
        connection.execute(
            "UPDATE turns SET status = 'interrupted', finished_at = ?, partial = '' WHERE id = ?",
            (now, turn_id),
        )
        if partial.strip():
            kept = NewMessage("assistant", partial, "interrupted", status="interrupted")
            self._insert(connection, conversation_id, kept, now, turn_id=turn_id)
        self._touch(connection, conversation_id, now)
        return True

    def _insert(
        self,
        connection: Connection,
        conversation_id: str,
        message: NewMessage,
        now: str,
        *,
        turn_id: str | None = None,
        message_id: str | None = None,
    ) -> str:
        message_id, text = message_id or self._new_id(), storable(message.text)
        kept = (message.type, now, dump(dict(message.metadata)), message.status)
        seq = connection.execute(
            "INSERT INTO messages (id, conversation_id, turn_id, sender, text, type, created_at, metadata, status) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
            (message_id, conversation_id, turn_id, message.sender, text, *kept),
        ).fetchone()[0]
        index_message(connection, seq, text)
        return message_id

    @staticmethod
    def _touch(connection: Connection, conversation_id: str, now: str) -> None:
        connection.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", (now, conversation_id))

    @staticmethod
    def _owned(
        connection: Connection, owner: str, conversation_id: str, *, deleted: bool = False
    ) -> Conversation:
        """The owner's conversation; raises AccessError. `deleted` asks for one that was deleted instead."""
        condition = "IS NOT NULL" if deleted else "IS NULL"
        sql = (
            f"SELECT {CONVERSATION_COLUMNS} FROM conversations AS c "  # noqa: S608 (constants)
            f"WHERE c.id = ? AND c.user_id = ? AND c.deleted_at {condition}"
        )
        row = connection.execute(sql, (conversation_id, owner)).fetchone()
        if row is None:
            raise AccessError("store.not_yours")
        return conversation_of(row)

    @staticmethod
    def _turn(connection: Connection, owner: str, turn_id: str) -> StoredTurn:
        sql = f"{_TURNS} WHERE t.id = ? AND c.user_id = ? AND c.deleted_at IS NULL"
        row = connection.execute(sql, (turn_id, owner)).fetchone()
        if row is None:
            raise AccessError("store.not_yours")
        return turn_of(row)
