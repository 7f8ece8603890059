"""What happens to the terminal: closed, resized to nothing, stopped and taken up again; nothing said is ever lost."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.process.command_line import slow_modes
from tests.support.process.waiting import wait_until
from tests.support.screen.pty_session import PtySession

LEAVE, ENTER = b"\x1b[?1049l", b"\x1b[?1049h"
APP = [sys.executable, "-m", "troly", "--lang", "en", "--mode", "slow"]


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
        "PS1": "PROMPT> ",
        "ENV": "",
    }


@pytest.fixture
def session(env: dict[str, str]) -> Iterator[PtySession]:
    """The app with a question whose answer is half written, and a draft."""
    session = PtySession(APP, env)
    try:
        answering(session)
        yield session
    finally:
        session.end()


def answering(session: PtySession) -> None:
    session.until("sk something")
    session.type("wait\r")
    session.until("Một chút")
    session.type("\x1b[1;5F")  # Ctrl+End: what is being written stands below the first screen
    session.until("phần đầu")
    session.type("nháp dở")
    session.until("dở")


def saved(env: dict[str, str]) -> list[tuple[str, str]]:
    with sqlite3.connect(Path(env["TROLY_HOME"]) / "data" / "state.db") as store:
        return store.execute("select sender, text from messages order by created_at, rowid").fetchall()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143)], ids=["hup", "term"]
)
def test_a_signal_while_an_answer_is_written_saves_what_was_said(
    session: PtySession, env: dict[str, str], number: signal.Signals, code: int
) -> None:
    session.signal(number)
    session.until(LEAVE)
    assert session.code() == code
    assert session.cooked
    assert "Traceback" not in session.painted
    messages = saved(env)
    assert ("user", "wait") in messages
    assert any("phần đầu" in text for sender, text in messages if sender == "assistant")


@pytest.mark.parametrize("again", [0, 3], ids=["once", "several-times"])
def test_a_closed_terminal_ends_the_app_in_order(
    session: PtySession, env: dict[str, str], again: int
) -> None:
    session.hang_up()
    left = [signal.SIGHUP] * again

    def all_told() -> bool:
        if left:
            session.signal(left.pop())
        return not left

    with suppress(ProcessLookupError):  # as the shell above it does, and the terminal's own end
        wait_until(all_told)
    assert session.code() == 129
    messages = saved(env)
    assert ("user", "wait") in messages
    assert any("phần đầu" in text for sender, text in messages if sender == "assistant")
    logs = Path(env["TROLY_HOME"]) / "cache" / "logs"
    assert not list(logs.glob("crash-*"))


def test_a_terminal_of_one_cell_and_back_keeps_answer_and_draft(session: PtySession) -> None:
    for columns, rows in ((2, 40), (40, 2), (80, 1), (1, 30)):
        session.resize(1, 1)
        session.clear()
        session.resize(columns, rows)
        session.until(b"\x1b[1;1H")
    session.resize(1, 1)
    session.clear()
    session.resize(100, 30)
    session.until("nháp dở")
    session.type("\x1b[1;5F")  # Ctrl+End: what was being written stands below the first screen
    session.until("phần đầu")


@pytest.fixture
def shell(env: dict[str, str]) -> Iterator[PtySession]:
    """A shell with job control, the app started from it."""
    found = shutil.which("sh")
    assert found is not None
    session = PtySession([found, "-i"], env)
    try:
        session.until("PROMPT> ")
        session.type(" ".join(APP) + "\n")
        session.until(ENTER)
        answering(session)
        yield session
    finally:
        session.end()


def quit_to(shell: PtySession) -> None:
    """Leave the app; the shell must have a whole terminal and a good exit code."""
    shell.clear()
    shell.type("\x11")
    shell.until("PROMPT> ")
    wait_until(lambda: shell.cooked)
    shell.clear()
    shell.type("echo code $?\n")
    shell.until("code 0")


def test_stopped_with_ctrl_z_and_taken_up_again(shell: PtySession) -> None:
    shell.clear()
    shell.type("\x1a")
    shell.until(LEAVE)
    shell.until("PROMPT> ")
    wait_until(lambda: shell.cooked)
    shell.clear()
    shell.type("echo $((40 + 2))\n")
    shell.until("42")
    shell.clear()
    shell.type("fg\n")
    shell.until(ENTER)
    shell.until("nháp dở")
    shell.type("\x1b[1;5F")
    shell.until("phần đầu")
    shell.clear()
    shell.type(" thêm\x1b")
    shell.until("thêm")
    shell.until("You stopped the answer")
    quit_to(shell)


def test_stopped_from_outside_and_taken_up_again(shell: PtySession) -> None:
    child = next(
        int(line.name)
        for line in Path("/proc").iterdir()
        if line.name.isdigit() and parent_of(int(line.name)) == shell.pid
    )
    shell.clear()
    os.kill(child, signal.SIGSTOP)
    shell.until("PROMPT> ")
    shell.clear()
    shell.type("fg\n")
    shell.until("nháp dở")
    shell.clear()
    shell.type(" thêm")
    shell.until("thêm")
    quit_to(shell)


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_without_a_shell_behind_it_the_app_does_not_stop(session: PtySession) -> None:
    session.clear()
    session.type("\x1a")
    session.until("no shell to go back to")
    session.type("còn")
    session.until("còn")
