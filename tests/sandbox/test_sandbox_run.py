"""Queries in the worker: values and types, limits of rows, errors, warm workers and how they end."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sandbox.scene import scope_of, unchecked
from tests.support.process.waiting import until
from troly.sandbox import Relation, Sandbox, SandboxError, Scope, check
from troly.stores.processes import process_start
from troly.text.catalogue import LANGS


def _gone(pid: int) -> bool:
    return process_start(pid) is None


async def test_values_are_json_with_declared_types(base: Path, sandbox: Sandbox) -> None:
    sql = """SELECT 1 AS i, 12345678901234567890123::HUGEINT, 1.5::DECIMAL(6,1), 2::DECIMAL(6,1), 3::DECIMAL(9,0),
        12345678901234567.25::DECIMAL(30,2), 'nan'::DOUBLE, DATE '2026-11-22', TIMESTAMP '2026-11-22 09:00:00',
        TIME '09:30:00', INTERVAL 3 DAY, ['a', 'b'], {'k': [1.5]}, 'AB'::BLOB, NULL, true, 'Gò Vấp', uuid()"""
    found = await sandbox.run(scope_of("GUEST", base), unchecked(sql))
    row = found.rows[0]
    assert row[:6] == (1, 12345678901234567890123, 1.5, 2.0, 3, "12345678901234567.25")
    assert row[6:10] == (None, "2026-11-22", "2026-11-22 09:00:00", "09:30:00")
    assert row[10:17] == ("3 days, 0:00:00", ["a", "b"], {"k": [1.5]}, "4142", None, True, "Gò Vấp")
    assert len(row[17]) == 36
    assert found.types[:4] == ("INTEGER", "HUGEINT", "DECIMAL(6,1)", "DECIMAL(6,1)")
    assert found.columns[0] == "i"
    assert json.loads(json.dumps(row, allow_nan=False)) == list(row)


async def test_rows_beyond_the_limit_are_told(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    for size, truncated in ((29, True), (30, False), (31, False)):
        checked = check("SELECT id FROM buildings", scope.columns(), max_rows=size)
        found = await sandbox.run(scope, checked, max_rows=size)
        assert (len(found.rows), found.truncated) == (min(size, 30), truncated)


async def test_a_very_long_text_or_answer_is_cut_and_told(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    one = await sandbox.run(scope, unchecked("SELECT repeat('ă', 100000)"))
    assert one.truncated
    assert len(one.rows[0][0]) == 20_001
    many = await sandbox.run(scope, unchecked("SELECT repeat('x', 19000) FROM range(1000)"))
    assert many.truncated
    assert 200 <= len(many.rows) < 1000


async def test_a_failing_query_says_why_and_leaves_the_worker(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    with pytest.raises(SandboxError) as caught:
        await sandbox.run(scope, check("SELECT title::INTEGER FROM rooms", scope.columns(), max_rows=5))
    assert caught.value.key == "sandbox.query"
    assert "Could not convert" in str(caught.value.params["reason"])
    assert all("Could not convert" in caught.value.render(lang).message for lang in LANGS)
    pids = sandbox.pids()
    found = await sandbox.run(scope, check("SELECT count(*) FROM buildings", scope.columns(), max_rows=5))
    assert found.rows == ((30,),)
    assert sandbox.pids() == pids


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE x AS SELECT 1",
        "CREATE TEMP TABLE x AS SELECT 1",
        "SET VARIABLE a = 1",
        "SELECT 1; SELECT 2",
        "PREPARE p AS SELECT 1",
        "DELETE FROM buildings",
        "COPY buildings TO 'x.csv'",
        "PRAGMA database_list",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM base.rooms",
        "SELECT * FROM users",
        "ATTACH ':memory:' AS y",
        "SET enable_external_access = true",
        "LOAD httpfs",
        "",
    ],
)
async def test_the_process_refuses_by_itself_what_the_guard_would(
    base: Path, sandbox: Sandbox, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scope = scope_of("GUEST", base)
    with pytest.raises(SandboxError) as caught:
        await sandbox.run(scope, unchecked(sql))
    assert caught.value.key == "sandbox.query"
    assert not list(tmp_path.iterdir())
    found = await sandbox.run(scope, unchecked("SELECT count(*) FROM buildings"))
    assert found.rows == ((30,),)


async def test_nothing_starts_before_the_first_query(base: Path) -> None:
    sandbox = Sandbox()
    assert sandbox.pids() == ()
    assert sandbox.limits is None
    sandbox.close()


async def test_a_worker_is_used_again_and_the_oldest_ends(base: Path) -> None:
    sandbox = Sandbox(warm=2)
    try:
        first = scope_of("GUEST", base)
        await sandbox.warm(first)
        (pid,) = sandbox.pids()
        await sandbox.run(first, unchecked("SELECT 1"))
        assert sandbox.pids() == (pid,)
        for key in ("b", "c"):
            await sandbox.warm(replace(first, key=key))
        assert len(sandbox.pids()) == 2
        assert pid not in sandbox.pids()
        await until(lambda: _gone(pid))
    finally:
        sandbox.close()


async def test_two_queries_at_once_have_a_worker_each(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    answers = await asyncio.gather(*(sandbox.run(scope, unchecked(f"SELECT {n}")) for n in range(4)))
    assert [answer.rows for answer in answers] == [((n,),) for n in range(4)]
    assert len(sandbox.pids()) == 3


async def test_close_ends_every_worker_and_refuses_more(base: Path) -> None:
    sandbox = Sandbox()
    scope = scope_of("GUEST", base)
    await asyncio.gather(sandbox.warm(scope), sandbox.warm(replace(scope, key="other")))
    pids = sandbox.pids()
    sandbox.close()
    assert len(pids) == 2
    assert all(_gone(pid) for pid in pids)
    sandbox.close()
    with pytest.raises(SandboxError) as caught:
        await sandbox.run(scope, unchecked("SELECT 1"))
    assert caught.value.key == "sandbox.closed"


def test_a_worker_lives_through_several_event_loops(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    for _ in range(2):
        assert asyncio.run(sandbox.run(scope, unchecked("SELECT 5"))).rows == ((5,),)
    assert len(sandbox.pids()) == 1


@pytest.mark.parametrize("broken", ["file", "select", "column", "junk"])
async def test_relations_that_cannot_be_built_are_told(
    base: Path, sandbox: Sandbox, broken: str, tmp_path: Path
) -> None:
    relation = Relation("rooms", {"id": "BIGINT"}, "SELECT * FROM base.rooms")
    database = base
    if broken == "file":
        database = tmp_path / "missing.duckdb"
    elif broken == "junk":
        database = tmp_path / "junk.duckdb"
        database.write_bytes(b"not a database" * 1000)
    elif broken == "select":
        relation = replace(relation, select="SELECT * FROM base.nothing")
    else:
        relation = replace(relation, columns={"nothing": "BIGINT"})
    with pytest.raises(SandboxError) as caught:
        await sandbox.run(Scope("x", database, (relation,)), unchecked("SELECT 1"))
    assert caught.value.key == "sandbox.relations"
    assert sandbox.pids() == ()
