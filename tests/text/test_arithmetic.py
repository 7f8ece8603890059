"""A right sum of held figures follows from them, a wrong one does not, in whatever order and form the answer is written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from troly.text.arithmetic import derived_figures
from troly.text.catalogue import Lang
from troly.text.numbers import find_amounts, format_number

MONEY = st.integers(1_001, 90_000_000)


def held(*values: int | str) -> set[Decimal]:
    return {Decimal(value) for value in values}


@pytest.mark.parametrize(
    ("text", "known", "columns"),
    [
        ("Tháng 10/2026 có 82 đơn đã hủy trên tổng 1.201 đơn, chiếm khoảng 6,8%.", held(82, 10, 2026), [[1050, 82, 53, 16]]),
        ("Chênh 8.490.000 − 8.290.000 = 200.000 VND", held(8490000, 8290000), []),
        ("Giảm 5% × 16.490.000 = 824.500 VND, còn 15.665.500 VND", held(5, 16490000), []),
        ("90 × 50% = 45, 80 × 30% = 24, 82,5 × 20% = 16,5; tổng 45 + 24 + 16,5 = 85,5", held(90, 50, 80, 30, "82.5", 20), []),
        ("Revenue rose from 452,016,750 to 516,628,250 VND, up 14.3%", held(452016750, 516628250), []),
        ("20.000.000 / 176 × 300% × 5 = 1.704.545 VND (113.636 VND một giờ)", held(20000000, 176, 300, 5), []),
        ("2 con là 478.000 VND", held(2, 239000), [[239000, 239000]]),
        (
            "Shopee và TikTok Shop cộng lại đạt 368.718.100 VND, chiếm 71,4% doanh thu cả shop (516.628.250 VND)",
            held(227836600, 140881500, 96895250, 51014900),
            [[227836600, 140881500, 96895250, 51014900]],
        ),
    ],
)  # fmt: skip
def test_right_sums_follow(text: str, known: set[Decimal], columns: list[list[int]]) -> None:
    found = derived_figures(text, known, [[Decimal(cell) for cell in column] for column in columns])
    written = {abs(amount.value) for amount in find_amounts(text)}
    assert written - known <= found | {Decimal(1)}


@pytest.mark.parametrize(
    "text",
    [
        "82 đơn trên tổng 1.201 đơn, chiếm 7,8%",
        "8.490.000 − 8.290.000 = 300.000 VND",
        "cả thảy 91.000 VND",
        "giá 12.345.678 VND",
    ],
)
def test_a_wrong_sum_or_a_figure_from_nowhere_does_not(text: str) -> None:
    known = held(82, 1201, 8490000, 8290000)
    wrong = {abs(amount.value) for amount in find_amounts(text)} - known
    assert not wrong & derived_figures(text, known)


@given(MONEY, MONEY, st.sampled_from(["+", "-", "share"]), st.booleans())
def test_what_two_figures_come_to_follows_and_a_neighbour_does_not(
    one: int, two: int, way: str, vi: bool
) -> None:
    assume(one != two)
    lang: Lang = "vi" if vi else "en"
    value = {"+": Decimal(one + two), "-": Decimal(abs(one - two)), "share": Decimal(one) / two * 100}[way]
    shown = format_number(value, lang, 1 if way == "share" else 0) + ("%" if way == "share" else " VND")
    said = find_amounts(shown)
    assume(len(said) == 1 and said[0].value > 1 and (way != "share" or value < 1000))
    known = held(one, two)
    text = f"{format_number(one, lang, 0)} VND; {format_number(two, lang, 0)} VND; {shown}"
    assume(said[0].value not in known)
    assert abs(said[0].value) in derived_figures(text, known)
    if way != "share":
        off = value + 7
        assume(
            off
            not in {
                Decimal(one),
                Decimal(two),
                Decimal(one * two),
                Decimal(one + two),
                Decimal(abs(one - two)),
            }
        )
        wrong = f"{format_number(one, lang, 0)} VND; {format_number(two, lang, 0)} VND; {format_number(off, lang, 0)} VND"
        assume(off > max(one, two) or off * 2 < min(one, two))
        assert off not in derived_figures(wrong, known)


@given(MONEY, MONEY)
def test_a_difference_to_a_figure_shown_before_follows_and_a_neighbour_does_not(
    now: int, before: int
) -> None:
    change = abs(now - before)
    assume(change > 1_000 and change != now and 2 * change not in {now, before, 2 * now})
    text = "Giá {} VND, chênh {} VND".format
    shown, right = format_number(now, "vi", 0), format_number(change, "vi", 0)
    assert derived_figures(text(shown, right), held(now), before=held(before)) == {Decimal(change)}
    assert not derived_figures(text(shown, right), held(now)) - held(now)
    wrong = format_number(change + 7, "vi", 0)
    assert not derived_figures(text(shown, wrong), held(now), before=held(before)) - held(now)


@given(st.lists(st.integers(2, 10**6), min_size=3, max_size=8))
def test_a_total_follows_from_its_column(cells: list[int]) -> None:
    total = sum(cells)
    text = f"Tổng cộng {format_number(total, 'vi', 0)} đơn"
    assert Decimal(total) in derived_figures(text, set(), [[Decimal(cell) for cell in cells]])


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    assert derived_figures(text, {Decimal(5), Decimal(7)}) is not None


@pytest.mark.parametrize(
    "said",
    [
        "(5 − 3) × 200.000 = 400.000",
        "200.000 × (5 - 3) = 400.000",
        "((5 − 3) + 1) × 200.000 − 200.000 = 400.000",
    ],
)
def test_a_sum_in_brackets_follows_from_its_figures(said: str) -> None:
    known = [Decimal(value) for value in (5, 3, 1, 200_000)]
    assert Decimal(400_000) in derived_figures(said, known)
    assert Decimal(500_000) not in derived_figures(said.replace("= 4", "= 5"), known)


@pytest.mark.parametrize("many", [2, 3, 5])
def test_a_colon_behind_a_word_is_no_division(many: int) -> None:
    total = many * 3 + 1 * 8
    known = {Decimal(one) for one in (many, 1, 3_000_000, 8_000_000)}
    said = f"{total}.000.000 VND: {many} × 3.000.000 + 1 × 8.000.000 = {total}.000.000 VND"
    assert Decimal(total * 1_000_000) in derived_figures(said, known)
    assert Decimal(4) in derived_figures("12 : 3 = 4", {Decimal(12), Decimal(3)})
