"""What is printed: clean, aligned by cells, coloured only where it is wanted; events as text and as JSON lines."""

from __future__ import annotations

import io
import json

import pytest

from tests.support.process.command_line import CommandLine
from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json, may_colour, paint
from troly.cli.turns import JsonPrinter, TextPrinter
from troly.plugin.events import (
    Computation,
    Event,
    Notice,
    Suggestions,
    Token,
    TurnFailed,
)
from troly.text.sanitize import sanitize_json


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_data_is_stripped_of_control_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    data("\x1b]52;c;aGk=\x07đỏ\x1b[31m")
    data_json({"a\x1b[1m": ["\u202ex", {"k": "\x9b1mz"}]})
    text, line = capsys.readouterr().out.splitlines()
    assert text == "đỏ"
    assert json.loads(line) == {"a": ["x", {"k": "z"}]}
    assert sanitize_json(("\x07a", 3, None)) == ["a", 3, None]


def test_every_number_is_written_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    data_json({"id": float("inf"), "values": [float("nan"), 1.5]})
    assert capsys.readouterr().out == '{"id": null, "values": [null, 1.5]}\n'


def test_colours_only_on_a_terminal_that_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert paint("x", "bad", Terminal()) != "x"
    assert paint("x", "bad", io.StringIO()) == "x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("x", "bad", Terminal()) == "x"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not may_colour(Terminal())


@pytest.mark.parametrize(
    "remark",
    [
        Computation("json", "{}", facts=(("Công cụ", "đếm"),)),
        Suggestions(("Còn gì nữa?",)),
        Notice("info", "Lưu ý", "từ hôm qua"),
    ],
    ids=lambda remark: type(remark).__name__,
)
def test_a_remark_begins_a_line_of_its_own(capsys: pytest.CaptureFixture[str], remark: Event) -> None:
    printer = TextPrinter(Invocation("app", {}))
    printer.show(Token("Có 3 phòng."), "", "")
    printer.show(remark, "", "")
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("Có 3 phòng.\n", 1)


def test_a_json_line_begins_with_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    JsonPrinter("rag", "q1", 7).show(TurnFailed("t", "m", "r", "c"), "conv", "turn")
    JsonPrinter("rag").show(TurnFailed("t", "m", "r", "c"), "", "")
    tagged, bare = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert list(tagged)[:6] == ["event", "id", "mode", "conversation", "turn", "line"]
    assert (tagged["event"], tagged["id"], tagged["line"]) == ("TurnFailed", "q1", 7)
    assert "id" not in bare
    assert "line" not in bare


def test_a_hostile_file_name_in_an_error_is_text(app: CommandLine) -> None:
    ran = app.run("ingest", "warranty", "nope[/b]\x1b[31mred\x1b]0;t\x07\u202e.csv")
    assert (ran.code, ran.out) == (3, "")
    assert "nope[/b]red.csv" in ran.err
    assert not set("\x1b\x07\u202e") & set(ran.err)
