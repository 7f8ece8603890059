"""Safe arithmetic: a small grammar over decimals with units, no code of any kind is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

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


class ReckoningError(Exception):
    """Why there is no result: `kind` is `syntax`, `zero`, `power`, `large`, `units` or `long`; `part` what it is about."""

    def __init__(self, kind: str, part: str = "") -> None:
        super().__init__(f"{kind} {part}".strip())
        self.kind = kind
        self.part = part


def evaluate(tokens: Sequence[Token]) -> Quantity:
    """The value of an expression. Raises ReckoningError."""
    if len(tokens) > MAX_TOKENS:
        raise ReckoningError("long", str(len(tokens)))
    parser = _Parser(tokens)
    with localcontext() as context:
        context.prec = 50
        try:
            found = parser.expression(0, 0)
        except (InvalidOperation, Overflow, DivisionByZero) as error:
            raise ReckoningError("large") from error
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
            raise ReckoningError("long", "(")
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
            raise ReckoningError("syntax", self._shown())

    def _operand(self, depth: int) -> Quantity:
        if self._at >= len(self._tokens):
            raise ReckoningError("syntax", "…")
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
                raise ReckoningError("syntax", "(")
            self._at += 1
            return inner
        raise ReckoningError("syntax", token.text)

    def _peek(self) -> str | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if isinstance(token, Number):
            raise ReckoningError("syntax", self._shown())
        return token.text if token else None

    def _shown(self) -> str:
        token = self._tokens[self._at]
        return f"{token.quantity.value}" if isinstance(token, Number) else token.text


def _add(one: Quantity, other: Quantity) -> Quantity:
    return Quantity(one.value + other.value, _same(one, other))


def _subtract(one: Quantity, other: Quantity) -> Quantity:
    return Quantity(one.value - other.value, _same(one, other))


def _multiply(one: Quantity, other: Quantity) -> Quantity:
    return Quantity(one.value * other.value, _joined(one.units, other.units, 1))


def _divide(one: Quantity, other: Quantity) -> Quantity:
    if not other.value:
        raise ReckoningError("zero")
    return Quantity(one.value / other.value, _joined(one.units, other.units, -1))


def _power(one: Quantity, other: Quantity) -> Quantity:
    if other.units or abs(other.value) > MAX_POWER:
        raise ReckoningError("power", f"{other.value}")
    if one.units and other.value != int(other.value):
        raise ReckoningError("units")
    if not one.value and other.value < 0:
        raise ReckoningError("zero")
    if one.value < 0 and other.value != int(other.value):
        raise ReckoningError("power", f"{other.value}")
    units = {name: count * int(other.value) for name, count in one.units.items()} if one.units else {}
    return Quantity(one.value**other.value, units)


_OPERATIONS = {"+": _add, "-": _subtract, "*": _multiply, "/": _divide, "^": _power}


def _same(one: Quantity, other: Quantity) -> Units:
    """The units of a sum; a bare zero or a bare number beside money takes the other's."""
    if dict(one.units) == dict(other.units) or not other.units:
        return one.units
    if not one.units:
        return other.units
    raise ReckoningError("units", f"{shown_units(one.units)} + {shown_units(other.units)}")


def _joined(one: Units, other: Units, sign: int) -> Units:
    counts = Counter(one)
    for name, count in other.items():
        counts[name] += sign * count
    return {name: count for name, count in counts.items() if count}


def _bounded(found: Quantity) -> Quantity:
    if abs(found.value) > LARGEST:
        raise ReckoningError("large")
    return found


def shown_units(units: Units) -> str:
    """Units as people write them: `VND/ngày`."""
    above = [name if count == 1 else f"{name}^{count}" for name, count in units.items() if count > 0]
    below = [name if count == -1 else f"{name}^{-count}" for name, count in units.items() if count < 0]
    return "·".join(above or (["1"] if below else [])) + "".join(f"/{name}" for name in below)
