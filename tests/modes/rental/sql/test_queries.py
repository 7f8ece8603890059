"""The SQL of readings: it passes the guard, runs, is the same every time, and says what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
import sqlglot

from tests.modes.rental.question.cases import ask, cases, role_of, turns_of
from troly.sandbox.guard import check
from troly_rental.data.places import places
from troly_rental.question.types import Filter, Measure, Order, ParsedQuestion, relaxations
from troly_rental.roles import Role, relations_of
from troly_rental.sql.builder import build_count, build_query
from troly_rental.sql.columns import unknown_names
from troly_rental.sql.explanation import explain_query

DATA = Path(__file__).parents[4] / "data" / "rental"


@pytest.fixture(scope="module")
def base() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for path in DATA.glob("*.parquet"):
            # As a landlord's relations have it: the column that says whose a row is.
            connection.execute(f"create table {path.stem} as select *, true as is_mine from '{path}'")
        yield connection


def _sql(parsed: ParsedQuestion, role: Role = "LANDLORD") -> str:
    return build_query(parsed, role).sql(dialect="duckdb")


def test_every_case_passes_the_guard_and_runs(base: duckdb.DuckDBPyConnection) -> None:
    ran = 0
    for case in cases():
        role = role_of(case)
        parsed = ask(*turns_of(case), role=role)
        if not parsed.ready:
            continue
        shown = {one.name: one.columns for one in relations_of(role, None if role == "GUEST" else 3)}
        checked = check(_sql(parsed, role), shown, max_rows=1000)
        base.execute(checked.sql).fetchall()
        base.execute(build_count(parsed, role).sql(dialect="duckdb")).fetchall()
        ran += 1
    assert ran > 150


_HOLDS = {
    "<": lambda has, value: has < value, "<=": lambda has, value: has <= value, ">": lambda has, value: has > value,
    ">=": lambda has, value: has >= value, "=": lambda has, value: has == value,
}  # fmt: skip


def test_every_row_meets_the_conditions_asked_for(base: duckdb.DuckDBPyConnection) -> None:
    checked = 0
    for case in cases():
        parsed = ask(*turns_of(case), role="GUEST")
        if not parsed.ready or parsed.measures or parsed.entity not in {"room", "post"}:
            continue
        cursor = base.execute(_sql(parsed, "GUEST"))
        names = [column[0] for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for one in parsed.filters:
            for row in rows:
                if one.field == "amenity":
                    assert (bool({*one.values} & {*str(row["amenities"]).split(", ")})) == (
                        one.op in {"=", "in"}
                    )
                elif isinstance(one.value, int | float):
                    assert _HOLDS[one.op](row[one.field], one.value), (case["id"], one)
                checked += 1
    assert checked > 500


@pytest.mark.parametrize(
    ("where", "named"),
    [
        ("districts.name = 'Quận 1'", ""),
        ("districts.name = 'Quận 99'", "Quận 12"),
        ("cities.name IN ('Hà Nội', 'Đà Nẵng')", "Hà Nội"),
        ("rooms.furnished = 'yes'", "full"),
        ("rooms.title = 'Phòng trọ Lan Anh'", ""),
    ],
)
def test_a_name_that_the_data_lacks_is_told_with_those_it_has(where: str, named: str) -> None:
    sql = (
        "SELECT rooms.id FROM rooms JOIN districts ON districts.id = rooms.district_id "
        f"JOIN cities ON cities.id = districts.city_id WHERE {where}"
    )
    told = unknown_names(sqlglot.parse_one(sql, read="duckdb"), places(), "vi")
    assert named in told
    assert bool(told) == bool(named)


def test_a_town_stands_for_the_districts_it_took_in(base: duckdb.DuckDBPyConnection) -> None:
    assert places().covered("Thủ Đức") == ("Thủ Đức", "Quận 2", "Quận 9")
    rows = base.execute(_sql(ask("phòng ở thủ đức theo quận, có bao nhiêu"))).fetchall()
    assert {name for name, *_ in rows} == {"Thủ Đức", "Quận 2", "Quận 9"}


def test_lists_hold_what_items_need(base: duckdb.DuckDBPyConnection) -> None:
    for message in ("phòng quận 1", "tin đăng ở quận 1", "ai đang tìm phòng ở gò vấp"):
        cursor = base.execute(_sql(ask(message)))
        names = [column[0] for column in cursor.description or ()]
        assert names[:4] == ["id", "title", "path", "entity"]
        row = cursor.fetchone()
        assert row is not None
        assert row[2].startswith("/")
        assert {"price", "district"} <= set(names)


def test_the_order_is_the_same_every_time(base: duckdb.DuckDBPyConnection) -> None:
    for message in (
        "phòng giá rẻ quận 7",
        "5 phòng rộng nhất hà nội",
        "tin được xem nhiều nhất",
        "giá theo quận",
    ):
        sql = _sql(ask(message))
        assert base.execute(sql).fetchall() == base.execute(sql).fetchall()
        assert sqlglot.parse_one(sql, read="duckdb").args["order"] is not None


def test_pages_do_not_overlap(base: duckdb.DuckDBPyConnection) -> None:
    first = base.execute(_sql(ask("phòng quận 7"))).fetchall()
    second = base.execute(_sql(ask("phòng quận 7", "xem thêm"))).fetchall()
    assert first
    assert second
    assert not {row[0] for row in first} & {row[0] for row in second}


def test_text_stays_a_literal() -> None:
    parsed = ParsedQuestion(filters=(Filter("district", "=", "x' OR 1=1 --"),))
    tree = sqlglot.parse_one(_sql(parsed), read="duckdb")
    assert "x' OR 1=1 --" in [literal.this for literal in tree.find_all(sqlglot.exp.Literal)]


def test_nothing_is_built_of_what_is_not_ready() -> None:
    with pytest.raises(ValueError, match="not ready"):
        build_query(ask("xin chào"))


def test_dropping_one_field_at_a_time_finds_the_culprit(base: duckdb.DuckDBPyConnection) -> None:
    parsed = ask("phòng ở quận 1 dưới 300 nghìn có máy lạnh")
    assert base.execute(_sql(parsed)).fetchall() == []
    helped = {
        dropped[0].field
        for dropped, rest in relaxations(parsed)
        if (base.execute(build_count(rest).sql(dialect="duckdb")).fetchone() or (0,))[0]
    }
    assert helped == {"price"}


@pytest.mark.parametrize("field", ["area", "price", "deposit", "bedrooms", "people", "status"])
def test_rows_that_were_pointed_at_are_no_condition_to_drop(field: str) -> None:
    parsed = ParsedQuestion("QUERY", filters=(Filter("id", "in", ("1", "2")), Filter(field, "=", 34)))
    assert [dropped for dropped, _ in relaxations(parsed)] == [(Filter(field, "=", 34),)]


@pytest.mark.parametrize("lang", ["vi", "en"])
def test_queries_are_explained_line_by_line(lang: str) -> None:
    tree = build_query(ask("5 phòng rẻ nhất quận 1 dưới 3tr không có thang máy"), "GUEST")
    lines = explain_query(tree, "vi" if lang == "vi" else "en")
    wanted = {
        "vi": [
            "Chỉ lấy dòng có: quận, huyện là Quận 1",
            "Chỉ lấy dòng có: giá thuê dưới 3.000.000",
            "Nhiều nhất 5 dòng",
        ],
        "en": [
            "Only rows with: district is Quận 1",
            "Only rows with: rent below 3,000,000",
            "At most 5 rows",
        ],
    }
    assert set(wanted[lang]) <= set(lines)
    assert all(lines)


@pytest.mark.parametrize("column", ["rooms.id", "rooms.building_id"])
def test_the_number_of_a_thing_is_no_quantity(column: str) -> None:
    for condition in (f"{column} = 3327", f"{column} IN (3327, 12345)"):
        (line,) = [
            one
            for one in explain_query(sqlglot.parse_one(f"SELECT rooms.id FROM rooms WHERE {condition}"), "vi")
            if "3327" in one.replace(".", "")
        ]
        assert "3327" in line
    lines = explain_query(sqlglot.parse_one("SELECT rooms.id FROM rooms WHERE rooms.price = 3327000"), "vi")
    assert any("3.327.000" in line for line in lines)


@pytest.mark.parametrize("group", ["district", "type", "ward"])
@pytest.mark.parametrize("first", [1, 3])
def test_groups_that_share_the_last_place_are_shown(
    base: duckdb.DuckDBPyConnection, group: str, first: int
) -> None:
    """Of the first few groups, and of the first row in an order, LIMIT hides none that is alike."""
    parsed = ParsedQuestion(
        mode="TABLE", group=(group,), measures=(Measure("count"),), order=(Order("figure", True),)
    )
    every = [row[-1] for row in base.execute(_sql(parsed)).fetchall()]
    shown = [row[-1] for row in base.execute(_sql(replace(parsed, limit=first))).fetchall()]
    assert shown == [one for one in every if one >= sorted(every, reverse=True)[first - 1]]


def test_every_case_is_explained_without_sql_in_it() -> None:
    for case in cases():
        parsed = ask(*turns_of(case))
        if parsed.ready:
            lines = explain_query(sqlglot.parse_one(_sql(parsed), read="duckdb"), "vi")
            assert not any("SELECT" in line or "CAST(" in line for line in lines), lines
