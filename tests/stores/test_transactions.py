"""Transactions of the state database, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.process.waiting import wait_until
from tests.support.stores.notes import add, count, notes_db
from troly.errors import StoreError
from troly.stores.state import StateDb


@pytest.fixture
def db(home: Path) -> Iterator[StateDb]:
    with notes_db(home) as opened:
        yield opened


def test_threads_write_at_once_and_lose_nothing(db: StateDb) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: add(db), range(400)))
    assert count(db) == 400


def test_an_error_rolls_the_write_back(db: StateDb) -> None:
    def write_and_fail() -> None:
        with db.write() as connection:
            connection.execute("INSERT INTO notes VALUES ('lost')")
            raise KeyError

    with pytest.raises(KeyError):
        write_and_fail()
    assert count(db) == 0
    add(db)
    assert count(db) == 1


def test_a_read_sees_one_moment(db: StateDb) -> None:
    add(db)
    with db.read() as connection:
        writer = threading.Thread(target=add, args=(db,))
        writer.start()
        writer.join()
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (1,)
    assert count(db) == 2


def test_transactions_join_inside_each_other(db: StateDb) -> None:
    def write_inside_and_fail() -> None:
        with db.write():
            add(db)
            assert count(db) == 1
            raise KeyError

    with pytest.raises(KeyError):
        write_inside_and_fail()
    assert count(db) == 0
    with db.read(), pytest.raises(RuntimeError):
        add(db)


def test_closing_ends_other_threads_in_order(db: StateDb) -> None:
    ends: list[str] = []

    def write_on() -> None:
        try:
            while True:
                add(db)
        except StoreError as error:
            ends.append(error.key)

    writers = [threading.Thread(target=write_on) for _ in range(3)]
    for writer in writers:
        writer.start()
    wait_until(lambda: count(db) > 20)
    db.close()
    for writer in writers:
        writer.join(10)
    assert ends == ["store.closed"] * 3


def test_what_a_writer_read_is_still_so_when_it_writes(db: StateDb) -> None:
    """Read, add one, write: nobody comes between."""
    add(db, "0")

    def count_on(_: int) -> None:
        with db.write() as connection:
            (text,) = connection.execute("SELECT text FROM notes").fetchone()
            connection.execute("UPDATE notes SET text = ?", (str(int(text) + 1),))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count_on, range(100)))
    with db.read() as connection:
        assert connection.execute("SELECT text FROM notes").fetchone() == ("100",)
