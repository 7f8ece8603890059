"""The days that an answer may name, and the finding of every other one in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from troly.text.fold import fold_in_place

_SEP = r"[/.-]"
_FULL = re.compile(rf"(?<!\d)(\d{{1,2}}){_SEP}(\d{{1,2}}){_SEP}(\d{{4}})(?!\d)")
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_MONTH = re.compile(r"(?<![\d/.,])(\d{1,2})[/-](\d{4})(?![\d/])|(?<!\d)(\d{4})-(\d{2})(?![\d-])")
_DAY = re.compile(r"(?<![\d/.,])(\d{1,2})/(\d{1,2})(?![\d/])")
_SPOKEN = re.compile(
    r"\b(?:(thang|month)|(quy|quarter|q)|(nam|year|in|since|of|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)|(ngay|day|mung)|(tuan|week))\s*(?:thu\s+)?(\d{1,4})(?![\d.,]*\d)"
)
_TWENTIETH = (1900, 2200)


@dataclass(frozen=True, slots=True)
class Days:
    """Days that may be named: `exact` ones, and every month, quarter and year from the first to the last of a period."""

    exact: frozenset[date]
    months: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, days: Iterable[date], periods: Iterable[tuple[date, date]] = ()) -> Days:
        """Single days and whole periods, both ends included."""
        ends = [day for period in periods for day in period]
        months = {(day.year, day.month) for day in days}
        for start, end in periods:
            first, last = start.year * 12 + start.month - 1, end.year * 12 + end.month - 1
            months |= {(month // 12, month % 12 + 1) for month in range(first, min(last, first + 1200) + 1)}
        return cls(frozenset({*days, *ends}), frozenset(months))


def mask_dates(text: str, known: Days) -> tuple[str, list[str]]:
    """`text` with every date blanked, and the dates, as written, that are not among the known ones."""
    wrong: list[str] = []
    forms: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
        (_FULL, lambda m: (int(m[3]), int(m[2]), int(m[1])) in _triples(known)),
        (_ISO, lambda m: (int(m[1]), int(m[2]), int(m[3])) in _triples(known)),
        (_MONTH, lambda m: (int(m[2] or m[3]), int(m[1] or m[4])) in known.months),
        (_DAY, lambda m: any((day.month, day.day) == (int(m[2]), int(m[1])) for day in known.exact)),
    )
    for pattern, fits in forms:
        wrong += [match[0] for match in pattern.finditer(text) if not fits(match)]
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return _mask_spoken(text, known), wrong


def _triples(known: Days) -> set[tuple[int, int, int]]:
    return {(day.year, day.month, day.day) for day in known.exact}


def _mask_spoken(text: str, known: Days) -> str:
    folded, offsets = fold_in_place(text)
    out = list(text)
    for match in _SPOKEN.finditer(folded):
        number = int(match[6])
        if match[3] and not _TWENTIETH[0] <= number <= _TWENTIETH[1]:
            continue
        if not _fits(match, number, known):
            continue
        start, end = offsets[match.start(6)], offsets[match.end(6) - 1] + 1
        out[start:end] = " " * (end - start)
    return "".join(out)


def _fits(match: re.Match[str], number: int, known: Days) -> bool:
    """A month, quarter, year, day or week that is not known stays in the text and is judged as a figure."""
    if match[1]:
        return any(month == number for _, month in known.months)
    if match[2]:
        return any((month + 2) // 3 == number for _, month in known.months)
    if match[3]:
        return any(year == number for year, _ in known.months)
    if match[4]:
        return any(day.day == number for day in known.exact)
    return any(day.isocalendar().week == number for day in known.exact)
