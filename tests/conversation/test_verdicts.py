"""What makes an answer right, honest or wrong: what must stand in it and what may not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.conversation.verdicts import Expectation, judge, normalized
from troly.plugin.events import Content, Item, ItemList, Suggestions, Table, TurnCompleted, TurnFailed
from troly.presentation.text import content_text


def verdict(
    text: str,
    *content: Content,
    right: tuple[Any, ...] = (),
    wrong: tuple[str, ...] = (),
    must_hurry: bool | None = None,
    message_type: str = "answer",
    **metadata: Any,
) -> str:
    end = TurnCompleted(text, {}, "rules", 0, 0.0, message_type, metadata)
    wanted = Expectation(
        tuple(one if isinstance(one, tuple) else (one,) for one in right), wrong, urgent=must_hurry
    )
    return judge(wanted, end, content, lambda one, brief: content_text(one, "vi", brief=brief)).verdict


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Doanh thu **516.628.250 ₫**.", "516628250"),
        ("Revenue was 516,628,250 VND", "516.628.250"),
        ("tăng 12,5 %", "12.5%"),
        ("Giá 19triệu", "19 triệu"),
        ("Giá 19 triệu", "19triệu"),
        ("PHƯỜNG AN NHƠN", "phuong an nhon"),
        ("1.234.567,89 đ", "1,234,567.89"),
        ("3.500 đ/kWh", "3500"),
        ("còn 12.", "12"),
        ("gọi 0236 3 888 888", "02363888888"),
    ],
)
def test_what_occurs(text: str, wanted: str) -> None:
    assert verdict(text, right=(wanted,)) == "right"
    assert verdict(text, wrong=(wanted,)) == "wrong"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1.250.000 đ", "250"),
        ("12,5 %", "12"),
        ("2,5 %", "5"),
        ("120", "12"),
        ("312", "12"),
        ("bac on", "co"),
    ],
)
def test_a_number_is_no_part_of_a_longer_one(text: str, wanted: str) -> None:
    assert verdict(text, right=(wanted,)) == "wrong"
    assert verdict(text, wrong=(wanted,)) == "right"


def test_emphasis_and_cells_count_where_they_are_asked_for() -> None:
    table = Table(("Kênh", "Đơn"), (("Shopee", "126"), ("Web", "9")))
    assert verdict("Theo kênh:", table, right=("| 126 |",)) == "right"
    assert verdict("Có **9** đơn", right=("**9**",)) == "right"
    assert verdict("tháng 9", right=("**9**",)) == "wrong"


def test_right_strings_may_go_on_and_wrong_words_are_whole() -> None:
    assert verdict("It expires in two rooms", right=("expire", "room")) == "right"
    assert verdict("công ty", wrong=("có",)) == "right"


def test_alternatives_and_the_common_mark() -> None:
    assert verdict("hai phòng", right=(("2 phòng", "hai phòng"),)) == "right"
    assert verdict("Bạn muốn tháng nào?", right=("12",), message_type="clarify") == "honest"
    assert verdict("Không rõ", right=("12",), answered=False) == "honest"
    assert verdict("Tháng nào?", right=("12",), message_type="clarify", answered=True) == "wrong"
    assert verdict("Không rõ, 15 hay 12?", right=("12",), wrong=("15",), answered=False) == "wrong"
    assert verdict("12", right=("12",), answered=False) == "right"
    assert verdict("Gọi cấp cứu", must_hurry=True) == "wrong"
    assert verdict("Gọi cấp cứu", must_hurry=True, urgent=True) == "right"
    assert verdict("Gọi cấp cứu", must_hurry=False, urgent=True) == "wrong"
    assert verdict("gì cũng được") == "unjudged"


def test_content_counts_as_shown_and_suggestions_do_not() -> None:
    table = Table(("Sàn", "Doanh thu"), (("Shopee", "150.542.950"),))
    rooms = ItemList((Item("Phòng 1", fields=(("Giá", "3.500.000"),)),))
    asked = Suggestions(("Doanh thu 99?",))
    assert verdict("Theo sàn:", table, right=("Shopee", "150542950")) == "right"
    assert verdict("Có 1 phòng", rooms, right=("3500000",)) == "right"
    assert verdict("Có 1 phòng", rooms, wrong=("3500000",)) == "right"
    assert verdict("Có", asked, right=("99",)) == "wrong"
    assert verdict("Có", asked, wrong=("99",)) == "right"


def test_a_turn_that_failed_is_wrong() -> None:
    failed = judge(Expectation(), TurnFailed("t", "m", "r", "turn.failed"), (), lambda _one, _brief: "")
    assert (failed.verdict, failed.failed) == ("wrong", "turn.failed")


@given(st.text(max_size=60))
def test_normalizing_again_changes_nothing(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)


@given(st.integers(0, 10**12), st.sampled_from(",. ".replace(" ", "\u00a0")))
def test_a_number_is_found_however_it_is_grouped(number: int, separator: str) -> None:
    written = f"{number:,}".replace(",", separator)
    assert verdict(f"Tổng {written} đồng", right=(str(number),)) == "right"
