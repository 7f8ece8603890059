"""Checks the sums of a written answer: a figure that nothing holds may stand where it follows from figures that are held.

Code works it out again, so a right total, difference, share or change of a model is never refused, and a wrong one never passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, DecimalException
from itertools import combinations, pairwise, permutations

from troly.text.numbers import Amount, find_amounts

# More figures than these are no sum but a table, whose figures are held or not.
_MOST = 24
_HUNDRED = Decimal(100)
_RUN = 12
# Some rows of so few are summed, for a figure of so many digits: a short one would be met by chance.
_FEW_ROWS, _LONG = 8, 5
# Between two figures of a written sum: a sign, and the unit of the figure before it; a colon right behind a word opens what
# follows ("14.000.000 VND: 2 × …").
_SIGN = re.compile(r"[^\d+−–×*/÷=:.,;]{0,20}?\s*([+−–×*/÷]|(?<![^\W\d]):|-(?=\s)|x(?=\s))[\s(]*")
_SIGNS = {"−": "-", "–": "-", "×": "*", "x": "*", "÷": "/", ":": "/"}


def says(amount: Amount, result: Decimal) -> bool:
    """Whether `amount` is `result`, rounded to the place that was written (a word of scale counts as places)."""
    value = abs(amount.value)
    if value == result:
        return True
    exponent = int(value.normalize().as_tuple().exponent)
    # A number with a word of scale takes less room than its digits.
    scaled = value >= 1000 and amount.end - amount.start < len(str(int(value)))
    place = Decimal(1).scaleb(exponent if exponent < 0 or scaled else 0)
    return (
        bool(value)
        and abs(result - value) <= value / 20
        and result.quantize(place, ROUND_HALF_UP) == value.quantize(place)
    )


def derived_figures(
    text: str,
    known: Collection[Decimal],
    columns: Sequence[Sequence[Decimal]] = (),
    before: Collection[Decimal] = (),
    says: Callable[[Amount, Decimal], bool] = says,
) -> frozenset[Decimal]:
    """Those figures of `text`, without sign, that are not `known` but follow from figures of the same text that are.

    A figure follows from two others as their sum, difference, product, quotient, share or change in per cent; from
    several that stand together as their sum; from a sum that is written out ("20.000.000 / 176 × 300% × 5"), also of results
    that were rounded; from a whole
    column of `columns` as its total or mean, of a short one also some of its rows; and from such results in further steps. It is compared at the place it is written to: "6,8%" for 6.828, "58 triệu" for 57,750,000.
    `says` judges whether a figure is a result. Figures shown `before` (the first 24) need not stand in the text for a difference to them, or a change from them in per cent.
    """
    amounts = find_amounts(text)[:_MOST]
    held = {abs(value) for value in known}
    written = list(_written_sums(text, amounts))
    sums = [(abs(sum(column, Decimal(0))), len(column)) for column in columns if len(column) > 1]
    totals = [value for total, count in sums for value in (total, total / count)]
    shown = [abs(value) for value in before if value][:_MOST]
    found: dict[int, Decimal] = {}
    base = {at: abs(amount.value) for at, amount in enumerate(amounts) if abs(amount.value) in held}
    exact = list(amounts)
    parts = [part for column in columns if len(column) <= _FEW_ROWS for part in _parts(column)]
    for at, amount in enumerate(amounts):
        long = sum(map(str.isdigit, text[amount.start : amount.end])) >= _LONG
        if at not in base and any(says(amount, total) for total in (*totals, *(parts if long else ()))):
            found[at] = abs(amount.value)
    while True:
        usable = base | found
        new = {
            at: abs(amount.value)
            for at, amount in enumerate(amounts)
            if at not in usable
            and (
                any(says(amount, result) for result in _results(at, usable, totals, amount))
                or any(says(amount, result) for result in _changes(usable.values(), shown, amount))
                or any(says(amount, result) for parts, result in written if usable.keys() >= parts)
            )
        }
        if not new:
            return frozenset(found.values())
        found |= new
        # A sum goes on with the result as it was written, or as it is without rounding.
        for at in new:
            results = (
                result
                for parts, result in written
                if usable.keys() >= parts and amounts[at].unit != "%" and says(amounts[at], result)
            )
            exact[at] = replace(amounts[at], value=next(results, amounts[at].value))
        written += [one for one in _written_sums(text, exact) if one not in written]


def _parts(column: Sequence[Decimal]) -> Iterator[Decimal]:
    """What some of the rows of a column come to: "Shopee và TikTok Shop cộng lại"."""
    for count in range(2, len(column)):
        yield from (abs(sum(some, Decimal(0))) for some in combinations(column, count))


def _results(at: int, usable: dict[int, Decimal], totals: list[Decimal], amount: Amount) -> Iterator[Decimal]:
    """What figures at other places come to, for the figure at place `at`."""
    values = list(dict.fromkeys([*usable.values(), *totals]))
    for one, two in combinations(values, 2):
        yield from (one + two, abs(one - two), one * two, one * two / _HUNDRED)
    for one, two in permutations(values, 2):
        if two:
            yield from (one / two, abs(one - two) / two * _HUNDRED) if amount.unit == "%" else (one / two,)
            if amount.unit == "%":
                yield one / two * _HUNDRED
    for one in values:
        yield from (one * one, _HUNDRED - one) if amount.unit == "%" else (one * one,)
    yield from _sums(at, usable)


def _changes(values: Collection[Decimal], before: Collection[Decimal], amount: Amount) -> Iterator[Decimal]:
    """How far `values` are from those `before`, as the amount is written: absolute or in per cent."""
    for one in values:
        for old in before:
            change = abs(one - old)
            yield change / old * _HUNDRED if amount.unit == "%" else change


def _sums(at: int, usable: dict[int, Decimal]) -> Iterator[Decimal]:
    """Sums of three and more usable figures that stand side by side, before or behind place `at`."""
    places = [place for place in sorted(usable) if place != at]
    for first in range(len(places)):
        total = usable[places[first]]
        for length, last in enumerate(range(first + 1, min(first + _RUN, len(places))), 2):
            if places[last] != places[last - 1] + 1 and places[last - 1] + 1 != at:
                break
            total += usable[places[last]]
            if length > 2:
                yield total


def _written_sums(text: str, amounts: Sequence[Amount]) -> Iterator[tuple[set[int], Decimal]]:
    """The sums that are written out in `text`, as the places of their figures and what they come to."""
    signs = [_SIGN.fullmatch(text, one.end, two.start) for one, two in pairwise(amounts)]
    first = 0
    for at in range(len(amounts)):
        sign = signs[at] if at < len(signs) else None
        if sign is not None:
            continue
        if at > first:
            chosen = [_SIGNS.get(found[1], found[1]) for found in signs[first:at] if found]
            with suppress(DecimalException):
                run = _without_brackets(text, list(amounts[first : at + 1]), chosen)
                yield set(range(first, at + 1)), _value(*run)
        first = at + 1


def _without_brackets(text: str, amounts: list[Amount], signs: list[str]) -> tuple[list[Amount], list[str]]:
    """Figures and the signs between them, each bracket ("(5 − 3) × 200.000") in one figure, the inner ones first."""
    while True:
        starts = [one.end for one in amounts[:-1]]
        opens = [
            text.rfind("(", max(since, amount.start - 2), amount.start)
            for since, amount in zip([0, *starts], amounts, strict=True)
        ]
        ends = [
            text.find(")", amount.end, min(until, amount.end + 20))
            for amount, until in zip(
                amounts, [*(one.start for one in amounts[1:]), amounts[-1].end + 2], strict=True
            )
        ]
        last = next((at for at, end in enumerate(ends) if end >= 0), None)
        first = next((at for at in reversed(range((last or 0) + 1)) if opens[at] >= 0), None)
        if last is None or first is None:
            return amounts, signs
        value = _value(amounts[first : last + 1], signs[first:last])
        whole = replace(amounts[first], value=value, start=opens[first], end=ends[last] + 1, unit="")
        amounts = [*amounts[:first], whole, *amounts[last + 1 :]]
        signs = [*signs[:first], *signs[last:]]


def _value(amounts: Sequence[Amount], signs: Sequence[str]) -> Decimal:
    """What figures with signs between them come to; per cents are hundredths where they are multiplied or divide."""
    total, term = Decimal(0), abs(amounts[0].value)
    for sign, amount in zip(signs, amounts[1:], strict=True):
        value = abs(amount.value)
        if sign in "*/":
            factor = value / _HUNDRED if amount.unit == "%" else value
            term = term * factor if sign == "*" else term / factor
        else:
            total, term = total + term, value if sign == "+" else -value
    return abs(total + term)
