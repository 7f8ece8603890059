"""Dates as tool calls write them, as spans of time: a day, a month, a year, or one moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from troly.errors import InputError
from troly.text.dates import HCM, add_months, parse_date

_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Moments:
    """A stretch of local time from `start` up to but without `end`; `whole_days` when both are midnights."""

    start: datetime
    end: datetime
    whole_days: bool = True


def read_moments(value: object, name: str) -> Moments:
    """The stretch of time `value` names: "2024-01-31", "31/1/2024", "2024-01", "2024", or a date with a time.

    A time with an offset is brought to Viet Nam's clock; a bare `Z` is taken as that clock, as people mean it.
    Raises InputError `query.date` naming the argument.
    """
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return _days(value, value + timedelta(days=1))
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    try:
        found = _read(text)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise InputError("query.date", name=name, value=str(value)[:60])
    return found


def _read(text: str) -> Moments | None:
    if match := _MONTH.fullmatch(text):
        first = date(int(match[1]), int(match[2]), 1)
        return _days(first, add_months(first, 1))
    if _YEAR.fullmatch(text):
        return _days(date(int(text), 1, 1), date(int(text) + 1, 1, 1))
    if ":" in text:
        return _moment(datetime.fromisoformat(text.removesuffix("Z")))
    day = parse_date(text)
    return _days(day, day + timedelta(days=1)) if day else None


def _days(start: date, end: date) -> Moments:
    return Moments(datetime.combine(start, datetime.min.time()), datetime.combine(end, datetime.min.time()))


def _moment(value: datetime) -> Moments:
    local = value.astimezone(HCM).replace(tzinfo=None) if value.tzinfo else value
    return Moments(local, local + timedelta(microseconds=1), whole_days=False)


def read_period(start: object, end: object, names: tuple[str, str]) -> tuple[Moments | None, Moments | None]:
    """Both ends of a period, each may be missing; InputError when the end lies before the start."""
    first = None if start in (None, "") else read_moments(start, names[0])
    last = None if end in (None, "") else read_moments(end, names[1])
    if first and last and last.end <= first.start:
        raise InputError("query.period", first=str(start), last=str(end))
    return first, last
