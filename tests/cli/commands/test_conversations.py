"""`app conversations`: listed, shown, exported in three formats, deleted with a way back; only one's own."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.support.process.command_line import CommandLine
from tests.support.stores.services import services_at
from troly.stores.records import NewMessage


@pytest.fixture
def spoken(app: CommandLine, third_party: Path) -> str:
    """The id of a conversation with one question."""
    events = app.run("ask", "--mode", "slow", "--json", "=SUM(A1) có gì?").events
    found: str = events[-1]["conversation"]
    return found


def test_list_shows_ids_and_titles(app: CommandLine, spoken: str) -> None:
    ran = app.run("conversations", "list", "--lang", "vi")
    assert ran.code == 0
    assert ran.out.splitlines()[0].split() == ["mã", "trợ", "lý", "lần", "cuối", "tiêu", "đề"]
    assert spoken in ran.out
    assert app.run("conversations", "list", "--json", "--mode", "rag").out == ""
    assert app.run("conversations", "list", "--json").events[0]["id"] == spoken
    nobody = app.run("conversations", "list", "--user", "binh")
    assert (nobody.code, nobody.out) == (0, "")
    assert nobody.err


def test_show_and_export(app: CommandLine, spoken: str, tmp_path: Path) -> None:
    assert "=SUM(A1) có gì?" in app.run("conversations", "show", spoken).out
    markdown = app.run("conversations", "export", spoken)
    assert markdown.out.startswith("# ")
    whole = json.loads(app.run("conversations", "export", spoken, "--format", "json").out)
    assert [m["text"] for m in whole["messages"] if m["sender"] == "user"] == ["=SUM(A1) có gì?"]
    assert whole["turns"][0]["trace"]["steps"]
    assert json.loads(app.run("conversations", "show", spoken, "--json").out)["id"] == spoken
    rows = list(csv.DictReader(io.StringIO(app.run("conversations", "export", spoken, "-f", "csv").out)))
    assert [row["text"] for row in rows if row["sender"] == "user"] == ["'=SUM(A1) có gì?"]
    file = tmp_path / "chat.csv"
    written = app.run("conversations", "export", spoken, "-f", "csv", "-o", str(file))
    assert (written.code, written.out) == (0, "")
    assert file.read_bytes().startswith(b"\xef\xbb\xbf")
    assert file.stat().st_mode & 0o077 == 0


def test_export_overwrites_only_with_force(app: CommandLine, spoken: str, tmp_path: Path) -> None:
    file = tmp_path / "chat.md"
    file.write_text("mine", encoding="utf-8")
    refused = app.run("conversations", "export", spoken, "-o", str(file))
    assert refused.code == 3
    assert file.read_text("utf-8") == "mine"
    assert app.run("conversations", "export", spoken, "-o", str(file), "--force").code == 0
    assert file.read_text("utf-8").startswith("# ")
    assert app.run("conversations", "export", spoken, "-o", str(tmp_path / "no" / "x.md")).code == 3


def test_delete_asks_and_can_be_undone(app: CommandLine, spoken: str) -> None:
    asked = app.run("conversations", "delete", spoken, stdin="y\n")
    assert (asked.code, asked.out) == (2, "")
    assert "--yes" in asked.err
    gone = app.run("conversations", "delete", spoken, "--yes")
    assert (gone.code, gone.out) == (0, "")
    assert f"app conversations restore {spoken}" in gone.err
    assert app.run("conversations", "show", spoken).code == 7
    assert app.run("conversations", "restore", spoken).code == 0
    assert app.run("conversations", "show", spoken).code == 0


@pytest.mark.parametrize("command", ["show", "export", "delete", "restore"])
def test_what_is_not_yours_does_not_exist(app: CommandLine, spoken: str, command: str) -> None:
    yes = ["--yes"] if command == "delete" else []
    for who, what in (("binh", spoken), ("an", "no-such-id")):
        ran = app.run("conversations", command, what, "--user", who, *yes)
        assert (ran.code, ran.out) == (7, "")
        assert len(ran.err.splitlines()) == 1


def test_an_answer_that_was_stopped_or_cut_off_is_marked(app: CommandLine, own_home: Path) -> None:
    owner = "tam"
    ids: dict[str, str] = {}
    with services_at(own_home) as services:
        store = services.conversations
        for status in ("stopped", "failed", "interrupted", "completed"):
            ids[status] = store.create(owner, "shopping").id
            turn = store.begin_turn(owner, ids[status], "giá bao nhiêu")
            messages = [NewMessage("assistant", "phần đầu", "answer")]
            store.finish_turn(owner, turn.id, status=status, messages=messages)
    who = ("--user", owner, "--lang", "en")
    for status, mark in (("stopped", "[stopped]"), ("failed", "[failed]"), ("interrupted", "[cut off]")):
        shown = app.run("conversations", "show", ids[status], *who).out
        assert shown.splitlines()[-2:] == ["phần đầu", mark]
        assert shown.count(mark) == 1
        assert f"*{mark}*" in app.run("conversations", "export", ids[status], *who).out
    whole = app.run("conversations", "show", ids["completed"], *who)
    assert (whole.code, whole.out.splitlines()[-1]) == (0, "phần đầu")
