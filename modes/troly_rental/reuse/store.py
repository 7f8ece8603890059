"""Questions with their SQL, in the state database: confirmed ones, and valid ones that a person may confirm."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, Literal

from troly.stores.connections import StatementResult
from troly.stores.migrations import Migration
from troly.stores.records import instant, storable, when, when_or_none
from troly.stores.state import StateDb
from troly.text.catalogue import Lang
from troly.text.dates import HCM
from troly_rental.reuse.form import FormPart
from troly_rental.strings import say

State = Literal["valid", "invalid", "unchecked"]
# A search looks at this many of the newest entries of a role.
SEARCHED = 2_000
KEY_PREFIX = "rental.reuse:"

MIGRATION = Migration(
    "rental/0200_reuse",
    (
        """
        CREATE TABLE rental_reuse (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            question TEXT NOT NULL,
            canonical TEXT NOT NULL,
            parts TEXT NOT NULL,
            slots TEXT NOT NULL,
            role TEXT NOT NULL,
            mode TEXT NOT NULL,
            schema_version TEXT NOT NULL,
            sql TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state = 'valid'),
            author TEXT NOT NULL DEFAULT '',
            day TEXT NOT NULL,
            uses INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL,
            used_at TEXT,
            barred_at TEXT,
            barred_because TEXT NOT NULL DEFAULT '',
            embedder TEXT NOT NULL DEFAULT '',
            vector BLOB
        )
        """,
        "CREATE INDEX rental_reuse_by_scope ON rental_reuse (role, schema_version, number)",
        "CREATE INDEX rental_reuse_by_question ON rental_reuse (canonical, role, schema_version)",
    ),
)
CONFIRMED_MIGRATION = Migration(
    "rental/0210_add_confirmed",
    ("ALTER TABLE rental_reuse ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0",),
)
_OF_SCOPE = """
    SELECT * FROM rental_reuse WHERE role = ? AND schema_version = ? AND confirmed = 1
        AND NOT EXISTS (SELECT 1 FROM excluded WHERE key = '{prefix}' || number)
    ORDER BY number DESC LIMIT ?
""".replace("{prefix}", KEY_PREFIX)
_LIST = """
    SELECT *, EXISTS (SELECT 1 FROM excluded WHERE key = '{prefix}' || number) AS excluded
    FROM rental_reuse WHERE :author IS NULL OR author = :author ORDER BY number DESC
""".replace("{prefix}", KEY_PREFIX)
_EXCLUDED = """
    SELECT 1 FROM rental_reuse
    WHERE canonical = ? AND role = ? AND schema_version = ? AND mode = ? AND slots = ? AND sql = ?
        AND EXISTS (SELECT 1 FROM excluded WHERE key = '{prefix}' || number)
""".replace("{prefix}", KEY_PREFIX)
_KNOWN = """
    SELECT number, confirmed FROM rental_reuse
    WHERE canonical = ? AND role = ? AND schema_version = ? AND mode = ? AND slots = ?
        AND NOT EXISTS (SELECT 1 FROM excluded WHERE key = '{prefix}' || number)
""".replace("{prefix}", KEY_PREFIX)
_INSERT = """
    INSERT INTO rental_reuse (canonical, role, schema_version, mode, slots, question, parts, sql, author, day,
        created_at, confirmed, state)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'valid')
    RETURNING number
"""
_REPLACE = """
    UPDATE rental_reuse SET question = ?, parts = ?, sql = ?, author = ?, day = ?, created_at = ?, confirmed = ?,
        embedder = '', vector = NULL, uses = 0, used_at = NULL
    WHERE number = ?
"""


@dataclass(frozen=True, slots=True)
class ReuseEntry:
    """One stored pair; `number` is what people are shown, `day` the local day on which it was asked.

    `canonical` and `packed_parts` are the question's form: a search looks into the latter only where it must. `excluded`:
    an answer of it was marked as wrong. `confirmed`: it was certain, or a person confirmed it; another one is never reused.
    """

    question: str
    canonical: str
    packed_parts: str
    slots: str
    role: str
    mode: str
    schema_version: str
    sql: str
    author: str
    day: date
    created_at: datetime
    number: int = 0
    uses: int = 0
    used_at: datetime | None = None
    excluded: bool = False
    confirmed: bool = True

    def parts(self) -> tuple[FormPart, ...]:
        """The question's form."""
        return tuple(FormPart(*part) for part in json.loads(self.packed_parts))

    def as_json(self) -> dict[str, Any]:
        """For the recording of a turn."""
        times = {name: instant(at) for name in ("created_at", "used_at") if (at := getattr(self, name))}
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        return {**plain, **times, "day": self.day.isoformat()}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> ReuseEntry:
        """The inverse of `as_json`."""
        day, created = date.fromisoformat(saved["day"]), when(saved["created_at"])
        used = when_or_none(saved["used_at"])
        known = {one.name: saved[one.name] for one in fields(cls) if one.name in saved}
        return cls(**{**known, "day": day, "created_at": created, "used_at": used})

    def age(self, now: datetime, lang: Lang) -> str:
        """How long ago it was stored, in whole local days: "lưu hôm nay", "lưu 3 ngày trước"."""
        days = max(0, (now.astimezone(HCM).date() - self.created_at.astimezone(HCM).date()).days)
        return say(("reuse.today", "reuse.yesterday")[days] if days < 2 else "reuse.days", lang, days=days)


def slots_key(slots: Sequence[Mapping[str, Any]]) -> str:
    """The filters in one order, for equality."""
    return json.dumps(
        sorted(json.dumps(one, sort_keys=True, ensure_ascii=False, default=list) for one in slots)
    )


class ReuseStore:
    """The table; every method raises StoreError."""

    def __init__(self, state: StateDb) -> None:
        self._state = state

    def of_scope(self, role: str, schema_version: str) -> list[ReuseEntry]:
        """What may be reused for `role`, newest first."""
        with self._state.read() as connection:
            return _entries(connection.execute(_OF_SCOPE, (role, schema_version, SEARCHED)))

    def add(self, entry: ReuseEntry, now: datetime) -> int | None:
        """Keep `entry` and return its number; the pair before it with the same question and filters is replaced.

        None when this very pair was excluded: a wrong answer does not come back by being given again. None too where a
        confirmed pair would give way to one that is not.
        """
        canonical, slots, sql = (storable(text) for text in (entry.canonical, entry.slots, entry.sql))
        same = (canonical, entry.role, entry.schema_version, entry.mode, slots)
        values = (
            storable(entry.question), storable(entry.packed_parts), sql,
            entry.author, entry.day.isoformat(), instant(now), int(entry.confirmed),
        )  # fmt: skip
        with self._state.write() as connection:
            if connection.execute(_EXCLUDED, (*same, sql)).fetchone():
                return None
            row = connection.execute(_KNOWN, same).fetchone()
            if row is None:
                return int(connection.execute(_INSERT, (*same, *values)).fetchone()[0])
            if row[1] and not entry.confirmed:
                return None
            connection.execute(_REPLACE, (*values, row[0]))
            return int(row[0])

    def used(self, number: int, now: datetime) -> None:
        """Count one use."""
        with self._state.write() as connection:
            sql = "UPDATE rental_reuse SET uses = uses + 1, used_at = ? WHERE number = ?"
            connection.execute(sql, (instant(now), number))

    def confirm(self, number: int) -> None:
        """Let one entry be reused from now on."""
        with self._state.write() as connection:
            connection.execute("UPDATE rental_reuse SET confirmed = 1 WHERE number = ?", (number,))

    def list(self, author: str | None) -> list[ReuseEntry]:
        """Every entry of `author`, or of everybody (None), excluded ones too, newest first."""
        with self._state.read() as connection:
            return _entries(connection.execute(_LIST, {"author": author}))

    def remove(self, number: int) -> None:
        """Delete one entry for good."""
        with self._state.write() as connection:
            connection.execute("DELETE FROM rental_reuse WHERE number = ?", (number,))


def _entries(cursor: StatementResult) -> list[ReuseEntry]:
    names = [item[0] for item in cursor.description]
    return [_entry(dict(zip(names, row, strict=True))) for row in cursor]


def _entry(row: Mapping[str, Any]) -> ReuseEntry:
    return ReuseEntry(
        number=row["number"],
        question=row["question"],
        canonical=row["canonical"],
        packed_parts=row["parts"],
        slots=row["slots"],
        role=row["role"],
        mode=row["mode"],
        schema_version=row["schema_version"],
        sql=row["sql"],
        author=row["author"],
        day=date.fromisoformat(row["day"]),
        uses=row["uses"],
        created_at=when(row["created_at"]),
        used_at=when_or_none(row["used_at"]),
        excluded=bool(row.get("excluded")),
        confirmed=bool(row["confirmed"]),
    )


def pack_parts(parts: Sequence[FormPart]) -> str:
    """The form of a question for a column."""
    return json.dumps(parts, ensure_ascii=False)
