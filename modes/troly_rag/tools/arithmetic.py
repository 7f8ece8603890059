"""Arithmetic in sentences: a small grammar over decimals with units; no code of any kind is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.numbers import Amount, find_amounts, format_number
from troly_rag.strings import say

MAX_TOKENS = 200
MAX_DEPTH = 50
MAX_POWER = 100
LARGEST = Decimal(10) ** 30
MONEY = "VND"
# Working days of a month and hours of a day in a sum of pay, where no document says them.
WORKING_DAYS, DAILY_HOURS = Decimal(26), Decimal(8)
# How signs are written to Python's own parser; `share` stands for "a hundredth of it".
_SHARE = "share"
_PYTHON = {"^": "**", "%": f"* {_SHARE}"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it counts: "VND", "ngày", or "" for a bare number."""

    value: Decimal
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Sign:
    """An operator, a parenthesis, or `%` after a number."""

    text: str


Token = Quantity | Sign


class CalculationError(Exception):
    """Why there is no result: `kind` is `syntax`, `zero`, `power`, `large`, `units`, `long` or `no_date`; `part` what it is about."""

    def __init__(self, kind: str, part: str = "") -> None:
        super().__init__(f"{kind} {part}".strip())
        self.kind = kind
        self.part = part


def evaluate(tokens: Sequence[Token]) -> Quantity:
    """The value of an expression. Raises CalculationError."""
    if len(tokens) > MAX_TOKENS or sum(token == Sign("(") for token in tokens) > MAX_DEPTH:
        raise CalculationError("long", str(len(tokens)))
    numbers = [token for token in tokens if isinstance(token, Quantity)]
    names = iter(range(len(numbers)))
    # Names for the numbers: nothing of what was typed is read as Python but its signs.
    parts = [
        f"n{next(names)}" if isinstance(token, Quantity) else _PYTHON.get(token.text, token.text)
        for token in tokens
    ]
    try:
        tree = ast.parse(" ".join(parts), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise CalculationError("syntax") from error
    with localcontext() as context:
        context.prec = 50
        try:
            return _value(tree, numbers)
        except (InvalidOperation, Overflow, DivisionByZero) as error:
            raise CalculationError("large") from error


def _value(node: ast.expr, numbers: Sequence[Quantity]) -> Quantity:
    if isinstance(node, ast.Name) and node.id != _SHARE:
        return _bounded(numbers[int(node.id[1:])])
    if isinstance(node, ast.UnaryOp):
        inner = _value(node.operand, numbers)
        return Quantity(-inner.value, inner.unit) if isinstance(node.op, ast.USub) else inner
    if not isinstance(node, ast.BinOp):
        raise CalculationError("syntax")
    left = _value(node.left, numbers)
    if _is_hundredth(node.right):
        return Quantity(left.value / 100, left.unit)
    right = _value(node.right, numbers)
    if isinstance(node.op, ast.Add | ast.Sub):
        share = isinstance(node.right, ast.BinOp) and _is_hundredth(node.right.right)
        return _bounded(_summed(left, right, isinstance(node.op, ast.Add), share=share))
    if isinstance(node.op, ast.Pow):
        return _bounded(_power(left, right))
    if isinstance(node.op, ast.Div) and not right.value:
        raise CalculationError("zero")
    value = left.value / right.value if isinstance(node.op, ast.Div) else left.value * right.value
    # "15tr / 26 × 3 ngày" is money: what multiplies or divides it was counted.
    return _bounded(Quantity(value, MONEY if MONEY in (left.unit, right.unit) else left.unit or right.unit))


def _is_hundredth(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == _SHARE


def _summed(one: Quantity, other: Quantity, plus: bool, *, share: bool) -> Quantity:
    """A sum or difference; a bare number takes the other's unit, and "15tr - 20%" takes a fifth off."""
    if one.unit and other.unit and one.unit != other.unit:
        raise CalculationError("units", f"{one.unit} + {other.unit}")
    value = one.value * other.value if share else other.value
    return Quantity(one.value + value if plus else one.value - value, one.unit or other.unit)


def _power(one: Quantity, other: Quantity) -> Quantity:
    whole = other.value == int(other.value)
    if one.unit or other.unit or abs(other.value) > MAX_POWER or (one.value < 0 and not whole):
        raise CalculationError("power", f"{other.value}")
    if not one.value and other.value < 0:
        raise CalculationError("zero")
    return Quantity(one.value**other.value)


def _bounded(found: Quantity) -> Quantity:
    if abs(found.value) > LARGEST:
        raise CalculationError("large")
    return found


# --- Expressions of a sentence: `20% của 15tr`, `3.000.000 x 12 + 5%`

# Folded units behind a number, and what they are called in a result.
UNITS = {
    "ngay": "ngày", "day": "ngày", "days": "ngày", "gio": "giờ", "hour": "giờ", "hours": "giờ", "thang": "tháng",
    "month": "tháng", "months": "tháng", "nam": "năm", "year": "năm", "years": "năm", "nguoi": "người", "people": "người",
    "lan": "lần", "times": "lần",
}  # fmt: skip
_OPERATORS = {
    "cong": "+", "plus": "+", "add": "+", "tru": "-", "minus": "-", "nhan": "*", "chia": "/", "divided by": "/", "mu": "^", "cua": "*",
    "of": "*", "multiplied by": "*", "+": "+", "-": "-", "–": "-", "−": "-", "*": "*", "x": "*", "×": "*", "·": "*", "/": "/", ":": "/",
    "÷": "/", "^": "^", "**": "^", "(": "(", ")": ")", "%": "%",
}  # fmt: skip
_PASSED_OVER = frozenset({
    "vnd", "dong", "d", "k", "tr", "trieu", "nghin", "ty", "=", "?", ".", ",", "them", "nua", "tiep", "more", "another", "by",
})  # fmt: skip
# What comes then is done to all that came before.
_THEN = frozenset({"roi", "xong", "then"})
_GOES_ON = re.compile(
    r"\s*(?:roi |then |va |and )*(?:cong|tru|nhan|chia|plus|minus|times|divided by|multiplied by|add|[-+*/×÷])(?: them)?\s+\d"
)
_PART = re.compile(r"\*\*|divided by|multiplied by|[^\W\d]+|\S")
# "3 times 4" multiplies, "late 3 times" counts.
_TIMES = re.compile(r"\s*times\s+[0-9(]")
_SCALED = re.compile(r"[0-9] ?(?:k|tr|trieu|nghin|ngan|ty|cu)\d*\b")


def expression_in(text: str) -> list[Token]:
    """The longest run of numbers and operators in `text` that computes something; [] where there is none."""
    runs = sorted(_runs(text), key=len, reverse=True)
    return next((run for run in runs if _computes(run)), [])


def quantity_of(amount: Amount, said: str, rest: str) -> Quantity:
    """An amount with its unit: money says so itself (`15tr`, `500k`, `2 tỷ`), another unit is the next word."""
    if amount.unit == "VND" or (not amount.unit and _SCALED.search(fold(said))):
        return Quantity(amount.value, MONEY)
    following = None if _TIMES.match(fold(rest)) else re.match(r"\s*([^\W\d]+)", fold(rest))
    return Quantity(amount.value, UNITS.get(following[1], "") if following else "")


def _runs(text: str) -> Iterator[list[Token]]:
    run: list[Token] = []
    at = 0
    for amount in find_amounts(text):
        for token in _between(text[at : amount.start]):
            if token is None:
                yield run
                run = []
            elif token.text in _THEN:
                run = [Sign("("), *run, Sign(")")] if run else run
            else:
                run.append(token)
        run.append(quantity_of(amount, text[amount.start : amount.end], text[amount.end : amount.end + 12]))
        at = amount.end
        if amount.unit == "%":
            run.append(Sign("%"))
    for token in _between(text[at:]):
        if token is None:
            break
        run += [token] if token.text not in _THEN else []
    yield run


def _between(text: str) -> Iterator[Sign | None]:
    """Operators between two numbers; a unit is passed over, any other word ends a run."""
    for found in _PART.finditer(fold(text)):
        word = found.group()
        if word in _OPERATORS or (word == "times" and not text[found.end() :].strip()):
            yield Sign(_OPERATORS.get(word, "*"))
        elif word in _THEN:
            yield Sign(word)
        elif word not in UNITS and word not in _PASSED_OVER:
            yield None


def _computes(run: list[Token]) -> bool:
    numbers = sum(isinstance(token, Quantity) for token in run)
    operators = sum(isinstance(token, Sign) and token.text in "+-*/^" for token in run)
    return operators > 0 and numbers > 1


def answer(query: str, lang: Lang, before: str = "") -> str:
    """The result of a question's arithmetic in a sentence, with that of the messages `before` (newest first) where it goes on
    with a sum ("cộng thêm 200k nữa"); "" where there is none. Raises CalculationError."""
    tokens = _going_on([query, *before.split("\n")])
    if not tokens:
        return ""
    found = evaluate(tokens)
    return say("math.result", lang, expression=_written(tokens, lang), result=_shown(found, lang))


def goes_on_with_sum(text: str) -> bool:
    """Whether a message begins with what is done to a sum told before: "cộng thêm 200k nữa"."""
    return _GOES_ON.match(fold(text)) is not None


def _going_on(said: Sequence[str]) -> list[Token]:
    if not said:
        return []
    own = max(_runs(said[0]), key=len, default=[])
    if not (goes_on_with_sum(said[0]) and own and isinstance(own[0], Sign)):
        return expression_in(said[0])
    older = _going_on(said[1:])
    run = [Sign("("), *older, Sign(")"), *own]
    return run if older and _computes(run) else []


def _written(tokens: list[Token], lang: Lang) -> str:
    texts = [_shown(token, lang) if isinstance(token, Quantity) else token.text for token in tokens]
    return " ".join(texts).replace("( ", "(").replace(" )", ")").replace(" %", "%").replace("*", "×")


def _shown(found: Quantity, lang: Lang) -> str:
    return f"{format_number(found.value, lang, 0 if found.unit == MONEY else 4)} {found.unit}".strip()
