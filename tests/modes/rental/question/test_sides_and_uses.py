"""Kinds that are counted together, what is used of electricity and water, people, and contracts that end first."""

from __future__ import annotations

import pytest

from tests.modes.rental.question.cases import ask
from troly_rental.question.types import Measure, Order, ParsedQuestion

_KINDS = {"căn hộ mini": "mini_apartment", "chung cư": "apartment", "nhà nguyên căn": "house"}


def _filters(parsed: ParsedQuestion) -> set[str]:
    return {f"{one.field}{one.op}{one.value}" for one in parsed.filters}


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("joint", [", bao nhiêu", " và bao nhiêu", ", và mấy"])
@pytest.mark.parametrize("condition", ["đang trống", "có ban công", "dưới 5 triệu"])
def test_a_condition_at_the_end_of_counted_kinds_is_of_them_all(
    kind: str, joint: str, condition: str
) -> None:
    parsed = ask(f"Quận 7 có bao nhiêu phòng trọ{joint} {kind} {condition}?")
    assert parsed.certain
    assert (parsed.measures, parsed.group) == ((Measure("count"),), ("type",))
    assert {value for one in parsed.filters if one.field == "type" for value in one.values} == {
        "room",
        _KINDS[kind],
    }
    assert {one.field for one in parsed.filters} - {"type", "district"}


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize(
    ("first", "second"), [("có máy lạnh", "có ban công"), ("dưới 3 triệu", "có gác"), ("có gác", "")]
)
def test_kinds_with_conditions_of_their_own_are_not_answered_as_one(
    kind: str, first: str, second: str
) -> None:
    parsed = ask(f"Quận 7 có bao nhiêu phòng trọ {first}, bao nhiêu {kind} {second}?")
    assert not parsed.ready or any(one.key == "said.apart" for one in parsed.remarks)


@pytest.mark.parametrize("first", ["quận 3", "gò vấp"])
def test_a_place_keeps_its_own_condition(first: str) -> None:
    assert not ask(f"{first} có mấy phòng và quận 7 có mấy phòng có máy lạnh").ready


def test_a_figure_behind_sides_has_a_condition_of_its_own() -> None:
    parsed = ask("Giá trung bình phòng trọ và căn hộ mini ở Gò Vấp, và có mấy phòng có máy lạnh")
    assert "amenity=air_conditioner" not in _filters(parsed)


@pytest.mark.parametrize("noun", ["rooms", "room"])
@pytest.mark.parametrize("other", ["mini apartments", "studios", "apartments", "houses"])
@pytest.mark.parametrize("joint", [" and ", " and how many ", ", "])
def test_rooms_beside_another_kind_are_a_kind(noun: str, other: str, joint: str) -> None:
    parsed = ask(f"how many {noun}{joint}{other} are there in Dong Da")
    assert (parsed.group, len(parsed.measures)) == (("type",), 1)
    assert "type" not in {one.field for one in ask(f"how many {noun} in Dong Da").filters}


@pytest.mark.parametrize("amount", [2, 60, 100, 350])
@pytest.mark.parametrize("unit", ["số điện", "ký điện", "kwh", "khối nước", "khối"])
def test_what_is_used_is_no_price_and_is_not_dropped(amount: int, unit: str) -> None:
    parsed = ask(f"phòng trọ Nhà Bè mỗi tháng xài {amount} {unit} thì hết bao nhiêu")
    assert not {"electricity_price", "water_price"} & {one.field for one in parsed.filters}
    assert not parsed.ready


@pytest.mark.parametrize("price", ["3.500/số", "3500/kwh", "4k một số", "3500 một số"])
def test_the_price_of_a_unit_stays_a_condition(price: str) -> None:
    assert "electricity_price" in {one.field for one in ask(f"phòng Gò Vấp giá điện dưới {price}").filters}


@pytest.mark.parametrize("who", ["người", "khách", "sinh viên", "gia đình"])
@pytest.mark.parametrize("does", ["đã xem", "đang ở", "thích"])
def test_people_are_not_counted_as_rooms(who: str, does: str) -> None:
    parsed = ask(f"có bao nhiêu {who} {does} phòng ở quận 5", role="GUEST")
    assert not (parsed.ready and parsed.measures and parsed.entity in {"room", "post"})
    assert ask("phòng cho 3 người ở quận 5").ready


@pytest.mark.parametrize("first", ["sớm nhất", "trước tiên", "đầu tiên"])
def test_the_contract_that_ends_first_still_runs(first: str) -> None:
    parsed = ask(f"hợp đồng nào của tôi hết hạn {first}", role="LANDLORD")
    assert (_filters(parsed), parsed.order) == ({"end_date>=2026-11-22"}, (Order("end_date"),))
    assert ask("hợp đồng nào đã hết hạn", role="LANDLORD").filters != parsed.filters


@pytest.mark.parametrize("last", ["muộn nhất", "trễ nhất", "cuối cùng"])
def test_the_contract_that_ends_last_stands_first(last: str) -> None:
    parsed = ask(f"hợp đồng nào của tôi hết hạn {last}", role="LANDLORD")
    assert (parsed.certain, parsed.order) == (True, (Order("end_date", True),))


@pytest.mark.parametrize("whom", ["với ai", "là khách nào", "khách tên gì", "là ai"])
def test_who_comes_to_an_appointment_is_said_not_to_be_shown(whom: str) -> None:
    parsed = ask(f"lịch hẹn xem phòng ngày 25/11 {whom}", role="LANDLORD")
    assert "refused.contact" in {one.key for one in parsed.remarks}
    other = ask("lịch hẹn xem phòng ngày 25/11 mấy giờ", role="LANDLORD")
    assert not other.remarks


@pytest.mark.parametrize("place", ["Bình Thạnh", "quận 3", "Cầu Giấy"])
def test_the_cheapest_spot_of_a_district_is_a_room_and_of_a_city_a_district(place: str) -> None:
    assert ask(f"{place} chỗ nào rẻ nhất").order == (Order("price"),)
    assert ask("Hà Nội chỗ nào rẻ nhất").group == ("district",)


@pytest.mark.parametrize("noun", ["room", "apartment", "house"])
def test_a_rented_room_of_nobody_is_one_to_let(noun: str) -> None:
    parsed = ask(f"average rent of a rented {noun} in District 3", role="GUEST")
    assert parsed.ready
    assert not parsed.own
    assert not ask(f"how many rented {noun}s are there in District 3", role="GUEST").ready


@pytest.mark.parametrize("state", ["", "vacant ", "empty "])
def test_which_of_ones_own_rooms_is_an_end_with_its_rent(state: str) -> None:
    parsed = ask(f"which of my {state}rooms is the cheapest, and how much?", role="LANDLORD")
    assert (parsed.certain, parsed.own, parsed.order) == (True, True, (Order("price"),))


@pytest.mark.parametrize("pronoun", ["how much is it", "how big is it"])
def test_it_is_the_own_thing_named_before(pronoun: str) -> None:
    assert ask(f"my cheapest empty room, {pronoun}?", role="LANDLORD").ready
    assert not ask(
        "how many of my rooms are empty and how many of them are in District 3", role="LANDLORD"
    ).ready


@pytest.mark.parametrize("thing", ["căn", "phòng trọ", "nhà nguyên căn"])
def test_both_ends_that_are_asked_for_are_told(thing: str) -> None:
    both = ask(f"{thing} rẻ nhất và {thing} đắt nhất ở quận 7 giá bao nhiêu", role="GUEST")
    assert not both.ready or [one.kind for one in both.measures] == ["min", "max"]
    assert [one.kind for one in ask(f"{thing} rẻ nhất quận 7 giá bao nhiêu", role="GUEST").measures] in (
        ["min"],
        [],
    )


@pytest.mark.parametrize("rates", [("giá điện", "giá nước"), ("tiền cọc", "giá điện")])
def test_an_average_of_several_rates_is_of_each(rates: tuple[str, str]) -> None:
    for text in (f"{rates[0]} và {rates[1]} trung bình ở quận 7 bao nhiêu",):
        parsed = ask(text, role="GUEST")
        assert ([one.kind for one in parsed.measures], parsed.certain) == (["avg", "avg"], True)


def test_a_last_contract_is_no_first_one() -> None:
    assert not ask("hợp đồng cuối cùng của tôi").certain
