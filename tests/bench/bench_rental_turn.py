"""Whole rental turns without a model on the sample data: `python -m tests.bench.bench_rental_turn --rounds 10` prints JSON.

`first` is the very first question of a fresh process state (graph, words and sandbox worker start with it); `kinds` are
the warm turns by kind of question; every question differs from the one before, so nothing is reused.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

from tests.support.rental.desk import RentalDesk, rental_desk

PLACES = (
    "Gò Vấp",
    "Bình Thạnh",
    "Quận 7",
    "Tân Bình",
    "Cầu Giấy",
    "Đống Đa",
    "Quận 3",
    "Phú Nhuận",
    "Hoàng Mai",
    "Quận 10",
)
KINDS = {
    "list": "phòng dưới {price} triệu ở {place} có máy lạnh",
    "figure": "có bao nhiêu phòng dưới {price} triệu ở {place}",
    "groups": "giá trung bình theo loại phòng ở {place} trên {price} triệu",
    "follow-up": "rẻ hơn nữa",
    "talk": "thời tiết hôm nay thế nào nhỉ {place}",
}


async def asked(desk: RentalDesk, text: str) -> float:
    began = time.perf_counter()
    told = await desk.ask(text)
    if not told.done.state["message"]:
        raise ValueError(text)
    return (time.perf_counter() - began) * 1000


async def measured(rounds: int, home: Path) -> dict[str, object]:
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    async with rental_desk(home) as desk:
        desk.become("nobody")
        first = await asked(desk, "phòng trọ ở Thủ Đức")
        for number in range(rounds):
            for kind, text in KINDS.items():
                if kind != "follow-up":
                    desk.leave()
                else:
                    await asked(desk, f"phòng ở {PLACES[number % len(PLACES)]} dưới {20 + number} triệu")
                values = {"place": PLACES[number % len(PLACES)], "price": str(3 + number)}
                times[kind].append(await asked(desk, text.format(**values)))
    every = [one for values in times.values() for one in values]
    kinds = {kind: percentiles(values) for kind, values in times.items()}
    return {"first_ms": round(first, 1), "turns": len(every), **percentiles(every), "kinds": kinds}


def percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    at = max(0, round(len(ordered) * 0.95) - 1)
    return {"p50_ms": round(statistics.median(ordered), 1), "p95_ms": round(ordered[at], 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(measured(rounds, Path(folder)))))


if __name__ == "__main__":
    main()
