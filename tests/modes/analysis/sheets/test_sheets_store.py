"""A sheet belongs to its owner: nothing that is asked, in any words or SQL, shows another's; a new import replaces it whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.modes.sheets import load_file, load_text, sheet_services
from troly.errors import InputError, TrolyError
from troly.plugin.services import Services
from troly_analysis.sheets.store import SheetStore

SECRET = "BI-MAT-7731"
MINE = "Mã đơn,Số tiền\nA1,5000\nA2,7000\n"
THEIRS = f"Mã đơn,Số tiền\n{SECRET},987654321\n{SECRET},987654321\n"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with sheet_services(tmp_path_factory.mktemp("sheets")) as made:
        load_text(made, MINE, "Đơn hàng", "an")
        load_text(made, THEIRS, "Đơn hàng", "binh")
        load_text(made, THEIRS, "Lương", "binh")
        yield made


def test_a_sheet_is_found_by_name_and_id(services: Services) -> None:
    store = SheetStore(services)
    sheet = store.sheet("an", "Đơn hàng")
    for said in ("don hang", "ĐƠN HÀNG", "đơn-hàng", "don_hang", sheet.id, f" {sheet.id.upper()} "):
        assert store.sheet("an", said) == sheet
    assert (sheet.owner, sheet.table, sheet.rows) == ("an", "don_hang", 2)
    assert store.sheets("nobody") == ()


def test_what_is_not_there_names_the_nearest(services: Services) -> None:
    store = SheetStore(services)
    for owner, said, key in (
        ("an", "Đơn hàn", "sheets.near"),
        ("an", "Lương", "sheets.unknown"),
        ("ba", "x", "sheets.none"),
    ):
        with pytest.raises(InputError) as raised:
            store.sheet(owner, said)
        assert raised.value.key == key
        assert raised.value.render("vi").remedy


def test_the_other_owners_id_opens_nothing(services: Services) -> None:
    store = SheetStore(services)
    theirs = store.sheet("binh", "Lương")
    with pytest.raises(InputError):
        store.sheet("an", theirs.id)
    with pytest.raises(InputError):
        store.remove("an", theirs.id)
    with pytest.raises(InputError):
        store.set_metric("an", theirs.id, "x = count()")
    assert store.sheet("binh", "Lương").rows == 2


def shown_by(services: Services, owner: str, sql: str) -> str:
    """All that a statement shows this owner, errors included."""
    with SheetStore(services).connect(owner) as connection:
        try:
            # An empty statement gives nothing, not even a result.
            done: duckdb.DuckDBPyConnection | None = connection.execute(sql)
            return repr(done.fetchall()) if done is not None else ""
        except (duckdb.Error, UnicodeError) as error:
            return str(error)


ATTACKS = (
    "select * from luong",
    'select * from "Lương"',
    "select * from sheet_1.main.luong",
    "select * from main.main.luong",
    "from '{file}'",
    "select * from read_blob('{file}')",
    "select * from read_text('{file}')",
    "select * from read_csv('{csv}')",
    "attach '{file}' as o; select * from o.main.luong",
    "attach '{file}' as o (read_only)",
    "set enable_external_access = true",
    "reset lock_configuration",
    "set threads = 1",
    "install sqlite; load sqlite",
    "copy don_hang to '{csv}'",
    "export database '{folder}'",
    "create table x as select 1",
    "create view v as select * from luong",
    "drop view don_hang",
    "insert into don_hang values ('x', 1)",
    'update don_hang set "Số tiền" = 0',
    "select * from glob('{folder}/*')",
    "select getenv('HOME')",
    "pragma database_list",
    "select * from duckdb_tables()",
    "select * from duckdb_columns()",
    "select sql from duckdb_views()",
    "select * from information_schema.tables",
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_statement_shows_anothers_data(services: Services, tmp_path: Path, attack: str) -> None:
    folder = services.paths.datasets
    theirs = next(
        version.file for version in services.datasets.all_current("sheet-") if version.info["owner"] == "binh"
    )
    secret = tmp_path / "secret.csv"
    secret.write_text(f"a\n{SECRET}\n", encoding="utf-8")
    said = shown_by(services, "an", attack.format(file=theirs, csv=secret, folder=folder))
    assert SECRET not in said
    assert "987654321" not in said
    assert secret.read_text(encoding="utf-8") == f"a\n{SECRET}\n"
    assert shown_by(services, "an", 'select sum("Số tiền") from don_hang') == "[(12000,)]"


NAMES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "Lương",
            "luong",
            "../binh",
            "binh/luong",
            "'; drop table x; --",
            "%",
            "*",
            "\0",
            "main.luong",
            "sheet_1",
        ]
    ),
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    owner=NAMES,
    name=NAMES,
    sql=st.one_of(NAMES, st.text(max_size=40).map(lambda text: f"select * from {text}")),
)
def test_isolation(services: Services, owner: str, name: str, sql: str) -> None:
    # Feature: ai-chat-agent, Property 3: results come only from connections whose user_id is the requester's
    store = SheetStore(services)
    if owner != "binh":
        assert all(sheet.owner == owner for sheet in store.sheets(owner))
        try:
            assert store.sheet(owner, name).owner == owner
        except InputError as error:
            assert SECRET not in str(error)  # noqa: PT017 (either answer is right)
    assert SECRET not in shown_by(services, "an", sql)


def test_a_new_import_replaces_the_old_one_whole(tmp_path: Path) -> None:
    with sheet_services(tmp_path) as services:
        store = SheetStore(services)
        before = load_text(services, "Mã,Giá\nA,5000\n", "Hàng")
        store.set_metric("an", "Hàng", "tổng giá = sum(Giá)")
        with store.connect("an") as reading:
            after = load_text(services, "Mã,Giá,Mới\nA,7000,x\nB,8000,y\n", "HÀNG")
            assert reading.execute("select count(*) from hang").fetchall() == [(1,)]
        assert (after.id, after.rows, len(after.fields)) == (before.id, 2, 3)
        with store.connect("an") as reading:
            assert reading.execute("select count(*) from hang").fetchall() == [(2,)]
        assert [metric.name for metric in store.sheet("an", "hang").metrics] == ["tổng giá"]


def test_a_failed_import_leaves_the_old_one(tmp_path: Path) -> None:
    with sheet_services(tmp_path / "home") as services:
        load_text(services, "Mã,Giá\nA,5000\n", "Hàng")
        bad = tmp_path / "bad.csv"
        bad.write_text("Mã,Giá\n", encoding="utf-8")
        with pytest.raises(TrolyError):
            load_file(services, bad, name="Hàng")
        assert SheetStore(services).sheet("an", "Hàng").rows == 1


def test_a_removed_sheet_is_gone_with_its_metrics_and_versions(tmp_path: Path) -> None:
    with sheet_services(tmp_path) as services:
        store = SheetStore(services)
        for price in (5000, 6000, 7000):
            load_text(services, f"Mã,Giá\nA,{price}\n", "Hàng")
        store.set_metric("an", "Hàng", "n = count()")
        assert store.remove("an", "hang").name == "Hàng"
        assert store.sheets("an") == ()
        with store.connect("an") as connection:
            assert connection.execute("show tables").fetchall() == []
        assert load_text(services, "Mã,Giá\nA,1\n", "Hàng").metrics == ()


def test_many_threads_read_while_it_is_replaced(tmp_path: Path) -> None:
    with sheet_services(tmp_path) as services:
        load_text(services, "Mã,Giá\nA,5000\n", "Hàng")
        store, wrong = SheetStore(services), []
        stop = threading.Event()

        def read() -> None:
            while not stop.is_set():
                with store.connect("an") as connection:
                    found = connection.execute('select count(*), min("Giá"), max("Giá") from hang').fetchone()
                if found not in {(1, 5000, 5000), (2, 7000, 7000)}:
                    wrong.append(found)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            load_text(services, "Mã,Giá\nA,7000\nB,7000\n", "Hàng")
            load_text(services, "Mã,Giá\nA,5000\n", "Hàng")
        stop.set()
        for thread in threads:
            thread.join()
        assert not wrong


def test_a_statement_can_be_interrupted(services: Services) -> None:
    with SheetStore(services).connect("an") as connection:
        timer = threading.Timer(0.2, connection.interrupt)
        timer.start()
        with pytest.raises(duckdb.InterruptException):
            connection.execute(
                "select count(*) from range(10000000) a, range(10000000) b where a.range = b.range + 1"
            ).fetchall()
        timer.join()
        assert connection.execute("select 1").fetchall() == [(1,)]
