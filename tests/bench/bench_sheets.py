"""Measures aggregation over a big sheet against the same SQL run in DuckDB itself; prints JSON.

python -m tests.bench.bench_sheets --rows 10000000
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb

from tests.support.stores.services import services_at
from troly.plugin.services import Services
from troly_analysis.query.service import DataQueryService
from troly_analysis.sheets.metrics import MIGRATION
from troly_analysis.sheets.records import dataset_of, id_of, info_of, key_of
from troly_analysis.sheets.store import SheetStore
from troly_analysis.types import Field, Sheet

_PLATFORMS = ("Shopee", "Lazada", "TikTok Shop", "Website")
_MANY = """
    create table "{table}" as
    select i as "Mã", date '2023-01-01' + (i % 730)::int as "Ngày đặt",
        (['Shopee', 'Lazada', 'TikTok Shop', 'Website'])[1 + (hash(i) % 4)::int] as "Nền tảng",
        'Sản phẩm ' || (hash(i + 1) % 500) as "Sản phẩm", (1 + hash(i + 2) % 5)::bigint as "Số lượng",
        (10000 * (1 + hash(i + 3) % 200))::double as "Doanh thu"
    from range({rows}) as numbers(i)
"""
_WHERE = (
    """ where "Nền tảng" = 'Shopee' and "Ngày đặt" >= date '2024-01-01' and "Ngày đặt" < date '2024-02-01'"""
)
# The plain SQL that somebody would write for the same question.
_CASES: dict[str, tuple[str, Callable[[DataQueryService], Any]]] = {
    "sum": ('select sum("Doanh thu") from t', lambda s: s.aggregate("bench", "sum", field="Doanh thu")),
    "sum by platform": (
        'select "Nền tảng", sum("Doanh thu") from t group by 1 order by 2 desc',
        lambda s: s.aggregate("bench", "sum", field="Doanh thu", group_by="Nền tảng"),
    ),
    "sum by product, filtered": (
        f'select "Sản phẩm", sum("Doanh thu") from t{_WHERE} group by 1 order by 2 desc',
        lambda s: s.aggregate(
            "bench", "sum", field="Doanh thu", group_by="Sản phẩm", filters={"Nền tảng": "Shopee"},
            date_from="2024-01-01", date_to="2024-01-31",
        ),
    ),
    "count by month": (
        """select strftime("Ngày đặt", '%Y-%m'), count(*) from t group by 1 order by 1""",
        lambda s: s.aggregate("bench", "count", group_by="Ngày đặt:month"),
    ),
    "top 10 products": (
        'select "Sản phẩm", sum("Doanh thu") from t group by 1 order by 2 desc limit 10',
        lambda s: s.top_items("bench", "Doanh thu", group_by="Sản phẩm"),
    ),
    "pipeline: match, group, sort": (
        """select "Sản phẩm", sum("Doanh thu") as x, avg("Số lượng") from t where "Nền tảng" = 'Shopee'
        group by 1 order by x desc limit 1000""",
        lambda s: s.execute_pipeline(
            "bench",
            [
                {"$match": {"Nền tảng": "Shopee"}},
                {"$group": {"_id": "$Sản phẩm", "x": {"$sum": "$Doanh thu"}, "n": {"$avg": "$Số lượng"}}},
                {"$sort": {"x": -1}},
            ],
        ),
    ),
    "pipeline: sum of a product by compound key": (
        """select "Nền tảng", year("Ngày đặt"), sum("Số lượng" * "Doanh thu") from t group by 1, 2 order by 1, 2""",
        lambda s: s.execute_pipeline(
            "bench",
            [
                {
                    "$group": {
                        "_id": {"p": "$Nền tảng", "y": {"$year": "$Ngày đặt"}},
                        "x": {"$sum": {"$multiply": ["$Số lượng", "$Doanh thu"]}},
                    }
                }
            ],
        ),
    ),
}  # fmt: skip


def publish(services: Services, rows: int) -> Path:
    """A sheet called bench, built by DuckDB and published as an import would; returns its file."""
    fields = (
        Field("Mã", "integer"), Field("Ngày đặt", "date"), Field("Nền tảng", "text", examples=_PLATFORMS),
        Field("Sản phẩm", "text"), Field("Số lượng", "integer"), Field("Doanh thu", "money", unit="VND"),
    )  # fmt: skip
    table = key_of("bench")
    sheet = Sheet(
        id=id_of("lan", "bench"), owner="lan", name="bench", table=table, fields=fields, rows=rows,
        imported_at=datetime.now(UTC), date_field="Ngày đặt", span=(date(2023, 1, 1), date(2024, 12, 30)),
    )  # fmt: skip
    with services.datasets.build(dataset_of("lan", "bench")) as build:
        with duckdb.connect(str(build.path)) as making:
            making.execute(_MANY.format(table=table, rows=rows))
        return build.publish(info_of(sheet)).file


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(service: DataQueryService, direct: duckdb.DuckDBPyConnection, rounds: int) -> dict[str, Any]:
    """Medians of interleaved rounds, in milliseconds."""
    found: dict[str, Any] = {}
    for name, (sql, ask) in _CASES.items():
        statement = sql.replace("from t", 'from "bench"')
        ask(service)
        direct.execute(statement).fetchall()
        ours, theirs = [], []
        for _ in range(rounds):
            theirs.append(seconds(lambda statement=statement: direct.execute(statement).fetchall()))  # type: ignore[misc]
            ours.append(seconds(lambda ask=ask: ask(service)))  # type: ignore[misc]
        mine, base = statistics.median(ours) * 1000, statistics.median(theirs) * 1000
        found[name] = {"ms": round(mine, 1), "duckdb_ms": round(base, 1), "ratio": round(mine / base, 2)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, services_at(Path(name) / "home") as services:
        services.state.migrate([MIGRATION])
        file = publish(services, asked.rows)
        store = SheetStore(services)
        with store.connect("lan") as cursor:
            threads = cursor.execute("select current_setting('threads')").fetchall()[0][0]
            # The same engine, the same file and as many threads, without any of our code in between.
            direct = duckdb.connect(config={"threads": str(threads)})
            direct.execute(f"attach '{file}' as data (read_only)")
            direct.execute("use data")
            result = measure(DataQueryService(store, "lan"), direct, asked.rounds)
            direct.close()
        store.close()
    sys.stdout.write(
        json.dumps({"rows": asked.rows, "threads": threads, **result}, ensure_ascii=False, indent=2) + "\n"
    )


if __name__ == "__main__":
    main()
