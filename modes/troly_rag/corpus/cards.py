"""What is known of each company document beside its text: access, dates, version, and what it takes the place of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Literal

from troly.stores.connections import Connection
from troly.stores.migrations import Migration
from troly.stores.state import StateDb
from troly.text.dates import HCM
from troly.text.fold import fold

MIGRATION = Migration(
    "rag/0001_documents",
    (
        """
        CREATE TABLE rag_documents (
            collection TEXT NOT NULL,
            path TEXT NOT NULL,
            source TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            family TEXT NOT NULL,
            title TEXT NOT NULL,
            url TEXT NOT NULL,
            scope TEXT NOT NULL,
            departments TEXT NOT NULL,
            version TEXT NOT NULL,
            effective TEXT NOT NULL,
            created_at TEXT NOT NULL,
            PRIMARY KEY (collection, path)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX rag_documents_by_source ON rag_documents (source)",
        "CREATE INDEX rag_documents_by_family ON rag_documents (collection, family)",
        """
        CREATE TABLE rag_names (
            collection TEXT NOT NULL,
            name TEXT NOT NULL,
            path TEXT NOT NULL,
            PRIMARY KEY (collection, name, path)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX rag_names_by_path ON rag_names (collection, path)",
        """
        CREATE TABLE rag_supersedes (
            collection TEXT NOT NULL,
            target TEXT NOT NULL,
            path TEXT NOT NULL,
            PRIMARY KEY (collection, target, path)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX rag_supersedes_by_path ON rag_supersedes (collection, path)",
    ),
    # What is known of a document stands beside its words.
    postgres=(),
)
Status = Literal["current", "superseded", "future"]
_COLUMNS = "collection, path, source, fingerprint, family, title, url, scope, departments, version, effective, created_at"
_NUMBERS = re.compile(r"\d+")
_SCHEME = re.compile(r"^https?://(?:www\.)?")
_SUFFIX = re.compile(r"\.(md|markdown|html?|pdf|docx|txt)$")
_MOST_FOLDERS = 6


@dataclass(frozen=True, slots=True)
class Card:
    """One document of a corpus. `path` is its key there; `source` the file (an older version keeps its source).

    `family` is the same for versions of one document. `departments` are joined by `+`, "" is all of the company.
    `effective` is an ISO date or ""; `created_at` an ISO moment in UTC or "" when the document has no date.
    """

    collection: str
    path: str
    source: str
    fingerprint: str
    family: str
    title: str
    url: str
    scope: str
    departments: str
    version: str = ""
    effective: str = ""
    created_at: str = ""

    @property
    def day(self) -> date:
        """The day from which it counts: effective, else its date; the first of all days where it has none."""
        text = self.effective or self.created_at
        if not text:
            return date.min
        return date.fromisoformat(text[:10])

    @property
    def age(self) -> tuple[date, tuple[int, ...]]:
        """What orders the versions of a family: the day, then the numbers of the version."""
        return self.day, tuple(map(int, _NUMBERS.findall(self.version)[:8]))


def named(text: str) -> str:
    """A name or reference as it is compared: folded, only letters and digits, without scheme and file's suffix."""
    bare = _SUFFIX.sub("", _SCHEME.sub("", fold(text).strip()).rstrip("/"))
    return " ".join(re.findall(r"[^\W_]+", bare))


def paths_of(path: Path) -> Iterator[str]:
    """The names by which a reference can mean the file at `path`: its own, then with more and more of its folders."""
    parts = [part for part in path.with_suffix("").parts if part.strip("/\\")]
    for count in range(1, min(len(parts), _MOST_FOLDERS) + 1):
        yield "/".join(parts[-count:])


def place_of(path: str) -> str:
    """The name of exactly one document, that no reference written by a person can be."""
    return f"={path}"


class Cards:
    """The cards of all corpora in the state database. Blocking; raises StoreError."""

    def __init__(self, db: StateDb) -> None:
        self._db = db

    def put(self, card: Card, names: Iterable[str], supersedes: Iterable[str]) -> None:
        """Store `card` in place of what its path held, with the names it goes by and those it takes the place of."""
        values = [getattr(card, column) for column in _COLUMNS.split(", ")]
        marks = ", ".join("?" * len(values))
        with self._db.write() as connection:
            _delete(connection, card.collection, card.path)
            sql = f"INSERT INTO rag_documents ({_COLUMNS}) VALUES ({marks})"  # noqa: S608 (constant text)
            connection.execute(sql, values)
            connection.executemany(
                "INSERT OR IGNORE INTO rag_names (collection, name, path) VALUES (?, ?, ?)",
                [(card.collection, name, card.path) for name in {*names, place_of(card.path)} if name],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO rag_supersedes (collection, target, path) VALUES (?, ?, ?)",
                [(card.collection, target, card.path) for target in supersedes if target],
            )

    def rename(self, collection: str, path: str, new: str) -> None:
        """Give the card another path; whatever takes its place still does."""
        with self._db.write() as connection:
            for table in ("rag_documents", "rag_names", "rag_supersedes"):
                sql = f"UPDATE {table} SET path = ? WHERE collection = ? AND path = ?"  # noqa: S608 (our tables)
                connection.execute(sql, (new, collection, path))
            for table, column in (("rag_names", "name"), ("rag_supersedes", "target")):
                sql = f"UPDATE {table} SET {column} = ? WHERE collection = ? AND {column} = ?"  # noqa: S608
                connection.execute(sql, (place_of(new), collection, place_of(path)))

    def restrict(self, card: Card, scope: str, departments: str) -> None:
        """Change who may see a document; the chunks' own access is changed by the caller."""
        with self._db.write() as connection:
            connection.execute(
                "UPDATE rag_documents SET scope = ?, departments = ? WHERE collection = ? AND path = ?",
                (scope, departments, card.collection, card.path),
            )

    def remove(self, collection: str, path: str) -> None:
        """Forget one card."""
        with self._db.write() as connection:
            _delete(connection, collection, path)

    def all(self) -> list[Card]:
        """The cards of every corpus."""
        with self._db.read() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM rag_documents ORDER BY collection, path")  # noqa: S608
            return [Card(*row) for row in rows]

    def of(self, collection: str, paths: Sequence[str]) -> dict[str, Card]:
        """The cards of `paths` in one corpus, by path."""
        sql = f"""
            SELECT {_COLUMNS} FROM rag_documents
            WHERE collection = ? AND path IN (SELECT value FROM json_each(?))
        """  # noqa: S608 (constant text)
        with self._db.read() as connection:
            rows = connection.execute(sql, (collection, json.dumps(list(paths)))).fetchall()
        return {row[1]: Card(*row) for row in rows}

    def standing(self, collection: str, cards: Mapping[str, Card], now: datetime) -> dict[str, Status]:
        """Which of `cards` are in force at `now`.

        A card is superseded when a younger version of its family, or a document that says it takes its place, is in
        force; it is of the future while its own effective date has not come.
        """
        today = now.astimezone(HCM).date()
        above = self._above(collection, cards)
        return {path: _status(card, above.get(path, ()), today) for path, card in cards.items()}

    def _above(self, collection: str, cards: Mapping[str, Card]) -> dict[str, list[tuple[Card, bool]]]:
        """For each path the other versions of it, and those that name it: True, but for two that name each other."""
        columns = ", ".join(f"d.{column}" for column in _COLUMNS.split(", "))
        sql = f"""
            SELECT w.path, 0, {columns} FROM json_each(:paths) AS j
            JOIN rag_documents AS w ON w.collection = :collection AND w.path = j.value
            JOIN rag_documents AS d ON d.collection = w.collection AND d.family = w.family AND d.path <> w.path
            UNION ALL
            SELECT n.path, 1 - EXISTS (
                SELECT 1 FROM rag_names AS m
                JOIN rag_supersedes AS t ON t.collection = m.collection AND t.target = m.name AND t.path = n.path
                WHERE m.collection = :collection AND m.path = s.path
            ), {columns} FROM json_each(:paths) AS j
            JOIN rag_names AS n ON n.collection = :collection AND n.path = j.value
            JOIN rag_supersedes AS s ON s.collection = n.collection AND s.target = n.name AND s.path <> n.path
            JOIN rag_documents AS d ON d.collection = s.collection AND d.path = s.path
        """  # noqa: S608 (constant text)
        found: dict[str, list[tuple[Card, bool]]] = {}
        with self._db.read() as connection:
            params = {"collection": collection, "paths": json.dumps(list(cards))}
            for row in connection.execute(sql, params):
                found.setdefault(row[0], []).append((Card(*row[2:]), bool(row[1])))
        return found


def _status(card: Card, above: Iterable[tuple[Card, bool]], today: date) -> Status:
    if card.effective and card.day > today:
        return "future"
    for other, says_so in above:
        in_force = other.day <= today or not other.effective
        # A document that names another one counts unless it is the older of the two: names may be the same.
        younger = other.age > card.age or (says_so and other.age == card.age)
        undated = says_so and date.min in (other.day, card.day)
        if in_force and (younger or undated):
            return "superseded"
    return "current"


def _delete(connection: Connection, collection: str, path: str) -> None:
    for table in ("rag_documents", "rag_names", "rag_supersedes"):
        sql = f"DELETE FROM {table} WHERE collection = ? AND path = ?"  # noqa: S608 (our tables)
        connection.execute(sql, (collection, path))
