"""A data directory that the first edition wrote opens: conversations, lists, settings, marks and facts, and each conversation goes on.

`first_edition.tar.xz` is such a directory: settings, a warranty list, products, a sheet with a metric, rental data, company
documents, a hand-over, a marked answer, and 16 turns over the five assistants.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.support.process.command_line import CommandLine

ARCHIVE = Path(__file__).with_name("first_edition.tar.xz")
NOW = "2026-11-22T10:00:00+07:00"
# The first question of a conversation, its assistant, what goes on from it, and what the answer must hold.
CONTINUED = {
    "kiểm tra bảo hành ABC123, XYZ789": ("shopping", "con thứ hai giá bao nhiêu?", "Laptop"),
    "speak English please": ("shopping", "is ABC123 still covered?", "ABC123"),
    "Tổng doanh thu tháng này là bao nhiêu?": ("analysis", "chỉ Shopee thôi", "1.650.000"),
    "phòng dưới 5 triệu": ("rental", "phòng dưới 5 triệu", "24"),
    "em dị ứng penicillin": ("dental", "răng khôn mọc lệch có nên nhổ không", "khôn"),
    "nghỉ phép năm được mấy ngày và ai duyệt": ("rag", "xin chào", ""),
}


@pytest.fixture
def app(own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line of the person whose data it is."""
    with tarfile.open(ARCHIVE) as archive:
        # "tar" keeps the modes of folders; Python before 3.11.4 knows no other.
        if hasattr(tarfile, "tar_filter"):
            archive.extractall(own_home, filter="tar")
        else:
            archive.extractall(own_home)
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "an")
    return CommandLine(monkeypatch, capsys)


def conversations(app: CommandLine) -> dict[str, str]:
    """Ids of the conversations by title."""
    return {line["title"]: line["id"] for line in app.run("conversations", "list", "--json").events}


def test_every_conversation_is_listed_shown_and_exported(app: CommandLine) -> None:
    found = conversations(app)
    assert len(found) == 9
    questions = 0
    for title, conversation in found.items():
        whole = json.loads(app.run("conversations", "export", conversation, "--format", "json").out)
        asked = [message["text"] for message in whole["messages"] if message["sender"] == "user"]
        assert asked[0] == title
        assert all(turn["status"] == "completed" and turn["trace"]["steps"] for turn in whole["turns"])
        shown = app.run("conversations", "show", conversation).out
        assert all(question in shown for question in asked)
        questions += len(asked)
    assert questions == 16


@pytest.mark.parametrize("title", CONTINUED)
def test_each_conversation_goes_on(app: CommandLine, title: str) -> None:
    mode, question, held = CONTINUED[title]
    conversation = conversations(app)[title]
    ran = app.run("ask", "--offline", "--now", NOW, "--conversation", conversation, "--mode", mode, question)
    assert ran.code == 0, ran.err
    assert held in ran.out


def test_lists_sheets_and_marks_are_there(app: CommandLine) -> None:
    warranty = app.run("ask", "--offline", "--mode", "shopping", "kiểm tra bảo hành XYZ789")
    assert "Mouse Logitech" in warranty.out
    assert "2 sản phẩm" in app.run("ask", "--offline", "--mode", "shopping", "laptop dưới 16 triệu").out
    assert "Đơn hàng" in app.run("sheets", "list").out
    metric = app.run("ask", "--offline", "--mode", "analysis", "--now", NOW, "doanh thu thuần tháng này")
    assert "1.200.000" in metric.out
    assert "cho tôi gặp nhân viên" in app.run("handoffs").out
    assert "Sai số liệu" in app.run("wrong", "list", "--lang", "vi").out
    assert len(app.run("memory", "list", "--json").events) == 2
    assert "răng khôn" in app.run("dental", "facts").out


def test_settings_of_that_time_are_read(app: CommandLine) -> None:
    assert app.run("config", "check").code == 0
    shown = {line["key"]: line["value"] for line in app.run("config", "show", "--json").events}
    wanted = {
        "intent.confidence_threshold": 0.55,
        "greeting.cute": "always",
        "dental.search": "off",
        "dental.keep_recent_messages": 4,
        "theme": "light",
    }
    assert {name: shown[name] for name in wanted} == wanted
