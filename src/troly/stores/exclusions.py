"""Keys of kept answers that may not be reused, because an answer of them was marked as wrong."""

from __future__ import annotations

import sqlite3

from troly.stores.records import fetch_one


def is_excluded(connection: sqlite3.Connection, key: str) -> bool:
    """Whether what is kept under `key` may not be reused."""
    return fetch_one(connection, "SELECT 1 FROM barred WHERE key = ?", (key,)) is not None
