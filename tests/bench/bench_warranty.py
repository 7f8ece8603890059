"""Measures loading and looking up warranty records against DuckDB's own read of the same file; prints JSON.

python -m tests.bench.bench_warranty --rows 1000000 --lookup-rows 10000000
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from tests.support.stores.services import services_at
from troly.plugin.contract import IngestRequest
from troly.plugin.services import Services
from troly_shopping.warranty.load import ingest_warranty
from troly_shopping.warranty.store import CREATE, DATASET, WarrantyStore

_BASELINE = """
    create table t as select serial, product_name,
        try_strptime(warranty_end_date, ['%Y-%m-%d', '%d/%m/%Y'])::date as warranty_end_date
    from read_csv('{file}', auto_detect = false, header = true, delim = ',', quote = '"', escape = '"',
        columns = {{'serial': 'VARCHAR', 'product_name': 'VARCHAR', 'warranty_end_date': 'VARCHAR'}},
        store_rejects = true, rejects_limit = 0)
"""
_PLAIN = _BASELINE.replace("try_strptime(warranty_end_date, ['%Y-%m-%d', '%d/%m/%Y'])::date as ", "")
_MANY = """
    insert into records
    select hash(upper(serial)) as key, serial, product, day from (
        select 'SSTC-' || upper(hex(hash(i)))[1:8] || '-' || lpad(i::varchar, 8, '0') as serial,
            'Laptop số ' || (i % 1000) as product, date '2024-01-01' + (i % 1500)::int as day
        from range({rows}) as numbers(i)
    ) order by key
"""
_NAMES = (
    "Laptop Dell Inspiron 15", "Chuột không dây Logitech M331", "Bàn phím cơ Keychron K2", "Màn hình LG 24 inch",
    "Tai nghe Sony WH-1000XM5", "SSD Samsung 990 Pro 1TB",
)  # fmt: skip


def write_csv(path: Path, rows: int, *, quoted: bool) -> None:
    """A warranty list with both date formats; `quoted` puts names with commas in quotes."""
    pick = random.Random(2026)
    with path.open("w", encoding="utf-8") as file:
        file.write("serial,product_name,warranty_end_date\n")
        for row in range(rows):
            year, month, day = pick.randrange(2023, 2030), pick.randrange(1, 13), pick.randrange(1, 29)
            end = f"{year}-{month:02d}-{day:02d}" if row % 2 else f"{day:02d}/{month:02d}/{year}"
            name = pick.choice(_NAMES)
            name = f'"{name}, chính hãng"' if quoted else name
            file.write(f"SSTC-{pick.randrange(16**8):08X}-{row:07d},{name},{end}\n")


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def read_into_table(sql: str, csv: Path, folder: Path) -> None:
    target = folder / "baseline.duckdb"
    target.unlink(missing_ok=True)
    con = duckdb.connect(str(target))
    con.execute(sql.format(file=csv))
    con.close()


def load(services: Services, csv: Path) -> None:
    request = IngestRequest(services=services, file=csv, now=datetime.now(UTC), language="vi", replace=True)
    assert ingest_warranty(request).published


def bench_ingest(services: Services, folder: Path, rows: int, rounds: int) -> dict[str, object]:
    """Medians of interleaved rounds: whole ingest, DuckDB's read with dates, DuckDB's plain read."""
    found: dict[str, object] = {"rows": rows}
    for kind in ("plain", "quoted"):
        csv = folder / f"{kind}.csv"
        write_csv(csv, rows, quoted=kind == "quoted")
        ours, theirs, bare = [], [], []
        for _ in range(rounds):
            theirs.append(seconds(lambda csv=csv: read_into_table(_BASELINE, csv, folder)))  # type: ignore[misc]
            ours.append(seconds(lambda csv=csv: load(services, csv)))  # type: ignore[misc]
            bare.append(seconds(lambda csv=csv: read_into_table(_PLAIN, csv, folder)))  # type: ignore[misc]
        mine, base, plain = (statistics.median(each) for each in (ours, theirs, bare))
        found[kind] = {
            "ingest_s": round(mine, 3),
            "duckdb_read_with_dates_s": round(base, 3),
            "duckdb_plain_read_s": round(plain, 3),
            "ratio": round(mine / base, 2),
            "ratio_to_plain": round(mine / plain, 2),
        }
    found["command"] = bench_command(folder)
    return found


def bench_command(folder: Path) -> dict[str, object]:
    """`app ingest warranty` as a process of its own, against a process that does DuckDB's read."""
    csv = folder / "quoted.csv"
    script = f"import duckdb; duckdb.connect({str(folder / 'command.duckdb')!r}).execute({_BASELINE.format(file=csv)!r})"
    env = {**os.environ, "TROLY_HOME": str(folder / "command-home"), "OLLAMA_HOST": "http://127.0.0.1:9"}
    ours = [sys.executable, "-m", "troly", "ingest", "warranty", str(csv)]
    mine = seconds(lambda: subprocess.run(ours, env=env, check=True, capture_output=True))
    base = seconds(lambda: subprocess.run([sys.executable, "-c", script], check=True, capture_output=True))
    return {"command_s": round(mine, 3), "duckdb_process_s": round(base, 3), "ratio": round(mine / base, 2)}


def bench_lookup(services: Services, rows: int, count: int) -> dict[str, object]:
    """Milliseconds of one look-up by serial, connection warm, present and absent serials."""
    with services.datasets.build(DATASET) as build:
        con = duckdb.connect(str(build.path))
        for statement in CREATE:
            con.execute(statement)
        con.execute(_MANY.format(rows=rows))
        con.close()
        build.publish({"rows": rows})
    reader = services.datasets.reader(DATASET)
    sample = reader.fetch("select serial from records using sample 5000 rows (reservoir, 7)")
    present = [row[0].lower() for row in sample][:count]
    store = WarrantyStore(services.datasets)
    for serial in present[:100]:
        assert store.find(serial)
    times = sorted(seconds(lambda serial=serial: store.find(serial)) * 1000 for serial in present)  # type: ignore[misc]
    absent = sorted(seconds(lambda n=n: store.find(f"KHONG-CO-{n}")) * 1000 for n in range(count))  # type: ignore[misc]
    shown = {"rows": rows, "count": count}
    for name, each in (("present", times), ("absent", absent)):
        shown[f"{name}_p50_ms"] = round(each[len(each) // 2], 2)  # type: ignore[assignment]
        shown[f"{name}_p99_ms"] = round(each[int(len(each) * 0.99)], 2)  # type: ignore[assignment]
    return dict(shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--lookup-rows", type=int, default=10_000_000)
    parser.add_argument("--lookups", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, services_at(Path(name) / "home") as services:
        folder = Path(name)
        result = {
            "ingest": bench_ingest(services, folder, asked.rows, asked.rounds),
            "lookup": bench_lookup(services, asked.lookup_rows, asked.lookups),
        }
    sys.stdout.write(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
