"""Single dates as people write them, and the whole weeks, months, quarters and years around a day."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Literal

from troly.text.fold import fold

Unit = Literal["day", "week", "month", "quarter", "year"]
Days = tuple[date, date]

_LONG = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTHS: dict[str, int] = {
    **{name: number for number, name in enumerate(_LONG, 1)},
    **{name[:3]: number for number, name in enumerate(_LONG, 1)},
    "sept": 9,
}
_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"(?P<d>[0-3]?[0-9])"
_YEAR = r"(?P<y>[0-9]{4})"
# Read on folded text, whole; day before month, as in Vietnam.
_FORMS = [
    re.compile(form)
    for form in (
        rf"{_YEAR}-(?P<m>[01]?[0-9])-{_DAY}(?:[t ][0-9:.]+(?:z|[+-][0-9:]+)?)?",
        rf"{_YEAR}/(?P<m>[01]?[0-9])/{_DAY}",
        rf"(?:ngay\s+)?{_DAY}(?P<sep>[/.-])(?P<m>[01]?[0-9])(?P=sep){_YEAR}(?: [0-9:.]+)?",
        rf"(?:ngay\s+)?{_DAY}\s+thang\s+(?P<m>[01]?[0-9])(?:\s+nam\s+|\s*[/,-]\s*|\s+){_YEAR}",
        rf"{_DAY}(?:st|nd|rd|th)?(?:\s+of)?[\s-]+(?P<name>{_NAMES})\.?[\s,-]+{_YEAR}",
        rf"(?P<name>{_NAMES})\.?\s+{_DAY}(?:st|nd|rd|th)?(?:\s*,\s*|\s+){_YEAR}",
    )
]


def parse_date(s: str) -> date | None:
    """The date that the whole of `s` is (000-50), None when it is none or impossible (31/02/2024).

    YYYY-MM-DD (a time after it is ignored), YYYY/M/D, D/M/YYYY, D-M-YYYY, D.M.YYYY, "ngày 31 tháng 12 năm 2024",
    "31 Dec 2024", "December 31, 2024". The year has four digits: a shorter one would have to be guessed.
    """
    text = fold(s).strip()
    for form in _FORMS:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            month = MONTHS[parts["name"]] if parts.get("name") else int(parts["m"])
            return make_date(int(parts["y"]), month, int(parts["d"]))
    return None


def make_date(year: int, month: int, day: int) -> date | None:
    """The date, None when the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def format_date(d: date) -> str:
    """D/M/YYYY without padding (000-44): "1/6/2025"."""
    return f"{d.day}/{d.month}/{d.year}"


def add_months(d: date, months: int) -> date:
    """The same day `months` later, or the last day of that month when it is shorter; raises ValueError outside 1-9999."""
    year, month = divmod(d.year * 12 + d.month - 1 + months, 12)
    return date(year, month + 1, min(d.day, _length(year, month + 1)))


def add(d: date, count: int, unit: Unit) -> date:
    """`d` moved by `count` units; raises ValueError or OverflowError outside the calendar."""
    if unit in {"day", "week"}:
        return d + timedelta(days=count * (7 if unit == "week" else 1))
    return add_months(d, count * {"month": 1, "quarter": 3, "year": 12}[unit])


def whole(d: date, unit: Unit) -> Days:
    """First and last day of the unit that holds `d`; weeks begin on Monday."""
    if unit == "day":
        return d, d
    if unit == "week":
        monday = d - timedelta(days=d.weekday())
        return monday, monday + timedelta(days=6)
    if unit == "month":
        return d.replace(day=1), d.replace(day=_length(d.year, d.month))
    if unit == "quarter":
        return months(d.year, (d.month - 1) // 3 * 3 + 1, 3)
    return months(d.year, 1, 12)


def months(year: int, first: int, count: int = 1) -> Days:
    """First and last day of `count` months of `year` from month `first`."""
    last = first + count - 1
    return date(year, first, 1), date(year, last, _length(year, last))


def _length(year: int, month: int) -> int:
    if not 1 <= year <= date.max.year:
        raise ValueError(f"no year {year}")
    return monthrange(year, month)[1]
