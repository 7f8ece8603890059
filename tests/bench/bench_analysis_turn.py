"""Whole turns of the data analyst without a model: `python -m tests.bench.bench_analysis_turn --rows 1000000` prints JSON.

The sheet is built from a seed in DuckDB, written as Parquet and imported as a person would; the baseline beside each
question is the same SQL run directly on the same file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from tests.support.modes.analysis import Analyst, analyst_at
from tests.support.modes.sheets import load_file
from troly.plugin.events import Computation
from troly_analysis.sheets.store import SheetStore

QUESTIONS = (
    "Tổng doanh thu tháng này là bao nhiêu?",
    "Top 5 sản phẩm theo doanh thu",
    "So sánh doanh thu tuần này với tuần trước",
    "Có bao nhiêu đơn hàng từ Shopee?",
    "Doanh thu theo tháng năm nay",
    "doanh thu trung binh theo san quy truoc",
)
ORDERS = """
copy (
    select
        'D' || i as "Mã đơn",
        timestamp '2025-01-01' + interval 1 minute * (hash(i) % 990720)::bigint as "Ngày đặt",
        ['Shopee', 'Lazada', 'TikTok Shop', 'Website'][1 + (hash(i, 1) % 4)::bigint] as "Sàn",
        'Sản phẩm ' || ((hash(i, 2) % 200)::bigint) as "Sản phẩm",
        'Tỉnh ' || ((hash(i, 3) % 34)::bigint) as "Tỉnh",
        1 + (hash(i, 4) % 5)::bigint as "Số lượng",
        10000 * (5 + (hash(i, 5) % 200)::bigint) as "Doanh thu",
        ['Hoàn thành', 'Đã hủy', 'Đang giao'][1 + (hash(i, 6) % 3)::bigint] as "Trạng thái"
    from range({rows}) as t(i)
) to '{file}' (format parquet)
"""


def build(folder: Path, rows: int) -> Path:
    file = folder / "don-hang.parquet"
    duckdb.execute(ORDERS.format(rows=rows, file=file))
    return file


async def measure(analyst: Analyst, question: str, turns: int) -> dict[str, Any]:
    times, sql = [], ""
    for number in range(turns + 2):
        analyst.leave()
        began = time.perf_counter()
        told = await analyst.ask(question, offline=True)
        if number >= 2:
            times.append((time.perf_counter() - began) * 1000)
        sql = next((each.code for each in told.all(Computation) if each.kind == "sql"), "")
    bare = []
    with SheetStore(analyst.services).connect(analyst.profile.login) as connection:
        for _ in range(turns):
            began = time.perf_counter()
            connection.execute(sql).fetchall()
            bare.append((time.perf_counter() - began) * 1000)
    ordered = sorted(times)
    return {
        "question": question,
        "p50_ms": round(statistics.median(ordered), 1),
        "max_ms": round(ordered[-1], 1),
        "sql_p50_ms": round(statistics.median(bare), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, analyst_at(Path(name) / "home", "") as analyst:
        began = time.perf_counter()
        load_file(analyst.services, build(Path(name), given.rows), name="Đơn hàng")
        loaded = round(time.perf_counter() - began, 1)
        found = [asyncio.run(measure(analyst, question, given.turns)) for question in QUESTIONS]
    for line in found:
        print(json.dumps(line, ensure_ascii=False))
    whole = round(statistics.median(line["p50_ms"] for line in found), 1)
    print(json.dumps({"rows": given.rows, "load_s": loaded, "p50_ms": whole}))


if __name__ == "__main__":
    main()
