"""Counts by group, of several states, and what a superlative without a noun of its own may be measured over."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.modes.rental.question.cases import NOW, ask, told
from troly_rental.question.parser import parse_question

_STATES = {"rented": ("đã cho thuê", "rented"), "hidden": ("đang ẩn", "hidden"),
           "maintenance": ("đang sửa", "under repair"), "available": ("còn trống", "still free")}  # fmt: skip


@pytest.mark.parametrize("lead", ["", "Thống kê ", "Lập bảng ", "Báo cáo ", "Vẽ biểu đồ "])
@pytest.mark.parametrize("group", ["", " theo từng phường", " theo phường"])
def test_a_count_by_group_is_of_the_kind_that_a_plain_count_is_of(lead: str, group: str) -> None:
    plain = ask("có bao nhiêu phòng trọ còn trống ở Cầu Giấy")
    grouped = ask(f"{lead}số phòng trọ còn trống{group} ở Cầu Giấy")
    assert told(grouped) == told(plain) == {"district=Cầu Giấy", "status=available", "type=room"}
    assert "type=room" not in told(ask(f"{lead}số phòng còn trống{group} ở Cầu Giấy"))


@pytest.mark.parametrize("states", [*permutations(_STATES, 2), *permutations(_STATES, 3)])
def test_states_that_are_counted_together_are_told_apart(states: tuple[str, ...]) -> None:
    vietnamese, english = ([_STATES[one][at] for one in states] for at in (0, 1))
    for text in (
        f"tôi có bao nhiêu phòng {', '.join(vietnamese[:-1])} và {vietnamese[-1]}?",
        f"How many of my rooms are {', '.join(english[:-1])} and {english[-1]}?",
    ):
        parsed = ask(text)
        assert [(one.kind, one.field) for one in parsed.measures] == [("count_where", one) for one in states]
        assert (parsed.certain, parsed.own, parsed.filters) == (True, True, ()), text
        changed = ask("tôi có bao nhiêu phòng còn trống", text)
        assert (changed.measures, changed.filters) == (parsed.measures, ())


def test_states_of_one_thing_or_of_either_are_one_count() -> None:
    assert told(ask("bao nhiêu hóa đơn quá hạn chưa đóng")) == {"status=overdue"}
    either = ask("tôi có bao nhiêu phòng đã cho thuê hoặc đang sửa")
    assert told(either) == {"statusinmaintenance,rented"}
    assert not either.certain


def test_hidden_states_of_others_are_not_counted() -> None:
    for text in ("bao nhiêu phòng đã cho thuê và đang ẩn", "bao nhiêu phòng còn trống và đang sửa ở quận 1"):
        assert [one.key for one in ask(text, role="GUEST").missing] == ["missing.login"]


@pytest.mark.parametrize("most", ["rẻ nhất", "đắt nhất"])
@pytest.mark.parametrize("thing", ["căn", "Căn", "can", "chỗ"])
def test_the_most_of_a_bare_counter_is_one_of_those_spoken_of(most: str, thing: str) -> None:
    text = f"{thing} {most} bao nhiêu tiền một tháng?"
    after = ask("Ở Thanh Xuân có bao nhiêu căn chung cư?", text)
    assert told(after) == {"district=Thanh Xuân", "type=apartment"}
    # What was said before was not answered: of what, is not known.
    alone = parse_question(text, "vi", NOW, role="GUEST", goes_on=True)
    assert not alone.ready
    named = parse_question(f"{thing} {most} ở quận 7 giá bao nhiêu", "vi", NOW, role="GUEST", goes_on=True)
    assert named.ready


@pytest.mark.parametrize(
    "text",
    [
        *(f"tôi {has} {total}{many} phòng" for has in ("có", "đang có", "hiện có") for total in ("", "tất cả ", "tổng cộng ") for many in ("bao nhiêu", "mấy")),
        "how many rooms do I have",
        "how many buildings do I have?",
    ],
)  # fmt: skip
def test_what_a_guest_has_is_not_the_market(text: str) -> None:
    assert [one.key for one in ask(text, role="GUEST").missing] == ["missing.login"]


@pytest.mark.parametrize("things", ["phòng", "căn", "hợp đồng", "hóa đơn"])
@pytest.mark.parametrize("whole", ["tổng cộng ", "tất cả ", "tất cả là ", "tổng cộng có ", "tổng ", ""])
def test_all_in_all_before_how_many_sums_nothing(whole: str, things: str) -> None:
    many, money = ask(f"tôi có {whole}bao nhiêu {things}"), ask(f"hóa đơn tháng 11 {whole}bao nhiêu tiền")
    assert {one.kind for one in many.measures} <= {"count"}  # a list of bills tells number and sum
    assert many.measures or many.entity == "invoice"
    assert {one.kind for one in money.measures} <= {"sum"}


@pytest.mark.parametrize("lead", ["", "vậy ", "thế "])
@pytest.mark.parametrize(
    ("limit", "condition"),
    [
        ("dưới 3 triệu", "price<3000000"),
        ("trên 10 triệu", "price>10000000"),
        ("tối đa 4tr", "price<=4000000"),
    ],
)
def test_how_many_within_a_limit_are_one_number_after_bands(lead: str, limit: str, condition: str) -> None:
    bands = "phân bố giá phòng trọ quận 12"
    counted = ask(bands, f"{lead}có bao nhiêu phòng {limit}")
    assert (counted.group, [one.kind for one in counted.measures]) == ((), ["count"])
    assert told(counted) == {"district=Quận 12", "type=room", condition}
    assert ask(bands, f"{limit} thôi").group == ("price_band",)
    assert ask("số phòng trọ theo quận ở hà nội", f"có bao nhiêu phòng {limit}").group == ("district",)
