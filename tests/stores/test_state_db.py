"""The state database under several threads, a busy or full disk, and without permission."""

from __future__ import annotations

import resource
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.support.stores.notes import add, count, notes_db
from tests.support.stores.real import unprivileged
from troly.errors import StoreError
from troly.stores.state import StateDb


@pytest.fixture
def db(home: Path) -> Iterator[StateDb]:
    with notes_db(home) as opened:
        yield opened


def open_handles(folder: Path) -> int:
    return sum(Path(file.path).is_relative_to(folder) for file in psutil.Process().open_files())


def test_threads_that_ended_leave_no_connection_behind(db: StateDb, home: Path) -> None:
    for _ in range(20):
        thread = threading.Thread(target=add, args=(db,))
        thread.start()
        thread.join()
    assert count(db) == 20
    assert open_handles(home) <= 6


def test_settings_of_the_connection(db: StateDb) -> None:
    with db.read() as connection:
        found = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert found == ["wal", 1, 1]


def test_a_mistake_in_sql_is_seen_as_it_is(db: StateDb) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"), db.read() as connection:
        connection.execute("SELECT * FROM absent")


def test_a_writer_waits_for_another_one(db: StateDb) -> None:
    with closing(sqlite3.connect(db.path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        writer = threading.Thread(target=add, args=(db,))
        writer.start()
        # Reading goes on meanwhile.
        assert count(db) == 0
        assert writer.is_alive()
        other.execute("COMMIT")
        writer.join()
    assert count(db) == 1


def test_a_writer_that_waited_too_long_says_so(db: StateDb) -> None:
    impatient = StateDb(db.path, busy_seconds=0.1)
    with closing(sqlite3.connect(db.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as caught:
            add(impatient)
    assert caught.value.key == "store.busy"
    assert "0.1" in caught.value.render("vi").message
    add(impatient)
    impatient.close()


def test_threads_wait_for_each_other_no_longer_than_for_another_process(db: StateDb) -> None:
    impatient = StateDb(db.path, busy_seconds=0.1)
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with impatient.write():
            held.set()
            over.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        with pytest.raises(StoreError) as caught:
            add(impatient)
        assert count(impatient) == 0
    finally:
        over.set()
        holder.join()
    assert caught.value.key == "store.busy"
    add(impatient)
    assert count(impatient) == 1
    impatient.close()


def test_a_full_database_keeps_what_it_has(db: StateDb) -> None:
    add(db)
    with db.read() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError) as caught:
        add(db, "x" * 100_000)
    assert caught.value.key == "store.full"
    assert caught.value.exit_code == 4
    with db.read() as connection:
        connection.execute("PRAGMA max_page_count = 100000")
    add(db)
    assert count(db) == 2


def test_a_disk_that_takes_no_more_keeps_what_it_has(db: StateDb) -> None:
    add(db)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(StoreError) as caught:
            add(db, "x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.key in ("store.full", "store.io")
    add(db)
    assert count(db) == 2


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    # Not under tmp_path: its parents are closed to the user that `unprivileged` becomes.
    folder = Path(tempfile.mkdtemp(prefix="troly-locked-"))
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_folder_without_permission(locked_folder: Path) -> None:
    with unprivileged(), pytest.raises(StoreError) as caught:
        StateDb.open(locked_folder / "state.db", locked_folder / "set-aside")
    assert caught.value.key == "store.denied"
    assert "TROLY_HOME" in caught.value.render("en").remedy
    with unprivileged(), pytest.raises(StoreError) as caught:
        StateDb.open(locked_folder / "deeper" / "state.db", locked_folder / "set-aside")
    assert caught.value.key == "store.denied"
    assert open_handles(locked_folder) == 0


def test_a_database_that_may_only_be_read(locked_folder: Path) -> None:
    locked_folder.chmod(0o755)
    path = locked_folder / "state.db"
    first, _ = StateDb.open(path, locked_folder)
    first.migrate()
    first.close()
    path.chmod(0o444)
    locked_folder.chmod(0o555)
    with unprivileged(), pytest.raises(StoreError) as caught:
        StateDb.open(path, locked_folder)[0].migrate()
    assert caught.value.key == "store.denied"
    assert list(locked_folder.iterdir()) == [path]


def test_paths_that_cannot_be_a_database(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for path in (tmp_path / "folder", tmp_path / "file" / "state.db"):
        with pytest.raises(StoreError) as caught:
            StateDb.open(path, tmp_path / "set-aside")
        assert caught.value.render("vi").remedy
    assert open_handles(tmp_path) == 0


def test_after_closing_it_says_that_it_is_closed(db: StateDb, home: Path) -> None:
    db.close()
    with pytest.raises(StoreError) as caught:
        count(db)
    assert caught.value.key == "store.closed"
    assert open_handles(home) == 0
    assert [path.name for path in home.iterdir()] == ["state.db"]
