"""Messages between the app and a worker: a length of four bytes, then that much JSON."""

from __future__ import annotations

import datetime as dt
import json
import math
import struct
from decimal import Decimal
from typing import IO, Any

MAX_FRAME = 16 * 1024 * 1024
_LENGTH = struct.Struct(">I")


def write_frame(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Send `message`; raises OSError when the other side is gone, ValueError when it is larger than MAX_FRAME."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(
        "utf-8", "replace"
    )
    if len(body) > MAX_FRAME:
        raise ValueError(f"message of {len(body)} bytes")
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def read_frame(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None at the end, also in the middle of one, and for anything that is not a message."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME:
        return None
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        message = json.loads(body)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


# DuckDB's values as JSON has them.


# Imported before the worker closes its doors: these are what DuckDB's values are made of.

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
