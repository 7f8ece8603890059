"""A worker that is sent for before the query is there: one process, no second one, none left behind."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sandbox.scene import scope_of
from tests.support.process.waiting import until
from troly.sandbox import Sandbox, SandboxError, check
from troly.stores.processes import process_start

COUNT = "SELECT count(*) FROM buildings"


async def test_the_query_uses_the_worker_that_is_on_its_way(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    sandbox.warm_ahead(scope)
    sandbox.warm_ahead(scope)
    found = await sandbox.run(scope, check(COUNT, scope.columns(), max_rows=5))
    assert found.rows == ((30,),)
    assert len(sandbox.pids()) == 1
    sandbox.warm_ahead(scope)
    assert len(sandbox.pids()) == 1


async def test_what_goes_wrong_ahead_is_told_by_the_query(base: Path, sandbox: Sandbox) -> None:
    broken = replace(scope_of("GUEST", base), database=base.with_name("gone.duckdb"))
    sandbox.warm_ahead(broken)
    with pytest.raises(SandboxError):
        await sandbox.run(broken, check(COUNT, broken.columns(), max_rows=5))
    assert sandbox.pids() == ()


async def test_closing_ends_a_worker_that_is_on_its_way(base: Path) -> None:
    sandbox = Sandbox()
    sandbox.warm_ahead(scope_of("GUEST", base))
    await until(sandbox.pids)
    pids = sandbox.pids()
    await asyncio.to_thread(sandbox.close)
    await until(lambda: all(process_start(pid) is None for pid in pids))
    sandbox.warm_ahead(scope_of("GUEST", base))
    assert sandbox.pids() == ()
