"""The document's session rules (002-02 to 002-05): a system prompt, 30 minutes idle, 20 messages, a regular cleanup.

A session bounds what the model is given; the conversation that a person sees is never cut (002 C10).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from troly.stores.migrations import Migration
from troly.stores.records import instant, when
from troly_rental.settings import RentalSettings

if TYPE_CHECKING:
    from troly.stores.records import StoredMessage
    from troly.stores.state import StateDb

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
_SAVED_BEFORE = timedelta(seconds=30)
"""A session begins after its first message was saved; what is of the one before is at least a minute older."""
PROMPT_MIGRATION = Migration(
    "rental/0110_session_prompt", ("ALTER TABLE rental_sessions ADD COLUMN prompt TEXT NOT NULL DEFAULT ''",)
)


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a conversation at one moment: `renewed` that it begins now, `prompt` its system prompt."""

    id: str
    begun_at: datetime
    renewed: bool = False
    prompt: str = ""


def session_id(user_id: str | None, address: str = "") -> str:
    """`user_<id>` for a user of the base, `ip_<address>` for a guest whose address is known, else `local` (002-03, C7)."""
    if user_id:
        return f"user_{user_id}"
    return f"ip_{address}" if address else "local"


def enter_session(
    state: StateDb,
    conversation: str,
    name: str,
    now: datetime,
    *,
    limits: RentalSettings | None = None,
    prompt: str = "",
) -> Session:
    """The session that a message of `now` belongs to; a new one, with `prompt` as its system prompt, where there is none or
    it was idle too long.

    Every so often the sessions that have ended are removed. Raises StoreError.
    """
    limits = limits or RentalSettings()
    idle = timedelta(minutes=limits.idle_minutes)
    with state.write() as connection:
        row = connection.execute(
            "SELECT session_id, begun_at, seen_at, prompt FROM rental_sessions WHERE conversation_id = ?",
            (conversation,),
        ).fetchone()
        _clean_up(connection, now, idle, timedelta(minutes=limits.cleanup_minutes))
        if row is not None and row[0] == name and now - when(row[2]) < idle:
            sql = "UPDATE rental_sessions SET seen_at = ? WHERE conversation_id = ?"
            connection.execute(sql, (instant(now), conversation))
            return Session(name, when(row[1]), prompt=row[3])
        sql = """
            INSERT INTO rental_sessions (conversation_id, session_id, begun_at, seen_at, prompt)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT (conversation_id) DO UPDATE SET session_id = excluded.session_id,
            begun_at = excluded.begun_at, seen_at = excluded.seen_at, prompt = excluded.prompt, previous = 'null'
        """
        connection.execute(sql, (conversation, name, instant(now), instant(now), prompt))
    return Session(name, now.astimezone(UTC), renewed=True, prompt=prompt)


def within(history: tuple[StoredMessage, ...], session: Session, most: int) -> tuple[StoredMessage, ...]:
    """The messages that the model is given: those of this session, at most so many, the system prompt not counted (C7)."""
    found = tuple(one for one in history if one.created_at >= session.begun_at - _SAVED_BEFORE)
    return found[-most:] if most else ()


def _clean_up(connection: Any, now: datetime, idle: timedelta, every: timedelta) -> None:
    row = connection.execute("SELECT done_at FROM rental_session_cleanup").fetchone()
    if row is not None and timedelta(0) <= now - when(row[0]) < every:
        return
    connection.execute("DELETE FROM rental_sessions WHERE seen_at < ?", (instant(now - idle),))
    sql = """
        INSERT INTO rental_session_cleanup (id, done_at) VALUES (1, ?)
        ON CONFLICT (id) DO UPDATE SET done_at = excluded.done_at
    """
    connection.execute(sql, (instant(now),))


def session_to_json(session: Session) -> dict[str, Any]:
    """A session as JSON, for the recording of a turn."""
    return {**asdict(session), "begun_at": instant(session.begun_at)}


def session_from_json(saved: Mapping[str, Any]) -> Session:
    """The inverse of `session_to_json`; what another version wrote besides is left out."""
    known = {name: saved[name] for name in ("id", "renewed", "prompt") if name in saved}
    return Session(**known, begun_at=when(saved["begun_at"]))
