"""math_tool: a safe grammar, units that are kept apart, formulas that say what is missing instead of guessing it."""

from __future__ import annotations

import operator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_rag.tools.calculator import (
    CalculationError,
    Number,
    Quantity,
    Sign,
    Token,
    answer,
    evaluate,
    expression_in,
)

NUMBERS = st.integers(-10_000, 10_000).map(Decimal)


def number(value: Decimal | int, **units: int) -> Number:
    return Number(Quantity(Decimal(value), units))


@given(NUMBERS, NUMBERS, NUMBERS, st.sampled_from("+-*"), st.sampled_from("+-*"))
def test_products_bind_before_sums(a: Decimal, b: Decimal, c: Decimal, first: str, second: str) -> None:
    apply = {"+": operator.add, "-": operator.sub, "*": operator.mul}
    if second == "*" and first != "*":
        expected = apply[first](a, b * c)
    else:
        expected = apply[second](apply[first](a, b), c)
    tokens: list[Token] = [number(a), Sign(first), number(b), Sign(second), number(c)]
    assert evaluate(tokens).value == expected


@given(st.lists(st.one_of(NUMBERS.map(number), st.sampled_from([Sign(s) for s in "+-*/^()%"])), max_size=30))
def test_any_tokens_give_a_value_or_one_error(tokens: list[Token]) -> None:
    kind, value = "", Decimal(0)
    try:
        value = evaluate(tokens).value
    except CalculationError as error:
        kind = error.kind
    assert value.is_finite()
    assert kind in {"", "syntax", "zero", "power", "large", "units", "long"}


@given(st.text(max_size=120))
def test_any_text_is_answered(text: str) -> None:
    try:
        said = answer(text, "vi")
    except CalculationError as error:
        said = error.kind
    assert said


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("20% của 15tr", "3.000.000 VND"),
        ("tính giúp 3.000.000 x 12", "36.000.000"),
        ("(2+3)*4 bằng mấy", "20"),
        ("what is 2 plus 3 times 4", "14"),
        ("15tr - 20%", "12.000.000 VND"),
        ("lương 15 triệu chia 26 nhân 3 ngày", "1.730.769 VND"),
        ("2^10", "1.024"),
        ("(1.500.000 + 500k) / 4", "500.000 VND"),
    ],
)
def test_expressions_in_sentences(question: str, result: str) -> None:
    assert answer(question, "vi").endswith(f"= {result}")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("5 / 0", "zero"),
        ("9^999", "power"),
        ("10 triệu + 3 ngày", "units"),
        ("2^100 * 2^100", "large"),
        ("(" * 80 + "1+1" + ")" * 80, "long"),
        (" + ".join(["1"] * 300), "long"),
    ],
)
def test_what_cannot_be_worked_out_says_why(question: str, kind: str) -> None:
    with pytest.raises(CalculationError) as error:
        answer(question, "vi")
    assert error.value.kind == kind


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Tính chi phí nghỉ phép lương 15tr nghỉ 3 ngày", "1.730.769 VND"),
        ("overtime pay: 20.000.000 VND, 10 hours", "1.442.308 VND"),
        ("nhân viên làm 11 năm có bao nhiêu ngày phép", "14 ngày"),
        ("tien phat di muon 200k x 3 lan", "600.000 VND"),
    ],
)
def test_formulas_with_what_was_said(question: str, said: str) -> None:
    assert said in answer(question, "vi")


def test_a_formula_names_what_is_missing_and_guesses_nothing() -> None:
    """004-44: the salary was not said."""
    text = answer("Tính toán chi phí nghỉ phép và so sánh với chính sách công ty", "vi")
    assert "lương tháng" in text
    assert "số ngày" in text
    assert "VND" not in text


def test_words_that_compute_nothing_are_no_expression() -> None:
    for text in ("xin chào", "đi muộn 3 lần", "ngày 12/11/2026", "phòng 301", ""):
        assert expression_in(text) == []
