"""The life of a turn: begun with its question saved, ended once, or found interrupted after a crash."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from troly.errors import AccessError, StoreError
from troly.stores.exclusions import is_excluded
from troly.stores.message_search import index_message
from troly.stores.processes import is_alive, process_start
from troly.stores.records import (
    CONVERSATION_COLUMNS,
    ENDINGS,
    TURN_COLUMNS,
    Conversation,
    IdMaker,
    NewMessage,
    Turn,
    conversation_of,
    dump,
    fetch_one,
    instant,
    pack,
    storable,
    turn_of,
    unpack,
)
from troly.stores.state import StateDb

_TURNS = f"SELECT {TURN_COLUMNS} FROM turns AS t JOIN conversations AS c ON c.id = t.conversation_id"  # noqa: S608 (constants)
_FINISH = """
UPDATE turns SET status = ?, finished_at = ?, ms = ?, source = ?, calls = ?, state = ?, trace = ?, error = ?,
    partial = ''
WHERE id = ? AND status = 'running'
"""


class TurnLog:
    """Turns and their messages. Every method that names an owner raises AccessError `store.not_yours` for what is
    not the owner's or does not exist, the same for both. All raise StoreError when the database refuses.
    """

    def __init__(self, db: StateDb, clock: Callable[[], datetime]) -> None:
        self._db = db
        self._clock = clock
        self._new_id = IdMaker(clock)

    def begin_turn(
        self, owner: str, conversation_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Turn:
        """Save the user's message and the running turn; both are committed when this returns."""
        pid, started = self._me
        turn_id = self._new_id()
        with self._db.write() as connection:
            conversation = self._owned(connection, owner, conversation_id)
            now = instant(self._clock())
            message_id = self._new_id()
            connection.execute(
                "INSERT INTO turns (id, conversation_id, mode, question_message_id, status, pid, process_started, "
                "started_at) VALUES (?, ?, ?, ?, 'running', ?, ?, ?)",
                (turn_id, conversation_id, conversation.mode, message_id, pid, started, now),
            )
            question = NewMessage("user", text, metadata=metadata or {})
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
    ) -> Turn:
        """Save how a turn ended, with its messages, in one transaction; `recording` is read by `recording` alone.

        `status` is one of `completed`, `failed`, `stopped`, `interrupted` (ValueError otherwise). A turn ends once:
        the second time raises StoreError `store.turn_finished`.
        """
        if status not in ENDINGS:
            raise ValueError(f"a turn cannot end as {status!r}")
        blobs = (dump(dict(state or {})), dump(trace), None if error is None else dump(error))
        with self._db.write() as connection:
            turn = self._turn(connection, owner, turn_id)
            if turn.status != "running":
                raise StoreError("store.turn_finished", turn=turn_id, status=turn.status)
            now = instant(self._clock())
            connection.execute(_FINISH, (status, now, ms, source, calls, *blobs, turn_id))
            if recording is not None:
                sql = "INSERT OR REPLACE INTO recordings (turn_id, data) VALUES (?, ?)"
                connection.execute(sql, (turn_id, pack(recording)))
            for message in messages:
                self._insert(connection, turn.conversation_id, message, now, turn_id=turn_id)
            self._touch(connection, turn.conversation_id, now)
            return self._turn(connection, owner, turn_id)

    def save_partial(self, turn_id: str, text: str) -> None:
        """Keep what was said so far of a running turn of this process, for the case of a crash."""
        with self._db.write() as connection:
            connection.execute(
                "UPDATE turns SET partial = ? WHERE id = ? AND status = 'running' AND pid = ? AND process_started = ?",
                (storable(text), turn_id, *self._me),
            )

    @property
    def db(self) -> StateDb:
        """The database, for stores that stand beside this one."""
        return self._db

    @property
    def clock(self) -> Callable[[], datetime]:
        """The clock of the store."""
        return self._clock

    def is_barred(self, key: str) -> bool:
        """Whether what is kept under `key` may not be reused, for an answer of it was marked as wrong."""
        with self._db.read() as connection:
            return is_excluded(connection, key)

    def turn(self, owner: str, turn_id: str) -> Turn:
        """One turn."""
        with self._db.read() as connection:
            return self._turn(connection, owner, turn_id)

    def recording(self, owner: str, turn_id: str) -> dict[str, Any]:
        """All that a turn kept: its trace with the prompts, replies and inputs; what an older version kept of it."""
        with self._db.read() as connection:
            turn = self._turn(connection, owner, turn_id)
            row = fetch_one(connection, "SELECT data FROM recordings WHERE turn_id = ?", (turn_id,))
        trace = dict(turn.trace) if isinstance(turn.trace, Mapping) else {}
        return {**trace, **(unpack(row[0]) if row else {})}

    def turns(self, owner: str, conversation_id: str, *, ids: Collection[str] | None = None) -> list[Turn]:
        """The turns of a conversation, oldest first; only those of `ids` where given."""
        with self._db.read() as connection:
            self._owned(connection, owner, conversation_id)
            return _turns_of(connection, conversation_id, ids)

    def recover(self, alive: Callable[[int, float], bool] = is_alive) -> list[Turn]:
        """Mark the running turns of processes that are gone as interrupted; returns them, of all owners.

        `alive(pid, process_started)` says whether a process still runs. What was kept by `save_partial` becomes an
        assistant's message with the status `interrupted`.
        """
        with self._db.read() as connection:
            running = [turn_of(row) for row in connection.execute(f"{_TURNS} WHERE t.status = 'running'")]
        gone = [turn for turn in running if not alive(turn.pid, turn.process_started)]
        if not gone:
            return []
        with self._db.write() as connection:
            marked = [turn.id for turn in gone if self._interrupt(connection, turn.id)]
            by_id = f"{_TURNS} WHERE t.id = ?"
            return [turn_of(row) for name in marked for row in connection.execute(by_id, (name,))]

    @cached_property
    def _me(self) -> tuple[int, float]:
        pid = os.getpid()
        return pid, process_start(pid) or 0.0

    def _interrupt(self, connection: sqlite3.Connection, turn_id: str) -> bool:
        """Unless another process has just done it, or the turn ended after all."""
        sql = "SELECT conversation_id, partial FROM turns WHERE id = ? AND status = 'running'"
        row = fetch_one(connection, sql, (turn_id,))
        if row is None:
            return False
        conversation_id, partial = row
        now = instant(self._clock())
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
        connection: sqlite3.Connection,
        conversation_id: str,
        message: NewMessage,
        now: str,
        *,
        turn_id: str | None = None,
        message_id: str | None = None,
    ) -> str:
        message_id, text = message_id or self._new_id(), storable(message.text)
        seq = connection.execute(
            "INSERT INTO messages (id, conversation_id, turn_id, sender, text, type, created_at, metadata, status) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                message_id,
                conversation_id,
                turn_id,
                message.sender,
                text,
                message.type,
                now,
                dump(dict(message.metadata)),
                message.status,
            ),
        ).lastrowid
        index_message(connection, int(seq or 0), text)
        return message_id

    @staticmethod
    def _touch(connection: sqlite3.Connection, conversation_id: str, now: str) -> None:
        connection.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", (now, conversation_id))

    @staticmethod
    def _owned(
        connection: sqlite3.Connection, owner: str, conversation_id: str, *, deleted: bool = False
    ) -> Conversation:
        """The owner's conversation; raises AccessError. `deleted` asks for one that was deleted instead."""
        condition = "IS NOT NULL" if deleted else "IS NULL"
        sql = (
            f"SELECT {CONVERSATION_COLUMNS} FROM conversations AS c "  # noqa: S608 (constants)
            f"WHERE c.id = ? AND c.user_id = ? AND c.deleted_at {condition}"
        )
        row = fetch_one(connection, sql, (conversation_id, owner))
        if row is None:
            raise AccessError("store.not_yours")
        return conversation_of(row)

    @staticmethod
    def _turn(connection: sqlite3.Connection, owner: str, turn_id: str) -> Turn:
        sql = f"{_TURNS} WHERE t.id = ? AND c.user_id = ? AND c.deleted_at IS NULL"
        row = fetch_one(connection, sql, (turn_id, owner))
        if row is None:
            raise AccessError("store.not_yours")
        return turn_of(row)


def _turns_of(
    connection: sqlite3.Connection, conversation_id: str, ids: Collection[str] | None = None
) -> list[Turn]:
    where, values = "t.conversation_id = ?", [conversation_id]
    if ids is not None:
        where += " AND t.id IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(sorted(ids)))
    rows = connection.execute(f"{_TURNS} WHERE {where} ORDER BY t.seq", values)
    return [turn_of(row) for row in rows]
