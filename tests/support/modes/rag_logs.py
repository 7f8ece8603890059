"""Writes the logs of the sample company from a seed: `python -m tests.support.modes.rag_logs`."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "data" / "rag" / "logs"
FIRST, LAST = datetime(2026, 11, 1, 0, 5), datetime(2026, 11, 22, 8, 55)  # noqa: DTZ001 (local time, as logs write it)
# Level, how often, service and message; {n} is a number that differs from line to line.
SYSTEM = (
    ("INFO", 60, "web-01", "GET /cong-nhan-su 200 in {n} ms"),
    ("INFO", 30, "web-02", "GET /phieu-luong 200 in {n} ms"),
    ("INFO", 12, "backup", "copied {n} files"),
    ("WARNING", 8, "db-01", "slow query {n} ms"),
    ("WARNING", 4, "db-02", "replication lag {n} s"),
    ("ERROR", 5, "db-02", "replication broken after {n} tries"),
    ("ERROR", 3, "web-02", "timeout after {n} ms while calling db-01"),
    ("CRITICAL", 1, "db-02", "disk {n}% full"),
)
VPN = (
    ("INFO", 50, "vpn", "user u{n} connected"),
    ("INFO", 40, "vpn", "user u{n} disconnected"),
    ("WARNING", 6, "vpn", "user u{n} wrong second factor"),
    ("ERROR", 4, "vpn", "user u{n} error 691"),
    ("ERROR", 2, "vpn", "user u{n} error 809"),
)


def lines(kinds: tuple[tuple[str, int, str, str], ...], seed: int, count: int) -> Iterator[str]:
    """`count` lines in order of time."""
    chance = random.Random(seed)
    span = (LAST - FIRST).total_seconds()
    for moment in sorted(chance.uniform(0, span) for _ in range(count)):
        level, _, service, text = chance.choices(kinds, weights=[kind[1] for kind in kinds])[0]
        when = FIRST + timedelta(seconds=moment)
        yield f"{when:%Y-%m-%d %H:%M:%S} {level} {service}: {text.format(n=chance.randint(3, 990))}\n"


FILES: dict[str, Callable[[], str]] = {
    "he-thong.log": lambda: "".join(lines(SYSTEM, 7, 1500)),
    "vpn.log": lambda: "".join(lines(VPN, 11, 600)),
}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        (FOLDER / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
