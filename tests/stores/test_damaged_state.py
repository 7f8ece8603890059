"""A damaged state database is set aside whole, and a fresh one takes its place."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from troly.errors import StoreError
from troly.stores.state import StateDb


def filled(home: Path, rows: int = 2000) -> Path:
    path = home / "state.db"
    db, _ = StateDb.open(path, home / "set-aside")
    db.migrate()
    with db.write() as connection:
        connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
        connection.execute("CREATE INDEX notes_by_text ON notes (text)")
        connection.executemany("INSERT INTO notes (text) VALUES (?)", [(f"{n:040}",) for n in range(rows)])
    db.close()
    return path


def damage(path: Path, start: int, length: int) -> bytes:
    content = bytearray(path.read_bytes())
    content[start : start + length] = b"\xa5" * length
    path.write_bytes(content)
    return bytes(content)


@pytest.mark.parametrize("kind", ["junk", "short", "cut", "middle"])
def test_a_damaged_file_is_set_aside_and_a_fresh_one_works(home: Path, kind: str) -> None:
    path = filled(home)
    match kind:
        case "junk":
            path.write_bytes(b"this is not a database" * 400)
        case "short":
            path.write_bytes(b"SQLite format 3")
        case "cut":
            path.write_bytes(path.read_bytes()[:40_000])
        case _:
            damage(path, 60_000, 30_000)
    content = path.read_bytes()
    db, moved = StateDb.open(path, home / "set-aside")
    assert db.migrate()
    db.close()
    assert [(report.original, report.moved_to.read_bytes()) for report in moved] == [(path, content)]
    assert moved[0].moved_to.parent == home / "set-aside"
    assert moved[0].reason
    again, moved = StateDb.open(path, home / "set-aside")
    assert moved == []
    again.close()


def test_the_log_of_a_file_in_use_goes_with_it_and_harms_the_fresh_one_no_more(home: Path) -> None:
    path = filled(home)
    with closing(sqlite3.connect(path)) as elsewhere:
        elsewhere.execute("INSERT INTO notes (text) VALUES ('only in the log')")
        elsewhere.commit()
        damage(path, path.stat().st_size - 60_000, 60_000)
        db, moved = StateDb.open(path, home / "set-aside")
        db.migrate()
        log = moved[0].moved_to.with_name(moved[0].moved_to.name + "-wal")
        assert b"only in the log" in log.read_bytes()
    with db.read() as connection:
        assert connection.execute("SELECT count(*) FROM migrations").fetchone() > (0,)
    assert path.with_name("state.db-wal").exists()
    db.close()


def test_an_empty_file_is_a_new_database(home: Path) -> None:
    home.mkdir()
    (home / "state.db").touch()
    db, moved = StateDb.open(home / "state.db", home / "set-aside")
    assert moved == []
    assert db.migrate()
    db.close()


def test_damage_met_while_working_is_found_at_the_next_start(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As for a file that is too large to be read whole at every start.
    monkeypatch.setattr("troly.stores.state._CHECK_BYTES", 0)
    path = filled(home)
    damage(path, path.stat().st_size - 60_000, 60_000)
    db, moved = StateDb.open(path, home / "set-aside")
    assert moved == []
    with pytest.raises(StoreError) as caught, db.read() as connection:
        connection.execute("SELECT max(text || id) FROM notes NOT INDEXED").fetchall()
    assert caught.value.key == "store.damaged"
    assert "set aside" in caught.value.render("en").remedy
    db.close()
    db, moved = StateDb.open(path, home / "set-aside")
    assert len(moved) == 1
    db.close()
    assert [file.name for file in home.glob("*.suspect")] == []


def test_a_false_alarm_costs_one_check(home: Path) -> None:
    path = filled(home)
    (home / "state.db.suspect").touch()
    db, moved = StateDb.open(path, home / "set-aside")
    assert moved == []
    assert not (home / "state.db.suspect").exists()
    db.close()


def test_a_damaged_file_that_cannot_be_moved_stays_and_says_so(home: Path) -> None:
    path = filled(home)
    path.write_bytes(b"junk" * 4000)
    (home / "set-aside").write_text("a file, not a folder", encoding="utf-8")
    with pytest.raises(StoreError) as caught:
        StateDb.open(path, home / "set-aside")
    assert caught.value.key == "store.set_aside_failed"
    assert path.read_bytes() == b"junk" * 4000


def test_who_comes_second_finds_the_fresh_file_and_leaves_it(home: Path) -> None:
    path = filled(home)
    path.write_bytes(b"junk" * 4000)
    second = StateDb(path)
    assert second._damage()
    first, moved = StateDb.open(path, home / "set-aside")
    first.migrate()
    assert second._replace(home / "set-aside") == []
    assert second.migrate() == []
    assert len(moved) == 1
    for db in (first, second):
        db.close()


def test_another_thread_sees_the_fresh_file(home: Path) -> None:
    path = filled(home)
    path.write_bytes(b"junk" * 4000)
    db, _ = StateDb.open(path, home / "set-aside")
    db.migrate()
    seen: list[sqlite3.Row] = []

    def look() -> None:
        with db.read() as connection:
            seen.extend(connection.execute("SELECT count(*) FROM migrations").fetchall())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen[0][0] > 0
    db.close()
