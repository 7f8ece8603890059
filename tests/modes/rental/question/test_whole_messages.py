"""Whole questions forget the query before them, changes keep it: pairs of messages."""

from __future__ import annotations

import pytest

from tests.modes.rental.question.cases import NOW, ask, told
from troly.plugin.focus import FocusRow

FIRST = "phòng trọ dưới 3tr5 ở gò vấp có máy lạnh"
KEPT = {"price<3500000", "amenity=air_conditioner"}
FIGURES = "giá trung bình theo quận ở hà nội"


@pytest.mark.parametrize(
    "message",
    [
        "biểu đồ giá trung bình theo quận ở sài gòn",
        "bieu do gia trung binh theo quan o sai gon",
        "giá thuê trung bình theo quận",
        "average rent by district in Hanoi",
        "so sánh giá quận 1 và quận 3",
        "quận 1 hay quận 3 rẻ hơn",
        "quận nào rẻ nhất ở hà nội",
        "top 5 quận có nhiều phòng nhất",
        "có bao nhiêu phòng ở quận 5",
        "số phòng theo loại ở cầu giấy",
        "xu hướng giá thuê ở quận 7",
        "giá cao nhất và thấp nhất của phòng ở quận 10",
        "còn phòng nào ở quận 3 không",
        "phòng quận 3 kèm nội thất",
        "phòng quận 3 rẻ hơn 4 triệu",
        "phòng khác ở quận 3",
        "căn hộ quận 3 dưới 8 triệu thôi",
        "rooms in district 3 with a balcony",
        "any rooms in district 3 under 5 million",
        "tìm nhà nguyên căn ở thủ đức",
        "bài đăng mới nhất ở quận 7",
        "phòng mới nhất ở quận 3",
        "căn hộ Quận 2 thì xa quá, tìm căn hộ ở Bình Thạnh dưới 10 triệu thôi",
        "hợp đồng của tôi",
    ],
)
def test_a_whole_question_keeps_nothing(message: str) -> None:
    parsed = ask(FIRST, message)
    assert not parsed.edited
    assert parsed == ask(message)


@pytest.mark.parametrize(
    ("message", "filters"),
    [
        ("chỉ quận 3 thôi", {"district=Quận 3", *KEPT}),
        ("chỉ phòng quận 3 thôi", {"district=Quận 3", *KEPT}),
        ("còn ở Bình Thạnh thì sao", {"district=Bình Thạnh", *KEPT}),
        ("còn phòng quận 3 thì sao", {"district=Quận 3", *KEPT}),
        ("what about district 5", {"district=Quận 5", *KEPT}),
        ("đổi sang quận 10", {"district=Quận 10", *KEPT}),
        ("ở quận 3 có không", {"district=Quận 3", *KEPT}),
        ("quận 7 xa quá", {"district=Gò Vấp", "district!=Quận 7", *KEPT}),
        ("gò vấp xa quá", {"district!=Gò Vấp", *KEPT}),
        ("xem biểu đồ", {"district=Gò Vấp", *KEPT}),
        ("thống kê theo quận", {"district=Gò Vấp", *KEPT}),
        ("có bao nhiêu phòng vậy", {"district=Gò Vấp", *KEPT}),
        ("giá trung bình bao nhiêu", {"district=Gò Vấp", *KEPT}),
        ("trong số đó phòng nào rộng nhất", {"district=Gò Vấp", *KEPT}),
        ("giá trung bình các phòng đó ở quận nào cao nhất", {"district=Gò Vấp", *KEPT}),
        ("only rooms with a window", {"district=Gò Vấp", "amenity=window", *KEPT}),
        ("quận 5 dưới 4 triệu", {"district=Quận 5", "price<4000000", "amenity=air_conditioner"}),
    ],
)
def test_a_change_keeps_the_rest(message: str, filters: set[str]) -> None:
    parsed = ask(FIRST, message)
    assert parsed.edited
    assert told(parsed) == filters


@pytest.mark.parametrize(
    ("message", "filters", "group"),
    [
        ("vẽ biểu đồ giá theo quận", {"city=Hà Nội"}, ("district",)),
        ("ở sài gòn thì sao", {"city=Hồ Chí Minh"}, ("district",)),
        ("theo loại phòng", {"city=Hà Nội"}, ("type",)),
        ("chỉ căn hộ mini thôi", {"city=Hà Nội", "type=mini_apartment"}, ("district",)),
    ],
)
def test_figures_are_changed_in_place(message: str, filters: set[str], group: tuple[str, ...]) -> None:
    parsed = ask(FIGURES, message)
    assert parsed.edited
    assert (told(parsed), parsed.group, parsed.measures[0].field) == (filters, group, "price")


def test_groups_of_a_list_are_counted() -> None:
    parsed = ask(FIRST, "thống kê theo quận")
    assert (parsed.group, [one.kind for one in parsed.measures]) == (("district",), ["count"])


def test_what_is_to_let_for_a_guest_is_rented_for_the_landlord() -> None:
    message = "Quận 7 đang cho thuê bao nhiêu chung cư?"
    guest, landlord = ask(message, role="GUEST"), ask(message, role="LANDLORD")
    assert guest.certain
    assert not guest.own
    assert "status" not in {one.field for one in guest.filters}
    assert landlord.own
    assert [one.value for one in landlord.filters if one.field == "status"] == ["rented"]


def test_a_contract_that_ends_in_a_month_ends_in_the_coming_one() -> None:
    ahead = ask("Hợp đồng nào của tôi hết hạn trong tháng 12?")
    gone = ask("Hợp đồng nào của tôi đã hết hạn trong tháng 12 năm ngoái?")
    assert {str(one.value)[:4] for one in ahead.filters if one.field == "end_date"} == {str(NOW.year)}
    assert {str(one.value)[:4] for one in gone.filters if one.field == "end_date"} == {str(NOW.year - 1)}


@pytest.mark.parametrize("most", ["rẻ nhất", "đắt nhất"])
def test_the_room_whose_rent_was_told_can_be_spoken_of(most: str) -> None:
    rows = (FocusRow("7", "A", {"min_price": 8.5e6}), FocusRow("9", "B", {"min_price": 8.5e6}))
    asked = (f"Chung cư {most} Quận 7 bao nhiêu tiền?", "căn đó rộng bao nhiêu?")
    one, both = (ask(*asked, role="GUEST", rows=shown) for shown in (rows[:1], rows))
    assert (one.mode, one.limit, one.measures, one.details) == ("LIST", 1, (), ("area",))
    assert (told(one), told(both), both.certain) == ({"id=7"}, {"idin7,9"}, True)


def test_papers_after_a_contract_are_not_of_that_contract() -> None:
    found = ask(
        "Hợp đồng của tôi bắt đầu ngày nào?",
        "Do I have an overdue invoice, and how much is it?",
        role="TENANT",
    )
    assert (found.entity, found.picked) == ("invoice", 0)


def test_the_number_of_papers_and_their_sum_are_told_by_the_list_of_them() -> None:
    found = ask("Tôi đang có bao nhiêu hóa đơn quá hạn và tổng cộng là bao nhiêu tiền?", role="TENANT")
    assert (found.mode, found.measures, found.certain) == ("LIST", (), True)
    assert told(found) == {"status=overdue"}


def test_what_a_guest_can_rent_is_no_own_record() -> None:
    assert not ask("How many whole houses can I rent in Tan Phu right now?", role="GUEST").own
