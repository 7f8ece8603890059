"""The first run: samples of an assistant come when it is first shown, questions wait for them, and nothing else does."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import psutil
import pytest

from tests.bench.screen_apps import SPEAK
from tests.support.process.command_line import install_modes
from tests.support.process.waiting import until, wait_until
from tests.support.screen.fake_backend import MODES, FakeBackend
from tests.support.screen.screens import NOW, Scene, begin, settle, text_of
from tests.tui.test_process import on_a_terminal, read_until
from troly.plugin.events import TurnCompleted
from troly.tui.chat.controller import Controller
from troly.tui.chat.view import SessionInfo

NEW = SessionInfo(MODES, "an", missing_samples=frozenset({"shopping", "rag"}))
DONE = TurnCompleted("Xong.", {}, "rules", 0, 1.0)
START = "import sys; sys.argv[1:] = ['--lang', 'en', '--mode', '{mode}']; from troly.__main__ import console; console()"


def controller_of(mode: str) -> tuple[Controller, FakeBackend]:
    backend = FakeBackend(lambda call: call())
    controller = Controller(
        backend, mode=mode, language="vi", now=lambda: NOW, changed=lambda _what, _pane: None
    )
    controller.take_session(NEW)
    return controller, backend


def test_questions_wait_for_the_samples_of_their_assistant_only() -> None:
    controller, backend = controller_of("shopping")
    assert list(backend.sample_loads) == ["shopping"]
    controller.submit("một")
    controller.submit("hai")
    assert [view.kind for view in controller.pane.messages] == ["stocking", "stocking"]
    controller.switch("analysis")
    controller.submit("ba")
    assert [asked.question.text for asked in backend.asked] == ["ba"]
    backend.sample_loads["shopping"]()
    assert [asked.question.text for asked in backend.asked] == ["ba", "một"]
    backend.asked[1].say(DONE)
    assert [asked.question.text for asked in backend.asked] == ["ba", "một", "hai"]
    assert list(backend.sample_loads) == ["shopping"]


def test_an_assistant_that_is_shown_later_is_stocked_then() -> None:
    controller, backend = controller_of("analysis")
    assert not backend.sample_loads
    controller.switch("rag")
    assert list(backend.sample_loads) == ["rag"]
    assert ("rag", "vi") not in controller.data_status
    backend.sample_loads["rag"]()
    assert controller.data_status["rag", "vi"] is not None


@pytest.mark.parametrize(
    ("width", "said"), [(120, "đang nạp dữ liệu mẫu: Bán hàng"), (60, "đang nạp dữ liệu")]
)
async def test_the_screen_says_what_is_going_on(width: int, said: str) -> None:
    app = Scene("vi", info=NEW)
    async with app.run_test(size=(width, 24)) as pilot:
        await begin(app, pilot)
        assert said in text_of(app.chat.status)
        assert "Đang nạp dữ liệu mẫu, chỉ lần đầu" in app.shown
        app.chat.prompt.put("bảo hành ABC123")
        await pilot.press("enter")
        await settle(app, pilot)
        flat = " ".join(app.shown.replace("▌", " ").split())
        assert "sẽ hỏi ngay khi xong" in flat
        assert not app.fake.asked
        app.fake.sample_loads["shopping"]()
        await until(lambda: app.fake.asked)
        await settle(app, pilot)
        assert "nạp dữ liệu mẫu" not in text_of(app.chat.status) + app.shown


def stocked_modes(home: Path) -> list[str]:
    with sqlite3.connect(home / "data" / "state.db") as connection:
        return [row[0] for row in connection.execute("SELECT mode FROM samples")]


def test_a_question_at_once_is_answered_from_the_samples(tmp_path: Path) -> None:
    master, process = on_a_terminal(START.format(mode="dental"), tmp_path)
    try:
        read_until(master, b"sk something")
        os.write(master, b"rang so 6 bi buot\r")
        read_until(master, b"for the first time", 60)
        read_until(master, b"20/11/2026", 120)
        os.write(master, b"\x11")
        assert process.wait(30) == 0
        assert stocked_modes(tmp_path) == ["dental"]
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_leaving_meanwhile_leaves_nothing_behind(tmp_path: Path) -> None:
    master, process = on_a_terminal(START.format(mode="analysis"), tmp_path)
    try:
        # The first letter is under the cursor and has a style of its own.
        read_until(master, b"loading sample data", 60)
        family = psutil.Process(process.pid)
        wait_until(family.children, 30)
        children = family.children()
        os.write(master, b"\x11")
        read_until(master, b"\x1b[?1049l")
        assert process.wait(20) == 0
        wait_until(lambda: not any(child.is_running() for child in children))
        assert stocked_modes(tmp_path) == []
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_an_assistant_without_samples_waits_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = install_modes(tmp_path / "modes", {"bench_speak": SPEAK}, {"speak": "bench_speak:MODE"})
    monkeypatch.setenv("PYTHONPATH", str(folder))
    home = tmp_path / "home"
    master, process = on_a_terminal(START.format(mode="speak"), home)
    try:
        read_until(master, b"sk something")
        os.write(master, b"hello\r")
        read_until(master, b"Ollama", 60)
        family = psutil.Process(process.pid)
        assert not family.children()
        assert not any("_duckdb" in one.path for one in family.memory_maps())
        os.write(master, b"\x11")
        assert process.wait(20) == 0
        assert stocked_modes(home) == []
    finally:
        process.kill()
        process.wait()
        os.close(master)
