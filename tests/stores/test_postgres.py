"""The database on a PostgreSQL server: what it refuses, how it comes back, and the wall between people."""

from __future__ import annotations

import os
import platform
import time
import traceback
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import duckdb
import pytest

from tests.support.stores.postgres import PASSWORD, PostgresServer, needs_postgres, postgres_server
from tests.support.stores.real import utc_now
from troly.errors import AccessError, StoreError
from troly.plugin.registry import Registry
from troly.retrieval.schema import MIGRATIONS
from troly.stores import message_search
from troly.stores import postgres as module
from troly.stores.conversations import Conversations
from troly.stores.handovers import Handovers
from troly.stores.migrations import CORE, Migration, tables_of
from troly.stores.postgres import PostgresDb
from troly.stores.published import Datasets
from troly.stores.records import CONVERSATION_COLUMNS, NewMessage, conversation_of
from troly.stores.shared_files import SharedFolder
from troly.stores.threads import Threads
from troly.stores.wrong_answers import WrongAnswers

pytestmark = needs_postgres


def refused(url: str) -> StoreError:
    """The error with which the database is refused, told whole nowhere with the password."""
    with pytest.raises(StoreError) as caught, closing(PostgresDb.at(url)) as db:
        db.migrate()
    said = "".join(traceback.format_exception(caught.value)) + repr(caught.value.render("vi"))
    assert PASSWORD not in said
    assert quote(PASSWORD) not in said
    assert "hunter2" not in said
    return caught.value


def opened(url: str) -> PostgresDb:
    """The database, migrated with the tables of all assistants."""
    db = PostgresDb.at(url)
    db.migrate([*MIGRATIONS, *(one for mode in Registry() for one in mode.migrations)])
    return db


@pytest.fixture
def db(postgres: PostgresServer) -> Iterator[PostgresDb]:
    found = opened(postgres.database())
    yield found
    found.close()


@pytest.mark.parametrize(
    "url",
    ["mysql://an:hunter2@127.0.0.1/x", "postgresql+psycopg://an:pw@127.0.0.1/x?nonsense=hunter2", "hunter2"],
)
def test_a_wrong_address_is_told_without_what_it_holds(url: str) -> None:
    assert refused(url).key == "store.server_url"


def test_a_wrong_password_or_name_is_told_at_once_and_never_shown(postgres: PostgresServer) -> None:
    wrong = refused(postgres.url(postgres.empty(), password="hunter2"))
    assert wrong.key == "store.server_lost"
    assert "password authentication failed" in wrong.render("en").message
    assert refused(postgres.url("absent")).key == "store.server_lost"


def test_a_server_that_is_not_there_is_told(postgres: PostgresServer) -> None:
    assert refused("postgresql://troly:hunter2@127.0.0.1:1/troly").key == "store.server_lost"


def test_an_old_server_is_refused(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OLDEST", 99)
    assert refused(postgres.database()).key == "store.server_old"


def test_a_user_whom_no_wall_stops_is_refused(postgres: PostgresServer) -> None:
    assert refused(postgres.url(postgres.empty(), user="postgres")).key == "store.server_superuser"


@pytest.mark.parametrize("table", ["orders (id INT)", "migrations (id INT, migration TEXT, batch INT)"])
def test_another_programs_database_is_refused_and_not_touched(postgres: PostgresServer, table: str) -> None:
    url = postgres.database()
    db = PostgresDb.at(url)
    with db.write() as connection:
        connection.execute(f"CREATE TABLE {table}")
    error = refused(url)
    assert error.key == "store.server_foreign"
    assert table.split(maxsplit=1)[0] in error.render("en").message
    with db.read() as connection:
        assert list(db.tables(connection)) == [table.split(maxsplit=1)[0]]
    db.close()


def test_a_database_that_lacks_tables_is_refused(postgres: PostgresServer) -> None:
    url = postgres.database()
    db = opened(url)
    with db.write() as connection:
        connection.execute("DROP TABLE recordings")
    db.close()
    error = refused(url)
    assert error.key == "store.server_half"
    assert "recordings" in error.render("en").message


def test_all_tables_of_all_assistants_are_there_once(db: PostgresDb) -> None:
    known = [*CORE, *MIGRATIONS, *(one for mode in Registry() for one in mode.migrations)]
    with db.read() as connection:
        assert set(db.tables(connection)) == {"migrations", *tables_of(known)}
    assert db.migrate(known) == []


def test_two_processes_migrate_at_once(postgres: PostgresServer) -> None:
    url = postgres.database()
    done: list[list[str]] = []

    def migrate() -> None:
        with closing(PostgresDb.at(url)) as db:
            done.append(db.migrate())

    threads = [Thread(target=migrate) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(map(len, done)) == [0, 0, 0, len(CORE)]


def test_after_a_crash_of_the_server_all_that_was_acknowledged_is_there() -> None:
    with postgres_server() as server:
        db = opened(server.database())
        db.busy_seconds = 90.0
        store = Conversations(db, utc_now)
        conversation = store.create("an", "shopping")
        turn = store.begin_turn("an", conversation.id, "bảo hành ABC123")

        def write_through_the_crash() -> None:
            with db.write("an"):
                store.update("an", conversation.id, title="half")
                server.kill()
                store.update("an", conversation.id, title="never")

        with pytest.raises(StoreError) as caught:
            write_through_the_crash()
        assert caught.value.key == "store.server_lost"
        # The server comes back while the answer is waiting to be saved.
        coming = Thread(target=server.start)
        coming.start()
        answer = [NewMessage("assistant", "còn bảo hành")]
        done = store.finish_turn("an", turn.id, status="completed", messages=answer)
        coming.join()
        assert done.status == "completed"
        assert store.get("an", conversation.id).title == ""
        assert [one.text for one in store.messages("an", conversation.id)] == [
            "bảo hành ABC123",
            "còn bảo hành",
        ]
        db.close()


def test_a_network_that_holds_its_breath_loses_nothing_and_doubles_nothing(postgres: PostgresServer) -> None:
    name = postgres.empty()
    with postgres.network() as (way, network):
        db = opened(postgres.url(name, through=way))
        store = Conversations(db, utc_now)
        conversation = store.create("an", "shopping")
        store.begin_turn("an", conversation.id, "một")
        acknowledged: list[str] = []

        def ask(text: str) -> None:
            store.begin_turn("an", conversation.id, text)
            acknowledged.append(text)

        network.cut()
        waiting = [Thread(target=ask, args=(text,)) for text in ("hai", "ba")]
        for one in waiting:
            one.start()
        network.mend()
        for one in waiting:
            one.join()
        assert sorted(acknowledged) == ["ba", "hai"]

        # It goes for good in the middle of a transaction: told, and nothing of it is there.
        def cut_off() -> None:
            with db.write("an"):
                ask("bốn")
                network.close()
                store.update("an", conversation.id, title="never")

        with pytest.raises(StoreError) as caught:
            cut_off()
        assert caught.value.key == "store.server_lost"
        assert PASSWORD not in str(caught.value.render("en"))
        db.close()
    with closing(PostgresDb.at(postgres.url(name))) as db:
        store = Conversations(db, utc_now)
        said = [one.text for one in store.messages("an", conversation.id)]
        assert said[0] == "một"
        assert sorted(said[1:]) == ["ba", "hai"]
        assert store.get("an", conversation.id).title == ""


def test_machines_whose_clocks_are_an_hour_apart_keep_the_order_and_each_other(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = postgres.database()
    with closing(opened(url)) as db, closing(PostgresDb.at(url)) as other:
        here = Conversations(db, utc_now)
        ahead = Conversations(other, lambda: utc_now() + timedelta(hours=1))
        conversation = ahead.create("an", "shopping")
        for number in range(4):
            store = (here, ahead)[number % 2]
            turn = store.begin_turn("an", conversation.id, str(number))
            store.finish_turn("an", turn.id, status="completed", messages=[NewMessage("assistant", "rồi")])
        for store in (here, ahead):
            said = [one.text for one in store.messages("an", conversation.id)]
            assert said == ["0", "rồi", "1", "rồi", "2", "rồi", "3", "rồi"]
            assert store.recover() == []
        # A data file of a moment ago is not taken for a forgotten one by a clock that is ahead.
        place = SharedFolder(tmp_path)
        sha = place.put(Path(__file__))
        os.utime(tmp_path / sha, (time.time() - 3600, time.time() - 3600))
        assert place.sweep(()) == 0


def test_two_versions_of_the_program_work_on_one_database_where_the_newer_one_only_added(
    postgres: PostgresServer,
) -> None:
    url = postgres.database()
    added = Migration(
        "0099_add_ratings",
        (
            "ALTER TABLE turns ADD COLUMN stars INTEGER",
            "ALTER TABLE conversations ADD COLUMN tone TEXT NOT NULL DEFAULT 'calm'",
            "CREATE TABLE ratings (turn_id TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE, note TEXT NOT NULL)",
            "CREATE INDEX ratings_by_note ON ratings (note)",
        ),
    )
    with closing(opened(url)) as old, closing(PostgresDb.at(url)) as new:
        store = Conversations(old, utc_now)
        conversation = store.create("an", "shopping")
        turn = store.begin_turn("an", conversation.id, "trong lúc nâng cấp")
        # The newer program starts in the middle of a turn of the older one, which goes on and is started again.
        assert new.migrate([added]) == [added.name]
        store.finish_turn("an", turn.id, status="completed", messages=[NewMessage("assistant", "xong")])
        of_one_person(old)
        with closing(opened(url)) as again:
            assert Conversations(again, utc_now).search("an", "nâng cấp")
        with new.write("an") as connection:
            connection.execute("INSERT INTO ratings VALUES (?, 'tốt')", (turn.id,))
            assert connection.execute("SELECT DISTINCT tone FROM conversations").fetchall() == [("calm",)]
        store.delete("an", conversation.id)
        assert store.purge_deleted(utc_now() + timedelta(days=1)) == 1

        # What takes something away is told to the older program, also to one that is running.
        assert new.migrate([added, Migration("0100_ratings", ("DROP TABLE handovers",))])
        with pytest.raises(StoreError) as caught:
            Handovers(store).add("x", "gặp người", "asked")
        for error in (caught.value, refused(url)):
            assert error.key == "store.newer"
            assert "0100_ratings" in error.render("vi").message


def of_one_person(db: PostgresDb) -> tuple[str, str]:
    """Something of An in every table of the core that has an owner; gives the conversation and its turn."""
    store = Conversations(db, utc_now)
    conversation = store.create("an", "shopping", title="bí mật")
    turn = store.begin_turn("an", conversation.id, "mật khẩu của tôi")
    answer = [NewMessage("assistant", "đã ghi mật khẩu")]
    store.finish_turn("an", turn.id, status="completed", messages=answer, trace={"a": 1}, recording={"b": 2})
    WrongAnswers(store).mark("an", turn.id, "figures", "", ["turn:x"])
    Threads(db).put("an", "shopping", conversation.id, ["chat"])
    Handovers(store).add(conversation.id, "gặp người", "asked")
    return conversation.id, turn.id


def test_a_transaction_of_one_person_sees_no_row_of_another_in_any_table(db: PostgresDb) -> None:
    of_one_person(db)
    owned = ("conversations", "turns", "messages", "messages_fts", "recordings", "wrong_answers", "excluded", "threads", "handovers")  # fmt: skip
    counted = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in owned)
    for login, seen in (("an", True), ("binh", False), ("", False)):
        with db.read(login) as connection:
            assert {table: n > 0 for table, n in connection.execute(counted)} == dict.fromkeys(owned, seen)


def test_every_table_with_an_owner_has_a_wall(db: PostgresDb) -> None:
    with db.read() as connection:
        walled = {row[0] for row in connection.execute("SELECT tablename FROM pg_policies")}
        owners = {
            table
            for table, columns in db.tables(connection).items()
            if columns & {"user_id", "owner", "conversation_id", "turn_id"}
        }
    assert owners <= walled
    assert {"analysis_metrics", "memory_vectors"} <= walled


def test_with_the_owner_checks_taken_away_nothing_of_another_person_is_seen(
    db: PostgresDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, turn = of_one_person(db)

    def anybody(connection: Any, _owner: str, name: str, *, deleted: bool = False) -> Any:
        sql = f"SELECT {CONVERSATION_COLUMNS} FROM conversations AS c WHERE c.id = ?"
        row = connection.execute(sql, (name,)).fetchone()
        if row is None:
            raise AccessError("store.not_yours")
        return conversation_of(row)

    monkeypatch.setattr(Conversations, "_owned", staticmethod(anybody))
    everywhere = "(user_id = :owner OR true)"
    monkeypatch.setattr(
        message_search, "_NEWEST", message_search._NEWEST.replace("user_id = :owner", everywhere)
    )
    weighed = message_search._WEIGHED.replace("c.user_id = :owner", f"c.{everywhere[1:]}".strip("()"))
    monkeypatch.setattr(message_search, "_WEIGHED", weighed)
    store = Conversations(db, utc_now)
    assert store.get("an", conversation).title == "bí mật"
    assert [hit.snippet for hit in store.search("an", "mật khẩu")]
    assert store.search("binh", "mật khẩu") == []
    for attempt in (
        lambda: store.get("binh", conversation),
        lambda: store.messages("binh", conversation),
        lambda: store.export("binh", conversation),
        lambda: store.turns("binh", conversation),
        lambda: store.update("binh", conversation, title="mine"),
        lambda: store.delete("binh", conversation),
        lambda: store.begin_turn("binh", conversation, "mine"),
        lambda: store.branch("binh", conversation, turn, after=True, title="", metadata={}),
    ):
        with pytest.raises(AccessError):
            attempt()
    assert store.get("an", conversation).title == "bí mật"


def test_nobody_writes_rows_for_another_person(db: PostgresDb) -> None:
    conversation, _ = of_one_person(db)

    def write() -> None:
        with db.write("binh") as connection:
            sql = "INSERT INTO messages (id, conversation_id, sender, text, created_at) VALUES ('m', ?, 'user', 'x', '')"
            connection.execute(sql, (conversation,))

    with pytest.raises(StoreError) as caught:
        write()
    assert caught.value.key == "store.denied"


def test_a_turn_of_another_machine_is_not_taken_for_dead(postgres: PostgresServer) -> None:
    here, there = opened(postgres.database()), None
    store = Conversations(here, utc_now)
    conversation = store.create("an", "shopping")
    turn = store.begin_turn("an", conversation.id, "bảo hành")
    there = Conversations(here, utc_now)
    here.host = "another machine"
    assert there.recover(alive=lambda _pid, _started: False) == []
    here.host = platform.node()
    assert [one.id for one in there.recover(alive=lambda _pid, _started: False)] == [turn.id]
    here.close()


def test_writers_of_one_person_queue_and_those_of_others_do_not(db: PostgresDb) -> None:
    def written(owner: str | None) -> bool:
        """Whether a writer gets his turn; another thread, since in this one he would join."""
        found: list[bool] = []

        def write() -> None:
            try:
                with db.write(owner):
                    found.append(True)
            except StoreError as error:
                found.append(error.key != "store.busy")

        thread = Thread(target=write)
        thread.start()
        thread.join()
        return found[0]

    db.busy_seconds = 0.3
    with db.write("an"):
        assert [written(owner) for owner in ("an", "binh", None)] == [False, True, False]
    with db.write():
        assert [written(owner) for owner in ("an", None)] == [False, False]
    assert written("an")


def test_a_load_whose_connection_was_lost_publishes_nothing(
    postgres: PostgresServer, db: PostgresDb, tmp_path: Path
) -> None:
    datasets = Datasets(db, tmp_path / "datasets")

    def load() -> None:
        with datasets.build("warranty") as build:
            duckdb.connect(str(build.path)).close()
            # The lock's connection alone is named by its machine.
            postgres.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'troly %'"
            )
            build.publish()

    with pytest.raises(StoreError) as caught:
        load()
    assert caught.value.key == "store.lock_lost"
    assert datasets.current("warranty") is None
    with datasets.build("warranty"):
        pass


def test_what_no_text_column_keeps_is_kept_as_a_mark(db: PostgresDb) -> None:
    store = Conversations(db, utc_now)
    conversation = store.create("an", "shopping", title="a\0b")
    said = store.add_message("an", conversation.id, "user", "x%s ? :name \0 'q' \\ %")
    assert said.text == "x%s ? :name \ufffd 'q' \\ %"
    assert store.search("an", "name")


def test_a_statement_keeps_its_quoted_text(tmp_path: Path) -> None:
    sql = "SELECT '?' || ':a' || '100%' WHERE a IS ? AND b = :b AND c::text LIKE 'x''?%'"
    assert module.statement(sql) == (
        "SELECT '?' || ':a' || '100%%' WHERE a IS NOT DISTINCT FROM %s AND b = %(b)s AND c::text LIKE 'x''?%%'"
    )
