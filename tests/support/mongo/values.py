"""How MongoDB compares values, written again in Python to check the SQL against."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import cmp_to_key
from typing import Any


class MongoError(Exception):
    """What MongoDB would refuse while running."""


def rank(value: Any) -> int:
    """The place of a value's type in MongoDB's order of types."""
    kinds = ((bool, 5), (int, 1), (float, 1), (str, 2), (dict, 3), (list, 4), (date, 6))
    return next((place for kind, place in kinds if isinstance(value, kind)), 0)


def moment(value: Any) -> Any:
    """Dates as MongoDB keeps them: with a time."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, datetime.min.time())
    return value


def order(left: Any, right: Any) -> int:
    """-1, 0 or 1."""
    left, right = moment(left), moment(right)
    if rank(left) != rank(right):
        return -1 if rank(left) < rank(right) else 1
    if isinstance(left, list):
        for one, other in zip(left, right, strict=False):
            if found := order(one, other):
                return found
        return (len(left) > len(right)) - (len(left) < len(right))
    if isinstance(left, dict):
        return order([list(pair) for pair in left.items()], [list(pair) for pair in right.items()])
    if isinstance(left, str):
        left, right = left.encode(), right.encode()
    return 0 if left is None else (left > right) - (left < right)


def same(left: Any, right: Any) -> bool:
    return order(left, right) == 0


KEY = cmp_to_key(order)


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def truth(value: Any) -> bool:
    return not (value is None or value is False or (number(value) and value == 0))


def sort_key(value: Any, descending: bool) -> Any:
    """What a row is sorted by: of a list its least item going up, its greatest going down."""
    if not isinstance(value, list):
        return value
    given = [each for each in value if each is not None]
    if not given:
        return None
    return (max if descending else min)(given, key=KEY)


def at_path(value: Any, path: Sequence[str]) -> Any:
    """The value at `a.b`; through lists it is the list of their items' values."""
    if not path:
        return value
    if isinstance(value, list):
        return [at_path(each, path) for each in value]
    return at_path(value.get(path[0]), path[1:]) if isinstance(value, dict) else None


def alike(left: Any, right: Any) -> bool:
    """Whether results are the same, figures up to the last digits of a double."""
    left, right = moment(left), moment(right)
    if number(left) and number(right):
        return bool(abs(left - right) <= 1e-9 * max(1.0, abs(left), abs(right)))
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(alike(left[name], right[name]) for name in left)
    return type(left) is type(right) and left == right
