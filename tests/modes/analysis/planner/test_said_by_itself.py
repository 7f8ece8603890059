"""What a question says on its own: the part and the whole of a share, ends of rows, wishes beside each other, margins."""

from __future__ import annotations

from datetime import date

import pytest

from tests.modes.analysis.planner.planner_sheets import CUSTOMERS, NOW, ORDERS, column, plan
from troly_analysis.planner.suggestions import suggest_questions
from troly_analysis.types import Sheet

GOODS = Sheet(
    "6", "lan", "Sản phẩm", "t6",
    (
        column("Tên sản phẩm", "text", ("Áo thun basic", "Quần jean", "Giày sneaker")),
        column("Nhóm hàng", "text", ("Thời trang", "Phụ kiện")),
        column("Giá bán", "money", (), 3),
        column("Giá vốn", "money", (), 3),
        column("Tồn kho", "integer", (), 3),
    ),
    3, NOW,
)  # fmt: skip
SHOP = (ORDERS, GOODS)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Ở Cần Thơ, bao nhiêu phần trăm số đơn thanh toán COD?", "COD"),
        ("COD chiếm bao nhiêu % số đơn ở Cần Thơ?", "COD"),
        ("Ở Cần Thơ, COD chiếm bao nhiêu phần trăm số đơn?", "COD"),
        ("bao nhieu phan tram don Shopee bi huy", "Đã hủy"),
        ("Đơn Shopee chiếm bao nhiêu phần trăm đơn hủy?", "Shopee"),
        ("tỷ lệ hủy của Shopee", "Đã hủy"),
        ("What share of COD orders is in Can Tho?", "Cần Thơ"),
    ],
)
def test_part_and_whole_of_a_share(text: str, part: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert ask.form == "share"
    assert [each.value for each in ask.part] == [part]
    assert len(ask.conditions) == 1


@pytest.mark.parametrize(
    "text",
    ["đơn to nhất hôm qua của khách nào", "don bu nhat hom qua la cua ai", "who placed the biggest order yesterday"],
)  # fmt: skip
def test_the_largest_order_is_an_order(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert (ask.form, ask.limit) == ("rows", 1)
    assert [each.ref and each.ref.name for each in ask.measures] == ["Doanh thu"]


@pytest.mark.parametrize(
    "text", ["khách Vàng nào mua nhiều đơn nhất", "khach hang vang nao mua nhieu don nhat"]
)
def test_a_value_before_which_keeps_the_group(text: str) -> None:
    ask = plan(text, [ORDERS, CUSTOMERS]).ask
    assert ask is not None
    assert ask.form == "top"
    assert [each.ref.name for each in ask.groups] == ["Mã khách hàng"]


@pytest.mark.parametrize("text", ["đơn DH00001 mua gì, hết bao nhiêu", "don DH00001 cua ai, bao nhieu tien"])
def test_a_row_of_which_more_is_asked_is_shown(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert (ask.form, ask.limit) == ("rows", 1)


@pytest.mark.parametrize(
    "text", ["hôm nay tính từ đầu tháng được mấy đơn", "bữa ni từ đầu tháng doanh thu bao nhiêu"]
)
def test_a_range_that_ends_today_is_meant(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert ask.period is not None
    assert (ask.period.start, ask.period.end) == (date(2024, 6, 1), NOW.date())


@pytest.mark.parametrize(
    "text",
    ["món nào lãi nhiều nhất mỗi cái", "mon nao lai nhieu nhat moi cai", "which product has the highest margin per piece"],
)  # fmt: skip
def test_margin_of_a_piece_is_of_goods(text: str) -> None:
    ask = plan(text, SHOP).ask
    assert ask is not None
    assert (ask.sheet, ask.form) == ("Sản phẩm", "top")
    assert [each.ref and each.ref.sign for each in ask.measures] == ["-"]


@pytest.mark.parametrize("text", ["thang nay lai bao nhieu", "mon nao loi nhieu nhat thang nay"])
def test_a_figure_typed_bare_is_not_dropped(text: str) -> None:
    assert not plan(text, [ORDERS]).calls


@pytest.mark.parametrize(
    "text", ["quần jean giá bao nhiêu, còn hàng không", "quan jean gia nhieu va con may cai"]
)
def test_price_and_stock_are_both_told(text: str) -> None:
    found = plan(text, SHOP)
    asked = [each.ask for each in (found, *found.more) if each.ask]
    assert [each.ref and each.ref.name for ask in asked for each in ask.measures] == ["Giá bán", "Tồn kho"]


def test_prices_bound_goods_of_which_nothing_was_done() -> None:
    ask = plan("có áo nào dưới 200k không", SHOP).ask
    assert ask is not None
    assert ask.sheet == "Sản phẩm"
    assert [each.ref.name for each in ask.conditions if each.op == "lt"] == ["Giá bán"]


def test_no_sum_of_unit_costs_is_offered() -> None:
    assert not any("Giá vốn" in each.text for each in suggest_questions(GOODS, None, "vi"))
