"""What searches found lately, kept in the state database for every process."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from troly.errors import TrolyError
from troly.stores.migrations import Migration
from troly.stores.state import StateDb
from troly.text.catalogue import Lang
from troly_dental.search.pages import Page

MIGRATIONS = (
    Migration(
        "dental/0002_search",
        (
            """
            CREATE TABLE dental_searches (
                key TEXT PRIMARY KEY,
                pages TEXT NOT NULL,
                stored_at REAL NOT NULL
            ) WITHOUT ROWID
            """,
            """
            CREATE TABLE dental_search_pauses (
                engine TEXT PRIMARY KEY,
                problem TEXT NOT NULL,
                failures INTEGER NOT NULL,
                failed_at REAL NOT NULL,
                until REAL NOT NULL
            ) WITHOUT ROWID
            """,
        ),
    ),
)
KEEP_SECONDS = 24 * 3600.0
KEEP_ENTRIES = 500


class SearchCache:
    """Blocking, safe from any thread. A database that refuses only means that nothing is remembered."""

    def __init__(
        self, state: StateDb, now: Callable[[], float] = time.time, keep: float = KEEP_SECONDS
    ) -> None:
        """`now` gives seconds since the epoch, `keep` how many seconds an answer stays good."""
        self._state = state
        self._now = now
        self._keep = keep

    def get(self, engine: str, lang: Lang, query: str) -> tuple[Page, ...]:
        """The pages that were found for `query` lately; empty when there are none."""
        now = self._now()
        with suppress(TrolyError, sqlite3.Error, ValueError, TypeError):
            with self._state.read() as connection:
                row = connection.execute(
                    "SELECT pages, stored_at FROM dental_searches WHERE key = ?", (_key(engine, lang, query),)
                ).fetchone()
            if row is not None and 0 <= now - row[1] < self._keep:
                return tuple(Page(*map(str, each)) for each in json.loads(row[0]))
        return ()

    def put(self, engine: str, lang: Lang, query: str, pages: Sequence[Page]) -> None:
        """Remember `pages`. The query itself is not stored, only its hash."""
        now = self._now()
        rows = json.dumps([[page.title, page.content, page.link] for page in pages], ensure_ascii=False)
        with suppress(TrolyError, sqlite3.Error), self._state.write() as connection:
            connection.execute(
                "INSERT INTO dental_searches (key, pages, stored_at) VALUES (?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET pages = excluded.pages, stored_at = excluded.stored_at",
                (_key(engine, lang, query), rows, now),
            )
            connection.execute(
                """
                DELETE FROM dental_searches WHERE stored_at <= ? OR key NOT IN
                    (SELECT key FROM dental_searches ORDER BY stored_at DESC, key LIMIT ?)
                """,
                (now - self._keep, KEEP_ENTRIES),
            )


def _key(engine: str, lang: Lang, query: str) -> str:
    folded = " ".join(query.casefold().split())
    return hashlib.sha256(f"{engine}\n{lang}\n{folded}".encode("utf-8", "replace")).hexdigest()
