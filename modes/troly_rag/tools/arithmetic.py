"""Arithmetic in sentences: a small grammar over decimals with units; no code of any kind is run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.numbers import Amount, find_amounts, format_number
from troly_rag.strings import say

MAX_TOKENS = 200
MAX_DEPTH = 50
MAX_POWER = 100
LARGEST = Decimal(10) ** 30
# How signs are written to Python's own parser; `share` stands for "a hundredth of it".
_SHARE = "share"
_PYTHON = {"^": "**", "%": f"* {_SHARE}"}

Units = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its units: `{"VND": 1, "ngày": -1}` is VND a day."""

    value: Decimal
    units: Units = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Number:
    """A number of an expression, as read."""

    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Sign:
    """An operator, a parenthesis, or `%` after a number."""

    text: str


Token = Number | Sign


class CalculationError(Exception):
    """Why there is no result: `kind` is `syntax`, `zero`, `power`, `large`, `units` or `long`; `part` what it is about."""

    def __init__(self, kind: str, part: str = "") -> None:
        super().__init__(f"{kind} {part}".strip())
        self.kind = kind
        self.part = part


def evaluate(tokens: Sequence[Token]) -> Quantity:
    """The value of an expression. Raises CalculationError."""
    if len(tokens) > MAX_TOKENS or sum(token == Sign("(") for token in tokens) > MAX_DEPTH:
        raise CalculationError("long", str(len(tokens)))
    numbers = [token.quantity for token in tokens if isinstance(token, Number)]
    names = iter(range(len(numbers)))
    # Names for the numbers: nothing of what was typed is read as Python but its signs.
    parts = [
        f"n{next(names)}" if isinstance(token, Number) else _PYTHON.get(token.text, token.text)
        for token in tokens
    ]
    try:
        tree = ast.parse(" ".join(parts), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        shown = next((token.text for token in tokens if isinstance(token, Sign)), "…")
        raise CalculationError("syntax", shown) from error
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
        return Quantity(-inner.value, inner.units) if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left = _value(node.left, numbers)
        if isinstance(node.right, ast.Name) and node.right.id == _SHARE:
            return Quantity(left.value / 100, left.units)
        right = _value(node.right, numbers)
        if isinstance(node.op, ast.Add | ast.Sub) and _is_share(node.right):
            # "15tr - 20%" takes a fifth off.
            right = Quantity(left.value * right.value, left.units)
        return _bounded(_OPERATIONS[type(node.op)](left, right))
    raise CalculationError("syntax", "(")


def _is_share(node: ast.expr) -> bool:
    """Whether it is a number with its percent sign and nothing else."""
    whole = isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name)
    return (
        whole and isinstance(node, ast.BinOp) and isinstance(node.right, ast.Name) and node.right.id == _SHARE
    )


def _summed(one: Quantity, other: Quantity, sign: int) -> Quantity:
    """A sum; a bare zero or a bare number beside money takes the other's units."""
    if dict(one.units) != dict(other.units) and one.units and other.units:
        raise CalculationError("units", f"{format_units(one.units)} + {format_units(other.units)}")
    return Quantity(one.value + sign * other.value, one.units or other.units)


def _divided(one: Quantity, other: Quantity) -> Quantity:
    if not other.value:
        raise CalculationError("zero")
    return Quantity(one.value / other.value, _joined(one.units, other.units, -1))


def _power(one: Quantity, other: Quantity) -> Quantity:
    whole = other.value == int(other.value)
    if other.units or abs(other.value) > MAX_POWER or (one.value < 0 and not whole):
        raise CalculationError("power", f"{other.value}")
    if one.units and not whole:
        raise CalculationError("units")
    if not one.value and other.value < 0:
        raise CalculationError("zero")
    units = {name: count * int(other.value) for name, count in one.units.items()} if one.units else {}
    return Quantity(one.value**other.value, units)


_OPERATIONS: Mapping[type[ast.operator], Callable[[Quantity, Quantity], Quantity]] = {
    ast.Add: lambda one, other: _summed(one, other, 1),
    ast.Sub: lambda one, other: _summed(one, other, -1),
    ast.Mult: lambda one, other: Quantity(one.value * other.value, _joined(one.units, other.units, 1)),
    ast.Div: _divided,
    ast.Pow: _power,
}


def _joined(one: Units, other: Units, sign: int) -> Units:
    counts = Counter(one)
    for name, count in other.items():
        counts[name] += sign * count
    return {name: count for name, count in counts.items() if count}


def _bounded(found: Quantity) -> Quantity:
    if abs(found.value) > LARGEST:
        raise CalculationError("large")
    return found


def format_units(units: Units) -> str:
    """Units as people write them: `VND/ngày`."""
    above = [name if count == 1 else f"{name}^{count}" for name, count in units.items() if count > 0]
    below = [name if count == -1 else f"{name}^{-count}" for name, count in units.items() if count < 0]
    return "·".join(above or (["1"] if below else [])) + "".join(f"/{name}" for name in below)


# --- Expressions of a sentence: `20% của 15tr`, `3.000.000 x 12 + 5%`

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
_PASSED_OVER = frozenset({"vnd", "dong", "d", "k", "tr", "trieu", "nghin", "ty", "=", "?", ".", ","})
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
        elif word not in UNITS and word not in _PASSED_OVER:
            yield None


def _computes(run: list[Token]) -> bool:
    numbers = sum(isinstance(token, Number) for token in run)
    operators = sum(isinstance(token, Sign) and token.text in "+-*/^" for token in run)
    return operators > 0 and numbers > 1


def answer(query: str, lang: Lang) -> str:
    """The result of a question's arithmetic in a sentence; "" where there is none. Raises CalculationError."""
    tokens = expression_in(query)
    if not tokens:
        return ""
    found = evaluate(tokens)
    return say("math.result", lang, expression=_written(tokens, lang), result=_shown(found, lang))


def _written(tokens: list[Token], lang: Lang) -> str:
    texts = [_shown(token.quantity, lang) if isinstance(token, Number) else token.text for token in tokens]
    return " ".join(texts).replace("( ", "(").replace(" )", ")").replace(" %", "%").replace("*", "×")


def _shown(found: Quantity, lang: Lang) -> str:
    # "15tr / 26 × 3 ngày" is money: the days were counted, not multiplied.
    units = {"VND": 1} if found.units.get("VND") == 1 and min(found.units.values()) > 0 else found.units
    places = 0 if dict(units) == {"VND": 1} else 4
    return f"{format_number(found.value, lang, places)} {format_units(units)}".strip()
