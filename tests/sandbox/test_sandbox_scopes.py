"""No query, checked or not, brings back a value of a row or column outside of the scope."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.sandbox.scene import BUILDINGS, CANARY, CANARY_NUMBER, CONTRACTS, ROOMS, scope_of, unchecked
from troly.sandbox import Sandbox, SandboxError, check

_TABLES = (
    "rooms",
    "buildings",
    "contracts",
    "users",
    "base.rooms",
    "base.users",
    "memory.main.rooms",
    "c",
    "sub",
)
_SUBS = (
    "duckdb_tables()",
    "sqlite_master",
    "information_schema.columns",
    "query('FROM users')",
    "(FROM users)",
)
_NAMES = sorted({*ROOMS, *BUILDINGS, *CONTRACTS, "owner_phone", "visible", "phone", "login", "rowid"})
_tables = st.sampled_from((*_TABLES, *_TABLES, *_SUBS))
_columns = st.sampled_from(_NAMES)
_picked = st.one_of(
    st.just("*"),
    _columns,
    st.builds(
        "{}({})".format, st.sampled_from(["min", "max", "string_agg", "sum", "count", "any_value"]), _columns
    ),
    st.builds("(SELECT {} FROM {} LIMIT 1)".format, _columns, _tables),
    st.just("COLUMNS('.*')"),
)
_tests = st.one_of(
    st.just("true"),
    st.builds("{} = '{}'".format, _columns, st.just(CANARY)),
    st.builds("{} = {}".format, _columns, st.just(CANARY_NUMBER)),
    st.builds("{} IN (SELECT {} FROM {})".format, _columns, _columns, _tables),
    st.builds("NOT EXISTS (SELECT 1 FROM {} WHERE {} IS NULL)".format, _tables, _columns),
    st.just("visible = false OR 1 = 1"),
)
_simple = st.builds("SELECT {} FROM {} WHERE {}".format, _picked, _tables, _tests)
_joined = st.builds(
    "SELECT {} FROM {} a {} {} b {}".format,
    _picked,
    _tables,
    st.sampled_from(["JOIN", "LEFT JOIN", "FULL JOIN", "CROSS JOIN", "NATURAL JOIN", ","]),
    _tables,
    st.sampled_from(["", "ON true", "ON a.id = b.id", "USING (id)"]),
)
_selects = st.one_of(_simple, _joined)
_queries = st.one_of(
    _selects,
    st.builds(
        "{} {} {}".format, _selects, st.sampled_from(["UNION ALL", "UNION ALL BY NAME", "EXCEPT"]), _selects
    ),
    st.builds("WITH c AS ({}) SELECT * FROM c".format, _selects),
    st.builds(
        "WITH {} AS ({}) {}".format, st.sampled_from(["rooms", "users", "contracts"]), _selects, _selects
    ),
    st.builds("SELECT * FROM ({}) sub".format, _selects),
    st.builds("SELECT 1; {}".format, _selects),
)
ROLES = ("GUEST", "TENANT", "NOBODY")


@pytest.fixture(scope="module")
def shared() -> Iterator[Sandbox]:
    """One sandbox for all examples; starting a worker for each would take minutes."""
    made = Sandbox(warm=3)
    yield made
    made.close()


def _leaks(value: Any) -> bool:
    return CANARY in repr(value) or value == CANARY_NUMBER


def _run(sandbox: Sandbox, base: Path, role: str, sql: str, *, guarded: bool) -> tuple[tuple[Any, ...], ...]:
    scope = scope_of(role, base)
    try:
        checked = check(sql, scope.columns(), max_rows=300) if guarded else unchecked(sql)
        return asyncio.run(sandbox.run(scope, checked, seconds=2, max_rows=300)).rows
    except SandboxError as error:
        event(error.key)
        return ()


@given(st.sampled_from(ROLES), _queries, st.booleans())
@settings(max_examples=250)
def test_no_query_returns_a_canary(shared: Sandbox, base: Path, role: str, sql: str, guarded: bool) -> None:
    rows = _run(shared, base, role, sql, guarded=guarded)
    # A literal of the query itself may come back; it is no leak, so such queries select columns only.
    assert not [row for row in rows if any(_leaks(value) for value in row)]


@pytest.mark.parametrize("role", ROLES)
async def test_the_scope_is_all_that_is_there(shared: Sandbox, base: Path, role: str) -> None:
    scope = scope_of(role, base)
    sql = "SELECT database_name, table_name FROM duckdb_tables() ORDER BY 2"
    found = await shared.run(scope, unchecked(sql))
    assert [name for _, name in found.rows] == sorted(relation.name for relation in scope.relations)
    assert {base for base, _ in found.rows} <= {"memory"}
    places = await shared.run(scope, unchecked("SELECT path FROM duckdb_databases() WHERE path IS NOT NULL"))
    assert places.rows == ()


async def test_the_scope_holds_the_rows_it_should(shared: Sandbox, base: Path) -> None:
    sql = "SELECT (SELECT count(*) FROM rooms), (SELECT count(*) FROM contracts), (SELECT min(tenant) FROM contracts)"
    found = await shared.run(scope_of("TENANT", base), unchecked(sql))
    assert found.rows == ((480, 20, "an"),)


@pytest.mark.parametrize("role", ROLES)
def test_the_canary_would_be_seen(base: Path, role: str) -> None:
    """The check itself works: over the base file the same kind of query does bring canaries."""
    import duckdb

    connection = duckdb.connect(str(base), read_only=True)
    rows = connection.execute("SELECT title, owner_phone, price FROM rooms").fetchall()
    connection.close()
    assert [row for row in rows if any(_leaks(value) for value in row)]
    assert scope_of(role, base).database == base
