"""The check of what a model writes: no price that was not retrieved is shown, and nothing else is held back."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_shopping.reply.claim_check import ClaimCheck, ThoughtCut, amounts_in

KNOWN = ("Laptop A | 18.990.000 VND | còn 5 | DPI: 26000", "Phí giao hàng 30.000 VND")
BUDGET = frozenset({Decimal(20_000_000)})


def checked(text: str, size: int = 3) -> tuple[str, bool]:
    check = ClaimCheck(amounts_in(KNOWN), BUDGET, "[?]")
    shown = "".join(check.add(text[at : at + size]) for at in range(0, len(text), size))
    return shown + check.finish(), check.withheld


@pytest.mark.parametrize("size", [1, 3, 200])
@pytest.mark.parametrize(
    "text",
    [
        "Dạ Laptop A giá 18.990.000 VND, còn 5 máy ạ.",
        "Laptop A is 18,990,000 VND. Shipping costs 30k.",
        "giá **18.990.000** đồng ạ",
        "giá 18,99 triệu, tức 18tr99",
        "RTX 4060 8GB, 144Hz, 15.6 inch, 2560x1440, Ryzen 7 7735HS",
        "hiển thị 16,7 triệu màu, bền 50 triệu lần nhấn, pin 10.000 mAh, DPI 26000",
        "Trong tầm 20 triệu thì dưới 20 triệu là vừa, budget of 20 million",
        "Bảo hành 24 tháng, gọi 1900 0000 trước 21:00 ngày 31/12/2027.",
        "Một hai ba bốn mẫu, năm ngoái còn nhiều lắm ạ",
    ],
)
def test_what_is_known_or_no_price_is_shown_as_written(text: str, size: int) -> None:
    assert checked(text, size) == (text, False)


@pytest.mark.parametrize("size", [1, 4, 200])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Giá 17.990.000 VND ạ.", "Giá [?] ạ."),
        ("Giá chỉ 17 triệu thôi. Còn 5 máy.", "Giá chỉ [?] thôi. Còn 5 máy."),
        ("giá 17tr5 nhé", "giá [?] nhé"),
        ("Giá mười bảy triệu ạ", "Giá [?] ạ"),
        ("It costs $500 today", "It costs [?] today"),
        ("| A | 17.000.000 |\n| B | 18.990.000 |\n", "| A | [?] |\n| B | 18.990.000 |\n"),
        ("Laptop A giá 20 triệu ạ", "Laptop A giá [?] ạ"),
        ("giá 500k cái", "giá [?] cái"),
    ],
)
def test_a_price_that_nobody_retrieved_is_withheld(text: str, shown: str, size: int) -> None:
    assert checked(text, size) == (shown, True)


def test_text_without_figures_is_not_held_back() -> None:
    check = ClaimCheck(amounts_in(KNOWN), BUDGET, "[?]")
    for piece in ("Dạ ", "em ", "xin ", "giới ", "thiệu ", "ngay ", "ạ. "):
        assert check.add(piece) == piece


def test_a_figure_is_given_on_two_words_later() -> None:
    check = ClaimCheck(amounts_in(KNOWN), BUDGET, "[?]")
    assert check.add("Giá 18.990.000 ") == "Giá "
    assert check.add("VND ") == ""
    assert check.add("cho quý khách ") == "18.990.000 VND cho quý khách "


@given(st.lists(st.text(max_size=8), max_size=20))
def test_nothing_is_lost_or_shown_twice(pieces: Sequence[str]) -> None:
    check = ClaimCheck(amounts_in(KNOWN), BUDGET, "")
    shown = "".join(check.add(piece) for piece in pieces) + check.finish()
    if not check.withheld:
        assert shown == "".join(pieces)
    else:
        assert len(shown) < len("".join(pieces))


@given(st.integers(10_000, 10**9), st.integers(1, 9))
def test_only_retrieved_prices_pass(value: int, size: int) -> None:
    text = f"Dạ giá là {value:,} VND ạ".replace(",", ".")
    shown, withheld = checked(text, size)
    known = Decimal(value) in amounts_in(KNOWN)
    assert withheld is not known
    assert (f"{value:,}".replace(",", ".") in shown) is known


OWN = {
    "Laptop ASUS TUF A15": frozenset({Decimal(20_000_000)}),
    "Laptop Acer Nitro V": frozenset({Decimal(18_000_000)}),
}


@pytest.mark.parametrize(
    ("text", "withheld"),
    [
        ("Laptop ASUS TUF A15 giá 20.000.000 VND ạ.", False),
        ("ASUS TUF A15 giá 18.000.000 VND ạ.", True),
        ("Laptop Acer Nitro V giá 20 triệu, ASUS TUF A15 giá 18 triệu ạ.", True),
        ("Laptop Acer Nitro V giá 18 triệu, ASUS TUF A15 giá 20 triệu ạ.", False),
        ("ASUS TUF A15 và Acer Nitro V lần lượt giá 20 triệu và 18 triệu ạ.", False),
        ("Giá 18.000.000 VND và 20.000.000 VND ạ.", False),
    ],
)
@pytest.mark.parametrize("size", [2, 300])
def test_a_figure_belongs_to_the_product_that_the_sentence_names(
    text: str, withheld: bool, size: int
) -> None:
    known = frozenset(value for values in OWN.values() for value in values)
    check = ClaimCheck(known, frozenset(), "[?]", OWN)
    shown = "".join(check.add(text[at : at + size]) for at in range(0, len(text), size)) + check.finish()
    assert check.withheld is withheld
    assert ("[?]" in shown) is withheld


@pytest.mark.parametrize("size", [1, 3, 500])
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Dell G15 có RAM 16GB, bảo hành 24 tháng ạ.", True),
        ("Dell G15 có RAM 64GB ạ.", False),
        ("Máy bảo hành 36 tháng ạ.", False),
        ("Hôm nay giảm giá 10% ạ.", False),
        ("Quý khách xem Dell Alienware X16 nhé.", False),
        ("Dell G15 là lựa chọn hợp lý ạ.", True),
    ],
)
def test_specifications_terms_and_names_come_from_what_was_retrieved(
    text: str, kept: bool, size: int
) -> None:
    fact = "Laptop Dell G15 5530 16GB | RAM: 16GB DDR5; Bảo hành: 24 tháng"
    check = ClaimCheck(frozenset(), frozenset(), "[?]", facts=[fact], makers=["Dell"])
    shown = "".join(check.add(text[at : at + size]) for at in range(0, len(text), size)) + check.finish()
    assert (shown == text) is kept
    assert check.withheld is not kept


@pytest.mark.parametrize("size", [1, 4, 500])
def test_what_a_model_thinks_aloud_is_not_shown(size: int) -> None:
    text = "<think>khách hỏi <b>giá</b></think>Dạ có ạ. a < b <think>hm"
    cut = ThoughtCut()
    assert (
        "".join(cut.add(text[at : at + size]) for at in range(0, len(text), size)) + cut.finish()
        == "Dạ có ạ. a < b "
    )
