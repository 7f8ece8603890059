"""Real processes: Ctrl-C in the middle, a closed pipe, a C locale, two at once, a surprise, an open pipe of questions."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.process.command_line import (
    CommandLine,
    Ran,
    finish,
    interrupt,
    json_line,
    of_type,
    spawn,
    start,
)
from tests.support.process.waiting import wait_until


def test_ctrl_c_in_an_answer_keeps_what_was_said(app: CommandLine, third_party: Path) -> None:
    process = start("ask", "--mode", "slow", "--json", "wait")
    assert process.stdout is not None
    assert any(json.loads(raw)["event"] == "Token" for raw in process.stdout)
    interrupt(process)
    ran = finish(process)
    assert ran.code == 130
    end = ran.events[-1]
    assert (end["event"], end["code"]) == ("TurnFailed", "turn.stopped")
    assert end["text"].endswith("phần đầu")
    assert ran.err == ""
    assert "phần đầu" in app.run("conversations", "show", end["conversation"]).out


def test_ctrl_c_ends_a_run_of_lines(third_party: Path) -> None:
    process = start("ask", "--mode", "slow", "--jsonl", "-", stdin=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(
        (json_line(id=1, text="x") + json_line(id=2, text="wait") + json_line(id=3, text="x")).encode()
    )
    process.stdin.flush()
    for raw in process.stdout:
        event = json.loads(raw)
        if event["event"] == "Token" and event["id"] == 2:
            break
    interrupt(process)
    ran = finish(process)
    assert ran.code == 130
    assert [event["id"] for event in of_type(ran.events, "TurnFailed")] == [2]
    assert "Traceback" not in ran.err


def test_an_open_pipe_is_answered_line_by_line_until_ctrl_c(third_party: Path) -> None:
    process = start("ask", "--mode", "slow", "--jsonl", "-", stdin=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(2):
        process.stdin.write(json_line(id=number, text="x").encode())
        process.stdin.flush()
        events = (json.loads(raw) for raw in process.stdout)
        assert next(event for event in events if event["event"] == "TurnCompleted")["id"] == number
    interrupt(process)
    ran = finish(process)
    assert (ran.code, ran.out) == (130, "")
    assert "Traceback" not in ran.err


def test_ctrl_c_in_an_ingest_says_what_was_kept(third_party: Path, tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("wait", encoding="utf-8")
    process = start("ingest", "slowrows", str(file))
    wait_until(file.with_suffix(".started").exists, 30)
    interrupt(process)
    ran = finish(process)
    assert ran.code == 130
    assert ran.out.split() == ["rows", "3", "rejected", "1"]
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", ["import", "doctor"])
def test_ctrl_c_before_anything_is_open_is_one_word(command: str, tmp_path: Path) -> None:
    """The interrupt comes from inside, at a place that a module named like one of ours begins to be imported."""
    place = {"import": "troly.text.catalogue", "doctor": "troly.cli.commands.doctor"}[command]
    (tmp_path / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Press:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {place!r}: signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Press())\n",
        encoding="utf-8",
    )
    ran = spawn("doctor", env={"PYTHONPATH": str(tmp_path), "LC_ALL": "en_US.UTF-8"})
    assert (ran.code, ran.out.count("\n") < 3) == (130, True)
    assert ran.err == {"import": "", "doctor": "Stopped.\n"}[command]


def test_a_closed_pipe_is_quiet() -> None:
    process = start("ask", "--jsonl", "-", stdin=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, suppress(BrokenPipeError):
        process.stdin.write(b"no json\n" * 5000)
    process.stdin = None
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    ran = finish(process)
    assert (ran.code, ran.err) == (141, "")


@pytest.mark.parametrize(
    ("command", "closed"),
    [("modes", "<&-"), ("modes", ">&-"), ("modes", "2>&-"), ("ask --offline hi", "<&- >&- 2>&-")],
)
def test_streams_that_the_caller_closed_are_the_null_device(command: str, closed: str) -> None:
    ran = subprocess.run(
        ["sh", "-c", f'exec "$0" -m troly {command} {closed}', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    assert bool(ran.stdout) == (">&-" not in closed.replace("2>&-", ""))


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_the_screen_needs_all_three_streams_to_be_a_terminal(stream: int, tmp_path: Path) -> None:
    master, slave = pty.openpty()
    file = tmp_path / "stream"
    file.touch()
    with file.open("r+b") as other:
        streams = [slave] * 3
        streams[stream] = other.fileno()
        process = subprocess.Popen(
            [sys.executable, "-m", "troly", "--lang", "en"],
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            env={**os.environ, "TERM": "xterm"},
        )
    try:
        assert process.wait(30) == 2
        os.close(slave)
        said = file.read_bytes() if stream == 2 else os.read(master, 65536)
        assert b"The chat screen needs a terminal for stdin, stdout and stderr." in said
        assert b"\x1b[?1049h" not in said
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_a_c_locale_changes_nothing_and_warnings_go_to_the_log(third_party: Path, own_home: Path) -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = spawn("ask", "--mode", "slow", env=env, stdin=b"break")
    assert ran.code == 1
    assert "phần đầu" in ran.out
    assert "Traceback" not in ran.err
    assert "no such thing" in (own_home / "cache" / "logs" / "troly.log").read_text("utf-8")


def test_two_processes_at_once_lose_nothing(app: CommandLine, third_party: Path) -> None:
    lines = "".join(
        json_line(id=number, text=f"x{number}", conversation="one") for number in range(10)
    ).encode()
    both = [start("ask", "--mode", "slow", "--jsonl", "-", stdin=-1) for _ in range(2)]
    for process in both:
        assert process.stdin is not None
        process.stdin.write(lines)
        process.stdin.close()
        process.stdin = None
    for ran in map(finish, both):
        assert (ran.code, ran.err) == (0, "")
        assert len(of_type(ran.events, "TurnCompleted")) == 10
        conversation = ran.events[0]["conversation"]
        kept = json.loads(app.run("conversations", "show", conversation, "--json").out)
        assert [m["text"] for m in kept["messages"] if m["sender"] == "user"] == [f"x{n}" for n in range(10)]


@pytest.mark.parametrize("writable", [True, False])
def test_a_surprise_is_one_sentence_and_a_log(
    app: CommandLine, own_home: Path, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    def surprise(*_args: object) -> None:
        raise ZeroDivisionError("secret detail")

    if not writable:
        own_home.mkdir(exist_ok=True)
        (own_home / "cache").write_text("a file where the folder should be", encoding="utf-8")
    body: Callable[..., Ran] = app.run
    monkeypatch.setattr("troly.plugin.registry.Registry.broken", surprise)
    ran = body("modes")
    assert (ran.code, ran.out) == (70, "")
    assert len(ran.err.splitlines()) == 1
    assert "secret detail" not in ran.err
    logs = list((own_home / "cache").glob("logs/crash-*.log"))
    assert len(logs) == int(writable)
    assert all("secret detail" in log.read_text("utf-8") and str(log) in ran.err for log in logs)
