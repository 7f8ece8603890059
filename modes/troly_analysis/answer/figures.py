"""Lets no figure through that no cell holds: checks a model's words against the results they are to tell of."""

from __future__ import annotations

import calendar
import itertools
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from troly.text.arithmetic import derived_figures
from troly.text.catalogue import Lang
from troly.text.dates import find_ranges
from troly.text.fold import fold_in_place, nfc, words
from troly.text.match import Lexicon, PhraseHit
from troly.text.numbers import Amount, find_amounts, rounded
from troly_analysis.answer.sentences import cell_text
from troly_analysis.types import Result, Sheet, ToolCall, is_number

# The days that an answer may name, and the finding of every other one in a text.


_SEP = r"[/.-]"
_FULL = re.compile(rf"(?<!\d)(\d{{1,2}}){_SEP}(\d{{1,2}}){_SEP}(\d{{4}})(?!\d)")
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_MONTH = re.compile(r"(?<![\d/.,])(\d{1,2})[/-](\d{4})(?![\d/])|(?<!\d)(\d{4})-(\d{2})(?![\d-])")
_QUARTER = re.compile(
    r"(?i)\b(?:quý|quy|q|quarter)\s*([1-4]|iv|i{1,3})(?:\s*[/-]|,?\s+(?:năm|nam|of|in))?\s*(\d{4})(?![\d/])"
)
# "1, 3 và 4/2026": months that share a year.
_MONTHS = re.compile(r"(?<![\d/.,])(\d{1,2})(?=(?:\s*(?:,|&|và|and)\s*\d{1,2})+/(\d{4}))")
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4}
# "1-22/11/2026": the first of two days that share a month.
_FIRST = re.compile(rf"(?<![\d/.,-])(\d{{1,2}})(?=\s?[-–]\s?\d{{1,2}}{_SEP}(\d{{1,2}})(?!\d))")
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
    lengths: frozenset[int] = frozenset()
    """How many days the periods have."""

    @classmethod
    def of(cls, days: Iterable[date], periods: Iterable[tuple[date, date]] = ()) -> Days:
        """Single days and whole periods, both ends included."""
        days, periods = list(days), list(periods)
        ends = [day for period in periods for day in period]
        months = {(day.year, day.month) for day in days}
        for start, end in periods:
            first, last = start.year * 12 + start.month - 1, end.year * 12 + end.month - 1
            months |= {(month // 12, month % 12 + 1) for month in range(first, min(last, first + 1200) + 1)}
        lengths = frozenset((end - start).days + 1 for start, end in periods)
        return cls(frozenset({*days, *ends}), frozenset(months), lengths)


def mask_dates(text: str, known: Days) -> tuple[str, list[str]]:
    """`text` with every date blanked, and the dates, as written, that are not among the known ones."""
    wrong: list[str] = []
    quarters = {(year, (month + 2) // 3) for year, month in known.months}
    forms: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
        (_FIRST, lambda m: any((day.day, day.month) == (int(m[1]), int(m[2])) for day in known.exact)),
        (_FULL, lambda m: (int(m[3]), int(m[2]), int(m[1])) in _triples(known)),
        (_ISO, lambda m: (int(m[1]), int(m[2]), int(m[3])) in _triples(known)),
        (_QUARTER, lambda m: (int(m[2]), _ROMAN.get(m[1].lower()) or int(m[1])) in quarters),
        (_MONTH, lambda m: (int(m[2] or m[3]), int(m[1] or m[4])) in known.months),
        (_DAY, lambda m: any((day.month, day.day) == (int(m[2]), int(m[1])) for day in known.exact)),
    )
    for pattern, fits in forms:
        wrong += [match[0] for match in pattern.finditer(text) if not fits(match)]
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    text = _mask_written_out(text, known)
    text = _LENGTH.sub(lambda m: " " * len(m[0]) if int(m[1]) in known.lengths else m[0], text)
    return _mask_spoken(text, known), wrong


def _triples(known: Days) -> set[tuple[int, int, int]]:
    return {(day.year, day.month, day.day) for day in known.exact}


def _mask_written_out(text: str, known: Days) -> str:
    """`text` without the days and periods that name their month by a word and are known: "22 Nov 2026", "22 tháng 11"."""
    last = max(known.exact, default=None)
    for each in find_ranges(text, last) if last else ():
        start, end = each.span
        ends, months = {each.start, each.end}, {(day.year, day.month) for day in (each.start, each.end)}
        whole = each.start.day == 1 and (each.end + timedelta(days=1)).day == 1
        if ends <= known.exact or (whole and months <= known.months):
            year = re.match(r"\s+(\d{4})\b", text[end:])  # "từ đầu năm" is read without it
            end += year.end() if year and int(year[1]) in {each for each, _ in known.months} else 0
            text = text[:start] + " " * (end - start) + text[end:]
    return text


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
_TIMES = re.compile(r"(?i)\b(?:gấp|x)\s*\d[\d.,]*\s*(?:lần|times|x)?|\d[\d.,]*\s*(?:lần|times|x)\b")
_DIGITS = re.compile(r"\d[\d.,]*")
# "66/1.232": one figure over another; the sign that is read so is as long.
_OVER = re.compile(r"(?<=\d)/(?=\d)")
# Where a sentence goes on with another row, and words that hold a row against something else.
_PARTS = re.compile(r"[,;](?=\s)|\b(?:và|còn|and|while)\b")
_AGAINST = "so với|versus|từ|from|gấp|times|trừ|ngoài|không tính|còn lại|without|except"
_COMPARES = re.compile(rf"(?i)\b(?:(?:hơn|kém|than)\b(?!\s*\d)|{_AGAINST})\b")
# What makes a superlative one of a part, of a place in an order, or of something else; and stages that leave rows out.
_SCOPES = re.compile(
    r"(?i)\b(?:trong|của|ở|tại|nhóm nào|không|chưa|chẳng|thứ|nhì|gần như|suýt|một trong|top|nếu|riêng|each|mỗi|from|in|of|among|at"
    r"|for|not|no|if|second|third|next|per|almost)\b|n't\b"
)
# "Tôi chỉ …", "Mình không … được"; without a subject "Không … được", at the beginning of a clause.
_UNABLE = re.compile(
    r"(?i)\b(?:tôi|mình|em|tớ|trợ lý|hệ thống|công cụ|i|we)\b[^.,;:!?\n]*\b(?:không|chẳng|chỉ|only)\b|(?:^|[.,;:!?\n])[\s*-]*(?:hiện )?(?:không|chẳng)\b[^.,;:!?\n]*\bđược\b"
)
_CODE, _LONG_CODE = re.compile(r"(?=[^\W\d]*[-_]?\d)[\w-]+"), 6
_NO_SUMS = re.compile(
    r"'operation': '(?:avg|min|max|median)'|\$(?:avg|min|max|addToSet|divide|limit)|'limit':"
)
_CUTS, _TOP = re.compile(r"\$(?:limit|skip)"), 10
_GROUPED_PERCENT = re.compile(r"\d{1,3}(?:[.,]\d{3})+%")
_SPELLED = re.compile(
    r"(?i)(?<!\w)mười(?:\s+(một|hai|ba|bốn|tư|năm|lăm|sáu|bảy|tám|chín))?(?!\w)(?!\s*(?:triệu|nghìn|ngàn|tỷ|tỉ))"
)
_UNITS = {
    "một": 1, "hai": 2, "ba": 3, "bốn": 4, "tư": 4, "năm": 5, "lăm": 5, "sáu": 6, "bảy": 7, "tám": 8, "chín": 9,
}  # fmt: skip

# So many figures are worked out of beside those that a sentence writes; more would meet any figure by chance.
_BESIDE = 10
_LANGS: tuple[Lang, ...] = ("vi", "en")
_ENDS = frozenset({"most", "fewest"})
_BOUNDS, _WIDEST = {"above": 1, "below": -1}, Decimal("0.3")
# How far a ratio or a share in whole numbers may be from what it rounds.
_FAR = {"": Decimal("0.05"), "x": Decimal("0.05"), "%": Decimal("0.02")}
_SCALED = 1000
_DAILY = frozenset({"ngày", "ngay", "day", "days", "daily"})
_LENGTH = re.compile(r"(?i)(?<![\d/.,])(\d{1,4})(?= (?:ngày|ngay|days?)\b)")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a result, the `table` of that number: for each of its keys the names it goes by, in words, and its figures."""

    keys: tuple[frozenset[str], ...]
    figures: tuple[Decimal, ...]
    table: int = 0

    def names(self, said: frozenset[str]) -> tuple[frozenset[str], ...]:
        """For each of its keys that is among names that were `said`, which of those."""
        return tuple(filter(None, (said & names for names in self.keys)))


class Rows:
    """The rows of all results, found by their names and by their figures.

    `tables` are those that hold every row there is with one figure each, none below zero: of those the ends are known.
    """

    def __init__(self, rows: Sequence[Row] = (), tables: Iterable[int] = ()) -> None:
        self.all, self.tables = tuple(rows), frozenset(tables)
        self.of_table, self._named, self._holding = (
            defaultdict[Any, list[Row]](list),
            defaultdict[str, dict[int, Row]](dict),
            defaultdict[Decimal, list[Row]](list),
        )
        for at, row in enumerate(self.all):
            if row.keys:
                self.of_table[row.table].append(row)
            for name in itertools.chain(*row.keys):
                self._named[name][at] = row
            for figure in dict.fromkeys(row.figures):
                self._holding[figure].append(row)
        self.figures = frozenset(self._holding)
        names = sorted(self._named, key=len, reverse=True)
        self._names = re.compile(rf"\b(?:{'|'.join(map(re.escape, names)) or '(?!)'})\b")

    def names_in(self, text: str) -> frozenset[str]:
        """The names of rows that a text says, the longest at each place."""
        return frozenset(self._names.findall(" ".join(words(text))))

    def named(self, text: str) -> list[Row]:
        """The rows that a sentence names by most of their keys."""
        said = self.names_in(_MONTHS.sub(r"\1/\2", text))
        counted = {at: row for name in said for at, row in self._named[name].items()}
        most = max((len(row.names(said)) for row in counted.values()), default=0)
        return [row for _, row in sorted(counted.items()) if len(row.names(said)) == most]

    def holding(self, figures: Iterable[Decimal]) -> list[Row]:
        """The rows that hold one of some figures."""
        return list({id(row): row for figure in figures for row in self._holding[figure]}.values())


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one column in the rows that share one of several keys, and the total of all rows.

    It goes by `names`: those of the key, and words that no other of the column has ("hủy" of "Đã hủy"); each of its figures by
    those of the other keys of its row.
    """

    names: frozenset[str]
    figures: tuple[tuple[frozenset[str], Decimal], ...]
    whole: Decimal

    @property
    def total(self) -> Decimal:
        """What the figures come to."""
        return sum((figure for _, figure in self.figures), Decimal(0))

    def shares(self, said: frozenset[str]) -> Iterator[Decimal]:
        """Shares in per cent: of each figure, and of those that are `said` together, in the total; of the total in all rows."""
        together = sum((figure for names, figure in self.figures if names & said), Decimal(0))
        for part in (*(figure for _, figure in self.figures), together) if self.total else ():
            yield part / self.total * 100
        if self.whole:
            yield self.total / self.whole * 100


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
    dotted: tuple[str, ...] = ()
    """Cells in which a dot ends no sentence: "TP. Hồ Chí Minh"."""
    rows: Rows = field(default_factory=Rows)
    """The rows of the results, by which a sentence that names them means their figures."""
    groups: tuple[Group, ...] = ()
    """The rows that share a key, whose totals and shares a sentence that names the key may tell."""


def ground(
    question: str, found: Sequence[tuple[ToolCall, Result]], sheets: Sequence[Sheet], days: Days
) -> Ground:
    """What an answer to `question` may say, from all the results that were found for it."""
    cells: set[Decimal] = set()
    percents: set[Decimal] = set()
    texts: set[str] = {field.name for sheet in sheets for field in sheet.fields} | {s.name for s in sheets}
    texts |= codes_in(question)
    trends = set()
    columns: list[tuple[Decimal, ...]] = []
    rows: list[Row] = []
    ends: list[int] = []
    groups: list[Group] = []
    for at, (call, result) in enumerate(found):
        _take(result, cells, percents, texts)
        columns += columns_of(result)
        rows += rows_of(result, at)
        groups += _groups_of(call, result)
        ends += [at] if _has_ends(call, result) else []
        texts |= set(_words_of(call.arguments))
        if result.kind == "compare" and result.difference is not None:
            trends.add((result.difference > 0) - (result.difference < 0))
    named = tuple(sorted((text for text in texts if any(c.isdigit() for c in text)), key=len, reverse=True))
    said = frozenset(amount.value for amount in find_amounts(nfc(question)))
    trend = trends.pop() if len(trends) == 1 else None
    dotted = tuple(text for text in texts if ". " in text)
    return Ground(
        frozenset(cells),
        frozenset(percents),
        said,
        named,
        days,
        trend,
        tuple(columns),
        dotted,
        Rows(rows, ends),
        tuple(groups),
    )


def codes_in(text: str) -> set[str]:
    """The words of a text that hold digits and are no figures: "DH20400", "0979904765"."""
    amounts = find_amounts(nfc(text))
    return {
        match[0]
        for match in _CODE.finditer(nfc(text))
        if not any(each.start < match.end() and match.start() < each.end for each in amounts)
        and (match[0][0].isalpha() or (match[0].isdecimal() and len(match[0]) >= _LONG_CODE))
    }


def strangers(text: str, known: Ground) -> tuple[str, ...]:
    """The figures of `text`, as written, that nothing known backs; empty when it may be shown."""
    parts = _judged(_mask_ordinals(_normal(text)), known, numbering=False)
    return tuple(dict.fromkeys(figure for _, wrong in parts for figure in wrong))


def _judged(text: str, known: Ground, numbering: bool = True) -> Iterator[tuple[str, list[str]]]:
    """The sentences of `text`, each with its strange figures; with `numbering` the numbers of a list's lines are none."""
    before = ""
    whole = text
    for name in known.dotted:
        whole = whole.replace(name, name.replace(".", "_"))
    for match in _SENTENCE.finditer(whole):
        if said := text[slice(*match.span())]:
            part = _normal(mask_numbering(said) if numbering else said)
            wrong = _strange(part, before, known)
            yield said, wrong
            if part.strip() and not wrong:
                before = part


def _strange(text: str, before: str, known: Ground) -> list[str]:
    """The strange figures of a sentence; of a `before` that stands it goes on."""
    wrong = _wrong_way(text, before, known)
    masked, bad_days = _mask(text, known)
    beside = _beside(text, before, known)
    wrong += bad_days + _misplaced(text, beside, known) + _wrong_ends(text, known)
    masked = _OVER.sub("÷", masked)
    grouped = _grouped(text, masked, before, known)
    earlier = _grouped(before, _OVER.sub("÷", _mask(before, known)[0]), "", known)
    beside = [*beside, *dict.fromkeys([*grouped.values(), *earlier.values()])]
    bounds, columns = _bounds(masked), _columns(masked, known)
    # Of several rows that are named each ratio is one of theirs.
    of_rows = () if len(known.rows.named(text)) > 1 else columns
    for hit in _lexicon().find(masked):
        number = hit.label.removeprefix("times ")
        if number != hit.label:
            bound = {1: "above", -1: "under"}.get(bounds.get(hit.start, 0), "")
            said = f"{masked} ; {bound} {number}"
            if not _times(number) <= _follows(said, beside, known, of_rows, _times(number)):
                wrong.append(masked[hit.start : hit.end])
    for match in _TIMES.finditer(masked):
        values = _times(match[0])
        if not values or not values <= _follows(masked, beside, known, of_rows, values):
            wrong.append(match[0])
    # "6%" of six rows is a share to be worked out, not their number.
    shares = {abs(amount.value) for amount in find_amounts(masked) if amount.unit == "%"}
    follows = _follows(masked, beside, known, columns, frozenset(shares - known.percents - known.said))
    for match in _SPELLED.finditer(masked):
        if Decimal(10 + _UNITS.get((match[1] or "").lower(), 0)) not in known.cells | known.said:
            wrong.append(match[0])
    told = replace(known, cells=known.cells | _wholes(text, before, known))
    seen = [False] * len(masked)
    for amount in find_amounts(masked):
        seen[amount.start : amount.end] = [True] * (amount.end - amount.start)
        written = masked[amount.start : amount.end]
        pool = told.percents if amount.unit == "%" else told.cells
        backed = amount.start in grouped or _backed(amount, written, told) or abs(amount.value) in follows
        bounded = (
            not backed and amount.start in bounds and any(_within(amount, cell, bounds) for cell in pool)
        )
        if not backed and not bounded:
            wrong.append(written.strip())
    return wrong + [match[0] for match in _DIGITS.finditer(masked) if not any(seen[slice(*match.span())])]


def _grouped(text: str, masked: str, before: str, known: Ground) -> dict[int, Decimal]:
    """The totals and shares of rows that share a key which a sentence names, by the place where they stand in `masked`.

    Where each part that names a key tells a figure, they are of the keys of their part; a part that names none is of all that
    the sentence names, else of those named `before`.
    """
    if not known.groups:
        return {}
    ends = [match.start() for match in _PARTS.finditer(masked)]
    spans = list(itertools.pairwise([0, *ends, len(text)]))

    def named(said: str) -> frozenset[str]:
        return known.rows.names_in(said) | frozenset(words(said))

    def meant(said: str) -> list[Group]:
        names = named(said)
        return [each for each in known.groups if each.names & names]

    here = [(meant(text[slice(*span)]), find_amounts(masked[slice(*span)])) for span in spans]
    every = meant(text) or meant(before)
    apart = all(amounts for groups, amounts in here if groups)
    found: dict[int, Decimal] = {}
    for (start, _), (own, amounts) in zip(spans, here, strict=True):
        groups = own if apart and own else every
        totals = [each.total for each in groups]
        shares = [share for each in groups for share in each.shares(named(text))]
        for amount in amounts:
            pool = shares if amount.unit == "%" else totals
            place = _place(abs(amount.value), masked[start + amount.start : start + amount.end])
            told = next((each for each in pool if _rounded(each, place) == abs(amount.value)), None)
            if told is not None:
                found[start + amount.start] = told
    return found


def _misplaced(text: str, beside: Sequence[Decimal], known: Ground) -> list[str]:
    """A figure of other rows of a result that a sentence, or a part of it, tells as its only one of the one row that it names.

    Parts are judged where each that names a row tells a figure, as "A and B have 1 and 2" says them in turn.
    """
    parts = [(each, known.rows.named(each), _cells_told(each, known)) for each in (*_PARTS.split(text), text)]
    wrong = []
    for part, rows, cells in parts if all(cells for _, rows, cells in parts if rows) else parts[-1:]:
        said = known.rows.names_in(part)
        if len({row.names(said) for row in rows}) == len(cells) == 1 and not _COMPARES.search(part):
            here, (value, (written, held)) = {row.table for row in rows}, *cells.items()
            others = all(row.keys and row.table in here and row not in rows for row in held)
            if others and value not in _follows(_mask(part, known)[0], beside, known, (), frozenset({value})):
                wrong.append(written)
    return wrong


def _wrong_ends(text: str, known: Ground) -> list[str]:
    """Superlatives of quantity beside the one row they tell, by name and figure, that is not at that end of a result of all rows.

    A scope, a place in an order, a negation or a change makes it a superlative of something else.
    """
    wrong = []
    if _SCOPES.search(text) or _COMPARES.search(text):
        return []
    parts = _PARTS.split(text)
    for part in parts if sum(bool(_ends_in(each)) for each in parts) > 1 else [text]:
        ends, rows, cells = _ends_in(part), known.rows.named(part), _cells_told(part, known)
        changes = any(hit.label in {"up", "down"} for hit in _lexicon().find(part))
        if not len(ends) == len(rows) == len(cells) == 1 or rows[0].table not in known.rows.tables:
            continue
        (_, held), figures = *cells.values(), [row.figures[0] for row in known.rows.of_table[rows[0].table]]
        end = max(figures) if ends[0].label == "most" else min(figures)
        if rows[0] in held and rows[0].figures[0] != end and not changes:
            wrong.append(part[ends[0].start : ends[0].end])
    return wrong


def _ends_in(text: str) -> list[PhraseHit]:
    """The superlatives of quantity of a text; "ít nhất 5" is a bound."""
    hits = [hit for hit in _lexicon().find(text) if hit.label in _ENDS]
    return [hit for hit in hits if not text[hit.end :].lstrip()[:1].isdigit()]


def _cells_told(text: str, known: Ground) -> dict[Decimal, tuple[str, list[Row]]]:
    """The figures of a text that are cells of rows, each as it is written and with the rows that hold it; places are none."""
    masked, found = _mask(text, known)[0], dict[Decimal, tuple[str, list[Row]]]()
    figures = known.rows.figures
    percents = figures & known.percents
    for amount in find_amounts(masked):
        value, written = abs(amount.value), masked[amount.start : amount.end].strip()
        pool = percents if amount.unit == "%" else figures
        held = known.rows.holding(_cells_of(amount, written, pool, percents))
        if held and value > len(known.rows.all):
            found[value] = written, held
    return found


def _times(written: str) -> frozenset[Decimal]:
    return frozenset(amount.value for amount in find_amounts(written))


def tells(text: str, known: Ground) -> bool:
    """Whether `text` says a figure that is known or follows from those; days and the numbers of a list are none."""
    text = _normal(text)
    masked = _OVER.sub("÷", _mask(text, known)[0])
    follows = _follows(masked, _beside(text, "", known), known, _columns(masked, known))
    return any(
        _backed(amount, masked[amount.start : amount.end], known) or abs(amount.value) in follows
        for amount in find_amounts(masked)
    )


def _follows(
    text: str,
    beside: Sequence[Decimal],
    known: Ground,
    columns: Sequence[tuple[Decimal, ...]],
    times: frozenset[Decimal] = frozenset(),
) -> frozenset[Decimal]:
    """The figures of `text` that follow from those of itself, `beside` it and in `columns`; `times` must, though they are known."""
    held = ((known.cells | known.percents | known.said) - times) | frozenset(beside)
    # With these zeros a decimal mark before three digits stays one.
    whole = "".join(f"{value:f}{'000' if value % 1 else ''} ; " for value in beside) + text
    bounds = _bounds(whole)

    def says(amount: Amount, result: Decimal) -> bool:
        value, place = abs(amount.value), _place(abs(amount.value), whole[amount.start : amount.end])
        far = _FURTHEST if value >= _SCALED else _FAR.get(amount.unit, _FURTHEST)
        near = place < 1 or abs(result - value) <= value * far
        return (near and _rounded(result, place) == value) or _within(amount, result, bounds)

    return derived_figures(whole, held, columns, says=says)


def _beside(text: str, before: str, known: Ground) -> list[Decimal]:
    """The figures that a sentence speaks of without writing them: the cells that it rounds, those of the rows it names, else of
    the rows `before` named, those that are the only ones of a result, those written `before`, and of a mean by day the days.
    """
    masked, earlier_masked = (_mask(each, known)[0] for each in (text, before))
    found = [
        cell
        for amount in find_amounts(masked)
        for value in (abs(amount.value),)
        for cell in _near(known.cells, value)
        if cell != value >= _SCALED
        and abs(cell - value) <= cell * _FURTHEST
        and _rounded(cell, _place(value, masked[amount.start : amount.end])) == value
    ]
    rows, earlier = known.rows.named(text), known.rows.named(before)
    if len(rows) < 2 and any(hit.label in {"ends", *_ENDS} for hit in _lexicon().find(text)):
        found += [end for column in known.columns for end in (max(column), min(column))]
    rows += earlier if not rows or len(earlier) == 1 else []
    found += [
        figure for row in (*rows, *(row for row in known.rows.all if not row.keys)) for figure in row.figures
    ]
    found += [abs(amount.value) for amount in find_amounts(earlier_masked)]
    if not _DAILY.isdisjoint(re.findall(r"\w+", text.lower())):
        found = [*map(Decimal, sorted(known.days.lengths)), *found]
    return list(dict.fromkeys(found))[:_BESIDE]


def _columns(text: str, known: Ground) -> list[tuple[Decimal, ...]]:
    """The columns whose totals a sentence may mean: those of the results, and of the k rows that it counts the first k."""
    return [*known.columns, *(column[:k] for column, k in _counted(text, known))]


def _counted(text: str, known: Ground) -> list[tuple[tuple[Decimal, ...], int]]:
    """The columns of the results, with how many of their rows a sentence counts."""
    said = words(_TIMES.sub(" ", text))
    counts = {_UNITS.get(word, int(word) if word.isdecimal() else 0) for word in said}
    return [(column, k) for column in known.columns for k in counts if 1 < k < len(column)]


def _wholes(text: str, before: str, known: Ground) -> frozenset[Decimal]:
    """The totals and means of the rows that a sentence means: the last k, those that it names, or `before` named, and all but
    those, or but some of those where it counts how many are left.
    """
    counted = _counted(_mask(text, known)[0], known)
    found = [column[-k:] for column, k in counted if len(known.rows.named(text)) < 2]
    for at, table in known.rows.of_table.items():
        for said in (text, before):
            rows = [row for row in known.rows.named(said) if row.table == at][:_BESIDE]
            left = {len(table) - k for _, k in counted} & set(range(1, len(rows))) | {len(rows)}
            out = [some for count in left for some in itertools.combinations(rows, count)]
            for some in (rows, *([row for row in table if row not in each] for each in out)):
                if len({len(row.figures) for row in some}) == 1:
                    found += zip(*(row.figures for row in some), strict=True)
    totals = [(sum(column, Decimal(0)), len(column)) for column in found]
    return frozenset(value for total, count in totals for value in (total, total / count))


def _bounds(text: str) -> dict[int, int]:
    """Where in `text` a figure is an upper or a lower bound ("gần 70%", "hơn 70%"): the place it begins at, and -1 or 1."""
    hits = [hit for hit in _lexicon().find(text) if hit.label in _BOUNDS]
    return {
        hit.end + len(text[hit.end :]) - len(text[hit.end :].lstrip()): _BOUNDS[hit.label] for hit in hits
    }


def _within(amount: Amount, result: Decimal, bounds: Mapping[int, int]) -> bool:
    """Whether a figure is a near bound of a result: up to its last digit that is no zero, and never far."""
    value = abs(amount.value)
    wide = min(Decimal(1).scaleb(int(value.normalize().as_tuple().exponent)), value * _WIDEST)
    return 0 < bounds.get(amount.start, 0) * (result - value) < wide


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
    kept = ""
    for part, wrong in _judged(text, known):
        if not wrong:
            kept += part
        elif part.endswith("\n") and not kept.endswith("\n"):
            kept += "\n"
    kept, numbers = kept.strip(), itertools.count(1)
    same = len(_ORDINAL.findall(kept)) == len(_ORDINAL.findall(text))
    return kept if same else _ORDINAL.sub(lambda match: f"{match[1]}{next(numbers)}{match[3]}", kept)


def count_figures(text: str) -> int:
    """How many figures a text holds; the numbers of a list's lines are none."""
    return len(find_amounts(mask_numbering(nfc(text))))


def mask_numbering(text: str) -> str:
    """`text` with the numbers of a list's lines blanked."""
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
        column = _figures(row[at] if at < len(row) else None for row in result.rows)
        if len(column) == len(result.rows) > 1:
            yield column


def rows_of(result: Result, table: int = 0) -> Iterator[Row]:
    """The rows of a result, and what it holds apart from rows as one without a key."""
    alone = ("value", "period1_value", "period2_value", "difference", "percentage_change")
    yield Row((), _figures(getattr(result, name) for name in alone), table)
    for row in result.rows:
        cells = zip(row, result.columns, strict=False)
        keys = tuple(_key_names(cell, name) for cell, name in cells if isinstance(cell, (str, date)))
        yield Row(keys, _figures(row) if keys else (), table)


def _groups_of(call: ToolCall, result: Result) -> Iterator[Group]:
    """The rows of a result by each of its several keys; what is a mean, an end or a per cent does not add up."""
    keys = [
        at
        for at in range(len(result.columns))
        if result.rows and all(isinstance(row[at], (str, date)) for row in result.rows)
    ]
    if len(keys) < 2 or result.truncated or _NO_SUMS.search(str(dict(call.arguments))):
        return
    names = {key: _own_names([row[key] for row in result.rows], result.columns[key]) for key in keys}
    for at in range(len(result.columns)):
        column = _figures(row[at] for row in result.rows)
        if at in keys or len(column) < len(result.rows) or result.unit_at(at) == "%":
            continue
        for key in keys:
            by = defaultdict[Any, list[tuple[frozenset[str], Decimal]]](list)
            for row, figure in zip(result.rows, column, strict=True):
                others = (names[other][row[other]] for other in keys if other != key)
                by[row[key]].append((frozenset().union(*others), figure))
            for cell, figures in by.items():
                yield Group(names[key][cell], tuple(figures), sum(column, Decimal(0)))


def _own_names(cells: Iterable[str | date], column: str) -> dict[str | date, frozenset[str]]:
    """For each key of a column the names it goes by, and its words that no other key has."""
    names = {cell: _key_names(cell, column) for cell in cells}
    said = {
        cell: {word for name in each for word in name.split() if word.isalpha()}
        for cell, each in names.items()
    }
    counted = Counter(word for each in said.values() for word in each)
    return {cell: names[cell] | {word for word in said[cell] if counted[word] == 1} for cell in names}


def _key_names(cell: str | date, column: str) -> frozenset[str]:
    """How a sentence may call a key, in words; a month also without its year."""
    shown = {cell_text(cell, column, "", lang) for lang in _LANGS}
    months = [match for each in shown if (match := _MONTH.fullmatch(each)) and match[1]]
    called = {f"{word} {int(match[1])}" for match in months for word in ("tháng", "thang", "month")}
    called |= {calendar.month_name[int(match[1])] for match in months}
    shown |= called | {f"{each} {match[2]}" for each in called for match in months}
    return frozenset(filter(None, (" ".join(words(each)) for each in shown)))


def _has_ends(call: ToolCall, result: Result) -> bool:
    """Whether a result holds all groups that there are, each by a name, with one figure, none below zero."""
    limit = call.arguments.get("limit") or (_TOP if call.tool == "get_top_items" else 0)
    cut = result.truncated or len(result.rows) == limit or _CUTS.search(str(call.arguments))
    named = all(any(isinstance(cell, (str, date)) for cell in row) for row in result.rows)
    figures = [[cell for cell in row if is_number(cell)] for row in result.rows]
    return (
        len(result.rows) > 1
        and not cut
        and named
        and all(len(each) == 1 and each[0] >= 0 for each in figures)
    )


def _figures(cells: Iterable[Any]) -> tuple[Decimal, ...]:
    exact = (Decimal(str(cell)) for cell in cells if is_number(cell))
    return tuple(abs(number) for number in exact if number.is_finite())


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
    value = list(value.values()) if isinstance(value, dict) else value
    for item in value if isinstance(value, (list, tuple)) else ():
        yield from _words_of(item)


def _backed(amount: Amount, written: str, known: Ground) -> bool:
    if abs(amount.value) in known.said:
        return True
    pool = known.percents if amount.unit == "%" else known.cells
    return next(_cells_of(amount, written, pool, known.percents), None) is not None


def _cells_of(
    amount: Amount, written: str, pool: frozenset[Decimal], percents: frozenset[Decimal]
) -> Iterator[Decimal]:
    """The figures of `pool`, and for a per cent with a mark of thousands of `percents`, that an amount may be, rounded."""
    value, place = abs(amount.value), _place(abs(amount.value), written)
    # As the answers themselves write it: whole đồng, one decimal of a per cent, two of anything else.
    own = {"%": Decimal("0.1"), "VND": Decimal(1)}.get(amount.unit, Decimal("0.01"))
    for cell in _near(pool, value):
        close = abs(cell - value) <= abs(cell) * _FURTHEST
        if _rounded(cell, own) == value or (close and _rounded(cell, place) == value):
            yield cell
    if _GROUPED_PERCENT.fullmatch(written):
        # "30.791%" is as likely thirty thousand as thirty and a bit.
        whole = Decimal(re.sub(r"[.,]", "", written[:-1]))
        yield from (cell for cell in _near(percents, whole) if _rounded(cell, Decimal("0.1")) == whole)


def _near(pool: frozenset[Decimal], value: Decimal) -> tuple[Decimal, ...]:
    """The figures of `pool` that `value` may be a rounding of."""
    wide, ordered = max(value * 2 * _FURTHEST, Decimal(1)), _ordered(pool)
    return ordered[bisect_left(ordered, value - wide) : bisect_right(ordered, value + wide)]


@lru_cache(64)
def _ordered(pool: frozenset[Decimal]) -> tuple[Decimal, ...]:
    return tuple(sorted(pool))


def _place(value: Decimal, written: str) -> Decimal:
    """The place of the last digit that was written: 0.1 for "15,5", a million for "58 triệu"."""
    words = re.sub(r"[\d.,\s$₫€%+-]|VND|vnd|đồng|đ\b", "", written)
    normal = value.normalize()
    exponent = int(normal.as_tuple().exponent)
    # "57.750.000" is written to the unit; only with a word of scale do its zeros say nothing.
    return Decimal(1).scaleb(exponent if words or exponent < 0 else 0)


def _rounded(cell: Decimal, place: Decimal) -> Decimal:
    return rounded(cell / place) * place


def _wrong_way(text: str, before: str, known: Ground) -> list[str]:
    """Words of rising or falling that say the opposite of what was found."""
    if not known.trend:
        return []
    hits = _lexicon().find(text)
    labels = {hit.label for hit in [*hits, *_lexicon().find(before)]}
    right, wrong = ("up", "down") if known.trend > 0 else ("down", "up")
    return [text[hit.start : hit.end] for hit in hits if hit.label == wrong] if right not in labels else []


def _mask_texts(text: str, names: Sequence[str]) -> str:
    """`text` with the names that hold digits ("iPhone 15") blanked: they are no figures."""
    lowered = text.lower()
    for name in (each for each in names if each.lower() in lowered):
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
    """Whether a model's words without a result ask back, or say that something is not there, cannot be told or cannot be done.

    What the assistant says that it is not able to do claims nothing of the data; what it says that it changed never stands.
    """
    labels = {hit.label for hit in _lexicon().find(text)}
    unable = _UNABLE.search(nfc(text)) and labels.isdisjoint({"up", "down", "ends", "most", "fewest"})
    return not says_done(text) and bool("?" in text or labels & {"lacks", "asks"} or unable)


def says_done(text: str) -> bool:
    """Whether words say that data were changed, which no tool can."""
    return any(hit.label == "done" for hit in _lexicon().find(text))
