"""Lets no figure through that no cell holds: checks a model's words against the results they are to tell of."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

from troly.text.arithmetic import derived_figures
from troly.text.fold import fold_in_place, nfc
from troly.text.match import Lexicon
from troly.text.numbers import Amount, find_amounts
from troly_analysis.types import Result, Sheet, ToolCall

# The days that an answer may name, and the finding of every other one in a text.


_SEP = r"[/.-]"
_FULL = re.compile(rf"(?<!\d)(\d{{1,2}}){_SEP}(\d{{1,2}}){_SEP}(\d{{4}})(?!\d)")
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_MONTH = re.compile(r"(?<![\d/.,])(\d{1,2})[/-](\d{4})(?![\d/])|(?<!\d)(\d{4})-(\d{2})(?![\d-])")
_QUARTER = re.compile(
    r"(?i)\b(?:quý|quy|q|quarter)\s*([1-4]|iv|i{1,3})(?:\s*[/-]|,?\s+(?:năm|nam|of|in))?\s*(\d{4})(?![\d/])"
)
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4}
_DAY = re.compile(r"(?<![\d/.,])(\d{1,2})/(\d{1,2})(?![\d/]|[.,]\d)")
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
    quarters = {(year, (month + 2) // 3) for year, month in known.months}
    forms: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
        (_FULL, lambda m: (int(m[3]), int(m[2]), int(m[1])) in _triples(known)),
        (_ISO, lambda m: (int(m[1]), int(m[2]), int(m[3])) in _triples(known)),
        (_QUARTER, lambda m: (int(m[2]), _ROMAN.get(m[1].lower()) or int(m[1])) in quarters),
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


# A figure may be told rounded ("58 triệu" for 57.750.000) when it is at most this far off.
_FURTHEST = Decimal("0.005")
_ORDINAL = re.compile(r"^([ \t]*(?:[-*] )?\**)(\d{1,3})([.)])(?=\s|\*)", re.MULTILINE)
_TIMES = re.compile(r"(?i)\b(?:gấp|x)\s*\d[\d.,]*\s*(?:lần|times)?|\d[\d.,]*\s*(?:lần|times)\b")
_DIGITS = re.compile(r"\d[\d.,]*")
# "66/1.232": one figure over another.
_OVER = re.compile(r"(?<=\d)/(?=\d)")
_GROUPED_PERCENT = re.compile(r"\d{1,3}(?:[.,]\d{3})+%")
_SPELLED = re.compile(
    r"(?i)(?<!\w)mười(?:\s+(một|hai|ba|bốn|tư|năm|lăm|sáu|bảy|tám|chín))?(?!\w)(?!\s*(?:triệu|nghìn|ngàn|tỷ|tỉ))"
)
_UNITS = {
    "một": 1, "hai": 2, "ba": 3, "bốn": 4, "tư": 4, "năm": 5, "lăm": 5, "sáu": 6, "bảy": 7, "tám": 8, "chín": 9,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ground:
    """What prose may name: figures of the results and what follows from them, numbers of the question, texts of cells, days.

    `trend` is the sign of the one change that was found.
    """

    cells: frozenset[Decimal]
    percents: frozenset[Decimal]
    said: frozenset[Decimal]
    texts: tuple[str, ...]
    days: Days
    trend: int | None = None
    columns: tuple[tuple[Decimal, ...], ...] = ()


def ground(
    question: str, found: Sequence[tuple[ToolCall, Result]], sheets: Sequence[Sheet], days: Days
) -> Ground:
    """What an answer to `question` may say, from all the results that were found for it."""
    cells: set[Decimal] = set()
    percents: set[Decimal] = set()
    texts: set[str] = {field.name for sheet in sheets for field in sheet.fields} | {s.name for s in sheets}
    trends = set()
    columns: list[tuple[Decimal, ...]] = []
    for call, result in found:
        _take(result, cells, percents, texts)
        columns += columns_of(result)
        texts |= set(_words_of(call.arguments))
        if result.kind == "compare" and result.difference is not None:
            trends.add((result.difference > 0) - (result.difference < 0))
    named = tuple(sorted((text for text in texts if any(c.isdigit() for c in text)), key=len, reverse=True))
    said = frozenset(amount.value for amount in find_amounts(nfc(question)))
    trend = trends.pop() if len(trends) == 1 else None
    return Ground(frozenset(cells), frozenset(percents), said, named, days, trend, tuple(columns))


def strangers(text: str, known: Ground) -> tuple[str, ...]:
    """The figures of `text`, as written, that nothing known backs; empty when it may be shown."""
    text = _normal(text)
    wrong = [
        hit.label and text[hit.start : hit.end] for hit in _lexicon().find(text) if hit.label == "multiple"
    ]
    wrong += _wrong_way(text, known)
    text, bad_days = _mask(text, known)
    wrong += bad_days
    text = _OVER.sub(" / ", text)
    follows = derived_figures(text, known.cells | known.percents | known.said, known.columns)
    times = (
        (match[0], {amount.value for amount in find_amounts(match[0])}) for match in _TIMES.finditer(text)
    )
    wrong += [written for written, values in times if not (values and values <= follows)]
    for match in _SPELLED.finditer(text):
        if Decimal(10 + _UNITS.get((match[1] or "").lower(), 0)) not in known.cells | known.said:
            wrong.append(match[0])
    seen = [False] * len(text)
    for amount in find_amounts(text):
        seen[amount.start : amount.end] = [True] * (amount.end - amount.start)
        written = text[amount.start : amount.end]
        if not (_backed(amount, written, known) or abs(amount.value) in follows):
            wrong.append(written.strip())
    wrong += [match[0] for match in _DIGITS.finditer(text) if not any(seen[match.start() : match.end()])]
    return tuple(dict.fromkeys(wrong))


def tells(text: str, known: Ground) -> bool:
    """Whether `text` says a figure that is known or follows from those; days and the numbers of a list are none."""
    text, _ = _mask(_normal(text), known)
    text = _OVER.sub(" / ", text)
    follows = derived_figures(text, known.cells | known.percents | known.said, known.columns)
    return any(
        _backed(amount, text[amount.start : amount.end], known) or abs(amount.value) in follows
        for amount in find_amounts(text)
    )


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", nfc(text)).replace("**", "  ").replace("`", " ")


def _mask(text: str, known: Ground) -> tuple[str, list[str]]:
    """`text` with names, the numbers of lists and days blanked, and the days that are not known."""
    return mask_dates(_mask_ordinals(_mask_texts(text, known.texts)), known.days)


_SENTENCE = re.compile(r"(?:[ \t]*\**\d{1,3}[.)](?=\s|\*))?[^\n]*?(?:[.!?…](?=\s|$)|\n|$)\s*")


def grounded_part(text: str, known: Ground) -> str:
    """`text` without the sentences and lines that hold a figure which nothing known backs.

    The number of a list's line belongs to its sentence, and the lines that stay are counted anew.
    """
    parts = [match[0] for match in _SENTENCE.finditer(text) if match[0]]
    kept = ""
    for part in parts:
        if not strangers(_mask_numbering(part), known):
            kept += part
        elif part.endswith("\n") and not kept.endswith("\n"):
            kept += "\n"
    kept, numbers = kept.strip(), itertools.count(1)
    same = len(_ORDINAL.findall(kept)) == len(_ORDINAL.findall(text))
    return kept if same else _ORDINAL.sub(lambda match: f"{match[1]}{next(numbers)}{match[3]}", kept)


def count_figures(text: str) -> int:
    """How many figures a text holds; the numbers of a list's lines are none."""
    return len(find_amounts(_mask_numbering(nfc(text))))


def _mask_numbering(text: str) -> str:
    return _ORDINAL.sub(lambda match: match[1] + " " * (len(match[2]) + 1), text)


def _take(result: Result, cells: set[Decimal], percents: set[Decimal], texts: set[str]) -> None:
    flat: list[tuple[Any, str]] = [(result.value, result.unit)]
    for row in result.rows:
        flat += [(value, result.units[at] if at < len(result.units) else "") for at, value in enumerate(row)]
    flat += [
        (getattr(result, name), result.unit) for name in ("period1_value", "period2_value", "difference")
    ]
    flat.append((result.percentage_change, "%"))
    for value, unit in flat:
        for item in _flat(value):
            _take_cell(item, unit, cells, percents, texts)
    # How many rows there are, and their places.
    cells.update(Decimal(number) for number in range(1, len(result.rows) + 1))


def columns_of(result: Result) -> Iterable[tuple[Decimal, ...]]:
    """The columns of figures of a result, whose totals and shares an answer may name."""
    for at in range(max(map(len, result.rows), default=0)):
        column: list[Decimal] = []
        for row in result.rows:
            cell: set[Decimal] = set()
            _take_cell(row[at] if at < len(row) else None, "", cell, set(), set())
            column += cell
        if len(column) == len(result.rows) > 1:
            yield tuple(column)


def _flat(value: Any) -> Iterable[Any]:
    """The cells inside lists and nested keys."""
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if not isinstance(value, (list, tuple)):
        return (value,)
    return [cell for item in value for cell in _flat(item)]


def _take_cell(value: Any, unit: str, cells: set[Decimal], percents: set[Decimal], texts: set[str]) -> None:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float, Decimal)):
        exact = Decimal(str(value))
        if exact.is_finite():
            (percents if unit == "%" else cells).add(abs(exact))
    else:
        texts.add(" ".join(str(value).split()))


def _words_of(value: Any) -> Iterable[str]:
    """The strings among the arguments of a call: a filter's values are the question's own."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _words_of(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _words_of(item)


def _backed(amount: Amount, written: str, known: Ground) -> bool:
    value = abs(amount.value)
    if _GROUPED_PERCENT.fullmatch(written):
        # "30.791%" is as likely thirty thousand as thirty and a bit.
        whole = Decimal(re.sub(r"[.,]", "", written[:-1]))
        if any(_rounded(cell, Decimal("0.1")) == whole for cell in known.percents):
            return True
    if value in known.said:
        return True
    pool = known.percents if amount.unit == "%" else known.cells
    # As the answers themselves write it: whole đồng, one decimal of a per cent, two of anything else.
    own = {"%": Decimal("0.1"), "VND": Decimal(1)}.get(amount.unit, Decimal("0.01"))
    if any(_rounded(cell, own) == value for cell in pool):
        return True
    place = _place(value, written)
    return any(abs(cell - value) <= abs(cell) * _FURTHEST and _rounded(cell, place) == value for cell in pool)


def _place(value: Decimal, written: str) -> Decimal:
    """The place of the last digit that was written: 0.1 for "15,5", a million for "58 triệu"."""
    words = re.sub(r"[\d.,\s$₫€%+-]|VND|vnd|đồng|đ\b", "", written)
    normal = value.normalize()
    exponent = int(normal.as_tuple().exponent)
    # "57.750.000" is written to the unit; only with a word of scale do its zeros say nothing.
    return Decimal(1).scaleb(exponent if words or exponent < 0 else 0)


def _rounded(cell: Decimal, place: Decimal) -> Decimal:
    return (cell / place).quantize(Decimal(1), ROUND_HALF_UP) * place


def _wrong_way(text: str, known: Ground) -> list[str]:
    """Words of rising or falling that say the opposite of what was found."""
    if not known.trend:
        return []
    hits = _lexicon().find(text)
    labels = {hit.label for hit in hits}
    right, wrong = ("up", "down") if known.trend > 0 else ("down", "up")
    return [text[hit.start : hit.end] for hit in hits if hit.label == wrong] if right not in labels else []


def _mask_texts(text: str, names: Sequence[str]) -> str:
    """`text` with the names that hold digits ("iPhone 15") blanked: they are no figures."""
    for name in names:
        pattern = rf"(?i)(?<![\d.,]){re.escape(name)}(?!\d|[.,]\d)"
        text = re.sub(pattern, lambda match: " " * len(match[0]), text)
    return text


def _mask_ordinals(text: str) -> str:
    """`text` with the numbers of a numbered list blanked, as long as they count up by one."""
    expected = 1

    def blank(match: re.Match[str]) -> str:
        nonlocal expected
        number = int(match[2])
        if number not in {1, expected}:
            return match[0]
        expected = number + 1
        return match[1] + " " * (len(match[2]) + 1)

    return _ORDINAL.sub(blank, text)


@cache
def _lexicon() -> Lexicon:
    return Lexicon.load(Path(__file__).parent / "lexicons" / "figures.txt")


def says_lack(text: str) -> bool:
    """Whether a model's words without a result ask back, or say that something is not there or cannot be told."""
    return "?" in text or any(hit.label in {"lacks", "asks"} for hit in _lexicon().find(text))
