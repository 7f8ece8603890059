"""How fast Troly starts, against floors measured in the same run: help, first paint, first key, first answer.

`python -m tests.bench.bench_start --rounds 7` prints one JSON object, times in seconds, medians.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyte

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.process.command_line import install_modes

ROWS, COLUMNS = 40, 120
PATIENCE = 60.0
THINKING = 4.0
TYPER = ["-c", "import typer"]
HELP = ["-m", "troly", "--help"]
SCREEN = ["-m", "troly", "--mode", "echo"]
FLOOR = """
from textual.app import App
from textual.widgets import Input
class Floor(App):
    def compose(self):
        yield Input(placeholder="ready")
Floor().run()
"""
ECHO = """
from troly.plugin.context import TurnContext, traced
from troly.plugin.contract import Mode, Outcome

async def node(state, turn, step):
    turn.say(f"<<{turn.text}>>")
    return {"said": turn.text}

def graph():
    from typing import TypedDict
    from langgraph.graph import END, START, StateGraph
    builder = StateGraph(TypedDict("Said", {"said": str}, total=False), context_schema=TurnContext)
    builder.add_node("node", traced("node", node))
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    return builder.compile()

MODE = Mode(
    id="echo", names={"vi": "Echo", "en": "Echo"}, summaries={"vi": "Echo", "en": "Echo"}, persona="echo",
    accent="#336699", first_questions={"vi": ("a", "b", "c"), "en": ("a", "b", "c")}, graph=graph,
    start=lambda turn: {"said": turn.text}, finish=lambda state: Outcome({"said": state["said"]}), state_fields=("said",), opening=lambda _services, _lang: None,
)
"""


class Terminal:
    """A program in a terminal of our own; times are seconds since it was started."""

    def __init__(self, args: list[str], env: Mapping[str, str]) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self.began = time.perf_counter()
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.execve(sys.executable, [sys.executable, *args], dict(env))
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def until(self, seen: Callable[[str], bool]) -> float:
        """Read until the screen satisfies `seen`; returns when that was. Raises TimeoutError."""
        end = time.perf_counter() + PATIENCE
        while time.perf_counter() < end:
            self._read(0.05)
            if seen("\n".join(self._screen.display)):
                return time.perf_counter() - self.began
        raise TimeoutError("\n".join(self._screen.display))

    def rest(self, seconds: float) -> None:
        """Let the program work while the screen is read."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self._read(0.05)

    def type(self, text: str) -> float:
        """Send keys; returns when."""
        os.write(self._fd, text.encode())
        return time.perf_counter() - self.began

    def close(self) -> None:
        """End the program."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, 9)
        os.waitpid(self._pid, 0)
        os.close(self._fd)

    def _read(self, seconds: float) -> None:
        if select.select([self._fd], [], [], seconds)[0]:
            with suppress(OSError):
                self._stream.feed(os.read(self._fd, 65536))


def spawned(args: list[str], env: Mapping[str, str]) -> float:
    """Wall time of a whole process."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, *args], env=dict(env), check=True, capture_output=True, stdin=subprocess.DEVNULL
    )
    return time.perf_counter() - began


def first_paint(args: list[str], env: Mapping[str, str]) -> tuple[float, float]:
    """When the first frame is there, and how long after a key is typed at once it shows."""
    terminal = Terminal(args, env)
    try:
        painted = terminal.until(lambda screen: bool(screen.strip()))
        sent = terminal.type("Q")
        return painted, terminal.until(lambda screen: "Q" in screen) - sent
    finally:
        terminal.close()


def answers(env: Mapping[str, str], thinking: float) -> tuple[float, float]:
    """How long the first and the second answer take when the first is sent `thinking` seconds after the first frame."""
    terminal = Terminal(SCREEN, env)
    try:
        terminal.until(lambda screen: bool(screen.strip()))
        terminal.rest(thinking)
        took = []
        for question in ("one", "two"):
            terminal.type(question)
            terminal.until(lambda screen, question=question: question in screen)  # type: ignore[misc]
            sent = terminal.type("\r")
            took.append(terminal.until(lambda screen, question=question: f"<<{question}>>" in screen) - sent)  # type: ignore[misc]
        return took[0], took[1]
    finally:
        terminal.close()


def measure(rounds: int, folder: Path) -> dict[str, Any]:
    """All figures; floors and products take turns so that a busy machine slows both."""
    modes = install_modes(folder / "modes", {"bench_echo": ECHO}, {"echo": "bench_echo:MODE"})
    foreign = ("NO_COLOR", "TEXTUAL_THEME", "OLLAMA_HOST", "OLLAMA_BASE_URL")
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in foreign and not name.startswith("TROLY_")
    }
    path = os.pathsep.join([str(modes), *filter(None, [env.get("PYTHONPATH")])])
    env |= {
        "TROLY_HOME": str(folder / "home"),
        "PYTHONPATH": path,
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
    }
    env["OLLAMA_HOST"] = "http://127.0.0.1:9"
    for args in (TYPER, HELP):
        spawned(args, env)
    times: dict[str, list[float]] = {}

    def keep(**found: float) -> None:
        for name, value in found.items():
            times.setdefault(name, []).append(value)

    for _ in range(rounds):
        keep(import_typer=spawned(TYPER, env), help=spawned(HELP, env))
        floor, floor_key = first_paint(["-c", FLOOR], env)
        paint, key = first_paint(SCREEN, env)
        keep(floor_paint=floor, floor_key=floor_key, paint=paint, key=key)
    for _ in range(max(1, rounds // 3)):
        first, second = answers(env, THINKING)
        hasty, after_hasty = answers(env, 0.0)
        keep(
            first_answer=first,
            second_answer=second,
            hasty_first_answer=hasty,
            hasty_second_answer=after_hasty,
        )
    return summary({name: statistics.median(values) for name, values in times.items()}, rounds)


def summary(medians: Mapping[str, float], rounds: int) -> dict[str, Any]:
    """The medians with the ratios that are promised, and whether each promise is kept."""
    help_ratio = medians["help"] / medians["import_typer"]
    paint_ratio = medians["paint"] / medians["floor_paint"]
    first_extra = medians["first_answer"] - medians["second_answer"]
    return {
        "rounds": rounds,
        "median_seconds": {name: round(value, 4) for name, value in medians.items()},
        "help_to_import_typer": round(help_ratio, 2),
        "paint_to_floor": round(paint_ratio, 2),
        "first_answer_extra": round(first_extra, 3),
        "kept": {
            "help": help_ratio <= 2,
            "paint": paint_ratio <= 1.5,
            "key": medians["key"] <= 0.3,
            "first_answer": first_extra <= 0.3,
        },
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(rounds, Path(folder)), indent=2))


if __name__ == "__main__":
    main()
