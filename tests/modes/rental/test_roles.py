"""Nobody reaches a row or a personal value that the role does not give, whatever the query says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.rental.generator import Rows
from tests.support.rental.oracle import Oracle
from tests.support.rental.services import (
    materialised,
    publish,
    rental_at,
    small_market,
    stored,
    with_personal,
)
from troly.errors import ConfigError
from troly.plugin.services import Services
from troly.sandbox import Relation, check
from troly_rental.data.schema import tables
from troly_rental.data.store import RentalStore
from troly_rental.roles import FILE, MINE, ROLES, grants, read_grants, relations_of, scope_for
from troly_rental.sql.relations import entities

CANARY = re.compile(r"CANARY-(\w+)-(\d+)x")
LONELY = re.compile(r"0901234567|ai\.do@example\.com|\+84 912 345 678")


def marked(rows: Rows) -> Rows:
    """The market with a canary for every personal value and contacts inside the free texts."""
    changed = with_personal(rows, lambda kind, person: f"CANARY-{kind}-{person}x")
    for post in changed["posts"]:
        post["description"] = f"{post['description']} Gọi 0901234567 hoặc ai.do@example.com"
    for room in changed["rooms"][::3]:
        room["title"] = f"{room['title']} (+84 912 345 678)"
    return changed


@pytest.fixture(scope="module")
def market() -> Rows:
    return marked(small_market())


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, market: Rows) -> Iterator[Services]:
    home = tmp_path_factory.mktemp("roles")
    with rental_at(home / "home") as services:
        publish(services, home / "tables", market)
        yield services


def people(market: Rows) -> list[tuple[str, str, int | None]]:
    """Logins with their roles and numbers: those with most at stake, some others, and a stranger."""
    busy = {1, 2, 3, 4, 123} | {row["tenant_id"] for row in market["contracts"]}
    busy |= {row["landlord_id"] for row in market["buildings"][:20]}
    known = [(u["login"], u["role"], u["id"]) for u in market["users"] if u["id"] in busy]
    return [("nobody", "GUEST", None), *known[:60]]


class Reached:
    """The relations of a person as tables in memory, kept for the next query."""

    def __init__(self, house: Services, market: Rows) -> None:
        self._store = RentalStore(house)
        self.oracle, self.people = Oracle(market), people(market)
        self.scope_of = cache(lambda login: scope_for(self._store, login))
        self.database_of = cache(self._database)

    def _database(self, login: str) -> duckdb.DuckDBPyConnection:
        scope = self.scope_of(login)
        return materialised(scope.database, scope.relations)


@pytest.fixture(scope="module")
def reached(house: Services, market: Rows) -> Reached:
    return Reached(house, market)


def test_relations_hold_exactly_what_the_role_gives(reached: Reached) -> None:
    for login, role, me in reached.people[:25]:
        allowed, con = reached.oracle.allowed(role, me), reached.database_of(login)
        for relation in reached.scope_of(login).relations:
            key = tables()[relation.name].key
            cursor = con.execute(f"select * from {relation.name}")
            names = [column[0] for column in cursor.description]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            mine = {tuple(row[k] for k in key) for row in rows if row.pop(MINE, False)}
            if role == "LANDLORD" and me is not None and relation.name == "rooms":
                assert {number for (number,) in mine} == {
                    number for number in reached.oracle.rooms if reached.oracle.own(number, me)
                }
            seen = {tuple(row[k] for k in key): {n for n, v in row.items() if v is not None} for row in rows}
            wanted = allowed.get(relation.name, {})
            places = relation.name in {"cities", "districts", "wards"}
            assert seen.keys() == wanted.keys() or places, (login, relation.name)
            assert all(columns <= wanted.get(k, columns) for k, columns in seen.items()), (
                login,
                relation.name,
            )


def statement(relations: tuple[Relation, ...], picks: list[int]) -> str:
    """A SELECT over the relations: joins, unions, sub-queries, aggregates that glue values together."""
    left, right = (relations[pick % len(relations)] for pick in picks[:2])
    a, b = (
        list(one.columns)[pick % len(one.columns)]
        for one, pick in zip((left, right), picks[2:4], strict=True)
    )
    conditions = (
        "",
        f"where l.{a} is not null",
        "where 1 = 1 or true",
        f"where l.{a}::varchar like '%CANARY%'",
    )
    where = conditions[picks[4] % len(conditions)]
    one, two = left.name, right.name
    shapes = (
        f"select * from {one} l {where}",
        f"select l.*, r.{b} from (select * from {one} limit 40) l, (select * from {two} limit 40) r {where}",
        f"select string_agg(l.{a}::varchar, ';') from {one} l {where}",
        f"select l.{a}, count(*) from {one} l {where} group by all",
        f"select max(r.{b}::varchar) from {one} l left join {two} r on l.{a}::varchar = r.{b}::varchar {where}",
        f"with c as (select * from {one}) select l.{a} from c l {where}",
        f"select (select min({b}::varchar) from {two}) || l.{a}::varchar from {one} l {where}",
        f"select x::varchar from (select {a}::varchar as x from {one} union all select {b}::varchar from {two})",
    )
    return shapes[picks[5] % len(shapes)]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(who=st.integers(0, 10_000), picks=st.lists(st.integers(0, 10_000), min_size=6, max_size=6))
def test_no_query_brings_out_a_canary_of_somebody_else(who: int, picks: list[int], reached: Reached) -> None:
    login, role, me = reached.people[who % len(reached.people)]
    scope = reached.scope_of(login)
    sql = statement(scope.relations, picks)
    check(sql, scope.columns(), max_rows=1000)
    found = reached.database_of(login).execute(sql).fetchall()
    text = "\n".join(str(cell) for row in found for cell in row)
    tenants = {
        row["id"] for row in reached.oracle.rows["users"] if reached.oracle.columns("users", row, role, me)
    }
    for kind, person in CANARY.findall(text):
        assert int(person) == me or (kind == "name" and int(person) in tenants), (login, sql, kind, person)
    assert not LONELY.search(text), (login, sql)


def test_a_guest_has_no_people_and_no_contracts(reached: Reached) -> None:
    names = {relation.name for relation in reached.scope_of("nobody").relations}
    assert names.isdisjoint({"users", "contracts", "invoices", "viewings", "room_seeking_posts"})


def test_only_contracts_name_people() -> None:
    """Whoever comes to see a room is not named to its landlord (data/rental/knowledge/who-sees-what-en.md)."""
    assert not any("tenant_id" in grant.columns for grant in grants()["LANDLORD"]["viewings"])
    assert "tenant" not in entities()["viewing"].fields


def test_canaries_are_there_to_be_found(house: Services, reached: Reached) -> None:
    """The tests above would pass on a database without canaries."""
    assert stored(house, "select count(*) from users where name like 'CANARY%'")[0][0] > 2_000
    mine = reached.database_of("CANARY-login-2x").execute("select phone from users").fetchall()
    assert mine == [("CANARY-phone-2x",)]


def test_the_role_comes_from_the_data(house: Services) -> None:
    store = RentalStore(house)
    assert store.role_of("CANARY-login-1x").role == "LANDLORD"
    assert store.role_of("CANARY-login-2x").user_id == 2
    for stranger in ("", "canary-login-1x", "CANARY-login-1x' or '1'='1", "GUEST", "LANDLORD"):
        assert store.role_of(stranger).role == "GUEST"


@pytest.mark.parametrize("login", ["nobody", "CANARY-login-1x", "CANARY-login-2x"])
def test_the_sandbox_takes_the_scope(house: Services, login: str) -> None:
    import asyncio

    from troly.sandbox import Sandbox

    scope = scope_for(RentalStore(house), login)
    checked = check("select count(*) as n from rooms", scope.columns(), max_rows=10)
    sandbox = Sandbox()
    try:
        rows = asyncio.run(sandbox.run(scope, checked, seconds=20))
    finally:
        sandbox.close()
    assert rows.rows[0][0] > 150


def test_a_person_without_a_number_is_a_guest() -> None:
    assert [r.name for r in relations_of("LANDLORD", None)] == [r.name for r in relations_of("GUEST", None)]


def test_personal_columns_are_granted_by_person_only() -> None:
    for role in ROLES:
        for name, listed in grants()[role].items():
            for grant in listed:
                personal = [c for c in grant.columns if tables()[name].columns[c].personal]
                assert not personal or ":user_id" in grant.rows


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('table = "rooms"', 'table = "roms"', "roms"),
        ('"landlord_id", "name", "address"', '"landlord", "name", "address"', "landlord"),
        ("status = 'available'\"", "state = 'available'\"", "state"),
        ("base.rooms WHERE status", "base.room WHERE status", "base.room"),
        ("base.rooms WHERE status", "rooms WHERE status", "rooms"),
        ('["GUEST", "TENANT", "LANDLORD"]', '["GUESTS", "TENANT"]', "GUESTS"),
        ('"district_id", "ward_id", "floors", "created_at"]', '"phone"]', "phone"),
        ('rows = "id = :user_id"', 'rows = "id = :me"', "me"),
        ('rows = "true"', 'rows = "true;;"', "condition"),
        ('rows = "true"', 'row = "true"', "fields"),
        ('rows = "true"', 'rows = "id = :user_id"', "guest"),
        ("[[grant]]", "[[grant", "line"),
    ],
)
def test_a_wrong_rule_is_an_error_that_names_it(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "roles.toml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=told):
        read_grants(tmp_path / "roles.toml")


@pytest.mark.parametrize(
    "contact",
    [
        "0901234567",
        "090.123.4567",
        "0901 234 567",
        "+84 901 234 567",
        "84901234567",
        "(028) 3822 1234",
        "090 - 123 - 4567",
        "a.b@mail.example.com",
    ],
)
def test_contacts_in_free_text_are_masked(contact: str) -> None:
    shown = masked(f"Phòng đẹp, gọi {contact} nhé")
    assert shown.startswith("Phòng đẹp, gọi ")
    assert shown.endswith("••• nhé")
    assert not any(part in shown for part in ("123", "456", "@"))


@pytest.mark.parametrize(
    "text",
    [
        "Giá 3.500.000 đ",
        "cọc 84.000.000",
        "25 m2, 0,5 km",
        "20/11/2026 08:30",
        "số 12/345/6 hẻm 789",
        "0 phòng ngủ",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert masked(text) == text


def masked(text: str) -> str:
    """A title as the relation of a guest shows it."""
    select = next(r.select for r in relations_of("GUEST", None) if r.name == "posts")
    value = re.search(r"regexp_replace\(title.*?'g'\)", select)
    assert value
    with duckdb.connect() as con:
        return str(con.execute(f"select {value[0]} from (select $1 as title)", [text]).fetchall()[0][0])
