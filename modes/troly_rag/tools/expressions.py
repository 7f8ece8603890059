"""Finds the arithmetic in a sentence: `20% của 15tr`, `3.000.000 x 12 + 5%`, with amounts as Vietnamese people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from troly.text.fold import fold
from troly.text.numbers import Amount, find_amounts
from troly_rag.tools.arithmetic import Number, Quantity, Sign, Token

# Folded units behind a number, and what they are called in a result.
UNITS = {
    "ngay": "ngày", "day": "ngày", "days": "ngày", "gio": "giờ", "hour": "giờ", "hours": "giờ", "thang": "tháng",
    "month": "tháng", "months": "tháng", "nam": "năm", "year": "năm", "years": "năm", "nguoi": "người", "people": "người",
    "lan": "lần", "times": "lần",
}  # fmt: skip
_OPERATORS = {
    "cong": "+", "plus": "+", "tru": "-", "minus": "-", "nhan": "*", "chia": "/", "divided by": "/", "mu": "^", "cua": "*",
    "of": "*", "multiplied by": "*", "+": "+", "-": "-", "–": "-", "−": "-", "*": "*", "x": "*", "×": "*", "·": "*", "/": "/", ":": "/",
    "÷": "/", "^": "^", "**": "^", "(": "(", ")": ")", "%": "%",
}  # fmt: skip
_PART = re.compile(r"\*\*|divided by|multiplied by|[^\W\d]+|\S")
# "3 times 4" multiplies, "late 3 times" counts.
_TIMES = re.compile(r"\s*times\s+[0-9(]")
_SCALED = re.compile(r"[0-9] ?(?:k|tr|trieu|nghin|ngan|ty|cu)\b")


def expression_in(text: str) -> list[Token]:
    """The longest run of numbers and operators in `text` that computes something; [] where there is none."""
    runs = sorted(_runs(text), key=len, reverse=True)
    return next((run for run in runs if _computes(run)), [])


def quantity_of(amount: Amount, said: str, rest: str) -> Quantity:
    """An amount with its unit: money says so itself (`15tr`, `500k`, `2 tỷ`), another unit is the next word."""
    if amount.unit == "VND" or (not amount.unit and _SCALED.search(fold(said))):
        return Quantity(amount.value, {"VND": 1})
    following = None if _TIMES.match(fold(rest)) else re.match(r"\s*([^\W\d]+)", fold(rest))
    unit = UNITS.get(following[1]) if following else None
    return Quantity(amount.value, {unit: 1}) if unit else Quantity(amount.value)


def _runs(text: str) -> Iterator[list[Token]]:
    run: list[Token] = []
    at = 0
    for amount in find_amounts(text):
        for token in _between(text[at : amount.start]):
            if token is None:
                yield run
                run = []
            else:
                run.append(token)
        run.append(
            Number(quantity_of(amount, text[amount.start : amount.end], text[amount.end : amount.end + 12]))
        )
        at = amount.end
        if amount.unit == "%":
            run.append(Sign("%"))
    for token in _between(text[at:]):
        if token is None:
            break
        run.append(token)
    yield run


def _between(text: str) -> Iterator[Sign | None]:
    """Operators between two numbers; a unit is passed over, any other word ends a run."""
    for found in _PART.finditer(fold(text)):
        word = found.group()
        if word in _OPERATORS or (word == "times" and not text[found.end() :].strip()):
            yield Sign(_OPERATORS.get(word, "*"))
        elif word not in UNITS and word not in {
            "vnd",
            "dong",
            "d",
            "k",
            "tr",
            "trieu",
            "nghin",
            "ty",
            "=",
            "?",
            ".",
            ",",
        }:
            yield None


def _computes(run: list[Token]) -> bool:
    numbers = sum(isinstance(token, Number) for token in run)
    operators = sum(isinstance(token, Sign) and token.text in "+-*/^" for token in run)
    return operators > 0 and numbers > 1
