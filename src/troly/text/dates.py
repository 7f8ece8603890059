"""Dates and the clock: what day it is in Viet Nam, dates as written, periods as spoken."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import Literal, cast
from zoneinfo import ZoneInfo

from troly.text.fold import accents_agree, fold, fold_in_place, nfc, span_in_place
from troly.text.wordlist import LEXICONS, read_lists

# Single dates as people write them, and the whole weeks, months, quarters and years around a day.


Unit = Literal["day", "week", "month", "quarter", "year"]
Days = tuple[date, date]
# A day to read periods by where only their words count.
ANY_DAY = date(2024, 6, 15)

_LONG = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
MONTHS: dict[str, int] = {
    **{name: number for number, name in enumerate(_LONG, 1)},
    **{name[:3]: number for number, name in enumerate(_LONG, 1)},
    "sept": 9,
}
_MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"(?P<d>[0-3]?[0-9])"
_WRITTEN_YEAR = r"(?P<y>[0-9]{4})"
# Read on folded text, whole; day before month, as in Vietnam.
_FORMS = [
    re.compile(form)
    for form in (
        rf"{_WRITTEN_YEAR}-(?P<m>[01]?[0-9])-{_DAY}(?:[t ][0-9:.]+(?:z|[+-][0-9:]+)?)?",
        rf"{_WRITTEN_YEAR}/(?P<m>[01]?[0-9])/{_DAY}",
        rf"(?:ngay\s+)?{_DAY}(?P<sep>[/.-])(?P<m>[01]?[0-9])(?P=sep){_WRITTEN_YEAR}(?: [0-9:.]+)?",
        rf"(?:ngay\s+)?{_DAY}\s+thang\s+(?P<m>[01]?[0-9])(?:\s+nam\s+|\s*[/,-]\s*|\s+){_WRITTEN_YEAR}",
        rf"{_DAY}(?:st|nd|rd|th)?(?:\s+of)?[\s-]+(?P<name>{_MONTH_NAMES})\.?[\s,-]+{_WRITTEN_YEAR}",
        rf"(?P<name>{_MONTH_NAMES})\.?\s+{_DAY}(?:st|nd|rd|th)?(?:\s*,\s*|\s+){_WRITTEN_YEAR}",
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


# What each section of lexicons/periods.txt means: a rule from what was said to first and last day.


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
class SpokenPeriod:
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


def resolve(rule: str, said: SpokenPeriod) -> Days | None:
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


def _unit(said: SpokenPeriod, rest: str, unit: Unit) -> Days:
    return whole(add(whole(said.today, unit)[0], int(rest), unit), unit)


def _last(said: SpokenPeriod, rest: str) -> Days | None:
    if rest == "months":
        count, year = said.number("n", COUNTS), said.year() or said.today.year
        return months(year, 13 - count, count) if count and count <= 12 else None
    count = said.number("n", COUNTS, 1)
    return (add(said.today, -count, cast("Unit", rest)) + timedelta(days=1), said.today) if count else None


def _next(said: SpokenPeriod, rest: str) -> Days | None:
    count = said.number("n", COUNTS)
    return (said.today + timedelta(days=1), add(said.today, count, cast("Unit", rest))) if count else None


def _ago(said: SpokenPeriod, rest: str) -> Days | None:
    count, unit = said.number("n", COUNTS), cast("Unit", rest)
    return None if count is None else whole(add(said.today, -count, unit), unit)


def _named(said: SpokenPeriod, rest: str) -> Days | None:
    unit, _, relative = rest.partition(" ")
    year = said.year() or (said.today.year + int(relative.removeprefix("year ")) if relative else None)
    if unit == "year":
        return months(year, 1, 12) if year else None
    number = said.month() if unit == "month" else said.quarter()
    return None if number is None else _nth(said, unit, number, year)


def _nth(said: SpokenPeriod, unit: str, number: int, year: int | None) -> Days:
    """Month or quarter `number` of `year`, or of the latest year in which it has begun."""
    first, count = (number, 1) if unit == "month" else (number * 3 - 2, 3)
    return months(year or said.today.year - (date(said.today.year, first, 1) > said.today), first, count)


def _first(said: SpokenPeriod, _rest: str) -> Days | None:
    count = said.number("n", COUNTS)
    return months(said.year() or said.today.year, 1, count) if count and count <= 12 else None


def _days_of_month(said: SpokenPeriod, rest: str) -> Days | None:
    """The first or last {n} days, or half, of a month that is named, or `rest` months from this one."""
    part, _, back = rest.partition(" ")
    month = (
        _named(said, "month")
        if not back
        else whole(add_months(said.today.replace(day=1), int(back)), "month")
    )
    count = said.number("n", COUNTS, 15)
    if month is None or not count or count > month[1].day:
        return None
    if part == "first":
        return month[0], month[0] + timedelta(days=count - 1)
    first = (
        month[0] + timedelta(days=count) if "n" not in said.parts else month[1] - timedelta(days=count - 1)
    )
    return first, month[1]


def _half(said: SpokenPeriod, rest: str) -> Days:
    return months(said.year() or said.today.year, 1 if rest == "1" else 7, 6)


def _to_date(said: SpokenPeriod, rest: str) -> Days:
    return whole(said.today, cast("Unit", rest.removeprefix("date ")))[0], said.today


def _span(said: SpokenPeriod, rest: str) -> Days | None:
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


def _day_span(said: SpokenPeriod) -> Days | None:
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


def _since(said: SpokenPeriod, rest: str) -> Days | None:
    if not rest:
        first = said.day("from")
        return (first, said.today) if first else None
    days = _named(said, rest)
    return (days[0], said.today) if days else None


def _single(said: SpokenPeriod, rest: str) -> Days | None:
    """One day, of the year that is `rest` years from this one where that is said ("ngày 11/11 năm ngoái")."""
    year = said.today.year + int(rest) if rest else None
    if said.parts:
        day = said.day(next(name for name in said.parts if name != "wd"), year)
    else:
        day = make_date(year or said.today.year, said.today.month, said.today.day)
    return (day, day) if day else None


def _weekday(said: SpokenPeriod, rest: str) -> Days | None:
    number = said.number("wd" if "wd" in said.parts else "lone", WEEKDAYS)
    if number is None:
        return None
    if rest in {"last", "next"}:
        ahead = (number - said.today.weekday() - 1) % 7 + 1
        day = said.today + timedelta(days=ahead if rest == "next" else ahead - 7 - 7 * (ahead == 7))
    else:
        day = _unit(said, rest, "week")[0] + timedelta(days=number)
    return day, day


def _weekend(said: SpokenPeriod, rest: str) -> Days:
    sunday = _unit(said, rest, "week")[1]
    return sunday - timedelta(days=1), sunday


def _same_period(said: SpokenPeriod, rest: str) -> Days:
    start, end = said.previous or whole(said.today, "month")
    back = -12 if rest == "year" else -1
    closes = end == whole(end, "month")[1]
    moved = add_months(end, back)
    return add_months(start, back), whole(moved, "month")[1] if closes else moved


_RULES: dict[str, Callable[[SpokenPeriod, str], Days | None]] = {
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
    "days": _days_of_month,
    "to": _to_date,
    "span": _span,
    "since": _since,
    "single": _single,
    "weekday": _weekday,
    "weekend": _weekend,
    "same": _same_period,
}


# Periods in Vietnamese and English sentences ("tuần trước", "quý 1 2024", "last 7 days") as first and last day.


@dataclass(frozen=True, slots=True)
class DateRange:
    """A period found in a text: first and last day, both included; `label` names it with accents; `span` in the text."""

    start: date
    end: date
    label: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Template:
    """A phrase of the list under its section's name: `words` are its literal words, `text` has places in braces."""

    rule: str
    text: str
    words: tuple[str, ...]
    folded: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Candidate:
    start: int
    end: int
    template: _Template
    parts: Mapping[str, str]


def _either(names: Mapping[str, int]) -> str:
    return "|".join(sorted((fold(name) for name in names), key=len, reverse=True))


_NAMES = _either(MONTHS)
_ORDINAL = r"(?:st|nd|rd|th)?"
# "tháng 3 triệu" is money a month, not March; "3.5 triệu" and "từ 1.5 đến 2 triệu" are no days.
_MONEY = r"\s*(?:trieu|tr|cu|nghin|ngan|k|ty|ti|tram|chuc|%|phan|million|mil|m2|met|km|kg)(?![a-z])"
_NO_MONEY = f"(?!{_MONEY})"
_NO_AMOUNT = rf"(?!(?:\s*(?:-|den|toi|to|va|and)\s*[0-9]+(?:[.,][0-9]+)?)?{_MONEY})".replace(
    "{", "{{"
).replace("}", "}}")
_DAY_MONTH = (
    r"(?:ngay\s+)?(?:[0-9]{{1,2}}[/-][0-9]{{1,2}}{numeric}|[0-9]{{1,2}}\.[0-9]{{1,2}}(?![0-9]){numeric}"
    + _NO_AMOUNT
    + r"|[0-9]{{1,2}}\s+thang\s+[0-9]{{1,2}}{spoken}"
    rf"|[0-9]{{{{1,2}}}}{_ORDINAL}\s+(?:of\s+)?(?:{_NAMES}){{spoken}}|(?:{_NAMES})\s+[0-9]{{{{1,2}}}}{_ORDINAL}{{spoken}})"
)
_ISO = r"[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"
_NUMERIC_YEAR = r"[/.-](?:[0-9]{4}|[0-9]{2})"
_SPOKEN_YEAR = r"(?:\s*[/,-]\s*|\s+nam\s+|\s+)[0-9]{4}"
_FULL = f"(?:{_ISO}|{_DAY_MONTH.format(numeric=_NUMERIC_YEAR, spoken=_SPOKEN_YEAR)})"
_DATE = f"(?:{_ISO}|{_DAY_MONTH.format(numeric=f'(?:{_NUMERIC_YEAR})?', spoken=f'(?:{_SPOKEN_YEAR})?')})"
# "theo tháng năm nay" are the months of this year, not May.
_NO_YEAR = r"(?!nam\s+(?:nay|ngoai|truoc|roi|qua|kia|sau|toi|hien tai)(?![a-z]))"
_MONTH = rf"(?:(?:1[0-2]|0?[1-9])(?![0-9])|{_NO_YEAR}(?:{_either(SPOKEN_MONTHS)})){_NO_MONEY}"
_YEAR = r"(?:19|20)[0-9]{2}"
_QUARTER = rf"(?:[1-4]|iv|i{{1,3}}|{_either(ORDINALS)})"
_THINGS = ("cai", "can", "phong", "con", "mon", "mau", "don", "khach", "nguoi", "lan", "dong", "muc", "cho")
_PLACES = {
    "n": rf"(?:[0-9]{{1,4}}|{_either(COUNTS)})",
    "m": _MONTH,
    "m2": _MONTH,
    "month": f"(?:{_NAMES})",
    "month2": f"(?:{_NAMES})",
    "fullmonth": "(?:january|february|april|june|july|august|september|october|november|december)",
    "y": _YEAR,
    "y2": _YEAR,
    "q": _QUARTER,
    "q2": _QUARTER,
    "from": _DATE,
    "to": _DATE,
    "full": _FULL,
    "day": "[0-3]?[0-9]",
    "spoken": rf"[0-3]?[0-9]\s+thang\s+(?:1[0-2]|0?[1-9])(?!\s*(?:ngay|tuan)\b){_NO_MONEY}",
    "wd": f"(?:{_either(WEEKDAYS)})",
    "lone": "".join(f"(?<!{thing} )" for thing in _THINGS)
    + f"(?:{_either(WEEKDAYS)})",  # "cái thứ sáu này" is the sixth
}
_INCOME = frozenset({"doanh", "tong", "tien", "khoan", "nguon", "so", "da", "thuc"})
_PLACE = re.compile(r"\{(\w+)\}")
_QUARTER_SIGN = re.compile(r"(?<!\w)q(?=[1-4])")
_MONTH_NAME = re.compile(rf"(?<!\w)(?:{_NAMES})(?!\w)")
_RUNS = re.compile(r"[a-z]+|[0-9]")
_PARTS = re.compile(r"\{(\w+)\}|(\w+)|(\s*[^\w\s{}]\s*)|\s+")
# The number of a machine is no day: "db-02 tháng 11".
_EDGE_BEFORE, _EDGE_AFTER = (
    r"(?<![\w])(?<![0-9][/.,-])(?:(?<![a-z][-_])|(?![0-9]))",
    r"(?![\w])(?![/.,-][0-9])",
)


def find_ranges(text: str, today: date) -> list[DateRange]:
    """The periods named in `text`, left to right, seen from `today`.

    Weeks begin on Monday (001 C7). "7 ngày qua" ends today and counts it. A month, quarter or day without a year is
    the latest one that has begun; "3 tháng trước" is that calendar month. A range written backwards is turned round;
    an impossible date gives nothing. Of overlapping readings the longest wins.
    """
    return list(_ranges(text, today.date() if isinstance(today, datetime) else today))


@lru_cache(maxsize=64)  # a turn asks of its text several times
def _ranges(text: str, today: date) -> tuple[DateRange, ...]:
    text = _QUARTER_SPELT.sub(r"\1\2y", text)
    folded, offsets = fold_in_place(text)
    chosen: list[_Candidate] = []
    covered = bytearray(len(folded))
    for candidate in sorted(_candidates(text, folded, offsets), key=lambda c: (c.start - c.end, c.start)):
        place = slice(candidate.start, candidate.end)
        if not any(covered[place]):
            covered[place] = b"\1" * (candidate.end - candidate.start)
            chosen.append(candidate)
    found: list[DateRange] = []
    previous: Days | None = None
    for candidate in sorted(chosen, key=lambda c: c.start):
        days = resolve(candidate.template.rule, SpokenPeriod(candidate.parts, today, previous))
        if days is None:
            continue
        previous = days
        label = _QUARTER_SIGN.sub("Q", candidate.template.text.format(**candidate.parts))
        label = _MONTH_NAME.sub(lambda name: name[0].capitalize(), label)
        found.append(
            DateRange(
                min(days), max(days), label, span_in_place(offsets, len(text), candidate.start, candidate.end)
            )
        )
    return tuple(found)


_JOIN = (
    r"(?:\s*[,&+]\s*(?:và\s+|va\s+|and\s+)?|\s+(?:và|va|hoặc|hoac|hay|với|voi|cùng|cung|lẫn|lan|and|or)\s+)"
)
_TO = r"(?:\s*[-–]\s*|\s+(?:đến hết|den het|đến|den|tới|toi|to|until)\s+)"
_DAY_WORD = r"(?:ngày|ngay|hôm|hom|bữa|bua|mùng|mung|mồng|mong)"
_DAY_NUMBER = r"(?:0?[1-9]|[12][0-9]|3[01])"
_TAIL = r"(?P<tail>[/-](?:0?[1-9]|1[0-2])(?:[/-][0-9]{4})?(?![0-9/])|\s+(?:tháng|thang)\s+(?:1[0-2]|0?[1-9])(?![0-9])(?:\s+(?:năm|nam)\s+[0-9]{4}|[/-][0-9]{4})?)"
_NO_DAY = r"(?![\w/]|[.,-][0-9]|\s*(?:h|g|giờ|gio|tiếng|tieng|phút|phut|ngày|ngay|lần|lan|dòng|dong|đêm|dem|tháng|thang|năm|nam|đầu|dau|cuối|cuoi|%)(?!\w))"
# What shares its month or week with the day behind it, a day as figures alone, and one without its month.
_SHARED = re.compile(
    rf"(?<![\w/.,-])(?:{_DAY_WORD}\s+)?(?P<one>{_DAY_NUMBER})(?P<join>{_JOIN}|{_TO})(?P<two>(?:{_DAY_WORD}\s+)?{_DAY_NUMBER}){_TAIL}",
    re.IGNORECASE,
)
_SHARED_WEEK = re.compile(
    rf"(?P<one>(?<!\w)(?:thứ|thu)\s+\w+)(?P<join>{_JOIN}|{_TO})(?P<two>(?:thứ|thu|chủ|chu)\s+\w+)(?P<tail>\s+(?:tuần|tuan)\s+\w+)",
    re.IGNORECASE,
)
_BARE_DAY = re.compile(
    rf"(?<![\w/.,-])({_DAY_NUMBER})[/-](0?[1-9]|1[0-2])(?![\w/]|[.,-][0-9]|\s*(?:h|g|giờ|gio|tiếng|tieng|phút|phut|lần|lan|dòng|dong)(?!\w))"
)
_LONE_DAY = re.compile(
    rf"(?<!\w)(?:{_DAY_WORD}\s+({_DAY_NUMBER}){_NO_DAY}|(?:on\s+)?the\s+({_DAY_NUMBER})(?:st|nd|rd|th)(?!\w|\s+(?:of\s+)?(?:{_NAMES})))",
    re.IGNORECASE,
)
_ENGLISH_DAY = re.compile(
    rf"(?<![\w/.,-])(?:(?P<d>{_DAY_NUMBER})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m>{_NAMES})|(?P<m2>{_NAMES})\s+(?P<d2>{_DAY_NUMBER})(?:st|nd|rd|th)?)(?:\s*,?\s*(?P<y>[0-9]{{4}}))?(?![\w:])",
    re.IGNORECASE,
)
_ENGLISH_MONTH = re.compile(
    rf"(?<![\w-])(?<![0-9] )(?:{'|'.join(name for name in _LONG if name != 'may')})(?![\w-]|\s*,?\s*[0-9])",
    re.IGNORECASE,
)
# Also a Vietnamese word without its accents ("máy 2", "sếp").
_NO_MONTH = frozenset({"may", "sep", "mar"})
_DAY_AFTER = re.compile(rf"(ngày [0-9]+/([0-9]+))({_JOIN}|{_TO})({_DAY_NUMBER}){_NO_DAY}", re.IGNORECASE)


# An hour as people write it: 8h, 8h30, 8:30, 8 giờ 30, 2pm, 2 giờ chiều. Read on folded text.
_HALF = r"(?:\s*([ap]\.?m|sang|trua|chieu|toi)\b)?"
_HOUR = rf"(\d{{1,2}})(?:\s*(?:h|g|gio|tieng|:)\s*(\d{{2}})?(?![\d\w]){_HALF}|\s*([ap]m)\b)"
_HOURS_BETWEEN = re.compile(
    rf"(?:\b(?:tu|giua|from|between)\s+)?(?<![\d/.,-])(\d{{1,2}})(?:\s*(?:h|g|gio|:)\s*(\d{{2}})?)?{_HALF}\s*(?:den|toi|-|to|and|va)\s*{_HOUR}"
)
_ONE_HOUR = re.compile(
    rf"(?:\b(sau|tu|after|since|from|truoc|before|until|den|toi|luc|hoi|vao|khoang|at|around)\s+(?:luc\s+)?)?(?<![\d/.,-]){_HOUR}"
)
_HOUR_SINCE, _HOUR_UNTIL = ("sau", "tu", "after", "since", "from"), ("truoc", "before", "until", "den", "toi")
_DAY_MINUTES, _EVENING = 24 * 60, 18 * 60


@dataclass(frozen=True, slots=True)
class HourRange:
    """Minutes of the day that are named, the last excluded and past 1440 where it is of the next day; `span` in the text.

    `sure` says that words around make it a time of day: "8 giờ" alone may be a length of time.
    """

    first: int
    last: int
    span: tuple[int, int]
    sure: bool


def find_hours(text: str) -> list[HourRange]:
    """The times of day in `text`, left to right: "từ 15h đến 18h", "sau 8 giờ tối", "7-9h sáng", "before 10am"."""
    folded, offsets = fold_in_place(text)
    found: list[HourRange] = []

    def add_range(first: int, last: int, hit: re.Match[str], *, sure: bool) -> None:
        found.append(HourRange(first, last, span_in_place(offsets, len(text), *hit.span()), sure))

    for hit in _HOURS_BETWEEN.finditer(folded):
        half = hit[3] or (hit[6] or hit[7] if not hit[2] else "")
        first, last = _minute(hit[1], hit[2], half), _minute(hit[4], hit[5], hit[6] or hit[7])
        last += _DAY_MINUTES if last < first and first >= _EVENING else 0
        add_range(first, last, hit, sure=True)
        folded = folded[: hit.start()] + " " * len(hit[0]) + folded[hit.end() :]
    for hit in _ONE_HOUR.finditer(folded):
        minute = _minute(hit[2], hit[3], hit[4] or hit[5])
        sure = bool(hit[1] or hit[4] or hit[5])
        if hit[1] in _HOUR_SINCE:
            add_range(minute, _DAY_MINUTES, hit, sure=sure)
        elif hit[1] in _HOUR_UNTIL:
            add_range(0, minute, hit, sure=sure)
        else:
            add_range(minute, minute + (1 if hit[3] else 60), hit, sure=sure)
    return sorted(found, key=lambda each: each.span)


def _minute(hour: str, minute: str | None, half: str | None) -> int:
    late = (half or "").replace(".", "") in ("pm", "chieu", "toi") or (half == "trua" and int(hour) < 4)
    return (int(hour) + 12 * (late and int(hour) < 12)) * 60 + int(minute or 0)


def days_in_full(text: str, today: date) -> str:
    """`text`, where a figure with a stroke is a day, with days as `find_ranges` reads them: "20/11" as "ngày 20/11",
    "18 và 20/11" as two, and "ngày 18" as the latest one that has come."""

    def lone(found: re.Match[str]) -> str:
        number = int(found[1] or found[2])
        months = (add_months(today.replace(day=1), back) for back in (0, -1, -2))
        days = (make_date(month.year, month.month, number) for month in months)
        day = next((day for day in days if day and day <= today), None)
        return f"ngày {day.day}/{day.month}" if day else found[0]

    def english(found: re.Match[str]) -> str:
        name = (found["m"] or found["m2"]).lower()
        year = f"/{found['y']}" if found["y"] else ""
        return found[0] if name in _NO_MONTH else f"{found['d'] or found['d2']}/{MONTHS[name]}{year}"

    text = _ENGLISH_DAY.sub(english, text)
    text = _ENGLISH_MONTH.sub(lambda found: f"tháng {MONTHS[found[0].lower()]}", text)
    for shared in (_SHARED, _SHARED_WEEK):
        while (found := shared.search(text)) is not None:
            tail = re.sub(r"\s+(?:tháng|thang|năm|nam)\s+(?=[0-9])", "/", found["tail"])
            one, two = f"{found['one']}{tail}", f"{found['two']}{tail}"
            text = f"{text[: found.start()]}{one}{found['join']}{two}{text[found.end() :]}"
            if found["one"] in found["two"]:
                break
    text = _BARE_DAY.sub(lambda found: _with_day_word(text, found), text)
    text = _LONE_DAY.sub(lone, text)
    return _DAY_AFTER.sub(r"\1\3ngày \4/\2", text)


def _with_day_word(text: str, found: re.Match[str]) -> str:
    named = re.search(rf"(?:^|\W){_DAY_WORD}\s+$", text[: found.start()], re.IGNORECASE)
    return f"{'' if named else 'ngày '}{found[1]}/{found[2]}"


_QUARTER_SPELT = re.compile(
    r"(?<!\w)([Qq])([Uu])[iíIÍ](?=\s+(?:[1-4]|này|nay|trước|truoc|qua|rồi|roi|vừa|vua|sau|tới|toi)(?!\w))"
)
"""Another spelling of "quý"; as long, so that places in the text stay."""
_MONTHS_OF = re.compile(
    r"((?:theo|từng|tung|mỗi|moi|các|cac|hàng|hang|hằng) (?:tháng|thang))(?= n[ăa]m (?:(?:19|20)[0-9]{2}|nay|ngoái|ngoai|trước|truoc|này|nay|qua|rồi|roi))",
    re.IGNORECASE,
)


def months_of_year(text: str) -> str:
    """`text` with a comma after "theo tháng" before a year: "theo tháng năm 2023" is by month of that year, not by May."""
    return _MONTHS_OF.sub(r"\1,", text)


_SPOKEN_YEAR_WORDS = re.compile(
    r"(?<!\w)hai (?:nghìn|ngàn|nghin|ngan)(?: (?:không|khong) (?:trăm|tram))?((?: (?:lẻ|le|linh|mười|muoi|mươi|một|mot|mốt|hai|ba|bốn|bon|tư|tu|năm|lăm|lam|sáu|sau|bảy|bay|tám|tam|chín|chin)){1,3})(?!\w)",
    re.IGNORECASE,
)
_SPOKEN_DIGITS = {
    "mot": 1, "hai": 2, "ba": 3, "bon": 4, "tu": 4, "nam": 5, "lam": 5, "sau": 6, "bay": 7, "tam": 8, "chin": 9,
}  # fmt: skip


def years_in_digits(text: str) -> str:
    """`text` with years of this century that are said in words written as numbers: "năm hai nghìn không trăm hai mươi sáu"."""
    return _SPOKEN_YEAR_WORDS.sub(_year_said, text)


def _year_said(match: re.Match[str]) -> str:
    words = [fold(word) for word in match[1].split() if fold(word) not in {"le", "linh"}]
    tens = words.index("muoi") if "muoi" in words else -1
    digits = [_SPOKEN_DIGITS[word] for word in words if word != "muoi"]
    ten = (digits.pop(0) if tens == 1 else 1) if tens >= 0 else digits.pop(0) if len(digits) == 2 else 0
    return str(2000 + 10 * ten + sum(digits[:1])) if len(digits) <= 1 and tens <= 1 else match[0]


def _candidates(text: str, folded: str, offsets: list[int]) -> list[_Candidate]:
    present = set(_RUNS.findall(folded))
    has_digits = not present.isdisjoint("0123456789")
    found = []
    for template in _templates():
        if not template.folded <= present or not (template.words or has_digits):
            continue
        for match in _pattern(template.text).finditer(folded):
            typed = {
                name: nfc(text[slice(*span_in_place(offsets, len(text), *match.span(name)))].lower())
                for name in match.re.groupindex
            }
            english = all(value.isascii() for name, value in typed.items() if "month" in name)
            day = next((name for name in typed if name in {"wd", "lone"}), "")
            if day and _is_income(typed[day], folded[: match.start(day)], day):
                continue
            if english and all(
                accents_agree(typed[f"w{nth}"], word) for nth, word in enumerate(template.words)
            ):
                parts = {name: value for name, value in typed.items() if name in _PLACES}
                found.append(_Candidate(match.start(), match.end(), template, parts))
    return found


def _is_income(typed: str, before: str, place: str) -> bool:
    """Whether a "thu" without its accent is what comes in and no weekday: "doanh thu 2 tuần qua", "thu nam nay"."""
    behind = "".join(before.split()[-1:]) in _INCOME
    return typed.startswith("thu") and (behind or (place == "lone" and typed.endswith("nam")))


@cache
def _templates() -> tuple[_Template, ...]:
    found = []
    for rule, phrases in read_lists(LEXICONS / "periods.txt").items():
        for phrase in phrases:
            words = tuple(re.findall(r"\w+", _PLACE.sub(" ", phrase)))
            found.append(
                _Template(
                    rule, phrase, words, frozenset(run for word in words for run in _RUNS.findall(fold(word)))
                )
            )
    return tuple(found)


@cache
def _pattern(phrase: str) -> re.Pattern[str]:
    """The phrase for folded text, its places as groups by name, its literal words as w0, w1, …

    Compiled when its words are first met: all of them at once would cost a third of a second.
    """
    pattern, words = "", 0
    for part in _PARTS.finditer(phrase):
        place, word, sign = part.groups()
        if place:
            pattern += f"(?P<{place}>{_PLACES[place]})"
        elif word:
            pattern += f"(?P<w{words}>{fold(word)})"
            words += 1
        else:
            pattern += rf"\s*{re.escape(fold(sign.strip()))}\s*" if sign else r"\s+"
    return re.compile(_EDGE_BEFORE + pattern + _EDGE_AFTER)


HCM = ZoneInfo("Asia/Ho_Chi_Minh")
Clock = Callable[[], datetime]
"""Gives the present as an aware datetime."""
_CLOCK_TIME = re.compile(r"(.+?)[ T]+([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)")


def system_clock() -> datetime:
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
