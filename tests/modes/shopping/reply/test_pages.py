"""The shop's pages: which one a question about service is about, and the order of what was found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.modes.shopping_samples import stocked_shop
from troly_shopping.reply.pages import about, rerank

FOUND = [
    {"title": "Thanh toán", "heading": "Đặt cọc", "text": "Hàng đặt riêng cần đặt cọc 10% giá trị."},
    {"title": "Thanh toán", "heading": "Hóa đơn VAT", "text": "Không trả góp qua điện thoại."},
    {"title": "Thanh toán", "heading": "Trả góp", "text": "0% lãi suất qua thẻ tín dụng."},
]


def test_a_heading_about_the_topic_comes_before_a_word_in_the_text() -> None:
    assert [about(passage, "instalment") for passage in FOUND] == [9, 1, 0]
    assert [item["heading"] for item in rerank(FOUND, ("instalment",), "vi")] == [
        "Trả góp",
        "Hóa đơn VAT",
        "Đặt cọc",
    ]


@pytest.mark.parametrize(("switch", "first"), [("true", "Trả góp"), ("false", None)])
async def test_the_order_has_its_switch(own_home: Path, switch: str, first: str | None) -> None:
    with stocked_shop(own_home, TROLY_SHOPPING__RERANK=switch) as shop:
        told = await shop.ask("cho hỏi mua góp với hàng cũ nữa")
        context = told.state["retrieved_context"]
    assert len(context) > 3
    assert first is None or context[0]["heading"] == first


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("trả góp 0% không", "Trả góp 0% lãi suất"),
        ("mấy giờ mở cửa", "8:00 đến 21:00"),
        ("phí ship bao nhiêu", "30.000 VND"),
        ("lỡ đổ cà phê vô máy có được bảo hành ko", "vào nước"),
        ("bảo hành laptop thường bao lâu", "12-24 tháng"),
        ("gửi hãng sửa mất bao lâu", "7-14 ngày"),
    ],
)
async def test_service_is_answered_from_the_page_about_it(own_home: Path, text: str, quoted: str) -> None:
    with stocked_shop(own_home) as shop:
        assert quoted in (await shop.ask(text)).answer


@pytest.mark.parametrize(
    "text", ["shop ở đâu vậy", "hôm nay có khuyến mãi gì không", "sửa hết bao nhiêu tiền"]
)
async def test_what_no_page_says_is_said_with_the_hotline(own_home: Path, text: str) -> None:
    with stocked_shop(own_home) as shop:
        told = await shop.ask(text)
    assert "chưa có thông tin" in told.answer
    assert "1900" in told.answer
