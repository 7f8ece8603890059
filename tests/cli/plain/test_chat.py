"""`app --plain`: lines in, lines out, for a screen reader, a pipe or a dumb terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.process.command_line import CommandLine, interrupt, start
from tests.support.stores.services import services_at
from tests.tui.test_process import read_until
from troly.cli.invocation import Invocation
from troly.cli.plain.lines import SpokenMarkdown, spoken_lines
from troly.cli.plain.printer import CALM, PlainPrinter
from troly.config.users import current_login
from troly.plugin.events import (
    Chart,
    Plan,
    Progress,
    Series,
    Suggestions,
    Table,
    Task,
    Token,
    TurnCompleted,
    TurnFailed,
)
from troly.stores.handovers import Handovers

Status = Literal["waiting", "running", "done", "failed", "denied"]
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def heard(*pieces: str) -> list[str]:
    lines = SpokenMarkdown()
    return [*(line for piece in pieces for line in lines.feed(piece)), *lines.finish()]


def test_a_conversation_through_a_pipe(app: CommandLine) -> None:
    told = app.run("--plain", "--lang", "vi", stdin="bảo hành ABC123, XYZ789\n/evidence\n/again\n/list\n")
    assert told.code == 0
    assert not CONTROL.search(told.out)
    lines = told.out.splitlines()
    assert "Bạn: bảo hành ABC123, XYZ789" in lines
    assert "Serial: ABC123" in lines
    assert any(line.startswith("Dòng 1 trong 2") for line in lines)
    assert any(line.startswith("Em: ") for line in lines)
    assert any(line.startswith("Hết câu trả lời.") for line in lines)
    assert any(line.startswith("Bước 1: ") for line in lines)
    assert any(line.startswith("1. bảo hành ABC123") for line in lines)
    assert told.out.count("Serial: ABC123") == 2  # asked twice, each told once
    assert lines[-1].startswith("Đã thoát")


def test_commands_are_those_of_the_screen(app: CommandLine) -> None:
    said = (
        "/help\n/mode nha khoa\n/names nho rang\n/mode nowhere\n/mode\n/serach\n/theme dark\n/open 3\n/language en\n"
        "/undelete\n/rename x\n/delete\n/search zzz\n/quit\nnever asked\n"
    )
    told = app.run("--plain", "--lang", "vi", stdin=said)
    for expected in (
        "/search từ cần tìm: ", "trợ lý Nha khoa", "Răng khôn", "/mode cần trợ lý: shopping", "Có phải /search?",
        "/theme chỉ có ở màn hình", "số 3", "You are talking to", "No conversation was deleted", "ask something first",
        "Not found",
    ):  # fmt: skip
        assert expected in told.out, expected
    assert "never asked" not in told.out


def test_conversations_open_are_renamed_deleted_and_come_back(app: CommandLine) -> None:
    said = "ABC123\n/rename Máy của an\n/new\n/list\n/open 1\n/delete\n/list\n/undelete\n/list\n"
    told = app.run("--plain", "--lang", "vi", stdin=said)
    assert "Tên mới: Máy của an." in told.out
    assert "Đã mở: Máy của an." in told.out
    assert told.out.count("1. Máy của an") == 2
    assert "Chưa có hội thoại nào." in told.out


def test_commands_of_the_mode_reach_the_mode(app: CommandLine) -> None:
    told = app.run(
        "--plain", "--mode", "rental", "--lang", "vi", stdin="/sql select count(*) as n from rooms\n/help\n"
    )
    assert "/sql SELECT …: " in told.out
    assert "n: " in told.out or "Số" in told.out


def test_lines_that_are_no_text_are_told_and_the_next_one_is_answered(app: CommandLine) -> None:
    told = app.run("--plain", "--lang", "en", stdin=b"\xff\xfeabc\n\n \nABC123\r\n")
    assert "not UTF-8 text (at byte 1)" in told.out
    assert "Serial: ABC123" in told.out or "ABC123" in told.out
    assert told.code == 1
    told = app.run("--plain", "--lang", "en", stdin=b"x" * 2_000_001 + b"\nABC123")
    assert "longer than 2000000 bytes" in told.out
    assert told.out.count("You: ") == 1


def test_a_mode_that_is_not_there_and_a_command_beside_it(app: CommandLine) -> None:
    assert app.run("--plain", "--mode", "nowhere", stdin="").code == 6
    wrong = app.run("--plain", "doctor")
    assert wrong.code == 2
    assert "--plain" in wrong.err


def test_ctrl_c_stops_the_answer(app: CommandLine, third_party: Path) -> None:
    process = start("--plain", "--mode", "slow", "--lang", "en", stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"wait\n")
    process.stdin.flush()
    seen: list[str] = []
    ready = threading.Event()

    def read() -> None:
        for raw in process.stdout or ():
            seen.append(raw.decode())
            if seen[-1].startswith("T2"):
                ready.set()

    reader = threading.Thread(target=read)
    reader.start()
    assert ready.wait(60), seen
    interrupt(process)
    process.stdin.close()
    assert process.wait(60) == 130
    reader.join(20)
    process.stdout.close()
    assert process.stderr is not None
    process.stderr.close()
    assert any("The answer was stopped." in line for line in seen)
    assert "đang đọc, 40 percent.\n" in seen
    assert "Sản phẩm: Nồi cơm\n" in seen


def test_on_a_terminal_without_colour_or_cursor(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    env = {
        **os.environ,
        "TROLY_HOME": str(tmp_path),
        "OLLAMA_HOST": "http://127.0.0.1:9",
        "TERM": "xterm-256color",
    }
    # Ctrl-C and Ctrl-D come from the terminal only where it is the process's own.
    code = (
        "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        "sys.argv[1:] = ['--plain', '--lang', 'en']; from troly.__main__ import console; console()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
    )
    os.close(slave)
    try:
        seen = read_until(master, b"You: ", 90)
        os.write(master, b"\x03")
        seen += read_until(master, b"Ctrl+D leaves", 30)
        os.write(master, "bảo hành ABC123\n".encode())
        seen += read_until(master, b"End of the answer", 60)
        # A colleague answers from elsewhere while nothing is typed.
        with services_at(tmp_path) as services:
            store, login = services.conversations, current_login(services.paths, services.settings)
            conversation = store.list(login)[0].id
            handovers = Handovers(store)
            handovers.add(conversation, "asked", "asked")
            (waiting,) = handovers.list("lan", staff=True)
            handovers.answer(waiting.id, "lan", "Good morning", staff=True)
        seen += read_until(master, b"lan: Good morning", 30)
        os.write(master, b"\x04")
        seen += read_until(master, b"Left.", 30)
        assert process.wait(30) == 0
        assert b"\x1b" not in seen
    finally:
        process.kill()
        process.wait()
        os.close(master)


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        (("Chào **bạn**.\n", "# Đề mục\n\n`mã`"), ["Chào bạn.", "Đề mục", "mã"]),
        (
            ("| Mã | Giá |\n|---|--:|\n| A | 1 |\n", "| B | 2 |\nhết"),
            ["Mã: A; Giá: 1.", "Mã: B; Giá: 2.", "hết"],
        ),
        (("```py\na = 1 * 2\n```\n*nghiêng* 2 * 3"), ["a = 1 * 2", "nghiêng 2 * 3"]),
        (("Xem [trang](https://a.vn/x).",), ["Xem trang, https://a.vn/x."]),
    ],
)
def test_markdown_is_heard_without_its_marks(pieces: tuple[str, ...], lines: list[str]) -> None:
    assert heard(*pieces) == lines


def test_a_long_paragraph_is_heard_sentence_by_sentence() -> None:
    lines = SpokenMarkdown()
    assert lines.feed("Câu thứ nhất khá dài. " * 8)
    assert lines.finish() in ([], ["Câu thứ nhất khá dài."])


@given(st.text(max_size=80), st.lists(st.integers(0, 80), max_size=5))
def test_pieces_do_not_matter(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    pieces = [text[a:b] for a, b in pairwise(places)]
    assert heard(*pieces) == heard(text)


def test_tables_and_charts_are_columns_and_values() -> None:
    table = Table(("Tên", "Giá"), (("Nồi", "1"), ("", "2")), "Bảng giá", (1,), total=5)
    assert list(spoken_lines(table, "vi")) == [
        "Bảng Bảng giá: 2 dòng, 2 cột.", "Dòng 1 trong 2.", "Tên: Nồi", "Giá: 1", "Dòng 2 trong 2.", "Giá: 2",
        "Còn 3 dòng không nằm trong bảng này.",
    ]  # fmt: skip
    chart = Chart("bar", ("T1", "T2"), (Series("bán", (1.5, float("nan"))),), "Doanh số", "triệu")
    assert list(spoken_lines(chart, "en")) == [
        "Chart Doanh số (triệu).",
        "T1: bán 1.5",
        "T2",
    ]


def test_progress_is_calm_and_the_answer_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    now = [100.0]
    printer = PlainPrinter(
        Invocation("app", {"TROLY_LANGUAGE": "vi", "HOME": os.environ["HOME"]}), lambda: now[0]
    )
    for percent in range(50):
        printer.show(Progress("đang đọc", float(percent)), "", "")
        now[0] += CALM / 10
    assert len(capsys.readouterr().out.splitlines()) == 5
    printer.show(Token("Xong\x1b[31m rồi."), "", "")
    printer.show(TurnCompleted("Xong rồi.", {}, "rules", 0, 1.0), "", "")
    assert capsys.readouterr().out.splitlines() == ["Em: Xong rồi.", "Hết câu trả lời. quy tắc."]
    printer.show(TurnFailed("Hỏng.", "vì", "sửa", "x", "", 0, 1.0), "", "")
    assert capsys.readouterr().out == "Chưa trả lời được. Hỏng. vì sửa\n"


def test_a_plan_is_told_once_and_then_what_went_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    printer = PlainPrinter(Invocation("app", {"TROLY_LANGUAGE": "en", "HOME": os.environ["HOME"]}))
    tasks = (Task(1, "hr", "rag_tool", "find the rule"), Task(2, "it", "rag_tool", "find the price."))
    steps: tuple[tuple[Status, Status], ...] = (
        ("waiting", "waiting"),
        ("running", "waiting"),
        ("done", "denied"),
        ("done", "denied"),
    )
    for first, second in steps:
        printer.show(Plan((replace(tasks[0], status=first), replace(tasks[1], status=second))), "", "")
    assert capsys.readouterr().out.splitlines() == [
        "2 tasks will be done.",
        "Task 1: find the rule.",
        "Task 2: find the price.",
        "Task 2 was not allowed: find the price.",
    ]
    printer.show(Suggestions(("Một?", "Hai?")), "", "")
    assert capsys.readouterr().out.splitlines() == ["Assistant: You can ask next:", "Một?", "Hai?"]
