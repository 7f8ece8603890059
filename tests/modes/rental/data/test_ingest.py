"""Loading tables: every bad row is named with file, line, column and what to do; the good ones are kept."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.rental.generator import write_csv, write_parquet
from tests.support.rental.services import load, publish, rental_at, small_market, stored, write_tables
from troly.errors import InputError, StoppedError
from troly.plugin.services import Services
from troly_rental.data import samples
from troly_rental.data.schema import schema_version, tables
from troly_rental.data.store import DATASET, RentalStore

USERS = "id,login,name,role\n1,lan,Lan,LANDLORD\n2,minh,Minh,TENANT\n"
ROOMS = "id,landlord_id,district_id,title,price,area\n1,1,hcm-quan-1,Phòng một,3000000,20\n"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with rental_at(tmp_path / "home") as opened:
        yield opened


def test_a_small_market_goes_in_whole_and_comes_out_the_same(services: Services, tmp_path: Path) -> None:
    rows = small_market()
    publish(services, tmp_path / "tables", rows)
    for name in tables():
        assert stored(services, f"select count(*) from {name}") == [(len(rows[name]),)]
    first = rows["rooms"][0]
    assert stored(services, "select title, price, created_at, path from rooms where id = 1") == [
        (first["title"], first["price"], first["created_at"], "/rooms/1")
    ]
    stock = RentalStore(services).stock()
    assert stock is not None
    assert (stock.schema, stock.samples, stock.rows["rooms"]) == (schema_version(), False, len(rows["rooms"]))


def test_parquet_and_duckdb_files_load_like_csv(services: Services, tmp_path: Path) -> None:
    rows = small_market()
    write_parquet(tmp_path / "parquet [1]", rows)
    assert not load(services, tmp_path / "parquet [1]").problems
    want = stored(services, "select * from invoices order by id")
    file = tmp_path / "chợ.duckdb"
    with duckdb.connect(str(file)) as con:
        for name in tables():
            con.execute(
                f"create table {name} as from '{tmp_path}/parquet [1]/{name}.parquet'".replace("[1]", "?1?")
            )
        con.execute("create view notes as select * from read_csv('/etc/passwd')")
    outcome = load(services, file, replace=True)
    assert outcome.published
    assert stored(services, "select * from invoices order by id") == want


def test_bad_rows_are_told_and_good_ones_kept(services: Services, tmp_path: Path) -> None:
    folder = write_tables(
        tmp_path / "in",
        {
            "users": "id,login,name,role,phne\n1,lan,Lan,LANDLORD,\n2,lan,Hai,TENANT,\n3,ba,,TENANT,\n"
            "4,tu,Tư,tenat,\n1,nam,Năm,TENANT,\nsáu,sau,Sáu,TENANT,\n7,bay\n",
            "rooms": "id,landlord_id,district_id,title,price,area,status\n1,1,Quận 1,A,3tr,20,còn trống\n"
            '2,77,Quận 1,B,3tr,20,rented\n3,1,hcm-xx,"C\nd",3tr,20,rented\n4,1,q3,D,-5,20,rented\n5,1,q3,E,3tr,rộng,rented\n'
            "6,1,q3,F,3tr,20,availabel\n",
            "room": "id\n1\n",
        },
    )
    outcome = load(services, folder, errors=tmp_path / "errors.csv")
    assert outcome.published
    assert (outcome.counts["users"], outcome.counts["rooms"], outcome.counts["rejected"]) == (1, 1, 11)
    with (tmp_path / "errors.csv").open(encoding="utf-8", newline="") as file:
        told = [(r["file"], r["line"], r["column"]) for r in csv.DictReader(file)]
    assert told == [
        ("room.csv", "", ""),
        ("users.csv", "", "phne"),
        ("users.csv", "3", "login"),
        ("users.csv", "4", "name"),
        ("users.csv", "5", "role"),
        ("users.csv", "6", "id"),
        ("users.csv", "7", "id"),
        ("users.csv", "8", ""),
        ("rooms.csv", "3", "landlord_id"),
        ("rooms.csv", "4", "district_id"),
        ("rooms.csv", "6", "price"),
        ("rooms.csv", "7", "area"),
        ("rooms.csv", "8", "status"),
    ]
    text = "\n".join(outcome.problems)
    for part in (
        "is it `rooms`?",
        "is it `phone`?",
        "is it `TENANT`?",
        "`77` in table users",
        "below 100000",
    ):
        assert part in text
    assert stored(services, "select status, district_id, price from rooms") == [
        ("available", "hcm-quan-1", 3_000_000)
    ]


@pytest.mark.parametrize(
    ("files", "key", "told"),
    [
        ({}, "rental.nothing", "rooms"),
        ({"phong": "id\n1\n"}, "rental.nothing", "rooms"),
        ({"rooms": "id,title,price,area,district\n"}, "rental.columns", "is it column `district`"),
        ({"rooms": "id,title,prise,area,district_id\n"}, "rental.columns", "is it column `prise`"),
        ({"rooms": ""}, "csv.empty", "rooms.csv"),
        ({"rooms": "a\0b\x01\0"}, "csv.binary", "rooms.csv"),
        ({"rooms": "id,landlord_id,district_id,title,price,area\n"}, "rental.no_rows", ""),
        ({"rooms": ROOMS}, "rental.no_rows", ""),
    ],
)
def test_what_cannot_be_used_is_one_sentence(
    services: Services, tmp_path: Path, files: dict[str, str], key: str, told: str
) -> None:
    folder = write_tables(tmp_path / "in", files)
    with pytest.raises(InputError) as caught:
        load(services, folder)
    assert caught.value.key == key
    assert told in str(caught.value)
    assert RentalStore(services).current() is None


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("none.csv", None, "csv.missing"),
        ("broken.duckdb", b"no database", "rental.database"),
        ("rooms.parquet", b"PAR1 broken", "rental.parquet"),
    ],
)
def test_broken_files_are_one_sentence(
    services: Services, tmp_path: Path, name: str, content: bytes | None, key: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        load(services, tmp_path / name)
    assert caught.value.key == key


def test_known_rows_are_replaced_others_stay_and_replace_starts_anew(
    services: Services, tmp_path: Path
) -> None:
    load(services, write_tables(tmp_path / "a", {"users": USERS, "rooms": ROOMS}))
    more = "id,landlord_id,district_id,title,price,area\n1,1,hcm-quan-1,Đổi,4000000,20\n2,1,Cầu Giấy,Hai,5tr,25\n"
    load(services, write_tables(tmp_path / "b", {"rooms": more}))
    assert stored(services, "select id, title from rooms order by id") == [(1, "Đổi"), (2, "Hai")]
    assert stored(services, "select count(*) from users") == [(2,)]
    load(services, write_tables(tmp_path / "c", {"users": USERS}), replace=True)
    assert stored(services, "select count(*) from rooms") == [(0,)]
    assert stored(services, "select count(*) > 30 from districts") == [(True,)]


def test_own_data_takes_the_place_of_samples_for_good(services: Services, tmp_path: Path) -> None:
    samples.load(services, "en")
    assert samples.loaded(services)
    outcome = load(services, write_tables(tmp_path / "a", {"users": USERS, "rooms": ROOMS}))
    assert "sample" in outcome.summary
    assert stored(services, "select count(*) from rooms") == [(1,)]
    current = services.datasets.current(DATASET)
    assert current is not None
    services.datasets.remove(current)
    assert RentalStore(services).current() is None


def test_a_dry_run_and_a_stopped_load_leave_all_as_it_was(services: Services, tmp_path: Path) -> None:
    write_csv(tmp_path / "all", small_market())
    outcome = load(services, tmp_path / "all", dry_run=True)
    assert not outcome.published
    assert outcome.counts["rooms"] == len(small_market()["rooms"])
    with pytest.raises(StoppedError):
        load(services, tmp_path / "all", cancelled=lambda: True)
    assert RentalStore(services).current() is None


def test_old_code_pages_and_semicolons_are_read(services: Services, tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "in", {})
    (folder / "users.csv").write_bytes("id;login;name;role\n1;lan;Hòa;chủ trọ\n".encode("utf-16"))
    (folder / "Rooms.csv").write_bytes(
        "ID;landlord id;district_id;title;price;area\n1;1;hcm-quan-1;Phòng;3.500.000 đ;25,5\n".encode(
            "utf-8-sig"
        )
    )
    assert not load(services, folder).problems
    assert stored(services, "select u.name, u.role, r.price, r.area from users u, rooms r") == [
        ("Hòa", "LANDLORD", 3_500_000, 25.5)
    ]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
            | st.sampled_from(["1", "2", "3tr", "20", "q1", "rented", ""]),
            min_size=1,
            max_size=7,
        ),
        max_size=8,
    )
)
def test_whatever_stands_in_the_cells_every_line_is_kept_or_told(
    services: Services, tmp_path: Path, cells: list[list[str]]
) -> None:
    folder = write_tables(tmp_path / "in", {"users": USERS})
    with (folder / "rooms.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(("id", "landlord_id", "district_id", "title", "price", "area", "status"))
        writer.writerows(cells)
    outcome = load(services, folder, replace=True)
    blank = sum(len(row) == 1 and not row[0].strip() for row in cells)
    assert outcome.counts.get("rooms", 0) + outcome.counts["rejected"] + blank == len(cells)
    assert stored(services, "select count(*) from rooms") == [(outcome.counts.get("rooms", 0),)]


def test_a_city_that_only_the_data_has_is_found_in_questions(services: Services, tmp_path: Path) -> None:
    folder = write_tables(
        tmp_path / "in",
        {
            "cities": "id,name,name_en\ndanang,Đà Nẵng,Da Nang\n",
            "districts": "id,city_id,name,kind,parent_id\ndanang-hai-chau,danang,Hải Châu,quận,\nx,danang,X,quận,y\n",
            "rooms": "id,district_id,title,price,area\n1,danang-hai-chau,Phòng,3tr,20\n",
        },
    )
    outcome = load(services, folder)
    assert ["districts.csv, line 3, column parent_id" in line for line in outcome.problems] == [True]
    known = RentalStore(services).places()
    assert [p.id for m in known.find("phòng ở hải châu, da nang hoặc gò vấp") for p in m.places] == [
        "danang-hai-chau",
        "danang",
        "hcm-go-vap",
    ]
    assert known.by_id["danang"].covers == ("danang-hai-chau",)
    assert RentalStore(services).places() is known
