"""Rules that keep a figure from another question: spans of days, types of amounts, nouns that name no dimension, two that were shown."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from tests.modes.analysis.planner.planner_sheets import NOW, ORDERS, column, plan
from tests.modes.analysis.planner.test_follow_up_moves import after
from troly_analysis.types import Sheet

SPANS = [
    ("từ tháng 1 đến hết tháng 6 năm 2023", "2023-01-01", "2023-06-30"),
    ("tháng 7 tới tháng 9 năm 2023", "2023-07-01", "2023-09-30"),
    ("tu thang 7/2023 den thang 2/2024", "2023-07-01", "2024-02-29"),
    ("từ tháng 7 năm ngoái đến tháng 2 năm nay", "2023-07-01", "2024-02-29"),
    ("từ đầu tháng 7 đến cuối tháng 9 năm 2023", "2023-07-01", "2023-09-30"),
    ("quý 1 tới quý 3 năm 2023", "2023-01-01", "2023-09-30"),
    ("nguyên năm ngoái", "2023-01-01", "2023-12-31"),
    ("5 ngày cuối tháng 3/2024", "2024-03-27", "2024-03-31"),
    ("hai tuần đầu tháng 4", "2024-04-01", "2024-04-14"),
]


@pytest.mark.parametrize(("said", "first", "last"), SPANS)
@pytest.mark.parametrize(
    "question", ["doanh thu {}", "{} có bao nhiêu đơn", "{} ở Hà Nội bán được bao nhiêu tiền"]
)
def test_a_span_is_one_period_wherever_it_stands(question: str, said: str, first: str, last: str) -> None:
    call = plan(question.format(said), (ORDERS,), NOW).calls[0].arguments
    assert (call["date_from"], call["date_to"]) == (first, last)
    assert call.get("group_by") is None


def test_two_periods_that_nothing_ties_are_not_compared() -> None:
    made = plan("doanh thu tuần trước tháng 3", (ORDERS,), NOW)
    assert not made.calls or made.calls[0].tool != "compare_periods"


@pytest.mark.parametrize("amount", ["trên 1 triệu", "hơn 1tr", "từ 1.000.000đ trở lên"])
@pytest.mark.parametrize("figure", ["phí vận chuyển", "số lượng bán", "doanh thu"])
def test_money_said_of_orders_bounds_what_they_are_worth(figure: str, amount: str) -> None:
    for question in (f"{figure} của đơn {amount}", f"đơn {amount} {figure} bao nhiêu"):
        filters = plan(question, (ORDERS,), NOW).calls[0].arguments["filters"]
        assert list(filters) == ["Doanh thu"]


@pytest.mark.parametrize("noun", ["đơn hàng", "đơn", "khách hàng"])
def test_how_many_of_a_noun_are_no_pieces(noun: str) -> None:
    one, other = (plan(f"{said} {noun} tháng 3", (ORDERS,), NOW).calls for said in ("số lượng", "bao nhiêu"))
    assert [each.arguments.get("field") for each in one] == [each.arguments.get("field") for each in other]


@pytest.mark.parametrize("whom", ["cho khách", "cho khách hàng", "của khách"])
@pytest.mark.parametrize("figure", ["phí vận chuyển", "doanh thu"])
def test_whom_something_was_for_is_no_dimension(figure: str, whom: str) -> None:
    call = plan(f"tổng {figure} {whom} tháng 3", (ORDERS,), NOW).calls[0].arguments
    assert "group_by" not in call


@pytest.mark.parametrize(
    "text", ["don giao ve da nang thang 3 duoc bao nhieu tien", "hang mang ve ha noi thang 3 bao nhieu don"]
)
def test_ve_inside_a_sentence_draws_nothing(text: str) -> None:
    made = plan(text, (ORDERS,), NOW)
    assert made.chart is None
    assert all("group_by" not in call.arguments for call in made.calls)


CHANGES = [
    "tăng bao nhiêu phần trăm",
    "tăng hay giảm vậy em",
    "chênh nhau bao nhiêu",
    "what's the percentage change?",
]


@pytest.mark.parametrize("asked", CHANGES)
def test_a_change_of_no_named_days_is_of_the_two_that_were_shown(asked: str) -> None:
    for figure, place in itertools.product(("doanh thu", "số đơn"), ("Hà Nội", "Đà Nẵng")):
        call = after(f"{figure} tháng 2 ở {place}", f"{figure} tháng 3 ở {place}", asked).calls[0]
        days = tuple(call.arguments[name] for name in ("period1_from", "period2_to"))
        assert (call.tool, days) == ("compare_periods", ("2024-02-01", "2024-03-31"))
        assert call.arguments["filters"] == {"Tỉnh thành": place}


@pytest.mark.parametrize("word", ["áo thun", "áo"])
@pytest.mark.parametrize("end", ["bán chạy nhất", "doanh thu cao nhất"])
def test_a_part_of_names_with_which_ranks_those_names(word: str, end: str) -> None:
    call = plan(f"{word} nào {end} tháng 3", (ORDERS,), NOW).calls[0].arguments
    assert (call["group_by"], call["limit"]) == ("Sản phẩm", 1)
    assert set(call["filters"]["Sản phẩm"]["in"]) == {"Áo thun basic", "Áo thun oversize"}


def test_a_length_that_no_list_has_is_named() -> None:
    made = plan("top 3 doanh thu trung bình mỗi ngày tháng 3", (ORDERS,), NOW)
    assert not made.calls or made.calls[0].arguments.get("limit") == 3


@pytest.mark.parametrize("text", ["đơn nào chưa giao", "bao nhiêu đơn chưa đặt cọc xong"])
def test_a_negation_before_a_deed_is_never_dropped(text: str) -> None:
    assert not plan(text, (ORDERS,), NOW).calls


@pytest.mark.parametrize("figure", ["doanh thu", "số lượng", "phí vận chuyển"])
@pytest.mark.parametrize("said", ["{0} Shopee và {0} Lazada tháng 3", "tháng 3 {0} ở Hà Nội, {0} ở Đà Nẵng"])
def test_a_figure_named_twice_is_shown_for_each(figure: str, said: str) -> None:
    assert plan(said.format(figure), (ORDERS,), NOW).calls[0].arguments["group_by"]


@pytest.mark.parametrize("said", ["dưới 100k hoặc trên 2 triệu", "under 100k or over 2 million"])
def test_either_of_two_amounts_is_not_both(said: str) -> None:
    assert not plan(f"số đơn {said}", (ORDERS,), NOW).calls


@pytest.mark.parametrize("said", ["chỉ 3 cái đầu", "3 cái đầu thôi", "chỉ 3 kênh đầu", "lay 3 kenh dau"])
def test_the_first_of_a_list_are_its_length(said: str) -> None:
    first = plan("doanh thu theo kênh tháng 3", (ORDERS,), NOW)
    made = plan(said, (ORDERS,), NOW, first)
    assert made.ask is not None
    assert (made.ask.limit, made.ask.period) == (3, first.ask.period if first.ask else None)


@pytest.mark.parametrize("figure", ["doanh thu trung bình", "số lượng trung binh", "giá trị đơn trung bình"])
def test_an_average_is_no_name(figure: str) -> None:
    staff = replace(ORDERS.fields[3], name="Nhân viên", examples=("Trung", "Bình", "Lan"))
    sheet = replace(ORDERS, fields=(*ORDERS.fields, staff))
    assert "filters" not in plan(figure, (sheet,), NOW).calls[0].arguments


@pytest.mark.parametrize("said", ["doanh thu theo tháng", "doanh thu trung bình", "tổng doanh thu"])
def test_pay_is_no_revenue(said: str) -> None:
    pay = Sheet(
        "3", "lan", "Lương", "t3", (column("Tháng", "text", ("1/2024", "2/2024")), column("Lương cơ bản", "money")), 36, NOW
    )  # fmt: skip
    assert not plan(said, (pay,), NOW).calls


@pytest.mark.parametrize("between", ["vì sao doanh thu tháng 3 giảm", "doanh thu xyzzy"])
def test_a_chart_after_what_was_not_answered_draws_what_was_shown(between: str) -> None:
    first = plan("doanh thu theo kênh tháng 3", (ORDERS,), NOW)
    made = plan("vẽ biểu đồ", (ORDERS,), NOW, plan(between, (ORDERS,), NOW, first))
    assert made.ask == replace(first.ask, chart="any")  # type: ignore[type-var]
