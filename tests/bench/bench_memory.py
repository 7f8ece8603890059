"""What a short chat takes in memory with each assistant, and what its first answer takes more than the next.

`python -m tests.bench.bench_memory` prints one JSON object: megabytes (`file` is the part that is pages of libraries,
`family` what child processes hold beside it), seconds, percent of a core. `--fresh` measures a data folder that was
never used; `--model` lets a model answer, with an embedder there, so that Chroma is loaded where vectors are searched.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.bench_screen import environment, served
from tests.bench.terminal import Terminal

READY = "sk something"
# A greeting, and a question that needs data.
TALKS: Mapping[str, tuple[str, str]] = {
    "speak": ("n=20 tps=0 id=1", "n=20 tps=0 id=2"),
    "shopping": ("hello", "kiểm tra bảo hành ABC123"),
    "analysis": ("hello", "Tổng doanh thu quý 3"),
    "rental": ("hello", "phòng dưới 3tr5 ở gò vấp"),
    "dental": ("hello", "răng số 6 bị buốt khi uống nước lạnh"),
    "rag": ("hello", "giá trị cốt lõi là gì"),
}
# What stands on the status line when an answer is complete.
COST = re.compile(r"\d (?:ms|s)\b")
LIBRARIES = {"duckdb": "_duckdb", "chroma": "chromadb"}
NEW = "\x0e"
QUIET = 0.04
PATIENCE = 40.0


def usage(pid: int) -> dict[str, Any]:
    """The memory of the program now, and which heavy libraries are in it."""
    rolled = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    size = {name: int(kb) / 1024 for name, kb in re.findall(r"^(\w+):\s+(\d+) kB", rolled, re.MULTILINE)}
    maps = Path(f"/proc/{pid}/maps").read_text("utf-8", errors="replace")
    family = 0.0
    for child in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):  # it may end just now
            family += child.memory_info().rss / 2**20
    return {
        "mb": round(size["Rss"], 1),
        "file": round(size["Rss"] - size["Anonymous"], 1),
        "family": round(family, 1),
        "loaded": [name for name, part in LIBRARIES.items() if part in maps],
    }


def stocking(pid: int) -> bool:
    """Whether a child process still loads samples."""
    for child in psutil.Process(pid).children():
        with suppress(psutil.Error):  # it may end just now
            if any("stocking" in part for part in child.cmdline()):
                return True
    return False


def settle(terminal: Terminal) -> float:
    """Wait until nothing is worked on for a second; returns after how many seconds that was."""
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        before = terminal.cpu()
        terminal.rest(1.0)
        if terminal.cpu() - before < QUIET and not stocking(terminal.pid):
            break
    return time.monotonic() - began


def complete(status: str) -> bool:
    """Whether the status line tells what an answer cost."""
    return bool(COST.search(status)) and "answering" not in status


def ask(terminal: Terminal, text: str) -> dict[str, Any]:
    """Seconds from the send key to the complete answer in a conversation of its own, CPU, and memory afterwards."""
    terminal.type(NEW)
    terminal.until(lambda screen: not complete(screen.splitlines()[-1]))
    terminal.type(text)
    terminal.until(lambda screen: text in screen)
    terminal.rest(0.5)
    before, sent = terminal.cpu(), terminal.type("\r")
    seconds = terminal.until(lambda screen: complete(screen.splitlines()[-1])) - sent
    terminal.rest(1.5)
    return {"seconds": round(seconds, 3), "cpu": round(terminal.cpu() - before, 2), **usage(terminal.pid)}


def chat(mode: str, env: Mapping[str, str]) -> dict[str, Any]:
    """One session: memory at rest, after a greeting (twice) and after a question that needs data."""
    greeting, question = TALKS[mode]
    terminal = Terminal(["-m", "troly", "--lang", "en", "--mode", mode], env)
    try:
        terminal.until(lambda screen: READY in screen)
        painted = {"seconds": round(time.monotonic() - terminal.began, 3)}
        busy = settle(terminal)
        before, began = terminal.cpu(), time.monotonic()
        terminal.rest(3.0)
        idle = 100 * (terminal.cpu() - before) / (time.monotonic() - began)
        rest = {"busy_seconds": round(busy, 1), "idle_percent": round(idle, 2), **usage(terminal.pid)}
        first, again = ask(terminal, greeting), ask(terminal, greeting)
        extra = round(first["seconds"] - again["seconds"], 3)
        data, data_again = ask(terminal, question), ask(terminal, question)
        return {
            "painted": painted, "rest": rest, "first": first, "again": again, "first_extra": extra, "data": data,
            "data_again": data_again, "data_extra": round(data["seconds"] - data_again["seconds"], 3),
        }  # fmt: skip
    finally:
        terminal.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modes", nargs="*", default=list(TALKS))
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--model", action="store_true")
    args = parser.parse_args()
    found: dict[str, Any] = {"load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as folder, served() as (url, _told):
        env = environment(Path(folder), url) | {"TROLY_DENTAL__SEARCH": "off"}
        for mode in args.modes:
            if args.fresh:
                env["TROLY_HOME"] = str(Path(folder) / f"fresh-{mode}")
            silent = {} if args.model or mode == "speak" else {"OLLAMA_HOST": "http://127.0.0.1:9"}
            if not args.fresh:
                chat(mode, env | silent)  # its samples are there, its caches are warm
            found[mode] = chat(mode, env | silent)
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
