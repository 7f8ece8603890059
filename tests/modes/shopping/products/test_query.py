"""Reading a wish for goods: kind, maker, price limits, order, comparison and building, in every way of typing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.fold import fold
from troly_shopping.products.query import parse_price_limits, parse_product_query

MAKERS = ("Dell", "HP", "ASUS", "Acer", "Logitech", "Samsung", "Cooler Master", "TP-Link")
M = 1_000_000


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("laptop dưới 20 triệu", None, 20 * M),
        ("laptop duoi 20tr", None, 20 * M),
        ("laptop giá không quá 18tr5 thôi", None, 18_500_000),
        ("laptop under 20 million", None, 20 * M),
        ("màn hình 5 triệu trở xuống", None, 5 * M),
        ("chuột tầm 500k", 400_000, 600_000),
        ("chuột khoảng 500 nghìn", 400_000, 600_000),
        ("laptop 20 triệu", 16 * M, 24 * M),
        ("laptop from 10 to 15 million", 10 * M, 15 * M),
        ("laptop between 10 and 15 million", 10 * M, 15 * M),
        ("laptop từ 10 đến 15 triệu", 10 * M, 15 * M),
        ("laptop 10-15tr", 10 * M, 15 * M),
        ("laptop trên 10 triệu dưới 15 triệu", 10 * M, 15 * M),
        ("laptop trên 30 triệu", 30 * M, None),
        ("laptop 30 triệu trở lên", 30 * M, None),
        ("laptop dưới 20", None, 20 * M),
        ("tai nghe dưới 500", None, 500_000),
        ("card RTX 4060 8GB", None, None),
        ("màn hình 27 inch 165Hz", None, None),
        ("ram 16GB bus 3200", None, None),
        ("mua 2 con chuột", None, None),
    ],
)
def test_price_limits(text: str, low: int | None, high: int | None) -> None:
    for form in (text, unicodedata.normalize("NFD", text), fold(text), text.upper()):
        limits = parse_price_limits(unicodedata.normalize("NFC", form))
        assert (limits.low, limits.high) == (low, high), form


@pytest.mark.parametrize(
    ("text", "kinds", "brands"),
    [
        ("có chuột logitech nào không", ("mouse",), ("Logitech",)),
        ("laptop ram 16gb ssd 512gb", ("laptop",), ()),
        ("chuột và bàn phím cho laptop", ("mouse", "keyboard"), ()),
        ("o cung ssd samsung 1tb", ("ssd",), ("Samsung",)),
        ("bộ phát wifi tp-link", ("router",), ("TP-Link",)),
        ("graphics card from asus", ("vga",), ("ASUS",)),
        ("nguồn cooler master 650w", ("psu",), ("Cooler Master",)),
        ("chính sách đổi trả", (), ()),
    ],
)
def test_kinds_and_makers(text: str, kinds: tuple[str, ...], brands: tuple[str, ...]) -> None:
    wish = parse_product_query(text, MAKERS)
    assert (wish.kinds, wish.brands) == (kinds, brands)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("so sánh dell inspiron với hp pavilion", "compare"),
        ("so sanh asus tuf va acer nitro", "compare"),
        ("asus tuf vs acer nitro", "compare"),
        ("compare dell xps and hp victus", "compare"),
        ("laptop dell hay hp tốt hơn", "compare"),
        ("build pc 15 triệu chơi game", "build"),
        ("rap may 20tr choi game", "build"),
        ("build me a pc for 20 million", "build"),
        ("laptop chơi game", "find"),
        ("màn hình và chuột cho pc", "find"),
    ],
)
def test_what_is_to_be_done(text: str, action: str) -> None:
    assert parse_product_query(text, MAKERS).action == action


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("laptop rẻ nhất", "cheapest"),
        ("cheapest mouse", "cheapest"),
        ("re nhat", "cheapest"),
        ("chuột đắt nhất", "dearest"),
    ],
)
def test_the_order_asked_for(text: str, order: str) -> None:
    assert parse_product_query(text, MAKERS).order == order


@given(st.text(max_size=200))
def test_any_message_is_read(text: str) -> None:
    wish = parse_product_query(text, MAKERS)
    assert wish.low is None or wish.high is None or wish.low <= wish.high
