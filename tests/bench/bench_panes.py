"""How long switching panes takes, from the key to the other conversation on a real terminal.

`python -m tests.bench.bench_panes --panes 100` prints one JSON object, milliseconds: panes shown for the first time
and again, the echo of a letter in the same app as a measure of the machine, and the CPU of one switch with all that
follows it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.terminal import Terminal

PROMISED_MS = 50.0
FORWARD, BACK = "\x1b[6;5~", "\x1b[5;5~"
# The scene runs in the program under test: panes of thirty questions with Markdown answers each.
SCENE = """
import sys
from tests.support.screen.screens import MARKDOWN, NOW, Scene
from troly.tui.chat.view import Pane, message

class Filled(Scene):
    def on_mount(self):
        super().on_mount()
        self.set_timer(0.5, self.fill)
    def fill(self):
        modes = list(self.controller.modes)
        if not modes:
            self.set_timer(0.2, self.fill)
            return
        for number in range(PANES):
            messages = []
            for turn in range(30):
                messages.append(message("user", NOW, f"câu hỏi {turn}"))
                messages.append(message("assistant", NOW, MARKDOWN, source="model", calls=1, ms=900.0))
            messages.append(message("assistant", NOW, f"<<{number}>>", source="rules", ms=1.0))
            pane = Pane(modes[number % len(modes)], f"s{number}", f"hội thoại {number}", messages)
            self.fake.saved[pane.conversation] = (pane.mode, list(messages))
            self.controller.tabs.add(pane)
        self.controller.show(pane)

app = Filled("vi")
app.run()
"""


def switches(panes: int, rounds: int) -> Iterator[tuple[str, float]]:
    """Kinds of switching with their milliseconds."""
    env = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(Path(__file__).parents[2])}
    env.pop("NO_COLOR", None)
    terminal = Terminal(["-c", SCENE.replace("PANES", str(panes))], env)
    try:
        shown = panes - 1
        terminal.until(lambda screen: f"<<{shown}>>" in screen)
        terminal.rest(1.0)

        def press(key: str, wanted: str) -> float:
            sent = terminal.type(key)
            took = (terminal.until(lambda screen: wanted in screen) - sent) * 1000
            terminal.rest(0.3)
            return took

        for number in range(rounds):
            yield "key", press("z", "z" * (number + 1))
        before = terminal.cpu()
        for place in range(shown - 1, shown - 1 - rounds, -1):
            yield "first_seen", press(BACK, f"<<{place}>>")
        for place in range(shown - rounds + 1, shown + 1):
            yield "seen", press(FORWARD, f"<<{place}>>")
        yield "cpu", (terminal.cpu() - before) * 1000 / (2 * rounds)
    finally:
        terminal.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--panes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()
    found: dict[str, list[float]] = {}
    for kind, took in switches(args.panes, args.rounds):
        found.setdefault(kind, []).append(took)
    every = found["first_seen"] + found["seen"]
    print(
        json.dumps(
            {
                "panes": args.panes,
                "median_ms": {kind: round(statistics.median(times), 1) for kind, times in found.items()},
                "worst_ms": round(max(every), 1),
                "load": os.getloadavg()[0],
                "kept": statistics.median(every) <= PROMISED_MS,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
