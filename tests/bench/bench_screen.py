"""What the screen costs against a bare Textual app and a plain Static.update chat, measured in the same run.

`python -m tests.bench.bench_screen --rounds 5 --rate` prints one JSON object; times in seconds unless named otherwise.
Without `--rate` the 40 seconds of typing during an answer at 50 tokens a second are left out.
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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.screen_apps import APPS, SPEAK
from tests.bench.terminal import PATIENCE, Terminal
from tests.support.process.command_line import install_modes

READY = "sk something"
LETTERS = "qwxzkvjf"
EVERY = 0.15
CLEAR = "\x1b[F\x15"
ESCAPE = "\x1b"
# An answer is shown from its beginning: this key goes to its end.
END = "\x1b[1;5F"
# A key that is not echoed after so many seconds is lost.
LOST = 3.0
# Every long answer has a number of its own, by which the server tells of it.
IDENTS = count(1000)
BOUNDS = {
    "paint_to_floor": 1.25, "echo": 0.8, "idle_cpu_percent": 1.0, "first_answer_extra": 0.1, "chat_mb": 100.0,
    "cpu_2000": 1.5, "cpu_10000": 6.0, "growth": 5.5,
    "rate_cpu": 12.0, "key_p50_ms": 20.0, "key_p99_ms": 80.0, "keys_lost": 0, "rate_lag": 0.3, "cancel": 0.2,
}  # fmt: skip


@contextmanager
def server() -> Iterator[tuple[str, IO[str], IO[str]]]:
    """The address of a token server, what it prints and where it is told to go and come back."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.token_server"],
        cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield json.loads(process.stdout.readline())["url"], process.stdout, process.stdin
    finally:
        process.stdin.close()
        process.wait(10)


@contextmanager
def served() -> Iterator[tuple[str, Any]]:
    """The address of a token server and its lines."""
    with server() as (url, told, _):
        yield url, told


def start(name: str, env: Mapping[str, str]) -> dict[str, float]:
    """First paint, echo of a key that is pressed at once, CPU until then, memory and idle CPU afterwards."""
    terminal = Terminal(APPS[name], env)
    try:
        painted = terminal.until(lambda screen: bool(screen.strip())) - terminal.began
        terminal.type("Q")
        echoed = terminal.until(lambda screen: "Q" in screen) - terminal.began
        cpu = terminal.cpu()
        terminal.rest(4.0)
        began, before = time.monotonic(), terminal.cpu()
        terminal.rest(4.0)
        idle = 100 * (terminal.cpu() - before) / (time.monotonic() - began)
        return {
            "paint": painted, "echo": echoed, "cpu": cpu, "start_mb": terminal.memory(), "idle_cpu_percent": idle,
        }  # fmt: skip
    finally:
        terminal.close()


def chat(env: Mapping[str, str]) -> dict[str, float]:
    """What the first short answer takes more than the second, and the memory after both."""
    terminal = Terminal(APPS["ours"], env)
    try:
        terminal.until(lambda screen: READY in screen)
        terminal.rest(4.0)
        took = []
        for ident in (1, 2):
            terminal.type(f"n=20 tps=0 id={ident}")
            terminal.until(lambda screen, ident=ident: f"id={ident}" in screen)  # type: ignore[misc]
            sent = terminal.type("\r")
            took.append(end_shown(terminal, ident) - sent)
            terminal.rest(1.0)
        return {
            "first_answer": took[0],
            "second_answer": took[1],
            "first_answer_extra": took[0] - took[1],
            "chat_mb": terminal.memory(),
        }
    finally:
        terminal.close()


def answer(name: str, env: Mapping[str, str], told: Any, tokens: int, rate: int) -> dict[str, Any]:
    """One long answer: wall and CPU seconds until its last word, how late that is, and the keys typed meanwhile."""
    terminal = Terminal(APPS[name], env)
    try:
        terminal.until(lambda screen: READY in screen)
        terminal.rest(3.0)
        terminal.type("n=5 tps=0 id=1\r")
        end_shown(terminal, 1)
        terminal.rest(1.0)
        ident = next(IDENTS)
        terminal.type(f"n={tokens} tps={rate} id={ident}")
        terminal.until(lambda screen: f"id={ident}" in screen)
        terminal.rest(0.5)
        before, sent = terminal.cpu(), terminal.type("\r")
        keys, lost = typed(terminal, sent + tokens / rate) if rate else ([], 0)
        end = end_shown(terminal, ident)
        cpu = terminal.cpu() - before
        found = {"wall": end - sent, "cpu": cpu, "lag": end - ending(told, ident)["last"]}
        return found | echoed(keys, lost) if rate else found
    finally:
        terminal.close()


def end_shown(terminal: Terminal, ident: int) -> float:
    """When the last word of an answer was on the screen. Raises TimeoutError."""
    for _ in range(round(PATIENCE)):
        terminal.type(END)
        with suppress(TimeoutError):
            return terminal.until(lambda screen: f"ZZEND{ident}ZZ" in screen, 1.0)
    raise TimeoutError(terminal.text)


def ending(told: Any, ident: int) -> dict[str, float]:
    """What the server tells of the end of an answer."""
    found: dict[str, float] = next(line for line in map(json.loads, told) if line["id"] == ident)
    return found


def typed(terminal: Terminal, end: float) -> tuple[list[float], int]:
    """Milliseconds from key to echo and the number of lost keys, until `end`; sixteen letters, then a cleared input."""
    rng, took, lost = random.Random(7), [], 0
    while time.monotonic() < end - 1.0:
        word = ""
        while len(word) < 16 and time.monotonic() < end - 1.0:
            word += rng.choice(LETTERS)
            sent = terminal.type(word[-1])
            try:
                shown = terminal.until(lambda screen, word=word: word in screen, LOST)  # type: ignore[misc]
            except TimeoutError:
                lost += 1
                break
            if len(word) > 3:  # shorter ones may stand elsewhere on the screen
                took.append((shown - sent) * 1000)
            terminal.rest(EVERY)
        terminal.type(CLEAR)
        # A letter that is read together with the keys that clear would go with the rest.
        with suppress(TimeoutError):
            terminal.until(lambda screen, word=word: word not in screen, LOST)  # type: ignore[misc]
        terminal.rest(EVERY)
    return took, lost


def echoed(keys: list[float], lost: int) -> dict[str, float]:
    """The figures of what was typed during an answer."""
    keys = sorted(keys) or [LOST * 1000]
    return {
        "key_p50_ms": statistics.median(keys),
        "key_p99_ms": keys[int(len(keys) * 0.99)],
        "key_max_ms": keys[-1],
        "keys": len(keys),
        "keys_lost": lost,
    }


def cancel(env: Mapping[str, str], told: Any) -> float:
    """Seconds from the key that stops an answer until the server sees it."""
    terminal = Terminal(APPS["ours"], env)
    try:
        terminal.until(lambda screen: READY in screen)
        terminal.rest(3.0)
        ident = next(IDENTS)
        terminal.type(f"n=2000 tps=50 id={ident}")
        terminal.until(lambda screen: f"id={ident}" in screen)
        terminal.type("\r")
        terminal.rest(4.0)
        sent = terminal.type(ESCAPE)
        end = ending(told, ident)
        return end.get("gone", end.get("last", 0.0)) - sent
    finally:
        terminal.close()


def environment(folder: Path, url: str) -> dict[str, str]:
    """A clean environment with the mode that speaks, its data opened once."""
    modes = install_modes(folder / "modes", {"bench_speak": SPEAK}, {"speak": "bench_speak:MODE"})
    foreign = ("NO_COLOR", "TEXTUAL_THEME", "OLLAMA_BASE_URL", "COLORTERM")
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in foreign and not name.startswith("TROLY_")
    }
    env |= {
        "TROLY_HOME": str(folder / "home"), "PYTHONPATH": os.pathsep.join([str(modes), str(Path(__file__).parents[2])]),
        "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "OLLAMA_HOST": url, "TROLY_OLLAMA__CONTEXT_TOKENS": "32768",
    }  # fmt: skip
    warm = [sys.executable, "-m", "troly", "ask", "--mode", "speak", "n=5 tps=0 id=0"]
    subprocess.run(warm, env=env, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return env


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    """Name by name."""
    return {name: round(statistics.median(run[name] for run in runs), 3) for name in runs[0]}


def measure(rounds: int, env: Mapping[str, str], told: Any, *, rate: bool) -> dict[str, Any]:
    """All figures; ours and the floors take turns, so that a busy machine slows all of them."""
    starts: dict[str, list[dict[str, float]]] = {name: [] for name in APPS}
    for _ in range(rounds):
        for name, runs in starts.items():
            runs.append(start(name, env))
    found: dict[str, Any] = {"start": {name: medians(runs) for name, runs in starts.items()}}
    found["chat"] = medians([chat(env) for _ in range(max(1, rounds // 2))])
    for tokens in (2000, 10000):
        found[f"unlimited_{tokens}"] = {
            name: answer(name, env, told, tokens, 0) for name in ("ours", "static")
        }
    if rate:
        found["rate_50"] = {name: answer(name, env, told, 2000, 50) for name in ("ours", "static")}
        found["cancel"] = statistics.median(cancel(env, told) for _ in range(3))
    return found


def summary(found: Mapping[str, Any]) -> dict[str, Any]:
    """The promised figures, and which of them were kept."""
    ours, floor = found["start"]["ours"], found["start"]["floor"]
    few, many = found["unlimited_2000"]["ours"], found["unlimited_10000"]["ours"]
    figures = {
        "paint_to_floor": ours["paint"] / floor["paint"],
        "cpu_to_floor": ours["cpu"] / floor["cpu"],
        "echo": ours["echo"],
        "idle_cpu_percent": ours["idle_cpu_percent"],
        "first_answer_extra": found["chat"]["first_answer_extra"],
        "chat_mb": found["chat"]["chat_mb"],
        "cpu_2000": few["cpu"],
        "cpu_10000": many["cpu"],
        "growth": many["cpu"] / few["cpu"],
        "cpu_2000_to_static": few["cpu"] / found["unlimited_2000"]["static"]["cpu"],
        "cpu_10000_to_static": many["cpu"] / found["unlimited_10000"]["static"]["cpu"],
    }
    if "rate_50" in found:
        paced, static = found["rate_50"]["ours"], found["rate_50"]["static"]
        figures |= {
            "rate_cpu": paced["cpu"],
            "rate_cpu_to_static": paced["cpu"] / static["cpu"],
            "rate_lag": paced["lag"],
            **{name: paced[name] for name in paced if name.startswith("key")},
            **{f"{name}_static": static[name] for name in static if name.startswith("key")},
            "cancel": found["cancel"],
        }
    kept = {name: figures[name] <= bound for name, bound in BOUNDS.items() if name in figures}
    return {"figures": {name: round(value, 3) for name, value in figures.items()}, "kept": kept}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rate", action="store_true")
    args = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, served() as (url, told):
        found = measure(args.rounds, environment(Path(folder), url), told, rate=args.rate)
    print(json.dumps({"load": [load, os.getloadavg()[0]], **found, **summary(found)}, indent=2))


if __name__ == "__main__":
    main()
