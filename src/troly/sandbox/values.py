"""DuckDB's values as JSON has them."""

from __future__ import annotations

# Imported before the worker closes its doors: these are what DuckDB's values are made of.
import datetime as dt
import math
from decimal import Decimal
from typing import Any

_EXACT_DIGITS = 15


def plain(value: Any, longest: int) -> Any:
    """`value` as None, bool, int, float, str, list or dict; texts end at `longest` characters, plus a mark.

    Dates and times become ISO text, NaN and infinities None, bytes hex. A Decimal is a number where a float holds
    all its digits and text where not.
    """
    if isinstance(value, (list, tuple)):
        return [plain(each, longest) for each in value]
    if isinstance(value, dict):
        return {str(key): plain(each, longest) for key, each in value.items()}
    if value is None or isinstance(value, (bool, int, float, Decimal)):
        return _number(value)
    text = _text(value)
    return text if len(text) <= longest else text[:longest] + "…"


def _number(value: float | Decimal | None) -> float | str | None:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, Decimal):
        return value
    if not value.is_finite():
        return None
    _, digits, exponent = value.as_tuple()
    if exponent == 0:
        return int(value)
    return float(value) if len(digits) <= _EXACT_DIGITS else str(value)


def _text(value: Any) -> str:
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    return str(value)
