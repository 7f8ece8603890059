"""Hours of the day as conditions, what is asked of a thing that its code names, and what a sheet has no column for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.analysis.planner.planner_sheets import ATTENDANCE, CLINIC, NOW, ORDERS, column, plan
from troly.text.dates import find_hours
from troly_analysis.types import Field, Sheet

CAFE = Sheet(
    "6", "lan", "Hóa đơn", "t6",
    (
        column("Số HĐ", "text", ("HD001", "HD002"), 900),
        column("Ngày", "date", (), 90),
        column("Giờ", "text", ("08:05", "21:40"), 400),
        column("Món", "text", ("Bạc xỉu", "Trà đào")),
        column("SL", "integer", (), 5),
        column("Thành tiền", "money", (), 60),
        column("Thu ngân", "text", ("Lan", "Huy")),
        column("Thanh toán", "text", ("Ví điện tử", "Tiền mặt")),
    ),
    900, NOW, date_field="Ngày",
)  # fmt: skip
PHONES = Sheet(
    "7", "lan", "Khách", "t7",
    (
        column("Mã khách hàng", "text", ("KH001", "KH002"), 900),
        Field("Số điện thoại", "text", "", distinct=900, examples=("0901234567", "0912345678")),
        column("Họ tên", "text", ("Lê Minh Anh", "Vũ Thu Hà"), 890),
    ),
    900, NOW,
)  # fmt: skip


def bounds(text: str, sheet: Sheet = CAFE) -> list[tuple[str, object]]:
    """The conditions on the hour that a question is read with."""
    query = plan(text, (sheet,)).ask
    return [(each.op, each.value) for each in query.conditions] if query is not None else []


@given(
    st.integers(0, 21),
    st.integers(1, 2),
    st.sampled_from(["từ {}h đến {}h", "{}h-{}h", "between {}h and {}h"]),
)
@settings(max_examples=30, deadline=None)
def test_two_hours_are_the_stretch_between_them(first: int, more: int, form: str) -> None:
    found = find_hours(form.format(first, first + more))
    assert [(each.first, each.last, each.sure) for each in found] == [(60 * first, 60 * (first + more), True)]


@pytest.mark.parametrize("hour", range(1, 12))
def test_an_hour_of_the_evening_is_one_after_noon(hour: int) -> None:
    for said in (f"sau {hour} giờ tối", f"after {hour}pm", f"từ {hour}h chiều"):
        assert [(each.first, each.last) for each in find_hours(said)] == [(60 * (hour + 12), 24 * 60)]


@pytest.mark.parametrize("said", ["làm 8 giờ", "chờ hơn 2 giờ", "3 tiếng"])
def test_a_length_of_time_is_surely_no_hour_of_the_day(said: str) -> None:
    assert not any(each.sure for each in find_hours(said))


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("từ 15h đến 18h", [("gte", "15:00"), ("lt", "18:00")]),
        ("trước 10h sáng", [("lt", "10:00")]),
        ("sau 8 giờ tối", [("gte", "20:00")]),
        ("buổi chiều", [("gte", "12:00"), ("lt", "18:00")]),
        ("lúc 9h", [("gte", "09:00"), ("lt", "10:00")]),
    ],
)
def test_hours_bound_the_column_that_holds_them(said: str, ends: list[tuple[str, str]]) -> None:
    assert bounds(f"{said} có bao nhiêu hóa đơn") == ends


@pytest.mark.parametrize("said", ["từ 15h đến 18h", "trước 10h sáng", "buổi chiều", "ngoài buổi sáng"])
def test_hours_that_no_column_holds_are_said_to_be_unread(said: str) -> None:
    assert plan(f"{said} có bao nhiêu đơn", (ORDERS,)).missing


@pytest.mark.parametrize("said", ["buổi sáng và buổi tối", "trừ buổi tối", "không tính buổi sáng"])
def test_several_stretches_and_one_left_out_are_not_read(said: str) -> None:
    assert not plan(f"doanh thu {said}", (CAFE,)).calls


def test_the_evening_of_a_day_is_no_end_of_a_period() -> None:
    last = NOW.date().replace(day=NOW.day - 1)
    for said in ("tối qua", "tối hôm qua"):
        query = plan(f"{said} có bao nhiêu hóa đơn", (CAFE,)).ask
        assert query is not None
        assert query.period is not None
        assert (query.period.start, query.period.end) == (last, last)
        assert [(each.op, each.value) for each in query.conditions] == [("gte", "18:00")]
    assert bounds("doanh thu tới hôm qua") == []


def test_the_evening_of_a_sheet_without_hours_is_told_as_the_whole_day() -> None:
    made = plan("tối qua có bao nhiêu đơn", (ORDERS,))
    assert made.calls
    assert "whole_days" in {note.key for note in made.shown}


@pytest.mark.parametrize("unit", ["giờ", "tiếng", "hours"])
def test_an_amount_is_not_held_against_a_column_of_another_unit(unit: str) -> None:
    assert not plan(f"bao nhiêu lượt khám chờ hơn 1 {unit}", (CLINIC,)).calls
    assert plan("bao nhiêu lượt khám có waiting minutes hơn 60", (CLINIC,)).calls


@pytest.mark.parametrize("figure", ["lượt truy cập", "lượt xem", "lượt click", "lượt hiển thị"])
@pytest.mark.parametrize("said", ["{} tháng 10", "số {} của Shopee", "{} trên Lazada là bao nhiêu"])
def test_a_figure_of_no_column_counts_no_rows(figure: str, said: str) -> None:
    made = plan(said.format(figure), (ORDERS,))
    assert not made.calls
    assert any(figure.split(maxsplit=1)[1] in word for word in made.missing)


@pytest.mark.parametrize("noun", ["hàng", "mặt hàng", "sản phẩm", "món"])
def test_half_a_way_of_paying_tells_no_goods(noun: str) -> None:
    assert not plan(f"{noun} điện tử bán được bao nhiêu", (CAFE,)).calls
    assert plan("hóa đơn ví điện tử có bao nhiêu", (CAFE,)).calls


def test_people_who_pay_are_not_those_who_take_the_money() -> None:
    assert not plan("bao nhiêu người trả tiền mặt", (CAFE,)).calls


@pytest.mark.parametrize("said", ["tên gì", "tên gì, phòng ban nào", "tên là gì"])
def test_a_name_is_asked_for_beside_a_code(said: str) -> None:
    query = plan(f"NV01 {said}", (ATTENDANCE,)).ask
    assert query is not None
    assert "Họ tên" in {each.ref.name for each in query.groups}


def test_columns_of_a_joined_sheet_are_shown_beside_the_row() -> None:
    orders = replace(ORDERS, rows=20_000)
    for said, name in (("số đt khách", "Số điện thoại"), ("tên khách là gì", "Họ tên"), ("của ai", "Họ tên")):
        made = plan(f"đơn DH00001 {said}?", (orders, PHONES))
        assert made.ask is not None
        assert name in {each.ref.name for each in made.ask.groups}, said
        assert len(made.calls) == 2


@pytest.mark.parametrize("said", ["mấy", "bao nhiêu", "là gì"])
def test_a_telephone_is_asked_for_and_not_counted(said: str) -> None:
    query = plan(f"Khách Vũ Thu Hà số điện thoại {said}", (PHONES,)).ask
    assert query is not None
    assert [each.ref.name for each in query.groups] == ["Số điện thoại"]


@pytest.mark.parametrize("noun", ["nhiệt độ", "thuế vat", "bảo hiểm", "huấn luyện viên", "email"])
def test_what_no_column_is_about_is_said_with_the_columns_that_there_are(noun: str) -> None:
    question = plan(f"{noun} của Shopee tháng 5", (ORDERS,)).question
    assert question is not None
    assert question.key == "no_column"
    assert question.params["said"] == (noun,)
    assert "Doanh thu" in question.params["fields"]


def test_a_mean_of_what_is_not_there_is_not_listed_as_unread() -> None:
    question = plan("nhiệt độ trung bình của Shopee", (ORDERS,)).question
    assert question is not None
    assert question.params["said"] == ("nhiệt độ",)


@pytest.mark.parametrize("said", ["mấy giờ", "may gio"])
def test_a_word_of_questions_is_no_column(said: str) -> None:
    question = plan(f"doanh thu của Shopee là {said}", (ORDERS,)).question
    assert question is None or question.key != "no_column"


@pytest.mark.parametrize("code", ["DH00001", "DH00002"])
@pytest.mark.parametrize("verb", ["hủy", "huỷ", "hoàn trả", "cancel", "xóa", "chuyển", "cập nhật", "delete"])
def test_a_state_that_one_row_shall_get_is_no_count(verb: str, code: str) -> None:
    for told in (
        f"{verb} giúp mình đơn {code} nhé",
        f"{verb} đơn {code} giùm em",
        f"{verb} giúp đơn {code} sang Hoàn thành",
    ):
        made = plan(told, (ORDERS,))
        assert (made.refusal, made.ask) == ("change", None), told


@pytest.mark.parametrize("verb", ["sửa", "đổi", "set", "cập nhật"])
@pytest.mark.parametrize("figure", ["đơn giá", "số lượng"])
def test_a_figure_of_a_thing_is_not_set(verb: str, figure: str) -> None:
    assert plan(f"{verb} {figure} quần jean thành 250000", (ORDERS,)).refusal == "change"


@pytest.mark.parametrize("days", ["tháng 5", "năm 2024", ""])
@pytest.mark.parametrize(
    "told",
    [
        "hủy hết đơn {} đi", "xóa các đơn hủy {}", "huỷ toàn bộ đơn {}", "hoàn trả tất cả đơn Shopee {}", "hủy đơn {} giúp mình", "xoa don hang {}",
        "cancel every order {}", "please delete the orders of Shopee", "refund all orders {}", "hủy hết đi",
    ],
)  # fmt: skip
def test_rows_that_shall_go_are_not_counted(told: str, days: str) -> None:
    made = plan(told.format(days), (ORDERS,))
    assert (made.refusal, made.calls) == ("change", ()), told


@pytest.mark.parametrize(
    "told",
    [
        "đơn hủy tháng 5", "số đơn hủy tháng 5 nhé", "hủy đơn nhiều nhất là kênh nào", "cancelled orders in May", "hủy hết bao nhiêu đơn tháng 5", "hủy đơn theo tháng đi",
        "đơn DH00001 đã chuyển sang hoàn thành chưa", "chuyển khoản đơn DH00001 bao nhiêu", "đơn DH00002 trạng thái gì",
        "đổi sang doanh thu tháng 5", "đổi doanh thu sang tháng 5", "hủy đơn tháng 5 bao nhiêu", "hủy đơn DH00002 chưa?",
    ],
)  # fmt: skip
def test_what_asks_or_moves_a_question_changes_no_row(told: str) -> None:
    assert plan(told, (ORDERS,)).refusal == ""


@pytest.mark.parametrize("state", ["hủy", "hoàn trả"])
def test_how_many_rows_is_no_money(state: str) -> None:
    query = plan(f"{state} hết bao nhiêu đơn tháng 5", (ORDERS,)).ask
    assert query is not None
    assert query.measures[0].op == "count"
