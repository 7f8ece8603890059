"""Dates and the clock: what day it is in Viet Nam, dates as written, periods as spoken."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, time
from zoneinfo import ZoneInfo

from troly.text.days import format_date, parse_date
from troly.text.periods import DateRange, find_ranges

__all__ = [
    "HCM",
    "Clock",
    "DateRange",
    "find_ranges",
    "fixed_clock",
    "format_date",
    "parse_date",
    "parse_now",
    "system_clock",
]

HCM = ZoneInfo("Asia/Ho_Chi_Minh")
Clock = Callable[[], datetime]
"""Gives the present as an aware datetime."""
_CLOCK_TIME = re.compile(r"(.+?)[ T]+([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)")


def system_clock() -> datetime:
    """Now, in Ho Chi Minh City."""
    return datetime.now(HCM)


def fixed_clock(iso: str) -> Clock:
    """A clock that always says `iso` (see `parse_now`); raises ValueError."""
    moment = parse_now(iso)
    return lambda: moment


def parse_now(text: str) -> datetime:
    """The moment `--now` names, in Ho Chi Minh City: ISO 8601, or a date as people write it, with or without a time.

    Without a zone the time is local, without a time it is midnight. Raises ValueError.
    """
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        match = _CLOCK_TIME.fullmatch(text)
        day = parse_date(match[1] if match else text)
        if day is None:
            raise ValueError(f"not a date or time: {text!r}") from None
        moment = datetime.combine(day, time.fromisoformat(match[2].zfill(5)) if match else time())
    try:
        return moment.replace(tzinfo=HCM) if moment.tzinfo is None else moment.astimezone(HCM)
    except OverflowError as error:
        raise ValueError(f"not a date or time: {text!r}") from error
