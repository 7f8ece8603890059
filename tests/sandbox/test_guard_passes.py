"""Ordinary analytics pass the guard, and the sandbox answers what DuckDB itself answers over the same rows."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.sandbox.scene import direct, scope_of
from troly.sandbox import Sandbox, check
from troly.sandbox.protocol import plain

QUERIES = Path(__file__).with_name("analytics.sql")
NOW = datetime.fromisoformat("2026-11-22T09:00:00+07:00")


def _queries() -> list[str]:
    text = "\n".join(line for line in QUERIES.read_text("utf-8").splitlines() if not line.startswith("--"))
    return [" ".join(query.split()) for query in text.split(";") if query.strip()]


def test_there_are_many_shapes() -> None:
    assert len(_queries()) >= 40


def _plain(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(plain(value, 20_000) for value in row) for row in rows]


async def test_every_shape_passes_and_answers_right(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("TENANT", base)
    wrong = {}
    for query in _queries():
        found = await sandbox.run(scope, check(query, scope.columns(), max_rows=1000))
        wanted = _plain(direct(base, scope, query))
        mine = list(found.rows)
        if "ORDER BY" not in query.upper():
            mine, wanted = sorted(mine, key=repr), sorted(wanted, key=repr)
        if mine != wanted or not mine:
            wrong[query] = (mine[:3], wanted[:3])
    assert not wrong
    assert len(sandbox.pids()) == 1


def test_duckdb_sees_the_same_tables(base: Path) -> None:
    """A second opinion: DuckDB's own parser names the tables that the guard named, for every shape."""
    connection = duckdb.connect(":memory:", config={"python_enable_replacements": "false"})
    listed = scope_of("TENANT", base).columns()
    # It binds the types of a collation, which it cannot know.
    for query in (query for query in _queries() if "COLLATE" not in query):
        checked = check(query, listed, max_rows=1000)
        assert connection.get_table_names(checked.sql) == set(checked.tables), query
    connection.close()


def test_the_columns_that_are_read_are_told(base: Path) -> None:
    listed = scope_of("TENANT", base).columns()
    checked = check(
        "SELECT r.Title FROM rooms r JOIN buildings b ON r.building_id = b.id WHERE b.name ILIKE '%1%' AND price > 1",
        listed,
        max_rows=10,
    )
    assert checked.tables == ("buildings", "rooms")
    assert checked.columns == {
        "buildings": frozenset({"id", "name"}),
        "rooms": frozenset({"title", "building_id", "price"}),
    }
    star = check("SELECT * FROM (SELECT * FROM buildings) b", listed, max_rows=10)
    assert star.columns == {"buildings": frozenset({"id", "name", "district"})}


@pytest.mark.parametrize(
    ("sql", "limit"),
    [
        ("SELECT id FROM rooms", 6),
        ("SELECT id FROM rooms LIMIT 3", 3),
        ("SELECT id FROM rooms LIMIT 900", 6),
        ("SELECT id FROM rooms LIMIT 2 OFFSET 1", 2),
        ("SELECT id FROM rooms UNION ALL SELECT id FROM buildings", 6),
        ("(SELECT id FROM rooms LIMIT 900)", 6),
        ("FROM rooms", 6),
    ],
)
def test_there_is_always_an_outer_limit(base: Path, sql: str, limit: int) -> None:
    checked = check(sql, scope_of("GUEST", base).columns(), max_rows=5)
    assert checked.sql.endswith(f"LIMIT {limit}") or f"LIMIT {limit} OFFSET" in checked.sql
    assert checked.tree.args["limit"].expression.name == str(limit)


async def test_the_clock_is_the_turns_own(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    sql = "SELECT current_date, today(), now(), current_timestamp, current_date - INTERVAL 7 DAY"
    checked = check(sql, scope.columns(), max_rows=5, now=NOW)
    found = await sandbox.run(scope, checked)
    moment = "2026-11-22 09:00:00"
    assert found.rows == (("2026-11-22", "2026-11-22", moment, moment, "2026-11-15 00:00:00"),)
    assert "CURRENT_DATE" in checked.lasting
    assert "2026" not in checked.lasting
    assert "LIMIT" not in checked.lasting
    real = await sandbox.run(scope, check("SELECT now(), current_date", scope.columns(), max_rows=5))
    assert real.types == ("TIMESTAMP", "DATE")


def test_names_of_with_and_subqueries_are_not_tables(base: Path) -> None:
    listed = scope_of("GUEST", base).columns()
    sql = "WITH users AS (SELECT id FROM rooms), x AS (SELECT * FROM users) SELECT * FROM x JOIN users USING (id)"
    assert check(sql, listed, max_rows=5).tables == ("rooms",)
