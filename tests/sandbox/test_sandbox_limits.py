"""Bombs that the guard is made to let through: ended at their deadline, without the memory of the machine."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from tests.sandbox.scene import scope_of, unchecked
from tests.support.process.waiting import until, wait_until
from troly.sandbox import Sandbox, SandboxError
from troly.stores.processes import process_start

MORE = 300 * 1024 * 1024
MEMORY_BOMBS = (
    "SELECT len(range(200000000))",
    "SELECT length(repeat('x', 1000000000))",
    "SELECT lpad('x', 900000000, 'y')",
    "SELECT string_agg(a.title, ',') FROM rooms a, rooms b, rooms c",
    "SELECT a.id * 1000 + b.id AS k, c.id, count(*) FROM rooms a, rooms b, rooms c GROUP BY ALL ORDER BY 3",
    "SELECT printf('%900000000d', 1)",
    "SELECT list(a.title) FROM rooms a, rooms b, rooms c",
)
CPU_BOMBS = (
    "SELECT count(*) FROM rooms a, rooms b, rooms c, rooms d WHERE (a.id + b.id * c.id) % 7 = d.id % 5",
    "WITH RECURSIVE x AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM x) SELECT max(i) FROM x",
    "SELECT sleep_ms(20000)",
    "SELECT max(levenshtein(repeat('ab', 20000), repeat('ba', 20000)))",
)


def _family() -> int:
    """Bytes of this process and its children."""
    me = psutil.Process()
    total = me.memory_info().rss
    for child in me.children():
        try:
            total += child.memory_info().rss
        except psutil.Error:
            continue
    return total


@pytest.mark.parametrize("sql", [*MEMORY_BOMBS, *CPU_BOMBS])
async def test_a_bomb_ends_and_the_next_query_works(base: Path, sandbox: Sandbox, sql: str) -> None:
    scope = scope_of("GUEST", base)
    before = _family()
    await sandbox.warm(scope)
    bomb = asyncio.ensure_future(sandbox.run(scope, unchecked(sql), seconds=0.6))
    most = 0

    def done() -> bool:
        nonlocal most
        most = max(most, _family())
        return bomb.done()

    await until(done)
    with pytest.raises(SandboxError) as caught:
        await bomb
    # Where an allocation fails in the wrong place the process crashes: an end like the others.
    assert caught.value.key in {"sandbox.memory", "sandbox.timeout", "sandbox.died"}
    assert most - before < MORE
    assert (await sandbox.run(scope, unchecked("SELECT count(*) FROM buildings"))).rows == ((30,),)


async def test_a_slow_query_is_interrupted_and_its_worker_stays(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    await sandbox.warm(scope)
    pids = sandbox.pids()
    with pytest.raises(SandboxError) as caught:
        await sandbox.run(scope, unchecked(CPU_BOMBS[0]), seconds=0.2)
    assert caught.value.params == {"seconds": "0.2"}
    assert sandbox.pids() == pids


async def test_a_deadline_that_falls_anywhere_leaves_the_worker_whole(base: Path) -> None:
    # No worker is ended for being slow: what is asked is whether one that stops its query itself goes on well.
    sandbox = Sandbox(grace=30)
    try:
        await _deadlines_fall_everywhere(sandbox, base)
    finally:
        sandbox.close()


async def _deadlines_fall_everywhere(sandbox: Sandbox, base: Path) -> None:
    scope = scope_of("GUEST", base)
    await sandbox.warm(scope)
    pids = sandbox.pids()
    ends: set[int | str] = set()
    sql = "SELECT a.id, b.id, c.id FROM rooms a, rooms b, rooms c WHERE (a.id + b.id) % 97 = c.id"
    for step in range(60):
        try:
            rows = (await sandbox.run(scope, unchecked(sql), seconds=0.0005 * step, max_rows=900)).rows
            ends.add(len(rows))
        except SandboxError as error:
            ends.add(error.key)
        assert (await sandbox.run(scope, unchecked("SELECT count(*) FROM buildings"))).rows == ((30,),)
    assert "sandbox.timeout" in ends
    assert sandbox.pids() == pids


async def test_a_cancelled_caller_ends_the_query(base: Path, sandbox: Sandbox) -> None:
    scope = scope_of("GUEST", base)
    await sandbox.warm(scope)
    (pid,) = sandbox.pids()
    task = asyncio.ensure_future(sandbox.run(scope, unchecked(CPU_BOMBS[0]), seconds=60))
    child = psutil.Process(pid)
    began = sum(child.cpu_times()[:2])
    await until(lambda: sum(child.cpu_times()[:2]) > began + 0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: process_start(pid) is None)
    assert sandbox.pids() == ()
    assert (await sandbox.run(scope, unchecked("SELECT 1"))).rows == ((1,),)


async def test_a_worker_that_is_killed_from_outside_is_told_and_replaced(
    base: Path, sandbox: Sandbox
) -> None:
    scope = scope_of("GUEST", base)
    await sandbox.warm(scope)
    (pid,) = sandbox.pids()
    task = asyncio.ensure_future(sandbox.run(scope, unchecked(CPU_BOMBS[0]), seconds=60))
    child = psutil.Process(pid)
    began = sum(child.cpu_times()[:2])
    await until(lambda: sum(child.cpu_times()[:2]) > began + 0.05)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(SandboxError) as caught:
        await task
    assert caught.value.key == "sandbox.died"
    await sandbox.warm(scope)
    (idle,) = sandbox.pids()
    os.kill(idle, signal.SIGKILL)
    await until(lambda: process_start(idle) is None)
    assert (await sandbox.run(scope, unchecked("SELECT 1"))).rows == ((1,),)


async def test_the_worker_has_no_open_files_and_can_open_none(base: Path, sandbox: Sandbox) -> None:
    await sandbox.warm(scope_of("TENANT", base))
    (pid,) = sandbox.pids()
    child = psutil.Process(pid)
    assert not child.open_files()
    assert not child.net_connections()
    assert child.rlimit(psutil.RLIMIT_NOFILE) == (0, 0)
    assert child.rlimit(psutil.RLIMIT_FSIZE) == (0, 0)
    assert sandbox.limits is not None
    assert child.rlimit(psutil.RLIMIT_AS)[0] < child.memory_info().vms + sandbox.limits.address_space + 2**20
    assert not {"TROLY_HOME", "OLLAMA_HOST"} & set(child.environ())


@pytest.mark.parametrize("busy", [False, True])
def test_the_worker_dies_with_the_app(base: Path, busy: bool) -> None:
    script = textwrap.dedent("""
        import asyncio, sys
        from pathlib import Path
        from tests.sandbox.scene import scope_of, unchecked
        from troly.sandbox import Sandbox

        async def main():
            sandbox, scope = Sandbox(), scope_of("GUEST", Path(sys.argv[1]))
            await sandbox.warm(scope)
            print(*sandbox.pids(), flush=True)
            await sandbox.run(scope, unchecked(sys.argv[2]), seconds=60)
            print("answered", flush=True)
            await asyncio.Event().wait()

        asyncio.run(main())
    """)
    sql = CPU_BOMBS[0] if busy else "SELECT 1"
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", script, str(base), sql]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as app:
        assert app.stdout is not None
        pid = int(app.stdout.readline())
        if busy:
            child = psutil.Process(pid)
            began = sum(child.cpu_times()[:2])
            wait_until(lambda: sum(child.cpu_times()[:2]) > began + 0.05)
        else:
            assert app.stdout.readline() == "answered\n"
        assert process_start(pid) is not None
        app.kill()
    wait_until(lambda: process_start(pid) is None)
