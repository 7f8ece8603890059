"""Periods in Vietnamese and English sentences ("tuần trước", "quý 1 2024", "last 7 days") as first and last day."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache

from troly.text.days import MONTHS, Days
from troly.text.fold import accents_agree, fold, fold_in_place, nfc, span_in_place
from troly.text.period_rules import COUNTS, ORDINALS, SPOKEN_MONTHS, WEEKDAYS, Said, resolve
from troly.text.wordlist import LEXICONS, read_lists


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
_DAY_MONTH = (
    r"(?:ngay\s+)?(?:[0-9]{{1,2}}[/.-][0-9]{{1,2}}{numeric}|[0-9]{{1,2}}\s+thang\s+[0-9]{{1,2}}{spoken}"
    rf"|[0-9]{{{{1,2}}}}{_ORDINAL}\s+(?:of\s+)?(?:{_NAMES}){{spoken}}|(?:{_NAMES})\s+[0-9]{{{{1,2}}}}{_ORDINAL}{{spoken}})"
)
_ISO = r"[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"
_NUMERIC_YEAR = r"[/.-](?:[0-9]{4}|[0-9]{2})"
_SPOKEN_YEAR = r"(?:\s*[/,-]\s*|\s+nam\s+|\s+)[0-9]{4}"
_FULL = f"(?:{_ISO}|{_DAY_MONTH.format(numeric=_NUMERIC_YEAR, spoken=_SPOKEN_YEAR)})"
_DATE = f"(?:{_ISO}|{_DAY_MONTH.format(numeric=f'(?:{_NUMERIC_YEAR})?', spoken=f'(?:{_SPOKEN_YEAR})?')})"
# "tháng 3 triệu" is money a month, not March.
_NO_MONEY = r"(?!\s*(?:trieu|tr|cu|nghin|ngan|k|ty|ti|tram|chuc|%|phan)(?![a-z]))"
_MONTH = rf"(?:(?:1[0-2]|0?[1-9])(?![0-9])|{_either(SPOKEN_MONTHS)}){_NO_MONEY}"
_YEAR = r"(?:19|20)[0-9]{2}"
_QUARTER = rf"(?:[1-4]|iv|i{{1,3}}|{_either(ORDINALS)})"
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
}
_PLACE = re.compile(r"\{(\w+)\}")
_RUNS = re.compile(r"[a-z]+|[0-9]")
_PARTS = re.compile(r"\{(\w+)\}|(\w+)|(\s*[^\w\s{}]\s*)|\s+")
_EDGE_BEFORE, _EDGE_AFTER = r"(?<![\w])(?<![0-9][/.,-])", r"(?![\w])(?![/.,-][0-9])"


def find_ranges(text: str, today: date) -> list[DateRange]:
    """The periods named in `text`, left to right, seen from `today`.

    Weeks begin on Monday (001 C7). "7 ngày qua" ends today and counts it. A month, quarter or day without a year is
    the latest one that has begun; "3 tháng trước" is that calendar month. A range written backwards is turned round;
    an impossible date gives nothing. Of overlapping readings the longest wins.
    """
    today = today.date() if isinstance(today, datetime) else today
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
        days = resolve(candidate.template.rule, Said(candidate.parts, today, previous))
        if days is None:
            continue
        previous = days
        label = candidate.template.text.format(**candidate.parts)
        found.append(
            DateRange(
                min(days), max(days), label, span_in_place(offsets, len(text), candidate.start, candidate.end)
            )
        )
    return found


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
            if english and all(
                accents_agree(typed[f"w{nth}"], word) for nth, word in enumerate(template.words)
            ):
                parts = {name: value for name, value in typed.items() if name in _PLACES}
                found.append(_Candidate(match.start(), match.end(), template, parts))
    return found


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
