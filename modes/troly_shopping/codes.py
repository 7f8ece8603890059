"""Tells prices, telephone numbers, dates, measures and model names from serials."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from troly.text.fold import fold
from troly.text.wordlist import read_lists

_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?|(?:19|20)\d\d-(?:19|20)?\d\d|\d{1,2}-\d{1,2}-\d{2,4}|\d{1,2}-(?:19|20)\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])"
)
_PHONE = re.compile(r"(?:0|84)\d{8,10}|1[89]00\d{4,6}")
_MEASURE = re.compile(r"(\d+)([^\W\d_]+)(\d?)")
_ROUND = re.compile(r"[1-9]\d{1,5}000")
_SMALL = re.compile(r"\d{1,2}[a-z]?")
_SIZE = re.compile(r"\d+x\d+(?:x\d+)?(?:gb|tb|g|mm|cm|w|hz)?|0x[0-9a-f]+")
_TIME = re.compile(r"\d{1,2}[hg]\d{0,2}|\d{1,2}(?:am|pm)|\d{1,2}h\d{2}-\d{1,2}h(?:\d{2})?|\d{1,2}h?-\d{1,2}h")
_QUARTER = re.compile(r"(?:q|quy)[1-4]-?(?:19|20)\d\d|t\d{1,2}-(?:19|20)?\d\d")
_PRICE = re.compile(r"\d{1,4}(?:tr|m|k|cu|ty|ti)\d{0,3}(?:k|tr|d)?")
# What makes a token part of a longer number: 1.000.000, 30/06/2025, 15,5.
_BEFORE = re.compile(r"(?:\d[.,/:]|[$€₫+#])$")
_AFTER = re.compile(r"(?:[.,/:]\d|\s?[%₫$€]|\s?(?:đồng|dong|vnđ|vnd|usd|đ)(?!\w))", re.IGNORECASE)
_UNIT_AFTER = re.compile(r"\s([^\W\d_]+)")


def ordinary_reason(text: str, start: int, end: int) -> str:
    """Why `text[start:end]` is an ordinary code; "" if nothing says so.

    One of `price`, `phone`, `year`, `date`, `number`, `measure`, `model`, and `maybe_model` for what has only the shape
    of a model's name.
    """
    word = fold(text[start:end]).strip("-")
    if not word:
        return ""
    digits = word.replace("-", "")
    for name, expression, subject in (
        ("year", _YEAR, word),
        ("date", _DATE, word),
        ("date", _QUARTER, word),
        ("phone", _PHONE, digits),
        ("price", _PRICE, word),
        ("price", _ROUND, word),
        ("measure", _SIZE, word),
        ("measure", _TIME, word),
    ):
        if expression.fullmatch(subject):
            return name
    if _BEFORE.search(text[max(0, start - 2) : start]) or _AFTER.match(text, end):
        return "number"
    measured = _MEASURE.fullmatch(word)
    if measured and measured[2] in _units():
        return "measure"
    following = _UNIT_AFTER.match(text, end)
    if word.isdigit() and following and fold(following[1]) in _units() - {"a", "d", "s", "in", "may", "x"}:
        return "measure"
    return _model_reason(word)


def _model_reason(word: str) -> str:
    """Whether the shape is that of a model: listed, or put together of makers, families, measures and small numbers."""
    parts = word.split("-")
    told = [_part_reason(part) for part in parts] if len(parts) > 1 else [""]
    if all(told) and any(reason != "small" for reason in told):
        return "maybe_model" if "maybe_model" in told else "model"
    if any(model.fullmatch(word) for model in _models("model")):
        return "model"
    return "maybe_model" if any(model.fullmatch(word) for model in _models("maybe model")) else ""


def _part_reason(part: str) -> str:
    if part.isalpha():
        return "maker" if part in _makers() else ""
    if _SMALL.fullmatch(part):
        return "small"
    return ordinary_reason(part, 0, len(part))


@cache
def _makers() -> frozenset[str]:
    return frozenset(fold(maker) for maker in _lists()["maker"])


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    return read_lists(Path(__file__).parent / "lexicons" / "serials.txt")


@cache
def _units() -> frozenset[str]:
    return frozenset(fold(unit) for unit in _lists()["unit"])


@cache
def _models(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_expression(fold(model))) for model in _lists()[name])


def _expression(model: str) -> str:
    """`rtx-9999@` as an expression: up to so many digits, a hyphen or none, letters or none."""
    parts = re.findall(r"9+|@|-|[^9@-]+", model)
    signs = {"@": "[a-z]*", "-": "-?"}
    return "".join(
        rf"\d{{1,{len(part)}}}" if part.startswith("9") else signs.get(part, re.escape(part))
        for part in parts
    )
