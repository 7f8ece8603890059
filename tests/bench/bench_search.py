"""How quick the search of all messages is, beside a plain scan with LIKE and beside folding every message by hand.

`python -m tests.bench.bench_search --messages 100000` prints one JSON object, times in milliseconds. `end_to_end` is
what a person waits for after the pause of the search screen: the store asked on a thread, the hits as views. Queries
are rare words, usual ones that stand in a third of all messages, an unfinished word, and words that are nowhere.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.support.modes.made import registry_of
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.plugin.services import Services
from troly.stores.connections import Connection
from troly.stores.message_search import index_message
from troly.text.fold import fold
from troly.tui.operations import search_messages

WORDS = [
    "bảo",
    "hành",
    "máy",
    "tính",
    "laptop",
    "chuột",
    "bàn",
    "phím",
    "màn",
    "hình",
    "khách",
    "hàng",
    "đơn",
    "hàng",
    "hôm",
    "nay",
    "ngày",
    "mai",
    "giá",
    "bao",
    "nhiêu",
    "còn",
    "hết",
    "đổi",
    "trả",
    "chính",
    "sách",
    "cửa",
    "hàng",
    "sản",
    "phẩm",
    "kiểm",
    "tra",
    "giúp",
    "em",
    "anh",
    "chị",
    "dạ",
    "vâng",
    "ạ",
    "phòng",
    "trọ",
    "quận",
    "hợp",
    "đồng",
    "hóa",
    "đơn",
    "tiền",
    "điện",
    "nước",
    "răng",
    "khôn",
    "đau",
    "nhức",
    "nha",
    "khoa",
    "bác",
    "sĩ",
    "quy",
    "định",
    "nghỉ",
    "phép",
    "lương",
    "thưởng",
    "doanh",
    "thu",
    "tháng",
    "trước",
    "tuần",
    "này",
    "so",
    "với",
]
QUERIES = {
    "rare": "ABC00017",
    "usual": "bảo hành",
    "usual_folded": "bao hanh",
    "several": "chinh sach doi tra laptop",
    "unfinished": "b",
    "nowhere": "zzz qqq",
}
ROUNDS = 9


def filled(services: Services, count: int, conversations: int = 500) -> None:
    """`count` messages of one person, and a tenth as many of somebody else, in one transaction."""
    pick = random.Random(7)
    weights = [1 / (rank + 3) for rank in range(len(WORDS))]
    owned = {
        owner: [
            services.conversations.create(owner, "test", title=f"Số {at}").id for at in range(conversations)
        ]
        for owner in ("an", "binh")
    }
    with services.state.write() as connection:
        for number in range(count + count // 10):
            owner = "an" if number < count else "binh"
            text = " ".join([*pick.choices(WORDS, weights, k=pick.randint(5, 60)), f"ABC{number:05}"])
            row = connection.execute(
                "INSERT INTO messages (id, conversation_id, sender, text, created_at) VALUES (?, ?, ?, ?, ?) RETURNING seq",
                (f"m{number}", pick.choice(owned[owner]), "user", text, "2026-11-22T09:00:00+07:00"),
            )
            index_message(connection, row.fetchone()[0], text)


def timed(act: Callable[[], Any], rounds: int = ROUNDS) -> dict[str, float]:
    """Median and worst in milliseconds, and the least CPU time of a round; the first is not counted."""
    times, busy = [], []
    for _ in range(rounds + 1):
        began, worked = time.perf_counter(), time.process_time()
        act()
        times.append(1000 * (time.perf_counter() - began))
        busy.append(1000 * (time.process_time() - worked))
    return {
        "p50": round(statistics.median(times[1:]), 2),
        "worst": round(max(times[1:]), 2),
        "cpu": round(min(busy[1:]), 2),
    }


def by_like(connection: Connection, text: str) -> int:
    """The floor: rows whose text holds the words as they are written, every row read."""
    words = text.split()
    where = " AND ".join("text LIKE ?" for _ in words)
    values = [f"%{word}%" for word in words]
    return len(connection.execute(f"SELECT id FROM messages WHERE {where} LIMIT 40", values).fetchall())


def by_folding(connection: Connection, text: str) -> int:
    """What it takes without an index to find words with and without diacritics: every text is folded."""
    words = fold(text).split()
    rows = connection.execute("SELECT text FROM messages")
    return sum(all(word in folded for word in words) for folded in (fold(row[0]) for row in rows))


def measure(count: int, home: Path) -> dict[str, Any]:
    """All figures, with how many hits each query has."""
    out: dict[str, Any] = {"messages": count}
    with services_at(home) as services:
        began = time.perf_counter()
        filled(services, count)
        out["index_ms_per_1000"] = round(1e6 * (time.perf_counter() - began) / count / 1.1, 1)
        session = Session(services, registry_of(), profile("an"))
        for name, text in QUERIES.items():
            search = partial(search_messages, session, text)
            with services.state.read() as connection:
                like = timed(partial(by_like, connection, text), 3)
            out[name] = {"hits": len(search()), "end_to_end": timed(search), "like": like}
        with services.state.read() as connection:
            out["folding_all"] = timed(partial(by_folding, connection, QUERIES["several"]), 1)
    return out


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    count = parser.parse_args().messages
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(count, Path(folder)), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
