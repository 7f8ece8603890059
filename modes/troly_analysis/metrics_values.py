"""What a value written in a definition means for its field: numbers, dates, yes or no, the spelling of the sheet."""

from __future__ import annotations

import re
from typing import Any

from troly.text.dates import parse_date
from troly.text.fold import fold
from troly.text.numbers import parse_number
from troly_analysis.types import NUMERIC, TEMPORAL, Field

_TRUTHS = {
    "true": True,
    "dung": True,
    "co": True,
    "yes": True,
    "false": False,
    "sai": False,
    "khong": False,
    "no": False,
}


def value_of(field: Field, said: str, sign: str) -> tuple[Any, str]:
    """The value as the field has it, and the key of what is wrong with it ("" where nothing is)."""
    if field.kind in NUMERIC:
        number = _number(said)
        return number, "metric.number" if number is None else ""
    if field.kind in TEMPORAL:
        day = parse_date(said)
        if day is None:
            return None, "metric.date"
        timed = field.kind == "datetime" and re.fullmatch(r"[0-9]{4}-.+[:].+", said)
        return (said if timed else day.isoformat()), ""
    if field.kind == "boolean":
        truth = _TRUTHS.get(fold(said).strip())
        return truth, "metric.truth" if truth is None else ""
    if sign == "contains" or said in field.examples:
        return said, ""
    return next((known for known in field.examples if fold(known) == fold(said)), said), ""


def _number(said: str) -> int | float | None:
    try:
        return int(said)
    except ValueError:
        pass
    try:
        exact = (
            float(said)
            if re.fullmatch(r"-?[0-9]+\.[0-9]*(?:e[-+]?[0-9]+)?|-?[0-9]+e[-+]?[0-9]+", said)
            else None
        )
    except ValueError:
        exact = None
    if exact is not None and len(said.rpartition(".")[2]) != 3:
        return exact
    number = parse_number(said)
    if number is None:
        return None
    return int(number) if number == int(number) else float(number)
