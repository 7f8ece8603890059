"""Arithmetic in sentences: a small grammar over decimals with units; no code of any kind is run."""

from __future__ import annotations

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
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_PREFIX, _POSTFIX = 3, 5

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
    if len(tokens) > MAX_TOKENS:
        raise CalculationError("long", str(len(tokens)))
    parser = _Parser(tokens)
    with localcontext() as context:
        context.prec = 50
        try:
            found = parser.expression(0, 0)
        except (InvalidOperation, Overflow, DivisionByZero) as error:
            raise CalculationError("large") from error
    parser.end()
    return found


class _Parser:
    """Reads operators by how strongly they bind."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def expression(self, least: int, depth: int) -> Quantity:
        """Everything that binds more strongly than `least`."""
        if depth > MAX_DEPTH:
            raise CalculationError("long", "(")
        left = self._operand(depth)
        while (sign := self._peek()) is not None:
            if sign == "%" and least < _POSTFIX:
                self._at += 1
                left = Quantity(left.value / 100, left.units)
                continue
            binding = _BINDING.get(sign)
            if binding is None or binding <= least:
                break
            self._at += 1
            # A power binds its right side first: 2^3^2 is 2^9.
            begun = self._at
            right = self.expression(binding - 1 if sign == "^" else binding, depth + 1)
            if sign in "+-" and self._is_share(begun):
                # "15tr - 20%" takes a fifth off.
                right = Quantity(left.value * right.value, left.units)
            left = _bounded(_OPERATIONS[sign](left, right))
        return left

    def _is_share(self, begun: int) -> bool:
        """Whether what was read since `begun` is a number with its percent sign and nothing else."""
        read = self._tokens[begun : self._at]
        return len(read) == 2 and isinstance(read[0], Number) and read[1] == Sign("%")

    def end(self) -> None:
        """Nothing may be left."""
        if self._at < len(self._tokens):
            raise CalculationError("syntax", self._shown())

    def _operand(self, depth: int) -> Quantity:
        if self._at >= len(self._tokens):
            raise CalculationError("syntax", "…")
        token = self._tokens[self._at]
        self._at += 1
        if isinstance(token, Number):
            return _bounded(token.quantity)
        if token.text in ("+", "-"):
            inner = self.expression(_PREFIX, depth + 1)
            return Quantity(-inner.value, inner.units) if token.text == "-" else inner
        if token.text == "(":
            inner = self.expression(0, depth + 1)
            if self._peek() != ")":
                raise CalculationError("syntax", "(")
            self._at += 1
            return inner
        raise CalculationError("syntax", token.text)

    def _peek(self) -> str | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if isinstance(token, Number):
            raise CalculationError("syntax", self._shown())
        return token.text if token else None

    def _shown(self) -> str:
        token = self._tokens[self._at]
        return f"{token.quantity.value}" if isinstance(token, Number) else token.text


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


_OPERATIONS: Mapping[str, Callable[[Quantity, Quantity], Quantity]] = {
    "+": lambda one, other: _summed(one, other, 1),
    "-": lambda one, other: _summed(one, other, -1),
    "*": lambda one, other: Quantity(one.value * other.value, _joined(one.units, other.units, 1)),
    "/": _divided,
    "^": _power,
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
