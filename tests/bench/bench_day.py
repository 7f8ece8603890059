"""A day of work on a terminal: turns with all five assistants, and everything that happens between them.

`python -m tests.bench.bench_day --turns 200` prints one JSON object: milliseconds from key to echo, also while answers
stream, lost keys and messages (what is in the store afterwards must be what was typed, letter for letter), and megabytes
that the program grew by after its first turns. Between the turns conversations are searched, exported, listed, split and
begun anew, answers stopped, the window resized, and the model's server goes and comes back.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.bench_memory import complete, settle
from tests.bench.bench_screen import CLEAR, ESCAPE, LETTERS, LOST, environment, server
from tests.bench.terminal import Terminal
from troly.paths import Paths

BOUNDS = {"key_p99_ms": 80.0, "keys_lost": 0, "messages_lost": 0, "unanswered": 0, "growth_mb": 30.0}
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "shopping": (
        "kiem tra bao hanh ABC123",
        "laptop dưới 20 triệu",
        "chính sách đổi trả",
        "so sánh M331 với G102",
    ),
    "analysis": (
        "Tổng doanh thu tháng này",
        "top 5 sản phẩm quý 3",
        "doanh thu theo tháng năm nay",
        "còn năm ngoái?",
    ),
    "rental": ("phòng dưới 3tr5 ở gò vấp", "giá trung bình theo quận", "con nao re nhat", "chỉ quận 3 thôi"),
    "dental": ("răng số 6 bị buốt", "nhổ răng khôn xong ăn gì?", "chảy máu chân răng", "be 3 tuoi sau rang"),
    "rag": ("giá trị cốt lõi là gì", "nghỉ phép mấy ngày?", "quen mat khau", "đi muộn có bị trừ lương không"),
}
SIZES = ((120, 40), (80, 24), (200, 60), (100, 30))
# Every so many turns, what is typed; "" is where the keys go back to the input.
BETWEEN: Mapping[int, tuple[str, ...]] = {
    7: ("\x06", "bao hanh", ESCAPE),  # search
    8: ("\x1bOQ", ESCAPE),  # conversations
    9: ("\x1bOR", "\x1bOR"),  # evidence and back
    10: ("\x0e",),  # a new conversation
    11: ("/export md\r",),
    12: ("\x1b[17~", "\x1b[17~"),  # two sides and back
    13: ("\x1b[15~", ESCAPE),  # tables
    14: ("\x10", "doi tra", ESCAPE),  # the palette
}
STOPPED, RESIZED = 9, 6
# Answers to one question may take so long (seconds).
PATIENCE = 30.0
WARM = 20
# Longer than the pause for which the program waits before it works on what was said.
PAUSE = 3.0


class Day:
    """Types at the program and keeps what it typed."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._terminal = Terminal(
            ["-m", "troly", "--lang", "en", "--mode", "shopping"], env, columns=120, rows=40
        )
        self._random = random.Random(7)
        self.asked: list[str] = []
        self.echoes: list[float] = []
        self.lost = self.unanswered = 0

    def begin(self) -> None:
        """Wait until the screen can be typed in."""
        self._terminal.until(lambda screen: "Ask something" in screen)
        settle(self._terminal)

    def turn(self, number: int) -> None:
        """One question, with letters typed and taken away before it and while it is answered."""
        modes = list(QUESTIONS)
        mode = modes[number % len(modes)]
        self._press(f"{ESCAPE}{1 + number % len(modes)}")
        if number % RESIZED == RESIZED - 1:
            self._terminal.resize(*SIZES[number // RESIZED % len(SIZES)])
            self._terminal.rest(0.3)
        self._letters(4)
        texts = QUESTIONS[mode]
        text = texts[number // len(modes) % len(texts)]
        for letter in text:
            self._terminal.type(letter)
        self._terminal.type("\r")
        self.asked.append(text)
        self._letters(6)
        if number % STOPPED == STOPPED - 1:
            self._press(ESCAPE)
        self._until_answered()
        for every, keys in BETWEEN.items():
            if number % every == every - 1:
                for typed in keys:
                    self._press(typed)

    def _press(self, keys: str) -> None:
        self._terminal.type(keys)
        self._terminal.rest(0.3)

    def _input(self, screen: str) -> str:
        """What stands in the input."""
        return screen.rpartition("╭")[2]

    def _letters(self, count: int) -> None:
        word = ""
        for _ in range(count):
            word += self._random.choice(LETTERS)
            sent = self._terminal.type(word[-1])
            try:
                shown = self._terminal.until(lambda screen, word=word: word in self._input(screen), LOST)  # type: ignore[misc]
            except TimeoutError:
                self.lost += 1
                break
            self.echoes.append((shown - sent) * 1000)
            self._terminal.rest(0.05)
        self._terminal.type(CLEAR)
        with suppress(TimeoutError):
            self._terminal.until(lambda screen: word not in self._input(screen), LOST)

    def _until_answered(self) -> None:
        try:
            self._terminal.until(lambda screen: complete(screen.rstrip().splitlines()[-1]), PATIENCE)
        except TimeoutError:
            self.unanswered += 1

    def memory(self) -> float:
        """Resident megabytes."""
        return self._terminal.memory()

    def settled_memory(self) -> float:
        """Resident megabytes once what waits for a pause, such as vectors of what was said, is done as well."""
        self._terminal.rest(PAUSE)
        settle(self._terminal)
        return self.memory()

    def end(self) -> bool:
        """Whether the program ends when it is asked to."""
        self._terminal.type("\x11")
        return self._terminal.ended(PATIENCE)

    def close(self) -> None:
        """End the program."""
        self._terminal.close()


def saved(home: str) -> list[str]:
    """The questions in the store, in the order of their turns."""
    with sqlite3.connect(Paths.resolve({"TROLY_HOME": home}).state_db) as store:
        found = store.execute(
            "SELECT m.text FROM turns t JOIN messages m ON m.id = t.question_message_id"
            " WHERE t.mode != 'speak' AND t.status != 'running' ORDER BY t.seq"
        )
        return [text for (text,) in found]


def work(turns: int, env: Mapping[str, str], tell: IO[str]) -> dict[str, Any]:
    """The figures of a day of `turns` turns; `tell` makes the model's server go and come back."""
    day, began = Day(env), time.monotonic()
    warm = min(WARM, turns // 2)
    try:
        day.begin()
        before, grown = day.memory(), []
        for number in range(turns):
            if number in (turns // 2, turns * 2 // 3):
                print("down" if number == turns // 2 else "up", file=tell, flush=True)
            day.turn(number)
            if number % WARM == WARM - 1:
                grown.append(round(day.memory(), 1))
            if number == warm - 1:
                before = day.settled_memory()
        after, ended = day.settled_memory(), day.end()
    finally:
        day.close()
    kept, echoes = saved(env["TROLY_HOME"]), sorted(day.echoes)
    lost = [text for text in day.asked if text not in kept]
    return {
        "turns": turns, "minutes": round((time.monotonic() - began) / 60, 1), "keys": len(echoes),
        "key_p50_ms": round(statistics.median(echoes), 1), "key_p99_ms": round(echoes[int(len(echoes) * 0.99)], 1),
        "key_max_ms": round(echoes[-1], 1), "keys_lost": day.lost, "unanswered": day.unanswered,
        "messages_lost": abs(len(day.asked) - len(kept)) + len(lost), "in_order": kept == day.asked,
        "warm_mb": round(before, 1), "mb_every_20_turns": grown, "growth_mb": round(after - before, 1), "ended": ended,
    }  # fmt: skip


def main() -> None:
    """Work and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    args = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, server() as (url, _told, tell):
        env = environment(Path(folder), url) | {"TROLY_DENTAL__SEARCH": "off"}
        found = work(args.turns, env, tell)
    kept = {name: found[name] <= bound for name, bound in BOUNDS.items()} | {"in_order": found["in_order"]}
    print(json.dumps({"load": [load, os.getloadavg()[0]], **found, "kept": kept}, indent=1))


if __name__ == "__main__":
    main()
