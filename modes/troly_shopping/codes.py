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
# Mobile, landline, the eleven-digit numbers of before 2018, and service numbers.
_PHONE = re.compile(r"(?:0|84)(?:[35789]\d{8}|2\d{9}|1[2689]\d{8})|1[89]00\d{4,6}")
_MEASURE = re.compile(r"(\d+)([^\W\d_]+)(\d?)")
_ROUND = re.compile(r"[1-9]\d{1,5}000")
_SMALL = re.compile(r"\d{1,2}[a-z]?")
_SIZE = re.compile(r"\d+x\d+(?:x\d+)?(?:gb|tb|g|mm|cm|w|hz)?|0x[0-9a-f]+")
# International parcels (UPU S10) and parcels of UPS.
_PARCEL = re.compile(r"[a-z]{2}\d{9}[a-z]{2}|1z[a-z0-9]{16}")
# A word with a small number, as vouchers have them: WELCOME10.
_VOUCHER = re.compile(r"[a-z]{5,}\d{1,3}|[a-z]{3,}20\d\d")
# Names of models are put together of short pieces, numbers of at most four digits: SM-S918B, UX3405MA-PP151W.
_PIECE = re.compile(r"[a-z]{0,4}\d{0,4}(?:[a-z]{1,4}\d?)?")
_MODEL_DIGITS = 7
# A piece of digits alone that is long or begins with 0 counts machines, as in BX-0091-22.
_COUNTED = re.compile(r"0\d+|\d{4,}")
# Shorter units are letters of codes as well.
_WORD = 3
# Laptops and monitors that begin with their size in inches: 16IRX9, 27GR95QE-B.
_SIZED = re.compile(r"(?:1[1-8]|2[1-9]|3[0-4]|4[0-9])[a-z]{1,4}\d{1,3}[a-z]{0,4}(?:-[a-z]{1,2})?")
_TIME = re.compile(r"\d{1,2}[hg]\d{0,2}|\d{1,2}(?:am|pm)|\d{1,2}h\d{2}-\d{1,2}h(?:\d{2})?|\d{1,2}h?-\d{1,2}h")
_QUARTER = re.compile(r"(?:q|quy)[1-4]-?(?:19|20)\d\d|t\d{1,2}-(?:19|20)?\d\d")
_PRICE = re.compile(r"\d{1,4}(?:tr|m|k|cu|ty|ti)\d{0,3}(?:k|tr|d)?")
# What makes a token part of a longer number: 1.000.000, 30/06/2025, 15,5.
_BEFORE = re.compile(r"(?:\d[.,:]|[$€₫+#])$")
_AFTER = re.compile(r"(?:[.,:]\d|\s?[%₫$€]|\s?(?:đồng|dong|vnđ|vnd|usd|đ)(?!\w))", re.IGNORECASE)
# A stroke parts whole codes (AA10020/AA10021), and is part of dates, addresses and fractions (12A/5).
_STROKE_BEFORE = re.compile(r"([A-Za-z0-9-]+)/$")
_STROKE_AFTER = re.compile(r"/([A-Za-z0-9-]+)")
_WHOLE = 5
_UNIT_AFTER = re.compile(r"\s([^\W\d_]+)")


def ordinary_reason(text: str, start: int, end: int) -> str:
    """Why `text[start:end]` is an ordinary code; "" if nothing says so.

    One of `price`, `phone`, `year`, `date`, `number`, `measure`, `parcel`, `model`, and `maybe_model` for what has only
    the shape of a model's name.
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
        ("parcel", _PARCEL, digits),
    ):
        if expression.fullmatch(subject):
            return name
    if (
        _BEFORE.search(text[max(0, start - 2) : start])
        or _AFTER.match(text, end)
        or _is_struck(text, start, end)
    ):
        return "number"
    measured = _MEASURE.fullmatch(word)
    if measured and measured[2] in (_parted() if measured[3] else _units()):
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
    shaped = _has_shape(word) or any(model.fullmatch(word) for model in _models("maybe model"))
    return "maybe_model" if shaped else ""


def _has_shape(word: str) -> bool:
    """Whether `word` is built as names of models and vouchers are."""
    parts = word.split("-")
    mixed = any(char.isalpha() for char in word) and any(char.isdigit() for char in word)
    pieces = len(parts) > 1 and all(_PIECE.fullmatch(part) and not _COUNTED.fullmatch(part) for part in parts)
    few = sum(char.isdigit() for char in word) <= _MODEL_DIGITS
    return mixed and bool((pieces and few) or _SIZED.fullmatch(word) or _VOUCHER.fullmatch(word))


def _is_struck(text: str, start: int, end: int) -> bool:
    """Whether a stroke makes `text[start:end]` a part of something longer."""
    beside = [
        found[1]
        for found in (_STROKE_BEFORE.search(text[max(0, start - 33) : start]), _STROKE_AFTER.match(text, end))
        if found
    ]
    codes = [text[start:end], *beside]
    whole = all(len(code) >= _WHOLE and any(char.isdigit() for char in code) for code in codes)
    return bool(beside) and not (whole and any(char.isalpha() for char in "".join(codes)))


def _part_reason(part: str) -> str:
    if part.isalpha():
        return "maker" if part in _makers() else "measure" if len(part) >= _WORD and part in _units() else ""
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
def _parted() -> frozenset[str]:
    """Units with a digit after them: 15tr5, 1m8."""
    return frozenset(fold(unit) for unit in _lists()["parted unit"])


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
