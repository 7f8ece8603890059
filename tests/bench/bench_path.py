"""How much of our code one question passes, from the key that sends it to the painted answer.

`python -m tests.bench.bench_path` prints, for the warranty question and the analysis question, how many files and distinct
functions (comprehensions too) of `src/troly` and `modes` were entered, and how many calls; `--list` adds the files in the order of their first
call, `--functions` the functions too. The program is the real one, on a terminal of its own and without a model; every
thread counts. A question before the measured one takes imports and one-time set-up out of the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

OURS = tuple(f"{ROOT / folder}{os.sep}" for folder in ("src/troly", "modes"))
REPORT = "BENCH_PATH_REPORT"
# The answer is painted and the screen stands still for so many seconds.
STILL = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a mode: one question to warm up with, then the measured one, each with words of its answer."""

    mode: str
    warm_up: tuple[str, str]
    measured: tuple[str, str]


QUESTIONS = {
    "warranty": Question(
        "shopping",
        ("kiểm tra bảo hành XYZ789", "30/06/2025|30/6/2025"),
        ("kiểm tra bảo hành ABC123", "31/12/2024"),
    ),
    "analysis": Question(
        "analysis",
        ("Top 3 sản phẩm bán chạy nhất quý 2", "1/4/2026"),
        ("Top 5 sản phẩm bán chạy nhất quý 3", "1/7/2026"),
    ),
}


@dataclass(slots=True)
class Counter:
    """Counts calls of our functions in every thread while it is on."""

    on: bool = False
    calls: dict[CodeType, int] = field(default_factory=dict)

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        """The profile function."""
        if self.on and event == "call":
            code = frame.f_code
            if code in self.calls:
                self.calls[code] += 1
            elif code.co_filename.startswith(OURS) and code.co_name != "<module>":
                self.calls[code] = 1

    def begin(self, *_signal: object) -> None:
        """Count from now on."""
        self.calls.clear()
        self.on = True
        Path(os.environ[REPORT]).unlink(missing_ok=True)

    def end(self, *_signal: object) -> None:
        """Stop, and write what was counted: file, function, first line and calls, in the order of the first call."""
        self.on = False
        found = [
            (str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname, code.co_firstlineno, calls)
            for code, calls in self.calls.items()
        ]
        report = Path(os.environ[REPORT])
        unfinished = report.with_suffix(".part")
        unfinished.write_text(json.dumps(found), encoding="utf-8")
        unfinished.replace(report)


def run_counted(args: list[str]) -> None:
    """The program with `args`; SIGUSR1 begins to count, SIGUSR2 ends and writes the report."""
    counter = Counter()
    signal.signal(signal.SIGUSR1, counter.begin)
    signal.signal(signal.SIGUSR2, counter.end)
    threading.setprofile(counter)
    sys.setprofile(counter)
    sys.argv = ["troly", *args]
    runpy.run_module("troly", run_name="__main__", alter_sys=True)


def measure(question: Question, env: Mapping[str, str]) -> list[tuple[str, str, int, int]]:
    """What `question` passes, in the order of the first calls."""
    from tests.bench.terminal import Terminal

    report = Path(env[REPORT])
    args = ["-m", "tests.bench.bench_path", "--run", "--lang", "vi", "--mode", question.mode]
    terminal = Terminal(args, env)
    try:
        terminal.rest(8.0)
        ask(terminal, *question.warm_up)
        report.write_text("", encoding="utf-8")
        terminal.type(question.measured[0])
        terminal.until(lambda screen: question.measured[0] in screen)
        terminal.rest(STILL)
        os.kill(terminal.pid, signal.SIGUSR1)
        until(lambda: not report.exists())
        answered(terminal, question.measured[1])
        os.kill(terminal.pid, signal.SIGUSR2)
        until(report.exists)
        return [tuple(one) for one in json.loads(report.read_text("utf-8"))]
    finally:
        terminal.close()


def ask(terminal: Any, text: str, answer: str) -> None:
    """Type a question and wait for its answer."""
    terminal.type(text)
    terminal.until(lambda screen: text in screen)
    terminal.rest(STILL)
    answered(terminal, answer)
    terminal.rest(2 * STILL)


def answered(terminal: Any, answer: str) -> None:
    """Send what was typed and wait until one of the words of the `answer` (parted by |) is painted and all stands still."""
    terminal.type("\r")
    terminal.until(lambda screen: any(words in screen for words in answer.split("|")))
    shown = ""
    while shown != terminal.text:
        shown = terminal.text
        terminal.rest(STILL)


def until(done: Any, seconds: float = 30.0) -> None:
    """Wait for another process; raises TimeoutError."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


@contextmanager
def home() -> Iterator[dict[str, str]]:
    """A clean environment with the samples loaded."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TROLY_")}
        env = kept | {
            "TROLY_HOME": f"{folder}/home", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT),
            # Nobody listens there: answers are without a model.
            "OLLAMA_HOST": "http://127.0.0.1:9", REPORT: f"{folder}/report.json",
        }  # fmt: skip
        env.pop("OLLAMA_BASE_URL", None)
        load = [sys.executable, "-m", "troly", "data", "load", "samples"]
        subprocess.run(load, env=env, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        yield env


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["--run"]:
        return run_counted(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=list(QUESTIONS))
    parser.add_argument("--list", action="store_true", help="the files in the order of their first call")
    parser.add_argument(
        "--functions", action="store_true", help="the functions in the order of their first call"
    )
    args = parser.parse_args()
    with suppress(BrokenPipeError), home() as env:
        for name, question in QUESTIONS.items():
            if args.only in (None, name):
                found = measure(question, env)
                files = list(dict.fromkeys(file for file, *_ in found))
                calls = sum(calls for *_, calls in found)
                print(
                    json.dumps(
                        {"question": name, "files": len(files), "functions": len(found), "calls": calls}
                    )
                )
                if args.functions:
                    print(
                        *(f"  {file}:{line} {qualname} {calls}" for file, qualname, line, calls in found),
                        sep="\n",
                    )
                elif args.list:
                    print(*(f"  {file}" for file in files), sep="\n")
    return None


if __name__ == "__main__":
    main()
