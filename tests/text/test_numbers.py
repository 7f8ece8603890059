"""Numbers are read and shown the Vietnamese and the English way."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vietnamese import anything, decomposed, plain
from troly.text.numbers import (
    Amount,
    counting_words,
    find_amounts,
    format_money,
    format_number,
    format_percent,
    parse_number,
)

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.000.000", MILLION),
        ("1,000,000", MILLION),
        ("1 000 000", MILLION),
        ("15,5%", "15.5"),
        ("15.5%", "15.5"),
        ("15 phần trăm", 15),
        ("20 triệu", 20 * MILLION),
        ("20tr", 20 * MILLION),
        ("1tr5", 1_500_000),
        ("1tr250", 1_250_000),
        ("15 củ", 15 * MILLION),
        ("1,5 tỷ", 1500 * MILLION),
        ("1.250 tỷ", 1250 * 1000 * MILLION),
        ("1,250 tỷ", 1250 * MILLION),
        ("1,250 million", 1250 * MILLION),
        ("1.25 million", 1_250_000),
        ("500k", 500_000),
        ("2k5", 2500),
        ("2 trăm nghìn", 200_000),
        ("2 triệu rưỡi", 2_500_000),
        ("1 tỷ 200 triệu", 1200 * MILLION),
        ("2 triệu 500", 2_500_000),
        ("3tr500k", 3_500_000),
        ("một tỷ hai", 1200 * MILLION),
        ("hai triệu năm trăm nghìn", 2_500_000),
        ("hai mươi lăm triệu", 25 * MILLION),
        ("twenty five million", 25 * MILLION),
        ("half a million", 500_000),
        ("nửa triệu", 500_000),
        ("20 million", 20 * MILLION),
        ("$1.5bn", 1500 * MILLION),
        ("500.000đ", 500_000),
        ("-5", -5),
        ("0,125", "0.125"),
        ("1.234,5", "1234.5"),
        ("1,234.5", "1234.5"),
    ],
)
def test_reading_a_number(text: str, value: float | str) -> None:
    assert parse_number(text) == Decimal(str(value))
    assert parse_number(decomposed(text)) == Decimal(str(value))
    assert parse_number(plain(text).upper()) == Decimal(str(value))


@pytest.mark.parametrize(
    "text", ["", "abc", "ba phòng", "1.2.3", "31/12/2024", "10:30", "ABC123", "3 phòng", "mot ti"]
)
def test_what_is_no_number(text: str) -> None:
    assert parse_number(text) is None


def found(text: str) -> list[tuple[str, str, str]]:
    return [
        (format_number(amount.value, "en"), text[amount.start : amount.end], amount.unit)
        for amount in find_amounts(text)
    ]


def test_amounts_of_a_sentence() -> None:
    text = "laptop i5-12400 ram 16GB giá dưới 15tr, giảm 15,5% cho SN ABC123 ngày 31/12/2024, gọi 0901234567 lúc 10:30"
    assert found(text) == [("16", "16GB", "gb"), ("15,000,000", "15tr", ""), ("15.5", "15,5%", "%")]
    assert found("phòng 30m2 giá 3tr5/tháng") == [("30", "30m2", "m2"), ("3,500,000", "3tr5", "")]
    assert found("budget $500 or 2,000 USD") == [("500", "$500", "USD"), ("2,000", "2,000 USD", "USD")]
    assert found("tháng 1 100 đơn") == [("1", "1", ""), ("100", "100", "")]


@pytest.mark.parametrize(
    "text", ["giá từ 3-5 triệu", "từ 3 đến 5 triệu", "3 ~ 5tr", "tu 3 toi 5 trieu", "from 3 to 5 million"]
)
def test_a_range_shares_its_scale(text: str) -> None:
    assert [amount.value for amount in find_amounts(text)] == [3 * MILLION, 5 * MILLION]


def test_typed_accents_decide() -> None:
    assert [amount.value for amount in find_amounts("máy 15 cũ")] == [15]
    assert [amount.value for amount in find_amounts("5 công ty")] == [5]
    assert find_amounts("chờ em một tí") == find_amounts("cho em mot ti") == []
    assert find_amounts("âm 5 độ") == [Amount(Decimal(-5), 0, 4, "")]


@given(anything)
def test_amounts_lie_in_the_text_in_order(s: str) -> None:
    amounts = find_amounts(s)
    assert all(0 <= amount.start < amount.end <= len(s) for amount in amounts)
    assert all(a.end <= b.start for a, b in pairwise(amounts))


@given(st.text(st.sampled_from("0123456789.,-– %kđtrmtriệu tỷ nghìn/:củ$ABm2rưỡi "), max_size=40))
def test_odd_mixtures_are_read_without_error(s: str) -> None:
    assert all(amount.value.is_finite() for amount in find_amounts(s))
    parse_number(s)


@given(st.integers(-(10**15), 10**15), st.sampled_from(["vi", "en"]))
def test_shown_whole_numbers_read_back(x: int, lang: str) -> None:
    shown = format_number(x, "vi" if lang == "vi" else "en")
    assert parse_number(shown) == x
    assert shown.lstrip("-").replace(".", "").replace(",", "").isdecimal()


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_shown_decimals_read_back(x: Decimal) -> None:
    for lang in ("vi", "en"):
        shown = format_number(x, "vi" if lang == "vi" else "en")
        assert parse_number(shown) == x


def test_showing() -> None:
    assert format_number(MILLION, "vi") == "1.000.000"
    assert format_number(MILLION, "en") == "1,000,000"
    assert format_number(1234.5, "vi") == "1.234,5"
    assert format_number(-0.001, "vi") == "0"
    assert format_number(Decimal("1E+3"), "vi") == "1.000"
    assert format_percent(15.5, "vi") == "15,5%"
    assert format_percent(15.0, "vi") == "15%"
    assert format_percent(0.25, "vi") == "0,3%"
    assert format_percent(-12.34, "en") == "-12.3%"
    assert format_money(150_000_000, "vi") == "150.000.000 VND"
    assert format_money(57_749_999.5, "vi") == "57.750.000 VND"
    assert format_money(19.995, "en", "USD") == "20 USD"


@pytest.mark.parametrize("x", [float("nan"), float("inf"), Decimal("-Infinity")])
def test_what_is_no_number_is_not_shown(x: float | Decimal) -> None:
    with pytest.raises(ValueError, match="finite"):
        format_number(x, "vi")


def test_a_currency_belongs_to_one_amount() -> None:
    assert found("năm đ 15,5 rưỡi") == [("5", "năm đ", "VND"), ("15.5", "15,5", "")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ba tỉnh có nhiều đơn nhất", [3]),
        ("hai nhân viên và một trưởng phòng", [2]),
        ("hai mon nay", [2]),
        ("which three products", [3]),
        ("năm tỉnh, tư vấn, bà con", []),
        ("hai mươi năm", [20]),
        ("hai triệu, ba trăm, sixteen thousand", []),
    ],
)
def test_things_counted_in_words(text: str, found: list[int]) -> None:
    assert [int(amount.value) for amount in counting_words(text)] == found


_ONES = ["một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_words(number: int) -> list[str]:
    """A number from 10 to 99 as both languages say it."""
    tens, one = divmod(number, 10)
    first = "mười" if tens == 1 else f"{_ONES[tens - 1]} mươi"
    last = "" if not one else " lăm" if one == 5 else f" {_ONES[one - 1]}"
    small = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    english = _TEENS[one] if tens == 1 else _TENS[tens - 2] + (f"-{small[one - 1]}" if one else "")
    return [first + last, plain(first + last), english, english.replace("-", " ")]


@pytest.mark.parametrize("number", range(10, 100))
def test_numbers_to_ninety_nine_are_read_in_both_languages(number: int) -> None:
    for words in in_words(number):
        assert [int(one.value) for one in counting_words(f"({words} gb)")] == [number], words


@given(
    st.decimals(min_value=Decimal(-10) ** 60, max_value=Decimal(10) ** 60, allow_nan=False, allow_infinity=False),
    st.integers(0, 6),
)  # fmt: skip
def test_a_number_of_any_length_is_written_and_near_what_it_was(value: Decimal, decimals: int) -> None:
    written = Decimal(format_number(value, "en", decimals).replace(",", ""))
    with localcontext(prec=200):
        assert abs(written - value) <= Decimal(1).scaleb(-decimals) / 2
