"""Rows of the last list that a message points at, and changes measured against them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.modes.rental.question.cases import NOW, ask, told
from troly_rental.question.follow_ups import row_number
from troly_rental.question.parser import parse_question
from troly_rental.question.types import ParsedQuestion, ShownRows
from troly_rental.sql.builder import build_query
from troly_rental.sql.conditions import read_filters

FIRST = "phòng trọ dưới 3tr5 ở gò vấp có máy lạnh"
SHOWN = ShownRows(
    "room", (11, 12, 13), ("A", "B", "C"), {"price": (2e6, 3e6, 3.2e6), "area": (20.0, 30.0, 18.5)}, total=40
)


def after(message: str, shown: ShownRows | None = SHOWN, first: str = FIRST) -> ParsedQuestion:
    return parse_question(message, "vi", NOW, ask(first), shown=shown)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("cái thứ hai", 2),
        ("cai thu hai", 2),
        ("căn đầu tiên bao nhiêu tiền", 1),
        ("chi tiết phòng số 3", 3),
        ("căn cuối cùng có máy lạnh không", 3),
        ("the second one", 2),
        ("how much is the 3rd room", 3),
        ("option 2", 2),
        ("#1", 1),
        ("số 2", 2),
        ("phòng 302", None),
        ("3 phòng đầu tiên", None),
        ("hai phòng", None),
        ("phòng cho 2 người", None),
        ("thứ hai tuần sau", None),
        ("quận 3", None),
    ],
)
def test_which_row_is_meant(text: str, number: int | None) -> None:
    assert row_number(text, 3) == number


def test_the_row_is_asked_for_alone() -> None:
    parsed = after("cái thứ hai")
    assert (parsed.picked, told(parsed), parsed.ready) == (2, {"id=12"}, True)
    assert set(read_filters(build_query(parsed))) == set(parsed.filters)
    assert ParsedQuestion.from_dict(parsed.to_dict()) == parsed


def test_a_number_that_the_list_lacks_is_asked_about() -> None:
    parsed = after("phòng số 9")
    assert [one.key for one in parsed.missing] == ["missing.number"]
    assert after("phòng số 9", None).picked == 0


@pytest.mark.parametrize(
    ("message", "limit", "order"),
    [
        ("rẻ hơn nữa", "price<2000000", ("price", False)),
        ("cheaper ones", "price<2000000", ("price", False)),
        ("rộng hơn nữa", "area>30", ("area", False)),
    ],
)
def test_a_change_goes_beyond_what_was_shown(message: str, limit: str, order: tuple[str, bool]) -> None:
    parsed = after(message)
    assert limit in told(parsed)
    assert (parsed.order[0].field, parsed.order[0].descending) == order
    assert sum(one.startswith(limit[:5]) for one in told(parsed)) == 1


def test_a_list_that_held_everything_has_nothing_cheaper() -> None:
    parsed = after("rẻ hơn nữa", replace(SHOWN, total=3))
    assert told(parsed) == told(ask(FIRST))
    assert [one.key for one in parsed.remarks] == ["said.already_cheaper"]


def test_an_amount_counts_more_than_what_was_shown() -> None:
    assert "price<2500000" in told(after("rẻ hơn 2 triệu rưỡi"))


def test_shown_rows_survive_the_way_to_json_and_back() -> None:
    assert ShownRows.from_dict(SHOWN.to_dict()) == SHOWN
    assert ShownRows.of([], "room", 0) is None
    assert ShownRows.of([{"count": 3}], "room", 1) is None
