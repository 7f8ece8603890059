"""Reads a pipeline from JSON text or Python values and holds it to its limits before anything looks inside."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from troly.text.dates import HCM
from troly.text.fold import nfc
from troly_analysis.pipeline.errors import At, PipelineError, Word, short

MAX_DEPTH, MAX_VALUES, MAX_TEXT, MAX_NAME, MAX_JSON = 40, 5_000, 4_000, 200, 1_000_000
_NUMBERS = ("$numberInt", "$numberLong", "$numberDouble", "$numberDecimal")


def read(given: object) -> Any:
    """The pipeline with texts in NFC and extended JSON (`$date`, `$numberLong`, ...) as dates and numbers.

    Raises PipelineError: no JSON (with line and column), a key twice, NaN or infinity, deeper than 40, more than 5,000
    values, too long texts, NUL characters, types that JSON does not have.
    """
    value = _parsed(given) if isinstance(given, str | bytes) else given
    _measure(value)
    if isinstance(value, list | tuple):
        return [_clean(each, At(index + 1)) for index, each in enumerate(value)]
    return _clean(value, At())


def _parsed(text: str | bytes) -> Any:
    if len(text) > MAX_JSON:
        raise PipelineError("large", At(), limit=MAX_VALUES)
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise PipelineError("json", At(), line=error.lineno, column=error.colno, reason=error.msg) from None
    except UnicodeDecodeError:
        raise PipelineError("json", At(), line=1, column=1, reason="UTF-8") from None
    except RecursionError:
        raise PipelineError("deep", At(), limit=MAX_DEPTH) from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise PipelineError("duplicate", At(), name=short(name))
        found[name] = value
    return found


def _constant(name: str) -> Any:
    raise PipelineError("number", At(), value=name)


def _integer(text: str) -> int | float:
    # Python refuses to read integers of thousands of digits.
    return int(text) if len(text) < 40 else float(text)


def _measure(value: object) -> None:
    """Depth and size, without recursion: the value may be as deep as it likes."""
    level, depth, seen = [value], 0, 0
    while level:
        depth += 1
        seen += len(level)
        if depth > MAX_DEPTH:
            raise PipelineError("deep", At(), limit=MAX_DEPTH)
        if seen > MAX_VALUES:
            raise PipelineError("large", At(), limit=MAX_VALUES)
        below: list[object] = []
        for each in level:
            if isinstance(each, Mapping):
                below += each.values()
            elif isinstance(each, list | tuple):
                below += each
        level = below


def _clean(value: object, at: At) -> Any:
    if isinstance(value, Mapping):
        return _document(value, at)
    if isinstance(value, list | tuple):
        return [_clean(each, at.item(index)) for index, each in enumerate(value)]
    if isinstance(value, str):
        return _text(value, at)
    if value is None or isinstance(value, bool | datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, datetime.min.time())
    if isinstance(value, int | float):
        return _number(value, at)
    raise PipelineError("type", at, expected=Word("json"), found=type(value).__name__)


def _document(value: Mapping[Any, Any], at: At) -> Any:
    if len(value) == 1:
        name, inner = next(iter(value.items()))
        if name == "$date":
            return _date(inner, at.key(name))
        if name in _NUMBERS:
            return _extended(str(inner), at.key(name))
    found: dict[str, Any] = {}
    for name, inner in value.items():
        if not isinstance(name, str) or len(name) > MAX_NAME or not _printable(name):
            raise PipelineError("name", at, name=short(name))
        key = nfc(name)
        if key in found:
            raise PipelineError("duplicate", at, name=short(name))
        found[key] = _clean(inner, at.key(key))
    return found


def _text(value: str, at: At) -> str:
    if len(value) > MAX_TEXT:
        raise PipelineError("long", at, limit=MAX_TEXT)
    if not _printable(value):
        raise PipelineError("characters", at)
    return nfc(value)


def _printable(value: str) -> bool:
    return "\0" not in value and not any(0xD800 <= ord(char) <= 0xDFFF for char in value)


def _number(value: float, at: At) -> int | float:
    # Beyond 64 bits a whole number is kept as a double, as MongoDB does.
    kept = value if -(2**63) <= value < 2**63 else _as_float(value)
    if not math.isfinite(kept):
        raise PipelineError("number", at, value=short(value))
    return kept


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _extended(value: str, at: At) -> int | float:
    read_as: Callable[[str], int | float] = float if at.path.endswith(("Double", "Decimal")) else int
    try:
        return _number(read_as(value[:40]), at)
    except ValueError:
        raise PipelineError("number", at, value=short(value)) from None


def _date(value: object, at: At) -> datetime:
    if isinstance(value, Mapping) and set(value) == {"$numberLong"}:
        value = value["$numberLong"]
        whole = isinstance(value, str) and value.lstrip("-").isdigit() and len(value) < 16
        value = int(str(value)) if whole else value
    if isinstance(value, datetime):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**14:
        return datetime.fromtimestamp(value / 1000, UTC).replace(tzinfo=None)
    return moment_of(value, at)


def moment_of(value: object, at: At) -> datetime:
    """The date or time that a text names; PipelineError when it names none."""
    found = iso_moment(value) if isinstance(value, str) else None
    if found is None:
        raise PipelineError("date", at, value=short(value))
    return found


def iso_moment(text: str) -> datetime | None:
    """An ISO 8601 date or time on the sheets' clock; None when it is none.

    Sheets keep local times without a zone: no offset, `Z` and `+07:00` are all taken as that clock, another offset is
    brought to it.
    """
    if not text[:4].isdigit():
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    offset = found.utcoffset()
    if offset and offset != HCM.utcoffset(found):
        return found.astimezone(HCM).replace(tzinfo=None)
    return found.replace(tzinfo=None)
