"""The three intents, on the documents' examples and on messages like them (001-06 to 001-08)."""

from __future__ import annotations

import pytest

from tests.modes.analysis.planner.planner_sheets import ALL, CLINIC, NOW, ORDERS, classify, plan
from troly.text.fold import fold

DATA = (
    "Tổng doanh thu tháng này là bao nhiêu?", "Top 5 sản phẩm bán chạy nhất?",
    "So sánh doanh thu tuần này với tuần trước", "Có bao nhiêu đơn hàng từ Shopee?", "đơn hủy hôm qua", "doanh thu",
    "tỉnh nào bán tốt nhất", "số khách mới tháng 5", "liệt kê đơn trên 2 triệu", "hàng nào bán chậm",
    "How much did we sell last week?", "orders by channel", "average rating of áo thun basic",
    "Xin chào, cho mình xem doanh thu tháng 5 nhé",
)  # fmt: skip
CHAT = (
    "Xin chào", "Bạn có thể làm gì?", "Cảm ơn bạn", "hello", "Thanks a lot!", "bạn tên gì", "kể chuyện cười đi",
    "hôm nay trời đẹp nhỉ", "What can you do?", "tạm biệt nhé", "em giỏi quá", "bạn bao nhiêu tuổi rồi",
)  # fmt: skip
UNCLEAR = ("Cho tôi xem", "Cái đó", "Hơn", "show me", "asdf qwer", "cái kia thì sao", "??", "tiếp đi")


@pytest.mark.parametrize("text", [*DATA, *map(fold, DATA), *map(str.upper, DATA)])
def test_questions_about_figures(text: str) -> None:
    assert classify(text, (), (ORDERS,)).label == "data_query"


@pytest.mark.parametrize("text", [*CHAT, *map(fold, CHAT), *map(str.upper, CHAT)])
@pytest.mark.parametrize("known", [(), ALL], ids=["no sheets", "sheets"])
def test_small_talk(text: str, known: tuple[object, ...]) -> None:
    assert classify(text, (), known).label == "chat"  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [*UNCLEAR, *map(fold, UNCLEAR)])
def test_what_has_to_be_asked_first(text: str) -> None:
    assert classify(text, (), (ORDERS,)).label == "unclear"


@pytest.mark.parametrize("text", ["còn tháng trước?", "theo tỉnh thì sao", "chỉ Shopee thôi", "top 3 thôi"])
def test_a_follow_up_is_a_question_about_figures(text: str) -> None:
    previous = plan("tổng doanh thu tháng này", (ORDERS,), NOW)
    assert classify(text, (), (ORDERS,), previous).label == "data_query"


def test_the_sheets_own_words_are_evidence() -> None:
    assert classify("Pediatrics", (), (CLINIC,)).label == "data_query"
    assert classify("Pediatrics", (), (ORDERS,)).label == "unclear"
