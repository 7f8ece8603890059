"""The screen as a process: what it imports before the first frame, and how it leaves the terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bench.terminal import Terminal

LATER = (
    "pydantic",
    "langgraph",
    "duckdb",
    "chromadb",
    "ollama",
    "httpx",
    "sqlglot",
    "numpy",
    "markdown_it",
    "typer",
)
START = "import sys; sys.argv[1:] = ['--lang', 'en']; from troly.__main__ import console; console()"


def test_the_first_frame_needs_textual_and_little_else() -> None:
    code = "import sys; import troly.tui.app, troly.tui.opening; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    # Textual itself brings rich, which may bring markdown-it; everything else is ours to avoid.
    assert not [name for name in LATER if name in loaded]
    # What the chat is made of comes after the first frame.
    assert not [name for name in ("troly.tui.chat.controller", "troly.tui.chat.screen") if name in loaded]
    assert "textual.widgets._text_area" not in loaded
    assert not [
        name
        for name in ("troly.plugin.registry", "troly.plugin.services", "troly.plugin.events")
        if name in loaded
    ]


def read_until(master: int, wanted: bytes, seconds: float = 30.0) -> bytes:
    seen, end = b"", time.monotonic() + seconds
    while wanted not in seen:
        assert time.monotonic() < end, seen[-2000:]
        if select.select([master], [], [], 0.2)[0]:
            try:
                seen += os.read(master, 65536)
            except OSError:
                break
    return seen


def on_a_terminal(code: str, home: Path) -> tuple[int, subprocess.Popen[bytes]]:
    """Python code on a pseudo terminal of its own; the master's descriptor and the process."""
    master, slave = pty.openpty()
    env = {
        **os.environ,
        "TROLY_HOME": str(home),
        "TERM": "xterm-256color",
        "OLLAMA_HOST": "http://127.0.0.1:9",
        "LC_ALL": "C.UTF-8",
    }
    process = subprocess.Popen([sys.executable, "-c", code], stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    return master, process


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)], ids=str)
def test_what_is_typed_from_the_first_frame_on_stands_in_the_input(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    env = {
        **os.environ,
        "TROLY_HOME": str(tmp_path),
        "TERM": "xterm-256color",
        "OLLAMA_HOST": "http://127.0.0.1:9",
        "LC_ALL": "C.UTF-8",
    }
    terminal = Terminal(["-c", START], env, columns=size[0], rows=size[1])
    try:
        terminal.until(lambda screen: "Ask something" in screen)
        line = next(at for at, text in enumerate(terminal.text.splitlines()) if "Ask something" in text)
        left = terminal.text.splitlines()[line].index("Ask")
        for letter in "khách hỏi giá":
            terminal.type(letter)
        terminal.type("\x1b[200~ dán\x1b[201~ xong")
        terminal.until(lambda screen: "khách hỏi giá dán xong" in screen)
        # The input stands where the first frame had drawn it.
        assert terminal.text.splitlines()[line].index("khách") == left
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("end", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (b"\x11", 0)],
    ids=["term", "hup", "ctrl-q"],
)
def test_the_terminal_is_restored(tmp_path: Path, end: signal.Signals | bytes, code: int) -> None:
    master, process = on_a_terminal(START, tmp_path)
    try:
        # The first letter is under the cursor and has a style of its own.
        read_until(master, b"sk something")
        if isinstance(end, bytes):
            os.write(master, end)
        else:
            process.send_signal(end)
        left = read_until(master, b"\x1b[?1049l")
        assert b"Traceback" not in left
        assert process.wait(20) == code
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_a_broken_screen_is_one_sentence_a_log_and_a_code(tmp_path: Path) -> None:
    code = (
        "import sys, troly.tui.app as a; from troly.__main__ import console\n"
        "def broken(self): secret = 'private words'; raise ZeroDivisionError(secret)\n"
        "a.TrolyApp.action_help = broken; console()"
    )
    master, process = on_a_terminal(code, tmp_path)
    try:
        read_until(master, b"sk something")
        os.write(master, b"\x1bOP")
        left = read_until(master, b".log").rpartition(b"\x1b[?1049l")[2]
        assert process.wait(20) == 70
        assert b"Unexpected error" in left
        assert b"private words" not in left
        assert len(list((tmp_path / "cache" / "logs").glob("crash-*.log"))) == 1
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_the_first_frame_knows_the_usual_settings_without_reading_any(tmp_path: Path) -> None:
    from troly.config import Settings
    from troly.paths import Paths
    from troly.tui.startup import Usual, prepare

    usual, settings = Usual(), Settings()
    assert (usual.mode, usual.language, usual.theme, dict(usual.keys)) == (
        settings.mode,
        settings.language,
        settings.theme,
        dict(settings.keys),
    )
    paths = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    assert prepare(paths, None, None, "vi", {"TROLY_HOME": str(tmp_path)}).theme == "dark"
    assert prepare(paths, None, None, "vi", {"TROLY_THEME": "light"}).theme == "light"
    paths.config.mkdir()
    paths.config_file.write_text('mode = "rag"\n', encoding="utf-8")
    assert prepare(paths, None, None, "vi", {}).mode == "rag"
