"""Measures what the guard and the sandbox add to a query over running it directly, and how bombs end; prints JSON.

python -m tests.bench.bench_sandbox --rooms 10000 --rounds 30
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import psutil
import sqlglot

from troly.sandbox import CheckedQuery, Relation, Sandbox, SandboxError, Scope, check

_COLUMNS = {"id": "BIGINT", "district": "VARCHAR", "price": "BIGINT", "area": "DOUBLE", "posted": "DATE"}
_MAKE = """
    CREATE TABLE rooms AS SELECT i AS id, 'Quận ' || (i % 24) AS district, 1500000 + (i * 37 % 200) * 50000 AS price,
        12 + i % 60 * 0.5 AS area, DATE '2026-01-01' + (i * 13 % 320)::INT AS posted, i % 10 <> 0 AS visible
    FROM range({rooms}) r(i)
"""
QUERIES = (
    "SELECT * FROM rooms WHERE district = 'Quận 7' AND price < 4000000 ORDER BY price LIMIT 20",
    "SELECT district, count(*) AS n, avg(price) AS p FROM rooms GROUP BY district ORDER BY n DESC",
    "SELECT date_trunc('month', posted) AS m, median(price) FROM rooms GROUP BY m ORDER BY m",
    "SELECT district, id, price FROM rooms QUALIFY rank() OVER (PARTITION BY district ORDER BY price) <= 3",
    "WITH cheap AS (SELECT * FROM rooms WHERE price < 3000000) SELECT count(*) FROM cheap a JOIN rooms b USING (district)",
    "SELECT id FROM rooms ORDER BY posted DESC LIMIT 1000",
)
BOMBS = {
    "memory_range": "SELECT len(range(200000000))",
    "memory_repeat": "SELECT length(repeat('x', 1000000000))",
    "memory_lpad": "SELECT lpad('x', 900000000, 'y')",
    "memory_group": "SELECT a.id * 100000 + b.id AS k, count(*) FROM rooms a, rooms b GROUP BY 1 ORDER BY 2",
    "memory_text": "SELECT string_agg(a.district, ',') FROM rooms a, rooms b",
    "cpu_joins": "SELECT count(*) FROM rooms a, rooms b, rooms c WHERE (a.id + b.id * c.id) % 7 = 3",
    "cpu_recursion": "WITH RECURSIVE x AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM x) SELECT max(i) FROM x",
    "cpu_sleep": "SELECT sleep_ms(20000)",
    "cpu_levenshtein": "SELECT max(levenshtein(repeat('ab', 30000), repeat('ba', 30000)))",
}


def _raw(sql: str) -> CheckedQuery:
    return CheckedQuery(sql, (), {}, sqlglot.exp.select("1"))


def _family(me: psutil.Process) -> tuple[int, int]:
    """Bytes of this process, and of this process with its children."""
    own = total = me.memory_info().rss
    for child in me.children():
        try:
            total += child.memory_info().rss
        except psutil.Error:
            continue
    return own, total


async def overhead(sandbox: Sandbox, scope: Scope, base: Path, rounds: int) -> list[dict[str, Any]]:
    """Milliseconds by query, interleaved rounds: guard, guard + sandbox, the query directly on a warm connection."""
    direct = duckdb.connect(str(base), read_only=True, config={"threads": "1"})
    direct.execute("CREATE TEMP VIEW own AS SELECT * FROM rooms WHERE visible")
    listed, found = scope.columns(), []
    for sql in QUERIES:
        guard, whole, plain = [], [], []
        theirs = sql.replace("rooms", "own")
        for _ in range(rounds):
            began = time.perf_counter()
            checked = check(sql, listed, max_rows=1000)
            guard.append((time.perf_counter() - began) * 1000)
            await sandbox.run(scope, checked)
            whole.append((time.perf_counter() - began) * 1000)
            began = time.perf_counter()
            direct.execute(theirs).fetchall()
            plain.append((time.perf_counter() - began) * 1000)
        added = [mine - base_ms for mine, base_ms in zip(whole, plain, strict=True)]
        found.append(
            {
                "sql": sql[:60],
                "guard_p50_ms": round(statistics.median(guard), 2),
                "whole_p50_ms": round(statistics.median(whole), 2),
                "direct_p50_ms": round(statistics.median(plain), 2),
                "added_p50_ms": round(statistics.median(added), 2),
                "added_p95_ms": round(sorted(added)[int(len(added) * 0.95)], 2),
            }
        )
    direct.close()
    return found


async def bombs(sandbox: Sandbox, scope: Scope, seconds: float) -> dict[str, Any]:
    """How each bomb ended, the seconds above its deadline and the memory above that before the first worker."""
    me = psutil.Process()
    idle, _ = _family(me)
    found: dict[str, Any] = {}
    for name, sql in BOMBS.items():
        await sandbox.warm(scope)
        began = time.perf_counter()
        task = asyncio.ensure_future(sandbox.run(scope, _raw(sql), seconds=seconds))
        most_own = most = 0
        while not task.done():
            own, total = _family(me)
            most_own, most = max(most_own, own), max(most, total)
            await asyncio.sleep(0.005)
        took = time.perf_counter() - began
        error = task.exception()
        found[name] = {
            "ended": error.key if isinstance(error, SandboxError) else "answered",
            "after_deadline_s": round(took - seconds, 2),
            "app_mb_more": round((most_own - idle) / 2**20, 1),
            "app_and_worker_mb_more": round((most - idle) / 2**20, 1),
        }
    return found


async def measure(folder: Path, rooms: int, rounds: int, seconds: float) -> dict[str, Any]:
    base = folder / "base.duckdb"
    connection = duckdb.connect(str(base))
    connection.execute(_MAKE.format(rooms=rooms))
    connection.close()
    relation = Relation("rooms", _COLUMNS, "SELECT * FROM base.rooms WHERE visible")
    scope, sandbox = Scope("GUEST|1", base, (relation,)), Sandbox()
    try:
        check("SELECT 1", {}, max_rows=1)
        exploded = await bombs(sandbox, scope, seconds)
        starts = []
        for round_ in range(5):
            began = time.perf_counter()
            await sandbox.warm(Scope(f"cold {round_}", base, (relation,)))
            starts.append(time.perf_counter() - began)
        await sandbox.warm(scope)
        return {
            "rooms": rooms,
            "start_worker_p50_s": round(statistics.median(starts), 3),
            "queries": await overhead(sandbox, scope, base, rounds),
            "bombs": exploded,
        }
    finally:
        sandbox.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=1.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        result = asyncio.run(measure(Path(name), asked.rooms, asked.rounds, asked.seconds))
    sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
