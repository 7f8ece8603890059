"""Typed content as lines of text, and tables that line up in terminal cells."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Evidence,
    Item,
    ItemList,
    Series,
    Side,
    Sources,
    Suggestions,
)
from troly.presentation.markdown import escape
from troly.presentation.text import cells, content_text, grid, hides

WORDS = st.text(st.sampled_from("aảệđ口🙂 \x1b[31m\x07"), max_size=12)


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


@given(
    st.lists(
        st.sampled_from(["[", "]", "(", ")", "!", ":", "\\", "a", " ", "http://x.vn", "*", "`", "<b>"])
    ).map("".join)
)
def test_escaped_text_is_no_link_and_begins_no_formula(text: str) -> None:
    """In a page that knows TeX, `\\[` would begin a formula; a source's number stands in brackets."""
    written = escape(text)
    shown = MarkdownIt().render(written)
    assert not re.search(r"<(a|img|em|strong|code|b)\b", shown)
    assert not re.search(r"(?<!\\)(\\\\)*\\\[", written)
