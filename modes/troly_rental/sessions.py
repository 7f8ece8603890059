"""The document's session rules (002-03 to 002-05): 30 minutes idle, 20 messages, cleaned up every 10 minutes.

A session bounds what the model is given and how long a question can change the one before it; the conversation that
a person sees is never cut (002 C10).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from troly.stores.migrations import Migration
from troly.stores.records import instant, when

if TYPE_CHECKING:
    from troly.stores.records import StoredMessage
    from troly.stores.state import StateDb

IDLE = timedelta(minutes=30)
CLEANUP = timedelta(minutes=10)
MOST_MESSAGES = 20
MIGRATION = Migration(
    "rental/0100_sessions",
    (
        """
        CREATE TABLE rental_sessions (
            conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            session_id TEXT NOT NULL,
            begun_at TEXT NOT NULL,
            seen_at TEXT NOT NULL,
            previous TEXT NOT NULL DEFAULT 'null'
        ) WITHOUT ROWID
        """,
        "CREATE TABLE rental_session_cleanup (id INTEGER PRIMARY KEY CHECK (id = 1), done_at TEXT NOT NULL)",
    ),
)


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a conversation at one moment: `previous` is the last query read, `renewed` that it begins now."""

    id: str
    begun_at: datetime
    previous: Any = None
    renewed: bool = False


def session_id(user_id: str | None, address: str = "") -> str:
    """`user_<id>` for a user of the base, `ip_<address>` for a guest whose address is known, else `local` (002-03, C7)."""
    if user_id:
        return f"user_{user_id}"
    return f"ip_{address}" if address else "local"


def enter_session(state: StateDb, conversation: str, name: str, now: datetime) -> Session:
    """The session that a message of `now` belongs to; a new one where there is none, or after 30 idle minutes.

    Every 10 minutes the sessions that have ended are removed. Raises StoreError.
    """
    with state.write() as connection:
        row = connection.execute(
            "SELECT session_id, begun_at, seen_at, previous FROM rental_sessions WHERE conversation_id = ?",
            (conversation,),
        ).fetchone()
        _clean_up(connection, now)
        alive = row is not None and row[0] == name and now - when(row[2]) < IDLE
        if alive:
            sql = "UPDATE rental_sessions SET seen_at = ? WHERE conversation_id = ?"
            connection.execute(sql, (instant(now), conversation))
            return Session(name, when(row[1]), json.loads(row[3]))
        sql = "INSERT OR REPLACE INTO rental_sessions (conversation_id, session_id, begun_at, seen_at) VALUES (?, ?, ?, ?)"
        connection.execute(sql, (conversation, name, instant(now), instant(now)))
    return Session(name, now.astimezone(UTC), renewed=True)


def keep_query(state: StateDb, conversation: str, previous: Any) -> None:
    """Remember the query that the next question may change; None forgets it. Raises StoreError."""
    with state.write() as connection:
        sql = "UPDATE rental_sessions SET previous = ? WHERE conversation_id = ?"
        connection.execute(sql, (json.dumps(previous, ensure_ascii=False), conversation))


def within(history: tuple[StoredMessage, ...], session: Session) -> tuple[StoredMessage, ...]:
    """The messages that the model is given: those of this session, at most 20, the system prompt not counted (C7)."""
    return tuple(one for one in history if one.created_at >= session.begun_at)[-MOST_MESSAGES:]


def _clean_up(connection: Any, now: datetime) -> None:
    row = connection.execute("SELECT done_at FROM rental_session_cleanup").fetchone()
    if row is not None and timedelta(0) <= now - when(row[0]) < CLEANUP:
        return
    connection.execute("DELETE FROM rental_sessions WHERE seen_at < ?", (instant(now - IDLE),))
    sql = "INSERT OR REPLACE INTO rental_session_cleanup (id, done_at) VALUES (1, ?)"
    connection.execute(sql, (instant(now),))


def session_to_json(session: Session) -> dict[str, Any]:
    """A session as JSON, for the recording of a turn."""
    return {**asdict(session), "begun_at": instant(session.begun_at)}


def session_from_json(saved: Mapping[str, Any]) -> Session:
    """The inverse of `packed`."""
    return Session(**{**saved, "begun_at": when(saved["begun_at"])})
