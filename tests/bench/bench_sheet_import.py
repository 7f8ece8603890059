"""Measures `app ingest sheet` on a CSV of a shop's orders against DuckDB's own read of the same file; prints JSON.

python -m tests.bench.bench_sheet_import --rows 1000000
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import duckdb

from tests.support.modes.sheets import load_file, sheet_services
from troly_analysis.sheets.store import SheetStore

_HEADER = "Mã đơn,Ngày đặt,Sản phẩm,Số lượng,Đơn giá,Doanh thu,Thành phố,Trạng thái\n"
_CITIES = ("Hà Nội", "TP. Hồ Chí Minh", "Đà Nẵng", "Cần Thơ")
_STATES = ("Hoàn thành", "Đã hủy", "Hoàn trả")


def write_csv(path: Path, rows: int, *, spelled: bool) -> None:
    """A list of orders; `spelled` writes money as people do ("1.250.000 đ") and a title above the header."""
    pick = random.Random(2026)
    with path.open("w", encoding="utf-8") as file:
        file.write(f"Báo cáo đơn hàng,,,,,,,\n{_HEADER}" if spelled else _HEADER)
        for row in range(rows):
            day = date(2024, 1, 1) + timedelta(days=pick.randrange(1000))
            count, price = pick.randrange(1, 9), pick.randrange(10, 999) * 1000
            money = f"{count * price:,} đ".replace(",", ".") if spelled else str(count * price)
            product = f"Sản phẩm {pick.randrange(500)}"
            file.write(
                f"DH{row:07d},{day:%d/%m/%Y},{product},{count},{price},{money},{pick.choice(_CITIES)},{pick.choice(_STATES)}\n"
            )


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def bare(csv: Path, folder: Path) -> None:
    """DuckDB reads the file into a table of a database file, guessing the types."""
    target = folder / "bare.duckdb"
    target.unlink(missing_ok=True)
    with duckdb.connect(str(target)) as con:
        con.execute(f"create table t as from read_csv('{csv}')")


def measure(rows: int, folder: Path, *, spelled: bool, rounds: int) -> dict[str, float]:
    """Medians of both, taken in turns."""
    csv = folder / f"orders-{spelled}.csv"
    write_csv(csv, rows, spelled=spelled)
    ours, theirs = [], []
    with sheet_services(folder / "home") as services:
        for _ in range(rounds):
            theirs.append(seconds(lambda: bare(csv, folder)))
            ours.append(seconds(lambda: load_file(services, csv, name="Đơn hàng")))
        sheet = SheetStore(services).sheet("an", "Đơn hàng")
    assert sheet.rows == rows
    assert [field.kind for field in sheet.fields][1:6] == ["date", "text", "integer", "money", "money"]
    own, other = statistics.median(ours), statistics.median(theirs)
    return {"import_s": round(own, 2), "bare_read_s": round(other, 2), "ratio": round(own / other, 2)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for spelled in (False, True):
            found = measure(asked.rows, folder, spelled=spelled, rounds=asked.rounds)
            print(json.dumps({"rows": asked.rows, "money_as_people_write_it": spelled, **found}))


if __name__ == "__main__":
    main()
