"""Turns about goods without a model over a large catalogue: `python -m tests.bench.bench_catalogue` prints JSON.

The catalogue is loaded from a CSV as a person would; every turn is a whole one: saved, traced, searched, told.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import tempfile
import time
from pathlib import Path

from tests.bench.bench_turn import percentiles
from tests.support.modes.made import registry_of
from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_generator import goods
from tests.support.stores.services import services_at
from troly.plugin.contract import IngestRequest
from troly.plugin.services import Services
from troly_shopping import MODE
from troly_shopping.products.load import ingest_products

QUESTIONS = (
    "laptop dưới 20 triệu", "laptop duoi 20tr", "chuột logitech tầm 500k", "which laptops do you have from 10 to 15 million?",
    "so sánh laptop asus tuf với acer nitro", "build pc 20 triệu chơi game", "bàn phím cơ rẻ nhất", "rtx 4060 giá bao nhiêu",
    "màn hình 27 inch trên 5 triệu dưới 9 triệu", "tai nghe gaming còn hàng không shop",
)  # fmt: skip
WARM_UP = 10


def write_catalogue(path: Path, rows: int) -> None:
    """The sample goods again and again under other names and prices."""
    pick = random.Random(2026)
    kinds = list(goods())
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("name", "price", "stock", "specs", "url", "brand", "category"))
        for number in range(rows):
            good = kinds[number % len(kinds)]
            name = good.name if number < len(kinds) else f"{good.name} bản {number}"
            price = round(good.price * pick.uniform(0.8, 1.3), -4) if number >= len(kinds) else good.price
            url = f"https://sstc.example/{number}"
            writer.writerow(
                (name, int(price), pick.randrange(20), good.specs, url, good.brand, good.category)
            )


async def turns(services: Services, count: int) -> tuple[list[float], int]:
    """Milliseconds of each turn after the first ones, and how many of these gave a table."""
    tables = 0
    shop, times = Shop(services, registry_of(shopping=MODE)), []
    for number in range(count + WARM_UP):
        if number % len(QUESTIONS) == 0:
            shop.leave()
        began = time.perf_counter()
        told = await shop.ask(QUESTIONS[number % len(QUESTIONS)], offline=True)
        if number >= WARM_UP:
            times.append((time.perf_counter() - began) * 1000)
            tables += bool(told.tables)
    return times, tables


def main() -> None:
    """Load, ask, print one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=100)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, services_at(Path(name)) as services:
        path = Path(name) / "goods.csv"
        write_catalogue(path, asked.rows)
        began = time.perf_counter()
        ingest_products(IngestRequest(services, path, services.clock(), "vi"))
        load_seconds = round(time.perf_counter() - began, 2)
        times, tables = asyncio.run(turns(services, asked.turns))
    out = {"rows": asked.rows, "load_seconds": load_seconds, "turns": len(times), "tables": tables}
    print(json.dumps({**out, "turn": percentiles(times)}))


if __name__ == "__main__":
    main()
