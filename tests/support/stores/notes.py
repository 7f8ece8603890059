"""A database with one table of notes: what tests of transactions write and count."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.stores.real import open_db
from troly.stores.state import StateDb


@contextmanager
def notes_db(home: Path) -> Iterator[StateDb]:
    """The database of a data directory, not migrated."""
    opened, _ = open_db(home)
    with opened.write() as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
    yield opened
    opened.close()


def add(db: StateDb, text: str = "x") -> None:
    """Write a note."""
    with db.write() as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (text,))


def count(db: StateDb) -> int:
    """How many notes there are."""
    with db.read() as connection:
        return int(connection.execute("SELECT count(*) FROM notes").fetchone()[0])
