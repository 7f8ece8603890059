"""Keys of people and programs that use the assistants over HTTP: made, listed and revoked; only a hash is kept."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from troly.stores.records import instant, when, when_or_none
from troly.stores.state import StateDb

# `troly_<id>_<secret>`: the id finds the row, the secret (256 random bits) proves it.
TOKEN = re.compile(r"troly_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_COLUMNS = (
    "id, digest, user_id, role, permissions, department, modes, rate, created_at, expires_at, revoked_at"
)
_NOBODY = hashlib.sha256(b"").digest()


@dataclass(frozen=True, slots=True)
class ApiKey:
    """Who a key speaks for and what it may: `modes` () are all assistants, `rate` are requests a minute."""

    id: str
    user: str
    role: str
    permissions: frozenset[str]
    department: str
    modes: tuple[str, ...]
    rate: int
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def ended(self, now: datetime) -> bool:
        return self.revoked_at is not None or (self.expires_at is not None and self.expires_at <= now)


class ApiKeys:
    """The keys in the state database; every method raises StoreError."""

    def __init__(self, db: StateDb, clock: Callable[[], datetime]) -> None:
        self._db = db
        self._clock = clock

    def add(
        self,
        user: str,
        role: str,
        permissions: frozenset[str] = frozenset(),
        *,
        department: str = "",
        modes: tuple[str, ...] = (),
        rate: int = 600,
        expires_at: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key and its token, which is nowhere to be found again."""
        key_id, secret, now = secrets.token_hex(6), secrets.token_urlsafe(32), self._clock()
        row = (
            key_id, digest(secret), user, role, json.dumps(sorted(permissions)), department,
            json.dumps(list(modes)), rate, instant(now), instant(expires_at) if expires_at else None, None,
        )  # fmt: skip
        with self._db.write() as connection:
            connection.execute(
                f"INSERT INTO api_keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 (constants)
                row,
            )
        return _key_of(row), f"troly_{key_id}_{secret}"

    def list(self) -> list[ApiKey]:
        """All keys, also ended ones, oldest first."""
        with self._db.read() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM api_keys ORDER BY created_at, id").fetchall()  # noqa: S608 (constants)
        return [_key_of(row) for row in rows]

    def revoke(self, key_id: str) -> bool:
        """End a key now; whether there was one that had not been revoked."""
        sql = "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL"
        with self._db.write() as connection:
            return connection.execute(sql, (instant(self._clock()), key_id)).rowcount > 0

    def find(self, token: str) -> ApiKey | None:
        """The key of `token`; None for one that is unknown, expired or revoked, each after the same work."""
        found = TOKEN.fullmatch(token)
        key_id, secret = found.groups() if found else ("", token[:200])
        with self._db.read() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM api_keys WHERE id = ?", (key_id,)).fetchone()  # noqa: S608 (constants)
        right = secrets.compare_digest(digest(secret), row[1] if row else _NOBODY)
        key = _key_of(row) if row else None
        return key if right and key is not None and not key.ended(self._clock()) else None


def digest(secret: str) -> bytes:
    """What is kept of a secret. It is random and long, so no slow hash is needed."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def _key_of(row: tuple[Any, ...]) -> ApiKey:
    return ApiKey(
        id=row[0],
        user=row[2],
        role=row[3],
        permissions=frozenset(json.loads(row[4])),
        department=row[5],
        modes=tuple(json.loads(row[6])),
        rate=row[7],
        created_at=when(row[8]),
        expires_at=when_or_none(row[9]),
        revoked_at=when_or_none(row[10]),
    )
