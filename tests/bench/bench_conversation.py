"""How quick very long conversations are: opening, scrolling, resizing, switching language and pane, finding words.

`python -m tests.bench.bench_conversation --messages 10000` prints one JSON object, times in milliseconds. The same is
measured with a short conversation in the same run: the ratio says what length costs. `open` is from the wish to the
frame that shows the end, with real stores; `open_all` has every message in memory already.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support.modes.made import registry_of
from tests.support.process.waiting import until
from tests.support.screen.long_conversation import ANSWERS, long_talk
from tests.support.screen.screens import NOW, Scene, settle
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.stores.records import NewMessage
from troly.text.catalogue import LANGS
from troly.tui.app import TrolyApp
from troly.tui.chat.find import FindBar, looked_for
from troly.tui.chat.transcript import Transcript
from troly.tui.chat.view import Pane
from troly.tui.house import House
from troly.tui.opened import OpenedHouse

SHORT = 200
PAGES = 200
SIZE = (120, 40)
PATIENCE = 60.0


class Frames:
    """Tells when the transcript was last painted."""

    def __init__(self, transcript: Transcript) -> None:
        self.painted = 0.0
        render = transcript.render_lines

        def seen(crop: Any) -> Any:
            lines = render(crop)
            self.painted = time.perf_counter()
            return lines

        transcript.render_lines = seen  # type: ignore[method-assign]


def summary(times: list[float]) -> dict[str, float]:
    """Median and 99th percentile in milliseconds."""
    ordered = sorted(times)
    return {
        "p50": round(1000 * statistics.median(ordered), 2),
        "p99": round(1000 * ordered[int(len(ordered) * 0.99) - 1], 2),
    }


async def timed(frames: Frames, act: Callable[[], object]) -> float:
    """Seconds from `act` to the frame that it makes."""
    began = time.perf_counter()
    act()
    await until(lambda: frames.painted > began, PATIENCE)
    return frames.painted - began


def saved(home: Path, counts: dict[str, int]) -> dict[str, str]:
    """Conversations with so many messages each, as turns with a trace; their ids by name."""
    with services_at(home) as services:
        store, made = services.conversations, {}
        for name, count in counts.items():
            made[name] = store.create("an", "test", title=name).id
            for number in range(count // 2):
                turn = store.begin_turn("an", made[name], f"Câu hỏi số {number}: kiểm tra ABC{number:05}")
                steps = [{"node": "classify", "ms": 1.0, "source": "rules", "detail": "warranty 0,97"}]
                text = f"Trả lời số {number}.\n\n{ANSWERS[number % len(ANSWERS)]}"
                store.finish_turn(
                    "an",
                    turn.id,
                    status="completed",
                    messages=[NewMessage("assistant", text, "answer")],
                    source="rules",
                    ms=3.0,
                    trace={"steps": steps, "content": []},
                )
        return made


async def from_store(home: Path, conversation: str) -> float:
    """Seconds to open a saved conversation in an app that has just started."""
    with services_at(home) as services:

        def opener() -> OpenedHouse:
            return OpenedHouse(Session(services, registry_of(), profile("an")))

        def now() -> datetime:
            return NOW

        app = TrolyApp(lambda d: House(opener, d), mode="test", language="vi", theme="dark", now=now)
        async with app.run_test(size=SIZE) as pilot:
            await until(lambda: app.controller.opened, PATIENCE)
            await settle(app, pilot)
            frames = Frames(app.chat.transcript)
            began = time.perf_counter()
            app.controller.open(conversation)
            await until(lambda: len(app.controller.pane.messages) > 0 and frames.painted > began, PATIENCE)
            took = frames.painted - began
            app.house.close()
        return took


async def in_memory(count: int) -> dict[str, Any]:
    """Opening, scrolling and the rest with all messages loaded."""
    app = Scene("vi")
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.chat.prompt.has_focus)
        await settle(app, pilot)
        transcript = app.chat.transcript
        frames, empty = Frames(transcript), app.controller.pane
        pane = Pane("shopping", "c9", "dài", long_talk(count))
        out: dict[str, Any] = {
            "open_all": summary([await timed(frames, lambda: app.controller.show(pane))])["p50"]
        }
        pages = [await timed(frames, transcript.action_page_up) for _ in range(min(PAGES, count // 10))]
        out["page_up"] = summary(pages)
        pages = [await timed(frames, transcript.action_page_down) for _ in range(min(PAGES, count // 10) - 1)]
        out["page_down"] = summary(pages)
        out["home"] = round(1000 * await timed(frames, transcript.action_scroll_home), 2)
        out["end"] = round(1000 * await timed(frames, transcript.to_end), 2)
        out |= await changes(app, pilot, frames, empty, pane)
        out["find"] = await find(app, pilot)
        return out


async def changes(app: Scene, pilot: Pilot[Any], frames: Frames, empty: Pane, pane: Pane) -> dict[str, Any]:
    """Another language, another pane and back, another width."""
    out: dict[str, Any] = {}
    languages = [await timed(frames, partial(app.controller.speak, lang)) for lang in LANGS[::-1] * 5]
    out["language"] = summary(languages)
    switches = []
    for shown in (empty, pane) * 5:
        switches.append(await timed(frames, partial(app.controller.show, shown)))
        await settle(app, pilot)
    out["switch"] = summary(switches)
    widths = []
    for width in (100, 120) * 5:
        began = time.perf_counter()
        await pilot.resize_terminal(width, SIZE[1])
        await until(lambda began=began: frames.painted > began, PATIENCE)  # type: ignore[misc]
        widths.append(frames.painted - began)
    out["resize"] = summary(widths)
    return out


async def find(app: Scene, pilot: Pilot[Any]) -> dict[str, float]:
    """Milliseconds until the oldest match of rare words is shown, first and again with what is folded already."""
    out = {}
    await pilot.press("ctrl+g")
    await until(lambda: bool(app.chat.query(FindBar)))
    bar = app.chat.query_one(FindBar)
    for name, wanted in (("first", "ABC00000"), ("again", "số 0: kiểm")):
        began = time.perf_counter()
        bar.query_one("TypingInput").value = wanted  # type: ignore[attr-defined]
        needle = looked_for(wanted)
        while bar.finder.wanted != needle or bar.finder.at != 1:
            await asyncio.sleep(0.001)
        out[name] = round(1000 * (time.perf_counter() - began), 1)
    return out


def ratios(long: dict[str, Any], short: dict[str, Any]) -> dict[str, float]:
    """How many times more each figure is with the long conversation."""
    out = {}
    for name, value in long.items():
        mine, base = (
            one["p50"] if isinstance(one, dict) and "p50" in one else one for one in (value, short[name])
        )
        if isinstance(mine, float) and isinstance(base, float) and base:
            out[name] = round(mine / base, 2)
    return out


def measure(count: int, home: Path) -> dict[str, Any]:
    """All figures, the short conversation before the long one."""
    ids = saved(home, {"warm": SHORT, "short": SHORT, "long": count})
    asyncio.run(from_store(home, ids["warm"]))
    opened = {name: round(1000 * asyncio.run(from_store(home, ids[name])), 1) for name in ("short", "long")}
    short, long = (
        {"open": opened[name], **asyncio.run(in_memory(n))} for name, n in (("short", SHORT), ("long", count))
    )
    return {
        "messages": count,
        "load": round(os.getloadavg()[0], 1),
        "long": long,
        "short": short,
        "ratio": ratios(long, short),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    count = parser.parse_args().messages
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(count, Path(folder)), indent=2))


if __name__ == "__main__":
    main()
