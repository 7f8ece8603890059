"""What is printed: clean, aligned by cells, coloured only where it is wanted; events as text and as JSON lines."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.process.command_line import CommandLine
from troly.cli.invocation import Invocation
from troly.cli.output import cells, data, data_json, grid, may_colour, paint
from troly.cli.printed import content_text, hides
from troly.cli.printer import JsonPrinter, TextPrinter
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Event,
    Evidence,
    Item,
    ItemList,
    Notice,
    Series,
    Side,
    Sources,
    Suggestions,
    Token,
    TurnFailed,
)
from troly.text.sanitize import sanitize_json

WORDS = st.text(st.sampled_from("aảệđ口🙂 \x1b[31m\x07"), max_size=12)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=5))
def test_columns_line_up_in_terminal_cells(rows: list[tuple[str, str, str]]) -> None:
    lines = grid(("a", "b", "c"), rows, numeric=(1,)).split("\n")
    assert len(lines) == len(rows) + 2
    second = [len(column) for column in lines[1].split()]
    for line, (_, number, _) in zip(lines[2:], rows, strict=True):
        assert "\x1b" not in line
        assert cells(line) <= sum(second) + 4
        shown = grid(("b",), [(number,)]).split("\n")[2]
        assert cells(line.rpartition(shown)[0] + shown) >= second[0] if shown else True


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


def test_typed_content_reads_as_lines() -> None:
    chart = Chart("bar", ("Thg 1", "Thg 2"), (Series("bán", (1.0, 2.5)),), "Doanh số", "triệu")
    assert content_text(chart).splitlines() == [
        "Doanh số (triệu)",
        "       bán",
        "-----  ---",
        "Thg 1    1",
        "Thg 2  2.5",
    ]
    sources = Sources((Evidence(1, "Quy định", "…", "trang 3", 0.5), Evidence(2, "Sổ tay", "…")))
    assert content_text(sources) == "[1] Quy định - trang 3\n[2] Sổ tay"


def test_exact_values_are_written_as_the_answer_writes_numbers() -> None:
    chart = Chart("bar", ("Quận 1",), (Series("giá", (7_982_353.0,)),), language="vi")
    assert content_text(chart, "en").splitlines()[-1].endswith("7.982.353")


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


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (
            ItemList((Item("Phòng A", "2.300.000 VND", fields=(("Cọc", "1 tháng"),), path="/rooms/1"),), "Phòng trọ", "TENANT", 37),
            ["[TENANT] Phòng trọ", "1. Phòng A - 2.300.000 VND - /rooms/1", "   Cọc: 1 tháng", "(1/37)"],
        ),
        (
            Computation("sql", "SELECT 1", ("Lấy một",), (("Bảng", "Đơn"),), "/sql "),
            ["Bảng: Đơn", "SELECT 1", "1. Lấy một"],
        ),
        (Suggestions(("Còn tháng trước?",)), ["> Còn tháng trước?"]),
        (
            Conflict((Side("Nội quy", "3 lần", (("mới", 0.9),), (("ngày", "1/11"),), True), Side("Sổ tay", "5 lần")), "nội bộ trước"),
            ["* Nội quy - 3 lần", "  ngày 1/11, mới 0.90", "- Sổ tay - 5 lần", "nội bộ trước"],
        ),
    ],
    ids=["list", "computation", "suggestions", "conflict"],
)  # fmt: skip
def test_typed_content_as_lines(
    event: ItemList | Computation | Suggestions | Conflict, lines: list[str]
) -> None:
    assert content_text(event).splitlines() == lines


@pytest.mark.parametrize(
    ("event", "lines", "hidden"),
    [
        (ItemList((Item("Phòng A", "2.300.000 VND", fields=(("Cọc", "1 tháng"),)),)), ["1. Phòng A - 2.300.000 VND"], True),
        (ItemList((Item("Phòng A", "2.300.000 VND"),)), ["1. Phòng A - 2.300.000 VND"], False),
        (Computation("sql", "SELECT 1", ("Lấy một",), (("Bảng", "Đơn"), ("Số dòng", "3"))), ["Bảng: Đơn · Số dòng: 3"], True),
    ],
    ids=["list", "plain list", "computation"],
)  # fmt: skip
def test_the_brief_text_leaves_out_what_opens_on_the_screen(
    event: ItemList | Computation, lines: list[str], hidden: bool
) -> None:
    assert content_text(event, brief=True).splitlines() == lines
    assert hides(event) == hidden
