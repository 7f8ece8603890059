"""The audit log (002-40): every query that was run, with its question, rows, role, user and time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from troly.stores.migrations import Migration
from troly.stores.records import instant, storable, when

if TYPE_CHECKING:
    from troly.config import Profile
    from troly.plugin.services import Services

# The log is cut at its old end; it is there to look something up, not to keep people's questions for ever.
KEPT = 10_000
# Who sees everybody's queries: this role, or anybody with this permission.
LEAD_ROLE, LEAD_PERMISSION = "lead", "audit"

MIGRATION = Migration(
    "rental/0300_audit",
    (
        """
        CREATE TABLE rental_audit (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            at TEXT NOT NULL,
            user_id TEXT NOT NULL,
            role TEXT NOT NULL,
            question TEXT NOT NULL,
            sql TEXT NOT NULL,
            row_count INTEGER NOT NULL
        )
        """,
        "CREATE INDEX rental_audit_by_user ON rental_audit (user_id, seq)",
    ),
)


@dataclass(frozen=True, slots=True)
class Logged:
    """One query that was run; `at` is aware."""

    at: datetime
    user: str
    role: str
    question: str
    sql: str
    rows: int


class Audit:
    """The log in the state database; every method raises StoreError."""

    def __init__(self, services: Services) -> None:
        self._state = services.state

    def log(self, *, question: str, sql: str, rows: int, role: str, user: str, at: datetime) -> None:
        """Add one line; the oldest above `KEPT` go."""
        with self._state.write() as connection:
            cursor = connection.execute(
                "INSERT INTO rental_audit (at, user_id, role, question, sql, row_count) VALUES (?, ?, ?, ?, ?, ?)",
                (instant(at), user, role, storable(question), storable(sql), rows),
            )
            connection.execute("DELETE FROM rental_audit WHERE seq <= ?", ((cursor.lastrowid or 0) - KEPT,))

    def list(self, viewer: Profile, limit: int) -> list[Logged]:
        """The newest lines that `viewer` may see: the own ones; everybody's for a lead (`sees_all`)."""
        sql = (
            "SELECT at, user_id, role, question, sql, row_count FROM rental_audit WHERE ? OR user_id = ?"
            " ORDER BY seq DESC LIMIT ?"
        )
        with self._state.read() as connection:
            rows = connection.execute(sql, (sees_all(viewer), viewer.login, limit)).fetchall()
        return [Logged(when(row[0]), *row[1:]) for row in rows]


def sees_all(viewer: Profile) -> bool:
    """Whether `viewer` sees everybody's queries and confirmed questions.

    A login of the machine that merely owns the data directory does not: it could read the file itself, but the
    command shows other people's questions only to whom the users file gives that role or permission.
    """
    return viewer.role == LEAD_ROLE or LEAD_PERMISSION in viewer.permissions
