"""Migrations: recorded, all or nothing, from an old file, and never over a newer one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.stores.real import open_stores
from troly.errors import StoreError
from troly.stores.migrations import CORE, Migration
from troly.stores.state import StateDb

OLD = Path(__file__).parent / "old"
RECORDS = Migration("shopping/0001_records", ("CREATE TABLE shopping_records (serial TEXT)",))
MORE = Migration("shopping/0002_more", ("ALTER TABLE shopping_records ADD COLUMN name TEXT",))


def opened(path: Path) -> StateDb:
    return StateDb.open(path, path.parent / "set-aside")[0]


def names(db: StateDb) -> list[str]:
    with db.read() as connection:
        return [row[0] for row in connection.execute("SELECT name FROM migrations ORDER BY name")]


def test_a_new_database_gets_all_once(home: Path) -> None:
    db = opened(home / "state.db")
    assert db.migrate([RECORDS]) == [*(migration.name for migration in CORE), RECORDS.name]
    assert db.migrate([RECORDS]) == []
    assert db.migrate([RECORDS, MORE]) == [MORE.name]
    assert names(db) == [*(migration.name for migration in CORE), RECORDS.name, MORE.name]
    db.close()


@pytest.mark.parametrize("script", sorted(OLD.glob("*.sql")), ids=lambda path: path.stem)
def test_an_old_file_is_brought_forward_with_what_it_holds(home: Path, script: Path) -> None:
    home.mkdir()
    with closing(sqlite3.connect(home / "state.db")) as connection:
        connection.executescript(script.read_text(encoding="utf-8"))
    stores = open_stores(home)
    assert names(stores.db) == [migration.name for migration in CORE]
    export = stores.conversations.export("an", "c1")
    assert export.conversation.metadata == {"cute": True}
    assert export.conversation.pinned
    assert [message.text for message in export.messages] == [
        "Bảo hành giúp tôi",
        "Quý khách vui lòng cung cấp số serial",
    ]
    assert export.turns[0].state == {"lang": "vi"}
    assert [hit.message_id for hit in stores.conversations.search("an", "so serial")] == ["m2"]
    turn = stores.conversations.begin_turn("an", "c1", "ABC123")
    assert turn.status == "running"
    stores.close()


@pytest.mark.parametrize("name", ["9999_later", "shopping/0009_later"])
def test_a_newer_file_is_refused_and_not_touched(home: Path, name: str) -> None:
    db = opened(home / "state.db")
    db.migrate([RECORDS])
    with db.write() as connection:
        connection.execute("INSERT INTO migrations VALUES (?, '', '')", (name,))
    db.close()
    before = (home / "state.db").read_bytes()
    db = opened(home / "state.db")
    with pytest.raises(StoreError) as caught:
        db.migrate([RECORDS, MORE])
    db.close()
    assert caught.value.key == "store.newer"
    assert name in caught.value.render("vi").message
    assert (home / "state.db").read_bytes() == before


def test_a_mode_that_is_not_installed_now_stops_nobody(home: Path) -> None:
    db = opened(home / "state.db")
    db.migrate([RECORDS, MORE])
    assert db.migrate() == []
    db.close()


def test_a_change_that_fails_leaves_nothing_behind(home: Path) -> None:
    db = opened(home / "state.db")
    db.migrate([RECORDS])
    bad = Migration("shopping/0003_bad", ("CREATE TABLE half (x)", "CREATE TABLE broken ("))
    with pytest.raises(StoreError) as caught:
        db.migrate([RECORDS, MORE, bad])
    assert caught.value.key == "store.migration_failed"
    assert bad.name in caught.value.render("en").message
    with db.read() as connection:
        assert connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchone() is None
    assert MORE.name not in names(db)
    assert db.migrate([RECORDS, MORE]) == [MORE.name]
    db.close()


def test_a_released_change_may_not_be_edited(home: Path) -> None:
    db = opened(home / "state.db")
    db.migrate([RECORDS])
    edited = Migration(RECORDS.name, ("CREATE TABLE shopping_records (serial INTEGER)",))
    for extra in ([edited], [RECORDS, edited]):
        with pytest.raises(StoreError) as caught:
            db.migrate(extra)
        assert caught.value.key == "store.migration_changed"
    db.close()


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE turns",
        "ALTER TABLE turns RENAME TO rounds",
        "ALTER TABLE turns DROP COLUMN host",
        "ALTER TABLE turns ADD COLUMN seen TEXT NOT NULL",
        "ALTER TABLE turns ADD COLUMN seen TEXT UNIQUE",
        "ALTER TABLE turns ADD COLUMN seen TEXT NOT NULL DEFAULT '' UNIQUE",
        "UPDATE turns SET host = ''",
        "CREATE UNIQUE INDEX turns_once ON turns (host)",
        "CREATE TRIGGER turns_kept BEFORE DELETE ON turns BEGIN SELECT RAISE (ABORT, 'no'); END",
        "CREATE TABLE ratings (turn_id TEXT NOT NULL REFERENCES turns (id), stars INTEGER)",
    ],
)
def test_a_change_that_promises_to_add_does_nothing_else(sql: str) -> None:
    for statements in ({"statements": (sql,)}, {"statements": (), "postgres": (sql,)}):
        with pytest.raises(ValueError, match="more than add"):
            Migration("0099_add_ratings", **statements)
    assert Migration("0099_ratings", (sql,)).statements == (sql,)
