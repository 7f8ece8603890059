"""People of a shared database: what a users file says of each login on one machine, kept for all machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from troly.stores.records import instant
from troly.stores.state import StateDb

# A key that was made with just the rights of its person follows that person; one that was given others keeps them.
_FOLLOWING = """
UPDATE api_keys SET role = ?, permissions = ?, department = ?
WHERE user_id = ? AND role = ? AND permissions = ? AND department = ?
"""


class Users:
    """Entries by login, with the fields of a users file; every method raises StoreError."""

    def __init__(self, db: StateDb) -> None:
        self._db = db

    def entries(self) -> dict[str, dict[str, Any]]:
        with self._db.read() as connection:
            rows = connection.execute("SELECT login, entry FROM users ORDER BY login").fetchall()
        return {login: json.loads(entry) for login, entry in rows}

    def put(self, login: str, entry: Mapping[str, Any]) -> None:
        """Keep `entry` of `login` in place of what was said before; the person's keys get the rights with it."""
        with self._db.write() as connection:
            row = connection.execute("SELECT entry FROM users WHERE login = ?", (login,)).fetchone()
            connection.execute(
                "INSERT INTO users (login, entry) VALUES (?, ?) ON CONFLICT (login) DO UPDATE SET entry = excluded.entry",
                (login, json.dumps(dict(entry), ensure_ascii=False)),
            )
            if row is not None:
                connection.execute(_FOLLOWING, (*_rights(entry), login, *_rights(json.loads(row[0]))))

    def remove(self, login: str) -> int | None:
        """Forget `login` and revoke its keys; how many those were, None where there is no such entry."""
        with self._db.write() as connection:
            if not connection.execute("DELETE FROM users WHERE login = ?", (login,)).rowcount:
                return None
            sql = "UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL"
            return connection.execute(sql, (instant(datetime.now(UTC)), login)).rowcount


def _rights(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    """Role, permissions and department as a key keeps them."""
    permissions = json.dumps(sorted(set(entry.get("permissions", ()))))
    return entry.get("role", "staff"), permissions, entry.get("department", "")
