"""The audit log (002-40): every query that was run, with its question, rows, role, user and time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import Command, CommandRequest, CommandResult, Parameter
from troly.plugin.events import Table
from troly.stores.migrations import Migration
from troly.stores.records import instant, storable, when
from troly.text.catalogue import LANGS
from troly.text.dates import HCM
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly.config.users import Profile
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
class AuditRecord:
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
                "INSERT INTO rental_audit (at, user_id, role, question, sql, row_count) VALUES (?, ?, ?, ?, ?, ?)"
                " RETURNING seq",
                (instant(at), user, role, storable(question), storable(sql), rows),
            )
            connection.execute("DELETE FROM rental_audit WHERE seq <= ?", (cursor.fetchone()[0] - KEPT,))

    def list(self, viewer: Profile, limit: int) -> list[AuditRecord]:
        """The newest lines that `viewer` may see: the own ones; everybody's for a lead (`sees_all`)."""
        sql = (
            "SELECT at, user_id, role, question, sql, row_count FROM rental_audit WHERE ? OR user_id = ?"
            " ORDER BY seq DESC LIMIT ?"
        )
        with self._state.read() as connection:
            rows = connection.execute(sql, (sees_all(viewer), viewer.login, limit)).fetchall()
        return [AuditRecord(when(row[0]), *row[1:]) for row in rows]


def sees_all(viewer: Profile) -> bool:
    """Whether `viewer` sees everybody's queries and confirmed questions.

    A login of the machine that merely owns the data directory does not: it could read the file itself, but the
    command shows other people's questions only to whom the users file gives that role or permission.
    """
    return viewer.role == LEAD_ROLE or LEAD_PERMISSION in viewer.permissions


# `app rental audit`: the queries that were run, own ones or, for a lead, everybody's.


_SHOWN = 50
_FIELDS = ("time", "user", "role", "question", "rows", "sql")


def list_audit(request: CommandRequest) -> CommandResult:
    """The newest lines; `--last` says how many. Raises StoreError."""
    lang, asked = request.language, request.text("last").strip()
    size = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 0
    if asked and not 1 <= size <= KEPT:
        return CommandResult(problems=(say("audit.bad_limit", lang, value=asked, most=KEPT),), exit_code=3)
    found = Audit(request.services).list(request.profile, size or _SHOWN)
    if not found:
        return CommandResult(records=(), summary=say("audit.none", lang))
    columns = tuple(say(f"audit.column_{name}", lang) for name in _FIELDS)
    return CommandResult(
        table=Table(columns, tuple(_row(one) for one in found), numeric=(4,)),
        records=tuple(_record(one) for one in found),
    )


def _row(one: AuditRecord) -> tuple[str, ...]:
    time = f"{one.at.astimezone(HCM):%Y-%m-%d %H:%M}"
    return (
        time,
        one.user,
        one.role,
        " ".join(one.question.split()),
        str(one.rows),
        " ".join(one.sql.split()),
    )


def _record(one: AuditRecord) -> dict[str, Any]:
    return {
        "at": one.at.astimezone(HCM).isoformat(),
        "user": one.user,
        "role": one.role,
        "question": one.question,
        "rows": one.rows,
        "sql": one.sql,
    }


COMMANDS = (
    Command(
        path=("rental", "audit"),
        help={lang: say("audit.help", lang) for lang in LANGS},
        example="app rental audit\napp rental audit --last 20 --json",
        run=list_audit,
        parameters=(Parameter("--last", {lang: say("audit.limit", lang) for lang in LANGS}, "N"),),
        takes=("csv", "user"),
    ),
)
