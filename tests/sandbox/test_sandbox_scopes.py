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

# What generated queries read: mostly what is there (with its hidden columns too), now and then what is not.
_HIDDEN = {"rooms": ("owner_phone", "visible"), "contracts": (), "buildings": ()}
_OF = {"rooms": tuple(ROOMS), "contracts": tuple(CONTRACTS), "buildings": tuple(BUILDINGS)}
_ODD = (
    "users", "base.rooms", "base.users", "memory.main.rooms", "duckdb_tables()", "sqlite_master",
    "information_schema.columns", "query('FROM users')", "(FROM users)",
)  # fmt: skip
_MOSTLY = st.integers(0, 9).map(bool)


@st.composite
def _source(draw: st.DrawFn) -> tuple[str, tuple[str, ...]]:
    """A table expression and the columns to ask it for."""
    if draw(_MOSTLY):
        name = draw(st.sampled_from(sorted(_OF)))
        return name, _OF[name] if draw(_MOSTLY) else (*_OF[name], *_HIDDEN[name], "rowid")
    return draw(st.sampled_from(_ODD)), ("phone", "owner_phone", "title", "login")


@st.composite
def _select(draw: st.DrawFn, depth: int = 2) -> str:
    """A SELECT with joins, filters, aggregates and sub-selects over sources."""
    table, columns = draw(_source())
    other, theirs = draw(_source())
    column = st.sampled_from(columns).map("a.{}".format)
    picked = draw(
        st.one_of(
            st.just("*"),
            column,
            st.builds(
                "{}({})".format, st.sampled_from(["min", "max", "string_agg", "count", "any_value"]), column
            ),
            st.just(f"(SELECT max({theirs[0]}) FROM {other})"),
            st.builds("{}, row_number() OVER (ORDER BY {})".format, column, column),
        )
    )
    ends = [
        "",
        f"WHERE {draw(column)} IS NOT NULL",
        f"WHERE CAST({draw(column)} AS VARCHAR) IN ('{CANARY}', '{CANARY_NUMBER}')",
        f"WHERE {draw(column)} NOT IN (SELECT {theirs[0]} FROM {other}) OR true",
        f"ORDER BY {draw(column)} DESC",
        "WHERE visible = false OR 1 = 1",
    ]
    joins = ["", f"JOIN {other} b ON true", f"LEFT JOIN {other} b ON a.id = b.id", f"NATURAL JOIN {other} b"]
    source = table if depth == 0 or draw(_MOSTLY) else f"({draw(_select(depth - 1))})"
    return f"SELECT {picked} FROM {source} a {draw(st.sampled_from(joins))} {draw(st.sampled_from(ends))}"


_queries = st.one_of(
    _select(),
    _select(),
    st.builds(
        "{} {} {}".format, _select(), st.sampled_from(["UNION ALL", "UNION ALL BY NAME", "EXCEPT"]), _select()
    ),
    st.builds("WITH c AS ({}) SELECT * FROM c".format, _select()),
    st.builds(
        "WITH {} AS ({}) {}".format, st.sampled_from(["rooms", "users", "contracts"]), _select(), _select()
    ),
    st.builds("SELECT 1; {}".format, _select()),
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
        rows = asyncio.run(sandbox.run(scope, checked, seconds=2, max_rows=300)).rows
        event("rows" if rows else "no rows")
        return rows
    except SandboxError as error:
        event(error.key)
        return ()


@given(st.sampled_from(ROLES), _queries, st.booleans())
@settings(max_examples=150)
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
