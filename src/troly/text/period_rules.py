"""What each section of lexicons/periods.txt means: a rule from what was said to first and last day."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import cast

from troly.text.days import MONTHS, Days, Unit, add, add_months, make_date, months, parse_date, whole
from troly.text.fold import accents_agree, fold

_VIETNAMESE = ["một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín", "mười"]
_ENGLISH = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
COUNTS: dict[str, int] = {
    **{name: number for number, name in enumerate(_VIETNAMESE, 1)},
    **{name: number for number, name in enumerate(_ENGLISH, 1)},
    "vài": 3,
    "mấy": 3,
    "few": 3,
    "couple": 2,
}
SPOKEN_MONTHS: dict[str, int] = {
    "giêng": 1, "một": 1, "hai": 2, "ba": 3, "tư": 4, "năm": 5, "sáu": 6, "bảy": 7, "tám": 8, "chín": 9,
    "mười": 10, "mười một": 11, "mười hai": 12, "chạp": 12,
}  # fmt: skip
ORDINALS: dict[str, int] = {
    "nhất": 1, "một": 1, "hai": 2, "ba": 3, "tư": 4, "bốn": 4,
    "first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4,
}  # fmt: skip
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4}
WEEKDAYS: dict[str, int] = {
    "thứ hai": 0, "thứ ba": 1, "thứ tư": 2, "thứ năm": 3, "thứ sáu": 4, "thứ bảy": 5, "chủ nhật": 6, "cn": 6,
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
} | {f"thứ {nth}": nth - 2 for nth in range(2, 8)} | {f"t{nth}": nth - 2 for nth in range(2, 8)}  # fmt: skip
_SHORT_DATE = re.compile(r"(?:ngay\s+)?([0-9]{1,2})(?:[/.-]|\s+thang\s+)([0-9]{1,2})(?:[/.-]([0-9]{2}))?")
_NAMED_DATE = re.compile(r"(?:([0-9]{1,2})\D*?\s+(?:of\s+)?)?([a-z]{3,9})(?:\s+([0-9]{1,2})\D*)?")


@dataclass(frozen=True, slots=True)
class Said:
    """What filled the places of a phrase, as typed; the day it was said; the period named before it."""

    parts: Mapping[str, str]
    today: date
    previous: Days | None

    def number(self, place: str, names: Mapping[str, int], default: int | None = None) -> int | None:
        """The number in `place`, written in digits or as one of `names` with the right accents."""
        text = self.parts.get(place)
        if text is None:
            return default
        if fold(text).isdecimal():
            return int(fold(text))
        return next((value for name, value in names.items() if _same(text, name)), None)

    def year(self, place: str = "y") -> int | None:
        return self.number(place, {})

    def month(self, place: str = "m") -> int | None:
        """The month's number in {m}, {month} or {fullmonth} ("2" appended for the second one)."""
        tail = place.removeprefix("m")
        for name in (f"month{tail}", f"fullmonth{tail}"):
            if name in self.parts:
                return MONTHS[fold(self.parts[name])]
        return self.number(
            place, {name: n for name, n in SPOKEN_MONTHS.items() if not _bare(self.parts.get(place), name)}
        )

    def quarter(self, place: str = "q") -> int | None:
        return self.number(place, ORDINALS | _ROMAN)

    def day(self, place: str, year: int | None = None) -> date | None:
        """The date in `place`; without a year it is in `year`, or the latest such day that has come."""
        text = fold(self.parts[place])
        if full := parse_date(text):
            return full
        if match := _SHORT_DATE.fullmatch(text):
            day, month = int(match[1]), int(match[2])
            year = 2000 + int(match[3]) if match[3] else year
        elif (match := _NAMED_DATE.fullmatch(text)) and match[2] in MONTHS and (match[1] or match[3]):
            day, month = int(match[1] or match[3]), MONTHS[match[2]]
        else:
            return None
        if year is not None:
            return make_date(year, month, day)
        found = make_date(self.today.year, month, day)
        return make_date(self.today.year - 1, month, day) if found is None or found > self.today else found


def resolve(rule: str, said: Said) -> Days | None:
    """First and last day of what `rule` (a section's name) says, None when there is no such day."""
    kind, _, rest = rule.partition(" ")
    try:
        return _RULES[kind](said, rest)
    except (ValueError, OverflowError):  # outside the calendar
        return None


def _same(typed: str, name: str) -> bool:
    return fold(typed) == fold(name) and accents_agree(" ".join(typed.split()), name)


def _bare(typed: str | None, name: str) -> bool:
    """Whether an accented month name was typed without accents: "thang sau" is next month, not June."""
    return typed is not None and typed.isascii() and not name.isascii()


def _unit(said: Said, rest: str, unit: Unit) -> Days:
    return whole(add(whole(said.today, unit)[0], int(rest), unit), unit)


def _last(said: Said, rest: str) -> Days | None:
    if rest == "months":
        count, year = said.number("n", COUNTS), said.year() or said.today.year
        return months(year, 13 - count, count) if count and count <= 12 else None
    count = said.number("n", COUNTS, 1)
    return (add(said.today, -count, cast("Unit", rest)) + timedelta(days=1), said.today) if count else None


def _next(said: Said, rest: str) -> Days | None:
    count = said.number("n", COUNTS)
    return (said.today + timedelta(days=1), add(said.today, count, cast("Unit", rest))) if count else None


def _ago(said: Said, rest: str) -> Days | None:
    count, unit = said.number("n", COUNTS), cast("Unit", rest)
    return None if count is None else whole(add(said.today, -count, unit), unit)


def _named(said: Said, rest: str) -> Days | None:
    unit, _, relative = rest.partition(" ")
    year = said.year() or (said.today.year + int(relative.removeprefix("year ")) if relative else None)
    if unit == "year":
        return months(year, 1, 12) if year else None
    number = said.month() if unit == "month" else said.quarter()
    return None if number is None else _nth(said, unit, number, year)


def _nth(said: Said, unit: str, number: int, year: int | None) -> Days:
    """Month or quarter `number` of `year`, or of the latest year in which it has begun."""
    first, count = (number, 1) if unit == "month" else (number * 3 - 2, 3)
    return months(year or said.today.year - (date(said.today.year, first, 1) > said.today), first, count)


def _first(said: Said, _rest: str) -> Days | None:
    count = said.number("n", COUNTS)
    return months(said.year() or said.today.year, 1, count) if count and count <= 12 else None


def _half(said: Said, rest: str) -> Days:
    return months(said.year() or said.today.year, 1 if rest == "1" else 7, 6)


def _to_date(said: Said, rest: str) -> Days:
    return whole(said.today, cast("Unit", rest.removeprefix("date ")))[0], said.today


def _span(said: Said, rest: str) -> Days | None:
    if not rest:
        return _day_span(said)
    if rest == "year":
        first, last = said.year(), said.year("y2")
        return (date(first, 1, 1), date(last, 12, 31)) if first and last else None
    one, two = (said.month(), said.month("m2")) if rest == "month" else (said.quarter(), said.quarter("q2"))
    if one is None or two is None:
        return None
    end = _nth(said, rest, two, said.year("y2"))
    year = said.year() or end[1].year - (one > two)
    return _nth(said, rest, one, year)[0], end[1]


def _day_span(said: Said) -> Days | None:
    last = said.day("to")
    if last is None:
        return None
    if "day" in said.parts:
        first = make_date(last.year, last.month, int(said.parts["day"]))
    else:
        first = said.day("from", last.year)
        if first and first > last and parse_date(said.parts["from"]) is None:
            first = add_months(first, -12)  # "từ 15/12 đến 15/1"
    return (first, last) if first else None


def _since(said: Said, rest: str) -> Days | None:
    if not rest:
        first = said.day("from")
        return (first, said.today) if first else None
    days = _named(said, rest)
    return (days[0], said.today) if days else None


def _single(said: Said, _rest: str) -> Days | None:
    day = said.day(next(iter(said.parts)))
    return (day, day) if day else None


def _weekday(said: Said, rest: str) -> Days | None:
    number = said.number("wd", WEEKDAYS)
    if number is None:
        return None
    if rest in {"last", "next"}:
        ahead = (number - said.today.weekday() - 1) % 7 + 1
        day = said.today + timedelta(days=ahead if rest == "next" else ahead - 7 - 7 * (ahead == 7))
    else:
        day = _unit(said, rest, "week")[0] + timedelta(days=number)
    return day, day


def _weekend(said: Said, rest: str) -> Days:
    sunday = _unit(said, rest, "week")[1]
    return sunday - timedelta(days=1), sunday


def _same_period(said: Said, rest: str) -> Days:
    start, end = said.previous or whole(said.today, "month")
    back = -12 if rest == "year" else -1
    closes = end == whole(end, "month")[1]
    moved = add_months(end, back)
    return add_months(start, back), whole(moved, "month")[1] if closes else moved


_RULES: dict[str, Callable[[Said, str], Days | None]] = {
    "day": lambda said, rest: _unit(said, rest, "day"),
    "week": lambda said, rest: _unit(said, rest, "week"),
    "month": lambda said, rest: _unit(said, rest, "month"),
    "quarter": lambda said, rest: _unit(said, rest, "quarter"),
    "year": lambda said, rest: _unit(said, rest, "year"),
    "last": _last,
    "next": _next,
    "ago": _ago,
    "named": _named,
    "first": _first,
    "half": _half,
    "to": _to_date,
    "span": _span,
    "since": _since,
    "single": _single,
    "weekday": _weekday,
    "weekend": _weekend,
    "same": _same_period,
}
