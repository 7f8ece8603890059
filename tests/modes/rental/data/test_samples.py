"""The sample data: what ships is what the seed makes, passes every check, and looks like the market of 2026."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.rental.generator import FOLDER, generate, schema_page, write_csv
from tests.support.rental.services import load, materialised, rental_at, stored
from tests.support.stores.services import profile
from troly.plugin.contract import CommandRequest
from troly.plugin.services import Services
from troly_rental.data import samples
from troly_rental.data.places import places
from troly_rental.data.schema import describe, schema_version, tables
from troly_rental.data.status import COMMANDS, data_status
from troly_rental.data.store import RentalStore
from troly_rental.roles import scope_for

_MEDIAN = """select d.name, median(price)::bigint from rooms r join districts d on d.id = r.district_id
    where room_type = 'room' group by 1 having count(*) >= 10 order by 2 desc"""


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with rental_at(tmp_path_factory.mktemp("samples")) as opened:
        samples.load(opened, "vi")
        yield opened


def test_the_shipped_files_are_small_and_pass_every_check(services: Services) -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 3_000_000
    outcome = load(services, FOLDER, dry_run=True)
    assert not outcome.problems
    stock = RentalStore(services).stock()
    assert stock is not None
    assert outcome.counts == {**stock.rows, "rejected": 0}


def test_the_shipped_files_are_what_the_seed_makes(services: Services, tmp_path: Path) -> None:
    import duckdb

    write_csv(tmp_path, generate())
    with duckdb.connect() as con:
        for name, table in tables().items():
            columns = ", ".join(f"'{c.name}': '{c.type}'" for c in table.columns.values())
            made = f"select * from read_csv('{tmp_path}/{name}.csv', header = true, auto_detect = false, columns = {{{columns}}})"
            ships = f"select * from '{FOLDER}/{name}.parquet'"
            assert con.execute(f"select count(*) from ({made} except all {ships})").fetchall() == [(0,)], name
            assert con.execute(f"select count(*) from ({ships} except all {made})").fetchall() == [(0,)], name


def test_there_are_enough_rooms_in_both_cities(services: Services) -> None:
    counts = dict(
        stored(
            services,
            "select city_id, count(*) from rooms r join districts d on d.id = district_id group by 1",
        )
    )
    assert sum(counts.values()) >= 5_000
    assert counts["hanoi"] > 1_500 < counts["hcm"]
    assert stored(services, "select count(distinct district_id) from rooms") == [
        (len(places().of("district")),)
    ]


def test_rents_are_those_of_the_market(services: Services) -> None:
    medians = dict(stored(services, _MEDIAN))
    assert all(1_500_000 <= price <= 6_000_000 for price in medians.values())
    assert medians["Quận 1"] > medians["Gò Vấp"] > medians["Quận 12"] > medians["Củ Chi"]
    assert medians["Cầu Giấy"] > medians["Hà Đông"] > medians["Đông Anh"]
    kinds = dict(stored(services, "select room_type, median(price) / 1e6 from rooms group by 1"))
    assert kinds["dormitory"] < kinds["room"] < kinds["mini_apartment"] < kinds["apartment"] < kinds["house"]
    assert stored(
        services, "select count(*) from rooms where price % 50000 <> 0 or area not between 8 and 300"
    ) == [(0,)]


def test_bills_add_up_and_belong_to_running_contracts(services: Services) -> None:
    wrong = "select count(*) from invoices where total <> rent + electricity + water + other or (status = 'paid') <> (paid_at is not null)"
    assert stored(services, wrong) == [(0,)]
    assert stored(
        services,
        "select count(*) from contracts c join rooms r on r.id = room_id where c.status = 'active' and r.status <> 'rented'",
    ) == [(0,)]


@pytest.mark.parametrize(
    ("login", "role", "sees"),
    [
        ("lan", "LANDLORD", "contracts"),
        ("minh", "TENANT", "invoices"),
        ("user-123", "TENANT", "contracts"),
        ("mai", "TENANT", "viewings"),
        ("hung", "LANDLORD", "users"),
    ],
)
def test_there_is_somebody_of_each_role_with_data_of_their_own(
    services: Services, login: str, role: str, sees: str
) -> None:
    store = RentalStore(services)
    assert store.role_of(login).role == role
    scope = scope_for(store, login)
    con = materialised(scope.database, scope.relations)
    assert con.execute(f"select count(*) from {sees}").fetchall()[0][0] > 0


def test_the_room_of_the_document_is_there(services: Services) -> None:
    room = stored(services, "select title, path, district_id, status from rooms where id = 123")
    assert room == [("Phòng trọ Lan Anh", "/rooms/123", "hcm-go-vap", "available")]
    assert stored(
        services, "select count(*) >= 5 from rooms where district_id = 'hcm-quan-1' and status = 'available'"
    ) == [(True,)]


def test_pages_about_the_trade_are_found(services: Services) -> None:
    names = {document.path for document in services.knowledge.list_documents(samples.COLLECTION)}
    assert names == {f"sample:{path.name}" for path in samples.page_files()}
    assert (FOLDER / "knowledge" / "cau-truc.md").read_text("utf-8") == schema_page("vi")
    assert (FOLDER / "knowledge" / "schema-en.md").read_text("utf-8") == schema_page("en")


async def test_a_question_finds_its_page(services: Services) -> None:
    for question, page in (
        ("tiền cọc là gì", "nghiep-vu"),
        ("who sees the phone number", "who-sees-what-en"),
        ("gia re nghia la gi", "nghiep-vu"),
    ):
        result = await services.knowledge.search(question, collection=samples.COLLECTION)
        assert any(page in passage.document for passage in result.passages[:3]), question


def test_status_counts_every_table_and_says_who_asks(services: Services) -> None:
    request = CommandRequest(services, profile("lan"), services.clock(), "vi", {})
    result = COMMANDS[0].run(request)
    assert result.table is not None
    assert [row[0] for row in result.table.rows] == list(tables())
    assert ("rooms", "6.600") in [(row[0], row[2]) for row in result.table.rows]
    assert "lan [LANDLORD]" in result.summary
    assert schema_version() in result.summary
    assert "mẫu" in result.summary
    assert "6.600 phòng" in data_status(services, "vi").line
    assert data_status(services, "en").enough


def test_nothing_loaded_is_said(tmp_path: Path) -> None:
    with rental_at(tmp_path) as empty:
        assert not data_status(empty, "vi").enough
        result = COMMANDS[0].run(CommandRequest(empty, profile("lan"), empty.clock(), "vi", {}))
        assert "app ingest rental" in result.text
        assert samples.loaded(empty) is False
        samples.load(empty, "vi")
        assert samples.loaded(empty)
        assert all("đã có" in line for line in samples.load(empty, "vi"))
        samples.remove(empty, "vi")
        assert samples.loaded(empty) is False


def test_the_schema_is_described_as_far_as_a_role_reaches() -> None:
    whole = describe()
    assert "invoices (monthly invoices): id" in whole
    assert "status available|rented" in whole
    assert describe({"rooms": {"id": "BIGINT", "is_mine": "BOOLEAN"}}).endswith("id, is_mine boolean")
    for table in tables().values():
        for column in table.columns.values():
            assert not column.ref or column.ref.partition(".")[0] in tables(), column
