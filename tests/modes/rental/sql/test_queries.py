"""The SQL of readings: it passes the guard, runs, is the same every time, and says what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import sqlglot

from tests.modes.rental.question.cases import ask, cases, role_of, turns_of
from troly.sandbox.guard import check
from troly_rental.data.places import places
from troly_rental.question.types import Filter, ParsedQuestion, relaxations
from troly_rental.roles import Role, relations_of
from troly_rental.sql.builder import build_count, build_query
from troly_rental.sql.conditions import read_filters
from troly_rental.sql.explanation import explain_query

DATA = Path(__file__).parents[4] / "data" / "rental"


@pytest.fixture(scope="module")
def base() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for path in DATA.glob("*.parquet"):
            connection.read_parquet(str(path)).create_view(path.stem)
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


def test_conditions_read_back_are_those_asked_for() -> None:
    for case in cases():
        parsed = ask(*turns_of(case))
        if not parsed.ready:
            continue
        found = set(read_filters(sqlglot.parse_one(_sql(parsed), read="duckdb")))
        assert set(parsed.filters) <= found, _sql(parsed)
        assert all(one.field == "status" for one in found - set(parsed.filters))


@pytest.mark.parametrize(
    ("where", "want"),
    [
        ("d.name = 'Quận 1'", {Filter("district", "=", "Quận 1")}),
        ("lower(d.name) = 'quận 1'", {Filter("district", "=", "Quận 1")}),
        ("d.name ILIKE '%gò vấp%'", {Filter("district", "=", "Gò Vấp")}),
        ("r.district_id = 'hcm-quan-1'", {Filter("district", "=", "Quận 1")}),
        ("d.name IN ('Quận 1', 'Quận 3')", {Filter("district", "in", ("Quận 1", "Quận 3"))}),
        ("d.name = 'Quận 1' OR d.name = 'Quận 3'", {Filter("district", "in", ("Quận 1", "Quận 3"))}),
        ("NOT d.name = 'Quận 1'", {Filter("district", "!=", "Quận 1")}),
        ("d.name NOT IN ('Quận 1')", {Filter("district", "!=", "Quận 1")}),
        (
            "r.district_id IN (SELECT id FROM districts WHERE name = 'Quận 1')",
            {Filter("district", "=", "Quận 1")},
        ),
        (
            "r.price BETWEEN 2000000 AND 4e6",
            {Filter("price", ">=", 2_000_000), Filter("price", "<=", 4_000_000)},
        ),
        ("3000000 > r.price", {Filter("price", "<", 3_000_000)}),
        ("r.price <= 3 * 1000000", {Filter("price", "<=", 3_000_000)}),
        ("NOT (r.price > 3000000)", {Filter("price", "<=", 3_000_000)}),
        ("r.created_at >= DATE '2026-11-01'", {Filter("posted_at", ">=", "2026-11-01")}),
        ("r.created_at >= '2026-11-01 00:00:00'", {Filter("posted_at", ">=", "2026-11-01")}),
        ("r.price < 3000000 OR r.area > 20", set()),
        (
            "r.id IN (SELECT room_id FROM room_amenities WHERE amenity_id = 'wifi')",
            {Filter("amenity", "=", "wifi")},
        ),
        (
            "NOT EXISTS (SELECT 1 FROM room_amenities x WHERE x.room_id = r.id AND x.amenity_id = 'pets')",
            {Filter("amenity", "!=", "pets")},
        ),
        (
            "EXISTS (SELECT 1 FROM room_amenities x JOIN amenities a ON a.id = x.amenity_id WHERE a.name = 'máy lạnh')",
            {Filter("amenity", "=", "air_conditioner")},
        ),
    ],
)
def test_conditions_of_other_peoples_sql(where: str, want: set[Filter]) -> None:
    sql = f"SELECT r.id FROM rooms AS r JOIN districts d ON d.id = r.district_id WHERE {where}"
    assert set(read_filters(sqlglot.parse_one(sql, read="duckdb"))) == want


def test_conditions_inside_a_common_table_count_too() -> None:
    sql = "WITH c AS (SELECT * FROM rooms WHERE price < 3000000) SELECT avg(price) FROM c"
    assert read_filters(sqlglot.parse_one(sql, read="duckdb")) == (Filter("price", "<", 3_000_000),)


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


def test_every_case_is_explained_without_sql_in_it() -> None:
    for case in cases():
        parsed = ask(*turns_of(case))
        if parsed.ready:
            lines = explain_query(sqlglot.parse_one(_sql(parsed), read="duckdb"), "vi")
            assert not any("SELECT" in line or "CAST(" in line for line in lines), lines
