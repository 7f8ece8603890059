"""Rows of the last list that a message points at, and changes measured against them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.modes.rental.question.cases import NOW, ask, shown, told
from troly.plugin.focus import Focus, FocusRow
from troly_rental.question.parser import parse_question
from troly_rental.question.types import ParsedQuestion

FIRST = "phòng trọ dưới 3tr5 ở gò vấp có máy lạnh"
ROWS = (
    FocusRow("11", "A", {"price": 2e6, "area": 20.0}),
    FocusRow("12", "B", {"price": 3e6, "area": 30.0}),
    FocusRow("13", "C", {"price": 3.2e6, "area": 18.5}),
)


def after(message: str, *, total: int = 40, rows: tuple[FocusRow, ...] = ROWS) -> ParsedQuestion:
    before = shown(ask(FIRST), rows)
    focus = replace(before, query={**before.query, "total": total})
    return parse_question(message, "vi", NOW, focus)


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("cái thứ hai", 2),
        ("căn đầu tiên bao nhiêu tiền", 1),
        ("căn cuối cùng có máy lạnh không", 3),
        ("how much is the 3rd room", 3),
        ("phòng cho 2 người", 0),
        ("quận 3", 0),
    ],
)
def test_which_row_is_meant(message: str, number: int) -> None:
    assert after(message).picked == number


@pytest.mark.parametrize(
    "message", ["vậy con còn lại thì sao", "con con lai thi sao", "and the other ones?", "the rest"]
)
def test_the_rest_is_what_was_not_spoken_of(message: str) -> None:
    before = shown(ask(FIRST), ROWS)
    focus = replace(before, query={**before.query, "picked_id": "12", "details": ["deposit"]})
    two = replace(focus, rows=ROWS[:2])
    assert told(parse_question(message, "vi", NOW, focus)) == {"idin11,13"}
    one = parse_question(message, "vi", NOW, two)
    assert (told(one), one.details, one.picked) == ({"id=11"}, ("deposit",), 1)
    assert [one.key for one in after(message).missing] == ["missing.which"]


def test_the_row_is_asked_for_alone() -> None:
    parsed = after("cái thứ hai")
    assert (told(parsed), parsed.certain) == ({"id=12"}, True)
    assert ParsedQuestion.from_dict(parsed.to_dict()).filters == parsed.filters


def test_a_number_that_the_list_lacks_is_asked_about() -> None:
    assert [one.key for one in after("phòng số 9").missing] == ["missing.number"]
    assert after("phòng số 9", rows=()).picked == 0


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
    parsed = after("rẻ hơn nữa", total=3)
    assert told(parsed) == told(ask(FIRST))
    assert [one.key for one in parsed.remarks] == ["said.already_cheaper"]


def test_an_amount_counts_more_than_what_was_shown() -> None:
    assert "price<2500000" in told(after("rẻ hơn 2 triệu rưỡi"))


def test_what_a_model_found_is_no_query_that_rules_change() -> None:
    focus = Focus("room", "q", ROWS, {"sql": "SELECT 1", "total": 3})
    assert not parse_question("chỉ quận 3 thôi", "vi", NOW, focus).certain


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("phòng 3tr2 đó ở phường nào", "id=13"),
        ("còn căn 2 triệu thì sao", "id=11"),
        ("the 3 million one, how much is the deposit?", "id=12"),
        ("cái 18,5m2 kia có ban công không", "id=13"),
    ],
)
def test_a_row_is_named_by_its_rent_or_size(message: str, ids: str) -> None:
    assert told(after(message)) == {ids}


@pytest.mark.parametrize("message", ["3 triệu thôi", "có phòng 2 triệu rưỡi không"])
def test_an_amount_that_no_row_has_is_a_condition(message: str) -> None:
    assert any(one.startswith("price") for one in told(after(message)))


@pytest.mark.parametrize(
    "message", ["so sánh cái 1 với cái 3", "compare the first and the third", "so sanh so 1 va so 3", "căn đầu với căn cuối khác gì nhau"]
)  # fmt: skip
def test_two_rows_stand_side_by_side(message: str) -> None:
    parsed = after(message)
    assert (told(parsed), parsed.mode, parsed.certain) == ({"idin11,13"}, "TABLE", True)


@pytest.mark.parametrize(
    ("message", "order"),
    [("hai phòng đó phòng nào rộng hơn", "area"), ("which of the two is cheaper?", "price")],
)
def test_rows_pointed_at_are_compared(message: str, order: str) -> None:
    parsed = after(message)
    assert (told(parsed), parsed.order[0].field) == ({"idin11,12"}, order)


@pytest.mark.parametrize(
    ("message", "wanted"),
    [("it should have a balcony", True), ("nó phải có ban công nhé", True), ("nó có ban công không", False)],
)
def test_what_is_needed_narrows_and_what_is_asked_does_not(message: str, wanted: bool) -> None:
    parsed = after(message, rows=ROWS[:1], total=1)
    assert ("amenity=balcony" in told(parsed), bool(parsed.asked)) == (wanted, not wanted)


@pytest.mark.parametrize(
    ("message", "skip", "field"),
    [
        ("căn rẻ thứ nhì", 1, "price"), ("phòng đắt thứ ba thì sao", 2, "price"), ("the second largest one", 1, "area"),
        ("can re thu 2", 1, "price"), ("phòng nào rộng thứ nhì", 1, "area"),
    ],
)  # fmt: skip
def test_a_place_in_an_order_is_one_row(message: str, skip: int, field: str) -> None:
    parsed = after(message)
    assert (parsed.skip, parsed.limit, parsed.order[0].field) == (skip, 1, field)
    assert parsed.certain


def test_what_a_question_about_a_row_leaves_unread_is_named() -> None:
    parsed = after("căn thứ hai cách metro bao xa")
    assert parsed.unread
    assert any(one.key == "said.unread_of_one" for one in parsed.remarks)


def test_chung_cu_is_no_pronoun() -> None:
    assert not after("phong tro hay chung cu vay").picked


@pytest.mark.parametrize(
    ("message", "order"),
    [("cái rẻ hơn cọc bao nhiêu", ("price", False)), ("cái mắc hơn cọc bao nhiêu", ("price", True)),
     ("what's the deposit of the bigger one", ("area", True))],
)  # fmt: skip
def test_one_of_two_is_the_end_of_the_list(message: str, order: tuple[str, bool]) -> None:
    parsed = after(message, total=2, rows=ROWS[:2])
    assert [(one.field, one.descending) for one in parsed.order] == [order]
    assert (parsed.details, parsed.limit) == (("deposit",), 1)


@pytest.mark.parametrize(
    "message",
    [
        "căn đó rộng bao nhiêu mét vuông, cọc mấy triệu",
        "phong do coc bao nhieu",
        "what's the rent of that one?",
        "cái rẻ hơn thì cọc bao nhiêu",
        "giá điện của nhà ấy bao nhiêu",
    ],
)
def test_a_row_that_nobody_can_tell_is_asked_back(message: str) -> None:
    parsed = after(message)
    assert not parsed.ready
    assert "missing.which" in {one.key for one in parsed.missing}


@pytest.mark.parametrize(
    ("message", "figure"),
    [
        ("giá phòng ở quận 3 bao nhiêu", True),  # names its own group
        ("trong số đó giá trung bình bao nhiêu", True),
        ("phong day du noi that gia trung binh bao nhieu", True),  # "đầy đủ" points at nothing
        ("how much is it to rent in District 3", True),
        ("phòng đó giá trung bình bao nhiêu", False),
    ],
)
def test_figures_are_of_a_group_that_is_named(message: str, figure: bool) -> None:
    assert bool(after(message).ready and after(message).measures) == figure


@pytest.mark.parametrize(
    "message",
    ["phòng mắc hơn trong hai phòng thì cọc nhiêu, điện với nước tính sao", "phong mac hon coc nhieu, dien nuoc tinh sao"],
)  # fmt: skip
def test_one_of_two_is_asked_for_several_things(message: str) -> None:
    parsed = after(message, total=2, rows=ROWS[:2])
    assert (parsed.order[0].field, parsed.order[0].descending, parsed.limit) == ("price", True, 1)
    assert set(parsed.details) == {"deposit", "electricity_price", "water_price"}


@pytest.mark.parametrize(
    ("message", "ids"),
    [("giá hai phòng đó bao nhiêu, phòng nào rộng hơn", {"idin11,13"}), ("can mac hon thi coc may trieu", {"id=13"}),
     ("căn thứ hai cọc bao nhiêu", {"id=12"}), ("cái nào rộng hơn", {"idin11,13"}), ("which one is cheaper", {"idin11,13"})],
)  # fmt: skip
def test_rows_spoken_of_last_are_the_ones_meant(message: str, ids: set[str]) -> None:
    before = shown(ask(FIRST), ROWS)
    focus = replace(before, query={**before.query, "total": 40, "picked_ids": ["11", "13"]})
    assert told(parse_question(message, "vi", NOW, focus)) == ids


def test_the_most_viewed_of_those_is_no_average() -> None:
    parsed = ask(
        "Tôi còn bao nhiêu phòng đang trống?",
        "trong mấy phòng đó tin nào được xem nhiều nhất, giá phòng bao nhiêu",
    )
    assert [one.key for one in parsed.missing] == ["missing.which"]
