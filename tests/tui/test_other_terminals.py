"""Terminals without colours, without Unicode, or with other ideas of how wide a character is; and a mouse gone wild."""

from __future__ import annotations

import os
import re
import sys
from itertools import product
from pathlib import Path

import pyte
import pytest
from textual import events

from tests.bench.terminal import Terminal
from tests.support.process.command_line import slow_modes
from tests.support.process.waiting import until
from tests.support.screen.pty_session import PtySession
from tests.support.screen.screens import Scene, begin, cut_off, settle, warranty

APP = ["-m", "troly", "--lang", "en", "--mode", "slow"]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    path = os.pathsep.join(
        [str(slow_modes(tmp_path / "modes")), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    return {
        "TROLY_HOME": str(tmp_path / "home"),
        "PYTHONPATH": path,
        "TERM": "xterm-256color",
        "OLLAMA_HOST": "http://127.0.0.1:9",
        "LC_ALL": "C.UTF-8",
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"TERM": "dumb"},
        {"TERM": "vt100"},
        {"NO_COLOR": "1"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["dumb", "vt100", "no-colours", "no-unicode", "ascii-only"],
)
def test_a_poor_terminal_is_worked_in(env: dict[str, str], changed: dict[str, str]) -> None:
    session = PtySession([sys.executable, *APP], {**env, "COLORTERM": "", **changed})
    try:
        session.until("sk something")
        session.type("wait\r")
        session.until("wait")
        session.type("\x1b[1;5F")
        session.until("You")
        session.type("more")
        session.until("more")
        session.type("\x11")
        session.until(b"\x1b[?1049l")
        assert session.code() == 0
        assert "Traceback" not in session.painted
        coloured = re.search(
            r"\x1b\[(?:[0-9;]*;)?(?:3|4|9|10)[0-9][0-9;]*m", session.raw.decode("utf-8", "replace")
        )
        assert bool(coloured) == ("LC_ALL" in changed)
    finally:
        session.end()


@pytest.fixture(params=[1, 2], ids=["single", "wide"])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """A terminal that takes what is not plain to be so wide, whatever it is."""
    usual = pyte.screens.wcwidth
    monkeypatch.setattr(
        pyte.screens, "wcwidth", lambda sign: request.param if ord(sign) > 0x2FFF else usual(sign)
    )
    return int(request.param)


def test_a_terminal_with_other_widths_shows_the_chrome_where_it_is(env: dict[str, str], width: int) -> None:
    terminal = Terminal(APP, {**os.environ, **env}, columns=80, rows=24)
    try:
        terminal.until(lambda screen: "sk something" in screen)
        terminal.type("한국 💖 漢字 wait\r")
        terminal.until(lambda screen: "wait" in screen.partition("╭")[0])
        terminal.type("plain")
        terminal.until(lambda screen: "plain" in screen)

        def whole() -> bool:
            rows = terminal.text.splitlines()
            box = [row.strip() for row in rows if row.strip()[:1] in "╭│╰" and row.strip()]
            return (
                box[0] == "╭" + "─" * (len(box[0]) - 2) + "╮"
                and box[1].startswith("│ plain")
                and box[1].endswith("│")
                and box[2].startswith("╰")
                and "Ctrl+P" in rows[-1]
                and any(row.strip() == "wait" or row.rstrip().endswith("wait") for row in rows)
            )

        terminal.until(lambda _screen: whole())
    finally:
        terminal.close()


SIZES = [(120, 40), (80, 24), (40, 12), (20, 6)]


# The chat in every size; what is above it in one of them each, in turn.
@pytest.mark.parametrize(
    ("size", "above"),
    [*((size, "") for size in SIZES), *zip(SIZES, ("ctrl+p", "f5", "f6", "f3"), strict=True)],
    ids=str,
)
async def test_a_mouse_dragged_over_everything_does_no_harm(size: tuple[int, int], above: str) -> None:
    app = Scene("en")
    async with app.run_test(size=size) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "hỏi")).say(*warranty("💖 dòng\n\n" * 30))
        await settle(app, pilot)
        if above:
            await pilot.press(above)
            await settle(app, pilot)
        width, height = size
        ends = list(product((0, width // 3, width - 1), (0, 1, height // 2, height - 2, height - 1)))
        for button, (start, end) in product((1, 2, 3), zip(ends, reversed(ends), strict=True)):
            for kind, (x, y) in (
                (events.MouseDown, start),
                (events.MouseMove, (width // 2, height // 2)),
                (events.MouseMove, end),
                (events.MouseUp, end),
            ):
                app.post_message(kind(None, x, y, x, y, button, False, False, False, x, y))
            await pilot.pause()
        assert app.fault is None
        for _ in range(3):  # a box that was opened, or a column
            await pilot.press("escape")
        await settle(app, pilot)
        app.chat.prompt.put("")
        app.chat.prompt.focus()
        await pilot.press(*"abc")
        await until(lambda: app.chat.prompt.text == "abc")
        assert len(app.fake.asked) >= 1


async def test_a_drag_that_selects_presses_nothing_where_it_ends() -> None:
    app = Scene("en")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "one")).say(*cut_off("half an answer"))
        await settle(app, pilot)
        rows = app.shown.split("\n")
        end = next(at for at, text in enumerate(rows) if "Ctrl+R" in text)
        place = (2 + rows[end].index("Ctrl+R") + 1, end)
        await pilot.mouse_down(app.chat.transcript, offset=(3, 1))
        await pilot.hover(app.chat.transcript, offset=(9, 2))
        await pilot.hover(app.chat.transcript, offset=place)
        await pilot.mouse_up(app.chat.transcript, offset=place)
        await settle(app, pilot)
        assert app.screen.get_selected_text()
        assert len(app.fake.asked) == 1
        await pilot.click(app.chat.transcript, offset=place)
        await until(lambda: len(app.fake.asked) == 2)
