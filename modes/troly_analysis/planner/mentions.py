"""A message as the planner reads it: its text put right, and everything it names, in order and none overlapping."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from troly.text.dates import (
    COUNTS,
    DateRange,
    HourRange,
    add,
    find_hours,
    find_ranges,
    months_of_year,
    whole,
    years_in_digits,
)
from troly.text.fold import WordToken, accents, accents_agree, fold, folded_words, nfc, tokens
from troly.text.language import detect_score, is_syllable
from troly.text.numbers import Amount, counting_words, find_amounts
from troly.text.spelling import Corrector, SpellingRules, without_telex
from troly_analysis.planner.lexicon import PhraseMatch, Phrases, common, concepts, rewrites, spellings, things
from troly_analysis.planner.lexicon import words as listed_words
from troly_analysis.planner.schema import Schema, Target, Value, in_number
from troly_analysis.planner.types import Lookup, Ref
from troly_analysis.types import TEMPORAL, Sheet

_MOST_CHARS = 600
_PERCENT = re.compile(r"(?<![0-9])(?<![0-9] )%")
# Signs are words that no reading may drop: the longer ones first.
_SIGNS = tuple(
    (re.compile(sign), f" {word} ")
    for sign, word in (
        (r">=|≥|=>", "at least"), (r"<=|≤|=<", "at most"), (r"!=|<>|≠", "not"), (r">", "more than"), (r"<", "less than"),
        (r"=", "equals"),
    )
)  # fmt: skip
_MARKED, SHORTEST_SLIP = 0.4, 6


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """`text` is the message put right, `words` its words; `repairs` what was changed, as (typed, read as)."""

    text: str
    words: tuple[WordToken, ...]
    careful: bool
    repairs: tuple[tuple[str, str], ...] = ()
    respelt: tuple[tuple[str, str], ...] = ()
    """All that was written in another way, as (typed, read as): repairs, short words, signs."""


def read_wording(message: str, *named: Phrases[Any], kept: frozenset[str] = frozenset()) -> CorrectedText:
    """Read `message`; `named` are the phrases of the sheet: none of their words is changed, and they may be meant. None of
    the folded words `kept` is changed either.

    Only the first 600 characters are read: a question is shorter.
    """
    vocabulary = kept.union(*(phrases.vocabulary() for phrases in named))
    text = _PERCENT.sub(" phần trăm", message)
    text = years_in_digits(months_of_year(nfc(text)[:_MOST_CHARS]))
    respelt = [("%", "phần trăm")]

    for pattern, written in (*_SIGNS, *rewrites()):
        for match in reversed(list(pattern.finditer(text))):
            if kept.isdisjoint(folded_words(match[0])):  # "chi" is "gì", but not in "Trần Thu Chi"
                respelt.append((match[0].strip(), match.expand(written).strip()))
                text = text[: match.start()] + match.expand(written) + text[match.end() :]
    text = _UNIT_SLIP.sub(_unit_meant, text)
    text = re.sub(r"(?<=\w) n (?=\w)", " and ", text) if detect_score(text) < 0 else text
    typed = tokens(nfc(message)[:_MOST_CHARS])
    marked = sum(1 for token in typed if accents(token.text))
    careful = marked >= 2 and marked >= _MARKED * sum(1 for token in typed if token.folded.isalpha())
    correction = _corrector().correct(text, vocabulary=vocabulary)
    if not text.isascii():
        meant = ((each, _written(each.typed, each.meant, named)) for each in correction.changes)
        correction = replace(correction, changes=tuple(replace(each, meant=own) for each, own in meant))
    repairs = tuple((change.typed, change.meant) for change in correction.changes if change.kind == "slip")
    put_right, more = _respelt(correction.text, vocabulary, named)
    respelt += [*((change.typed, change.meant) for change in correction.changes), *more]
    return CorrectedText(put_right, tuple(tokens(put_right)), careful, (*repairs, *more), tuple(respelt))


def _written(typed: str, meant: str, named: Sequence[Phrases[Any]]) -> str:
    """A word of the sheet that is meant, with its own accents: those nearest to what was typed."""
    from rapidfuzz.distance import OSA  # 50 ms, which only a message with a slip in it needs

    spelled = {word for phrases in named for word in phrases.spelled(meant)}
    return min(sorted(spelled), key=lambda word: OSA.distance(typed.lower(), word), default=meant)


_UNIT_SLIP = re.compile(r"(?<!\w)([^\W\d_]{4,8})(?= ?[0-9])")
_TIMES = {"thang": "tháng", "tuan": "tuần", "ngay": "ngày", "month": "month", "quarter": "quarter"}


def _unit_meant(match: re.Match[str]) -> str:
    """The unit of time before a number that a word is one slip from: "thág 7", with a key for its tone "thagns 7"."""
    word = fold(match[1])
    if is_syllable(word) or word in common():
        return match[0]
    keyless = without_telex(word)
    near = [
        unit
        for folded, unit in _TIMES.items()
        if slips(word, folded) <= 1 or (sorted(keyless) == sorted(folded) and slips(keyless, folded) <= 1)
    ]
    return near[0] if len(near) == 1 else match[0]


def _respelt(
    text: str, vocabulary: AbstractSet[str], named: Sequence[Phrases[Any]]
) -> tuple[str, list[tuple[str, str]]]:
    """`text` with the sheet's phrases for two or three words that are one slip from them: "Đà Nẵg", "khách hagf".

    One of the words must be none: neither a syllable nor listed.
    """
    repairs: list[tuple[str, str]] = []
    typed = tokens(text)
    for at, token in enumerate(typed):
        word = token.folded
        if not word.isalpha() or is_syllable(word) or word in vocabulary or word in common():
            continue
        for start, end in ((at - 1, at + 1), (at, at + 2), (at - 2, at + 1), (at - 1, at + 2), (at, at + 3)):
            span = typed[max(start, 0) : end]
            said = " ".join(without_telex(each.folded) if each is token else each.folded for each in span)
            if start < 0 or len(span) < end - start or len(said) < SHORTEST_SLIP:
                continue
            written = (phrase for phrases in named for phrase in phrases.written(len(span)))
            near = [phrase for phrase in written if slips(said, fold(phrase)) <= 1]
            if len({fold(phrase) for phrase in near}) == 1:
                old = text[span[0].start : span[-1].end]
                meant = fold(near[0]) if text.isascii() else near[0]
                more = _respelt(text[: span[0].start] + meant + text[span[-1].end :], vocabulary, named)
                return more[0], [*repairs, (old, near[0]), *more[1]]
    return text, repairs


def slips(one: str, other: str) -> int:
    """How many letters more, less, changed or swapped with their neighbour lie between two texts, at most 2."""
    if abs(len(one) - len(other)) > 1:
        return 2
    from rapidfuzz.distance import OSA  # 50 ms, which only a message with a slip in it needs

    return OSA.distance(one, other, score_cutoff=1)


@cache
def _corrector() -> Corrector:
    rules = SpellingRules(
        most_words=1,
        two_slips_from=8,
        same_start=True,
        unique=True,
        shortest_word=4,
        same_letters_up_to=4,
        chat_by_fold=True,
        chat_anywhere_from=1,
        most_tokens=1500,
    )
    return Corrector(common(), (), spellings(), rules)


# A sheet's name in quotes inside a message: it says which sheet is meant, and nothing of what is asked of it.


# The quotes that people and completion put around a name; an apostrophe is too often something else.
_QUOTED = re.compile(r'"([^"\n]{1,200})"|“([^”\n]{1,200})”|«([^»\n]{1,200})»')
_BEFORE_NAME = re.compile(
    r"(?:^|(?<=\s))(?:trong |của |từ |ở |of |in |from )?(?:bảng|bang|sheet|table)\s+$", re.IGNORECASE
)


def without_sheet(text: str, sheets: Sequence[Sheet]) -> tuple[str, str]:
    """`text` with blanks in place of the one sheet that it names in quotes, and that sheet's name ("" for none).

    Offsets stay as they were. Two different sheets in quotes are left to whoever reads the message.
    """
    names = {fold(sheet.name): sheet.name for sheet in sheets}
    hits = [match for match in _QUOTED.finditer(text) if _key(match) in names]
    if len({_key(match) for match in hits}) != 1:
        return text, ""
    for match in hits:
        before = _BEFORE_NAME.search(text[: match.start()])
        start = before.start() if before else match.start()
        text = text[:start] + " " * (match.end() - start) + text[match.end() :]
    return text, names[_key(hits[0])]


def _key(match: re.Match[str]) -> str:
    return fold(" ".join(next(group for group in match.groups() if group is not None).split()))


# Reads the periods of a message: those of the core, and what stands around them ("trước 15/9", "10 ngày đầu tháng 10").


FIRST, LAST = date(1970, 1, 1), date(2099, 12, 31)
"""The ends of a period that has only one."""
_BEFORE = (("truoc",), ("truoc", "ngay"), ("before",), ("prior", "to"))
_AFTER = (("sau",), ("sau", "ngay"), ("after",), ("tu", "sau"), ("tu", "sau", "ngay"))
_SINCE = (("tu",), ("ke", "tu"), ("ke", "tu", "ngay"), ("tu", "ngay"), ("since",), ("starting",))
_UNTIL = (
    ("den",), ("den", "het"), ("den", "ngay"), ("den", "het", "ngay"), ("tinh", "den"), ("cho", "den"), ("toi",),
    ("tinh", "den", "het"), ("cho", "den", "het"), ("toi", "het"), ("until",), ("till",), ("up", "to"), ("through",),
)  # fmt: skip
_ONWARD = (
    ("tro", "di"), ("ve", "sau"), ("den", "nay"), ("toi", "nay"), ("den", "gio"), ("onwards",), ("onward",),
    ("to", "now"), ("until", "now"), ("and", "later"), ("to", "date"), ("toi", "gio"), ("den", "bay", "gio"),
    ("toi", "bay", "gio"), ("cho", "den", "nay"), ("den", "hom", "nay"), ("toi", "hom", "nay"), ("den", "hien", "tai"), ("cho", "toi", "nay"),
)  # fmt: skip
_THIRDS = dict(
    zip(("đầu", "giữa", "cuối", "early", "mid", "late"), ((1, 10), (11, 20), (21, 31)) * 2, strict=True)
)
_TIES = {("den",), ("toi",), ("cho", "den"), ("cho", "toi"), ("to",), ("until",), ("till",), ("through",)}
_YEARS = re.compile(
    r"(?:19|20)[0-9]{2}|nam (?:nay|ngoai|truoc|roi|kia)|(?:this|last) year|^(?:tuan|hom|nam|thang|quy) [a-z]"
)
_COUNTS = {fold(name): count for name, count in COUNTS.items() if name not in {"vài", "mấy", "few", "couple"}}
_COUNTED_DAYS = re.compile(
    rf"(?:(?<= )|^)([0-9]{{1,2}}|{'|'.join(_COUNTS)}) (?:(ngay|tuan) (dau|cuoi)|(first|last) (days|weeks))(?: tien| cung)?(?: cua| trong| of)?$"
)
"""How many days of a period, from its beginning or before its end."""
_LONGEST = 5
_WEEKENDS = frozenset({"cuoi tuan", "weekend", "weekends", "the weekend", "ngay cuoi tuan"})
_FULL = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTHS = {name: nth for nth, full in enumerate(_FULL, 1) for name in (full, full[:3])} | {"sept": 9}


def read_spans(wording: CorrectedText, today: date, span: tuple[date, date] | None) -> list[DateRange]:
    """The periods named, with their places in the text; `span` are the first and last day of the sheet.

    A period with one end reaches to the end of the sheet, or to 1970 and 2099 where that is not known.
    """
    # Weekends of no week are days of the week, which are read as conditions.
    found = [each for each in find_ranges(wording.text, today) if fold(each.label) not in _WEEKENDS]
    found += _named_months(wording, found, max(today, span[1]) if span else today)
    found = _of_year_before(_spanned(wording, sorted(found, key=lambda each: each.span), today))
    return [_widened(wording, each, today, span) for each in found]


def _spanned(wording: CorrectedText, found: Sequence[DateRange], today: date) -> list[DateRange]:
    """One period for two that "đến" ties: "từ tháng 1 đến hết tháng 6 năm 2025" begins in that year too."""
    text, joined = wording.text, list[DateRange]()
    for each in found:
        last = joined[-1] if joined else None
        between = text[last.span[1] : each.span[0]].strip(" ,") if last else ""
        tied = tuple(word.folded for word in tokens(between)) in _TIES or between in {"-", "–"}
        if last is None or (between and not tied):
            joined.append(each)
            continue
        first, end = _of_one_year(last, each, today) if tied else (last, each)
        if not between and each.start.month == 1 and not _YEARS.search(fold(last.label)):
            years = each.start.year - last.end.year  # "từ tháng 1 đến tháng 6 năm 2025"
            moved = add(last.start, years, "year"), add(last.end + timedelta(1), years, "year") - timedelta(1)
        else:
            moved = first.start, end.end
        of_year = not between and moved[1] <= each.end and moved != (first.start, end.end)
        if of_year or (tied and first.start <= end.end):
            since = re.search(r"(?:từ|tu|from|kể từ) $", text[: last.span[0]], re.IGNORECASE)
            place = (since.start() if since else last.span[0], each.span[1])
            joined[-1] = DateRange(*moved, text[slice(*place)], place)
        else:
            joined.append(each)
    return joined


_EARLIER: tuple[tuple[frozenset[str], Literal["week", "month", "quarter"]], ...] = (
    (frozenset({"tuan", "week"}), "week"), (frozenset({"thang", "month"}), "month"), (frozenset({"quy", "quarter"}), "quarter"),
)  # fmt: skip


def is_same_days(text: str) -> bool:
    """Whether words mean the same days of an earlier period: "cùng kỳ"."""
    return "cung k" in fold(text) or "same period" in fold(text)


def _of_year_before(found: Sequence[DateRange]) -> list[DateRange]:
    """The periods, "cùng kỳ" as the days of the one named before it, or after it where it comes first."""
    whole = list(found)
    for nth, each in enumerate(found):
        others = [*reversed(found[:nth]), *found[nth + 1 :]]
        of = next((other for other in others if not is_same_days(other.label)), None)
        if of is not None and of.start.year > 1 and is_same_days(each.label):
            named = [unit for words, unit in _EARLIER if words & set(folded_words(each.label))]
            unit = named[0] if named else "year"
            ends = add(of.start, -1, unit), add(of.end + timedelta(1), -1, unit) - timedelta(1)
            whole[nth] = DateRange(*ends, each.label, each.span)
    return whole


def _of_one_year(first: DateRange, last: DateRange, today: date) -> tuple[DateRange, DateRange]:
    """Both ends of a span, the one without a year in that of the other, the end after the beginning."""
    dated = [bool(_YEARS.search(fold(each.label))) for each in (first, last)]
    for moved in (0, -1, 1):
        year = (last if dated[1] else first).start.year + moved
        again = find_ranges(f"{(first if dated[1] else last).label} năm {year}", today)
        if dated[0] == dated[1] or not again:
            break
        ends = (again[0], last) if dated[1] else (first, again[0])
        if ends[0].start <= ends[1].end:
            return ends
    return first, last


def _named_months(wording: CorrectedText, taken: Sequence[DateRange], last: date) -> list[DateRange]:
    """English months that stand alone ("October sales", "before 1 Oct"): the latest that has begun by `last`."""
    found = []
    for nth, token in enumerate(wording.words):
        name = wording.text[token.start : token.end]
        month = _MONTHS.get(name.lower())
        covered = any(each.span[0] < token.end and token.start < each.span[1] for each in taken)
        # "mar", "may", "sếp"
        word = month in {3, 5} or (name == "sep" and not detect_score(wording.text) < 0)
        if month is None or covered or (word and not name[:1].isupper()):
            continue
        start, first = date(last.year - (month > last.month), month, 1), token
        end = whole(start, "month")[1]
        day = wording.words[max(0, nth - 1) : nth]
        if day and day[0].folded.isdigit() and 1 <= int(day[0].folded) <= end.day:
            start, first = start.replace(day=int(day[0].folded)), day[0]
            end = start
        place = (first.start, token.end)
        found.append(DateRange(start, end, wording.text[slice(*place)], place))
    return found


def _widened(
    wording: CorrectedText, found: DateRange, today: date, span: tuple[date, date] | None
) -> DateRange:
    place = _words_of(wording, *found.span)
    if place is None:
        return found
    before = wording.words[max(0, place[0] - _LONGEST) : place[0]]
    opened = max(wording.text.rfind(sign, 0, found.span[0]) for sign in ("(", ", "))  # "tuần trước, từ 16/11"
    before = tuple(word for word in before if word.start > opened)
    after = wording.words[place[1] : place[1] + 3]
    onward = _starts(after, _ONWARD)
    part = _part(found, before)
    begins = onward and part is not None and bool(before) and before[-1].folded == "dau"
    if begins:  # "từ đầu tháng 11 tới giờ" is since the first
        before = before[:-1]
    elif part is not None:
        return _placed(wording, part[0], before[-part[1] :], found)
    least, most = span or (FIRST, LAST)
    first, last = min(least, found.start), max(most, found.end)
    if onward:
        since = _ends(before, _SINCE)
        words = [*(before[-since:] if since else []), *after[:onward]]
        return _placed(wording, (found.start, max(today, found.start)), words, found)
    for listed, ends in (
        (_BEFORE, (first, found.start - timedelta(days=1))),
        (_AFTER, (found.end + timedelta(days=1), last)),
        (_UNTIL, (first, found.end)),
        (_SINCE, (found.start, last)),
    ):
        said = _ends(before, listed)
        if said == 1 and _is_evening(before[-1], found):
            continue
        ahead = [word.folded for word in before[:-said][-1:]]  # "đặt tháng 5 và đến tháng 6"
        if said and ends[0] <= ends[1] and not {"so", "compared", "va", "and"}.intersection(ahead):
            return _placed(wording, ends, before[-said:], found)
    return found


def _is_evening(word: WordToken, found: DateRange) -> bool:
    """Whether "tối" is no "tới": typed so, or without accents before one day that is named by "hôm": "toi hom qua"."""
    bare = found.start == found.end and fold(found.label).startswith("hom")
    return word.text.lower() == "tối" or (word.text.lower() == "toi" and bare)


def _part(found: DateRange, before: Sequence[WordToken]) -> tuple[tuple[date, date], int] | None:
    """The first or last days, or a third of a month, and by how many words before it that is said."""
    said = [token.folded for token in before]
    for length in range(min(_LONGEST, len(said)), 0, -1):
        text = " ".join(said[-length:])
        if text.endswith((" cua", " of")):
            text = text.rsplit(" ", 1)[0]
        if text in {"nua dau", "first half"}:
            return _half(found, first=True), length
        if text in {"nua cuoi", "nua sau", "second half"}:
            return _half(found, first=False), length
    if counted := _COUNTED_DAYS.search(" ".join(said)):
        days = int(counted[1]) if counted[1].isdecimal() else _COUNTS[counted[1]]
        days *= 7 if {"tuan", "weeks"} & set(counted.groups()) else 1
        reach = timedelta(min(days - 1, (found.end - found.start).days))
        first = bool({"dau", "first"} & set(counted.groups()))
        ends = (found.start, found.start + reach) if first else (found.end - reach, found.end)
        return ends, len(counted[0].split())
    month = found.start.day == 1 and 28 <= (found.end - found.start).days + 1 <= 31
    inner = fold(found.label).startswith(("in ", "trong ", "vao "))  # "were late in June"
    month = month and not inner
    thirds = (name for name in _THIRDS if said[-1:] == [fold(name)] and accents_agree(before[-1].text, name))
    third = next(thirds, "") if month else ""
    if third:  # "tiền dầu tháng 8" is about oil
        start, end_day = _THIRDS[third]
        last = min(found.start.replace(day=1) + timedelta(days=end_day - 1), found.end)
        return (found.start + timedelta(days=start - 1), last), 1
    return None


def _half(found: DateRange, *, first: bool) -> tuple[date, date]:
    days = (found.end - found.start).days + 1
    middle = found.start + timedelta(days=15 if days <= 31 else days // 2)
    return (found.start, middle - timedelta(days=1)) if first else (middle, found.end)


def _ends(before: Sequence[WordToken], listed: Sequence[tuple[str, ...]]) -> int:
    """How many words at the end of `before` are one of the phrases listed, the longest; 0 for none."""
    said = tuple(token.folded for token in before)
    return max((len(phrase) for phrase in listed if said[-len(phrase) :] == phrase), default=0)


def _starts(after: Sequence[WordToken], listed: Sequence[tuple[str, ...]]) -> int:
    said = tuple(token.folded for token in after)
    return max((len(phrase) for phrase in listed if said[: len(phrase)] == phrase), default=0)


def _placed(
    wording: CorrectedText, days: tuple[date, date], words: Sequence[WordToken], found: DateRange
) -> DateRange:
    start = min([found.span[0], *(token.start for token in words)])
    end = max([found.span[1], *(token.end for token in words)])
    return DateRange(*days, wording.text[start:end], (start, end))


_CLOSE = 0.035
"""Readings whose weights differ by less are equally good."""
_THING, _ROWS = 1.3, 0.7
"""How surely words name a thing for which the sheet has no column."""
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
# A number in words that nothing else is made of.
_COUNTED = 0.7


@dataclass(slots=True)
class Mention:
    """Words `start:end` of the message and all they can mean; reading a question gives it a `role`."""

    start: int
    end: int
    text: str
    labels: frozenset[str] = frozenset()
    targets: tuple[Target, ...] = ()
    values: tuple[Value, ...] = ()
    period: DateRange | None = None
    amount: Amount | None = None
    hours: HourRange | None = None
    role: str = ""
    """What it was read as, "" where nothing was made of it."""

    @property
    def weight(self) -> float:
        """How surely the words name their best column, 0 for none."""
        return self.targets[0].weight if self.targets else 0.0

    @property
    def means(self) -> bool:
        """Whether the words name a column, a value, days, hours or an amount."""
        return bool(self.targets or self.values or self.period or self.amount or self.hours)

    @property
    def said(self) -> str:
        """The words as they are compared: small letters without accents."""
        return fold(self.text)

    def has(self, *labels: str) -> bool:
        """Whether the words can mean one of `labels`."""
        return not self.labels.isdisjoint(labels)

    @property
    def best(self) -> tuple[Target, ...]:
        """The targets that are equally good."""
        return tuple(target for target in self.targets if self.weight - target.weight < _CLOSE)

    @property
    def number(self) -> Decimal:
        """The amount as a number, 0 for none."""
        return self.amount.value if self.amount else Decimal(0)

    @property
    def unit(self) -> str:
        """The unit of time the words can name, "" for none."""
        return next((label[5:] for label in self.labels if label.startswith("unit ")), "")


@dataclass(slots=True)
class _Pile:
    labels: set[str] = field(default_factory=set)
    targets: dict[str, Target] = field(default_factory=dict)
    values: dict[tuple[str, str], Value] = field(default_factory=dict)
    period: DateRange | None = None
    amount: Amount | None = None
    hours: HourRange | None = None
    score: float = 0.0


_ARTICLES = frozenset(
    {"the", "a", "an", "of", "on", "in", "to", "do", "so", "my", "is", "by", "at", "or", "and"}
)
_HOW_MANY = frozenset({"nhieu", "may", "nhiu"})
Extra = tuple[int, int, Value]
"""Words `start:end` that were found to be a value."""


def find_mentions(
    wording: CorrectedText, schema: Schema, today: date, extra: Iterable[Extra] = ()
) -> list[Mention]:
    """What the message names, left to right. Longer readings win over shorter ones, the sheet's own over the lists'."""
    piles: dict[tuple[int, int], _Pile] = defaultdict(_Pile)
    text, typed = wording.text, wording.words
    _add_periods(piles, wording, schema, today)
    english = detect_score(text) < 0
    names = list(schema.names.find(text, typed, careful=wording.careful, bare=schema.bare))
    means = _add_listed(piles, wording, names, english=english)
    for found in names:
        target = found.payload
        counted = found.start > 0 and typed[found.start - 1].folded in _HOW_MANY and found.bare
        if target.spelled and nfc(typed[found.start].text).lower() != target.spelled and not counted:
            continue
        pile = piles[found.start, found.end]
        if (old := pile.targets.get(target.key)) is None or old.weight < target.weight:
            pile.targets[target.key] = target
        pile.score = max(pile.score, 0.6 + 0.8 * target.weight - found.loss)
    for value in schema.values.find(text, typed, careful=wording.careful, bare=schema.bare):
        if english and value.end - value.start == 1 and typed[value.start].text in _ARTICLES:
            continue  # "the" is no card ("thẻ")
        if value.end - value.start == 1 and value.start in means:
            continue  # "trung bình" is neither Trung nor Bình
        pile = piles[value.start, value.end]
        key = (value.payload.ref.sheet, value.payload.ref.name)
        pile.values[key] = _better(pile.values.get(key), value.payload)
        pile.score = max(pile.score, 0.6 + 0.8 * value.payload.weight - value.loss)
    for start, end, given in extra:
        pile = piles[start, end]
        pile.values[given.ref.sheet, given.ref.name] = given
        pile.score = max(pile.score, 0.6 + 0.8 * given.weight)
    _add_things(piles, wording, schema)
    return _select(piles, wording)


def _add_listed(
    piles: dict[tuple[int, int], _Pile],
    wording: CorrectedText,
    names: Sequence[PhraseMatch[Target]],
    *,
    english: bool,
) -> set[int]:
    """Words that mean the same over any sheet; the places of those that say a mean."""
    text, typed = wording.text, wording.words
    means: set[int] = set()
    inside = {at for name in names if not name.loss for at in range(name.start + 1, name.end)}
    for hit in listed_words().find(text, typed, careful=wording.careful):
        if english and hit.bare and hit.end - hit.start == 1:
            continue  # "the" is no "thế"
        if hit.end - hit.start > 1 and hit.start in inside and hit.end - 1 not in inside:
            continue  # "khách hàng năm 2025", "khách hàng nam" are of no "hàng năm"
        pile = piles[hit.start, hit.end]
        pile.labels.add(hit.payload)
        spaced = set(text[typed[hit.start].end : typed[hit.end - 1].start]) & set(",;")
        means |= set(range(hit.start, hit.end)) if hit.payload == "avg" and not spaced else set()
        # "không có" is more than the two cells "không" and "có".
        sure = 0.3 if hit.payload == "blank" else -0.3 if hit.payload == "filler" else 0.0
        sure += 0.15 if hit.payload == "avg" and hit.end - hit.start > 1 else 0.0  # no "Bình", "Quần"
        pile.score = max(pile.score, 1.0 - hit.loss + sure)
    return means


def _add_things(piles: dict[tuple[int, int], _Pile], wording: CorrectedText, schema: Schema) -> None:
    """Names of things that the sheet has no column for: what is asked about them is said to be missing."""
    for thing in things().find(wording.text, wording.words, careful=wording.careful):
        pile = piles[thing.start, thing.end]
        folded = tuple(token.folded for token in wording.words[thing.start : thing.end])
        parts = (part for at in range(1, len(folded)) for part in (folded[at:], folded[:at]))
        valued = any(schema.values.listed(part) for part in parts)  # "phiếu xuất", "gold members"
        ahead = [target for at in range(1, len(folded)) for target in schema.names.listed(folded[:at])]
        rows = any(target.key == "rows" and target.weight >= _ROWS for target in ahead)  # "đơn giao"
        if not (pile.labels or pile.targets or pile.values or pile.period or valued or rows):
            # "lượt khám" is a row each, "lượt truy cập" a figure that a column would hold.
            each = folded[0] in {"luot", "lan"} and thing.payload not in _figures()
            pile.labels.add("rows" if each else "about")
            pile.score = max(pile.score, _THING - thing.loss)


@cache
def _figures() -> frozenset[str]:
    """The concepts whose columns hold numbers."""
    return frozenset(each.name for each in concepts() if each.nature == "number")


def _better(old: Value | None, new: Value) -> Value:
    if old is None or (new.whole, new.weight) > (old.whole, old.weight):
        return new
    if (new.whole, new.weight) == (old.whole, old.weight):
        return Value(old.ref, tuple(dict.fromkeys(old.values + new.values)), old.whole, old.weight)
    return old


def _add_periods(
    piles: dict[tuple[int, int], _Pile], wording: CorrectedText, schema: Schema, today: date
) -> None:
    taken: list[tuple[int, int]] = []
    dated = [ref for ref in schema.refs.values() if ref.kind in TEMPORAL and not ref.sheet]
    for read in read_spans(wording, today, schema.sheet.span if len(dated) == 1 else None):
        found = _beside_value(wording, schema, read, today)
        place = _words_of(wording, *found.span)
        if place:
            piles[place].period, piles[place].score = found, 2.2
            taken.append(found.span)
    taken += _add_hours(piles, wording, taken) if schema.timed else []
    for amount in find_amounts(wording.text):
        if any(amount.start < end and start < amount.end for start, end in taken):
            continue
        if place := _words_of(wording, amount.start, amount.end):
            typed = wording.text[amount.start : amount.end]
            if _is_no_number(wording, place):
                continue
            piles[place].amount, piles[place].score = amount, 1.3
            if _YEAR.fullmatch(typed):
                year = int(typed)
                ends = date(year, 1, 1), date(year, 12, 31)
                piles[place].period = DateRange(*ends, typed, (amount.start, amount.end))

    for amount in counting_words(wording.text):
        place = _words_of(wording, amount.start, amount.end)
        held = any(amount.start < end and start < amount.end for start, end in taken)
        if place and place not in piles and not held and not _is_no_number(wording, place):
            piles[place].amount, piles[place].score = amount, _COUNTED


def _add_hours(
    piles: dict[tuple[int, int], _Pile], wording: CorrectedText, taken: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Add the times of day that surely are some, beside the periods `taken`; where they stand."""
    found = [hours for hours in find_hours(wording.text) if hours.sure]
    apart = [h for h in found if not any(s < h.span[1] and h.span[0] < e for s, e in taken)]
    for hours in apart:
        if place := _words_of(wording, *hours.span):
            piles[place].hours, piles[place].score = hours, 2.2
    return [hours.span for hours in apart]


def _is_no_number(wording: CorrectedText, place: tuple[int, int]) -> bool:
    """Whether an English number is a Vietnamese word without its accents: "kem ten" has no 10, "top ten" has."""
    typed = wording.words[place[0]].folded
    other = place[1] - place[0] == 1 and is_syllable(typed) and detect_score(typed) <= 0
    ahead = wording.words[place[0] - 1].folded if place[0] else ""
    return other and ahead != "top" and detect_score(wording.text) > 0


def _beside_value(wording: CorrectedText, schema: Schema, found: DateRange, today: date) -> DateRange:
    """Without its first word where that is part of a value: "quầy 2 tháng 10" is no second of October, "ví điện tử tháng 3"
    is not since March.
    """
    place = _words_of(wording, *found.span)
    if place is None or place[1] - place[0] < 3 or not place[0]:
        return found
    opens, ahead = wording.words[place[0]].folded, wording.words[place[0] - 1].folded
    leads = opens == "dau" and ahead in {"dan", "dung"}  # "dẫn đầu tháng 10"
    if not (opens.isdigit() or opens == "tu" or leads):
        return found
    first = wording.words[place[0]]
    said = [word.folded for word in wording.words[max(0, place[0] - 3) : place[0] + 1]]
    value = any(schema.values.listed(tuple(said[at:])) for at in range(len(said) - 1))
    rest = find_ranges(wording.text[first.end : found.span[1]], today) if value or leads else []
    if not rest:
        return found
    start, end = rest[0].span
    return DateRange(rest[0].start, rest[0].end, rest[0].label, (first.end + start, first.end + end))


def _words_of(wording: CorrectedText, start: int, end: int) -> tuple[int, int] | None:
    inside = [nth for nth, token in enumerate(wording.words) if token.start < end and start < token.end]
    return (inside[0], inside[-1] + 1) if inside else None


def _select(piles: dict[tuple[int, int], _Pile], wording: CorrectedText) -> list[Mention]:
    """The best row of readings that do not overlap: most words covered by few long readings."""
    count = len(wording.words)
    best: list[tuple[float, int]] = [(0.0, -1)] * (count + 1)
    ending: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for (start, end), pile in piles.items():
        ending[end].append((start, pile.score * (end - start) ** 1.25))
    for end in range(1, count + 1):
        best[end] = (best[end - 1][0], -1)
        for start, score in ending[end]:
            if best[start][0] + score > best[end][0]:
                best[end] = (best[start][0] + score, start)
    chosen: list[Mention] = []
    at = count
    while at > 0:
        start = best[at][1]
        if start < 0:
            at -= 1
            continue
        chosen.append(_mention(start, at, piles[start, at], wording))
        at = start
    return chosen[::-1]


def _mention(start: int, end: int, pile: _Pile, wording: CorrectedText) -> Mention:
    typed = wording.text[wording.words[start].start : wording.words[end - 1].end]
    targets = sorted(pile.targets.values(), key=lambda target: -target.weight)
    values = sorted(pile.values.values(), key=lambda value: (-value.whole, -value.weight))
    pile.labels -= {"all"} if "per" in pile.labels else set()  # "moi don" are rather each than all
    labels = frozenset(pile.labels)
    return Mention(
        start, end, typed, labels, tuple(targets), tuple(values), pile.period, pile.amount, pile.hours
    )


def leftovers(mentions: Iterable[Mention], wording: CorrectedText) -> list[tuple[int, int, str]]:
    """Runs of words that no mention covers: first word, word after the last, and the text."""
    words, ends = wording.words, sorted((each.start, each.end) for each in mentions)
    gaps = zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(words)], strict=True)
    return [(at, end, wording.text[words[at].start : words[end - 1].end]) for at, end in gaps if at < end]


# Finds values of columns too long for their examples, where a message has words nothing else was found for.


_REACH, _LONGEST_VALUE = 2, 6
_MOST_NAMES = 5_000
_MOST_TRIED, _MOST_RUNS, _MOST_FOUND, _MOST_COLUMNS = 14, 4, 50, 8
Place = tuple[int, int]


def words_of_values(
    message: str, wording: CorrectedText, schema: Schema, lookup: Lookup | None
) -> frozenset[str]:
    """The folded words that were respelt although some value of a long column holds them: "short" of "Quần short", is one
    slip from them and the words around: "áo hodie", or is of them and these: "Trần Thu Chi".
    """
    if lookup is None:
        return frozenset()
    repaired = {fold(each) for each, _ in wording.repairs}
    respelt = repaired | {fold(each) for each, _ in wording.respelt}
    columns = [key for key, ref in schema.refs.items() if _long(schema, key, ref)][:_MOST_COLUMNS]
    fields = [schema.fields[key] for key in columns if schema.fields[key].distinct <= _MOST_NAMES]
    typed = [token.folded for token in tokens(message[:_MOST_CHARS])]

    def held(at: int, start: int, end: int) -> bool:
        name = typed[at] not in repaired
        phrase = " ".join(typed[start:end])
        return not (name and " " not in phrase) and any(
            lookup(schema.sheet, each, phrase, whole=name) for each in fields
        )

    def around(at: int) -> Iterator[tuple[int, int]]:
        starts, ends = range(max(0, at - _REACH), at + 1), range(at + 1, at + _REACH + 2)
        return ((start, end) for start in starts for end in ends)

    tried = [(at, word) for at, word in enumerate(typed) if word in respelt]
    return frozenset(word for at, word in tried if any(held(at, *place) for place in around(at)))


def long_values(
    wording: CorrectedText, schema: Schema, mentions: Sequence[Mention], lookup: Lookup | None
) -> list[Extra]:
    """The values that the words nothing was found for name, alone or with the words around them, or are one slip from."""
    columns = [(key, ref) for key, ref in schema.refs.items() if _long(schema, key, ref)][:_MOST_COLUMNS]
    if lookup is None or not columns:
        return []
    found = [*_named_whole(wording, schema, mentions, lookup, columns)]
    for place, part in _places(wording, mentions):
        if any(start < place[1] and place[0] < end for start, end, _ in found):
            continue
        words = wording.words[place[0] : place[1]]
        phrase = fold(wording.text[words[0].start : words[-1].end])
        for key, ref in columns:
            forms = (phrase, *in_number(phrase))  # "sneakers" of "Giày sneaker trắng"
            phrase = next((each for each in forms if lookup(schema.sheet, schema.fields[key], each)), phrase)
            found_so = lookup(schema.sheet, schema.fields[key], phrase)
            values = _spelled_so(found_so, words, schema, careful=wording.careful)
            whole = any(" ".join(fold(value).split()) == phrase for value in values)
            slipped = len(values) == 1 and phrase not in fold(values[0])
            if slipped and (" " not in phrase or all(is_syllable(word.folded) for word in words)):
                continue  # "quan short" is no "quận short": one of the words must be none
            if whole or slipped or (part and 0 < len(values) <= _MOST_FOUND):
                weight = 1.0 if whole else 0.6
                found.append((*place, Value(ref, tuple(values), whole=whole, weight=weight)))
                break
    return [*_completed(schema, mentions, lookup), *found]


def _completed(schema: Schema, mentions: Sequence[Mention], lookup: Lookup) -> Iterator[Extra]:
    """Every value that holds the words which some of its column's most frequent values hold: "áo" is any of them."""
    for mention in mentions:
        for part in mention.values:
            key = f"{part.ref.sheet}:{part.ref.name}"
            if part.whole or not _long(schema, key, part.ref):
                continue
            found = lookup(schema.sheet, schema.fields[key], fold(mention.text))
            agree = sorted(_spelled_so(found, tokens(mention.text), schema))
            yield mention.start, mention.end, replace(part, values=tuple(agree) or part.values)


def _spelled_so(
    values: Iterable[str], typed: Sequence[WordToken], schema: Schema, *, careful: bool = False
) -> list[str]:
    """Those of the values that hold the words with the accents that were typed, or not these words at all but one slip from them;
    a whole value of several words may have one accent typed wrong. With `careful` a word without accents has none.
    """
    alone = careful and len(typed) == 1
    said, agreeing = tuple(word.folded for word in typed), list[str]()

    def agree(mine: str, its: str) -> bool:
        return accents_agree(mine, its) and not (alone and accents(mine) != accents(its))

    for value in values:
        held = tokens(value)
        runs = [held[at : at + len(said)] for at in range(len(held) - len(said) + 1)]
        runs = [run for run in runs if tuple(word.folded for word in run) == said]
        slip = len(held) == len(said) > 1
        pairs = ([(mine.text, its.text) for mine, its in zip(typed, run, strict=True)] for run in runs)
        wrong = (sum(not agree(*pair) for pair in run) for run in pairs)
        if schema.bare or not runs or any(slip >= count for count in wrong):
            agreeing.append(value)
    return agreeing


def _named_whole(
    wording: CorrectedText,
    schema: Schema,
    mentions: Sequence[Mention],
    lookup: Lookup,
    columns: Sequence[tuple[str, Ref]],
) -> Iterator[Extra]:
    """Names of several words that stand in the sheet, whatever else their words can mean: "vi da nam" is "Ví da nam"."""
    fixed = {at for m in mentions if m.period or m.amount for at in range(m.start, m.end)}
    taken: set[int] = set()
    few = [(key, ref) for key, ref in columns if schema.fields[key].distinct <= _MOST_NAMES]
    for length in range(_LONGEST_VALUE, 1, -1):
        for start in range(len(wording.words) - length + 1):
            place = range(start, start + length)
            if not taken.isdisjoint(place) or fixed.issuperset(place):
                continue
            phrase = " ".join(word.folded for word in wording.words[start : start + length])
            for key, ref in few:
                typed = wording.words[start : start + length]
                found = lookup(schema.sheet, schema.fields[key], phrase, whole=True)
                if values := _spelled_so(found, typed, schema):
                    taken.update(place)
                    yield start, start + length, Value(ref, tuple(values), whole=True, weight=1.0)
                    break


def _long(schema: Schema, key: str, ref: Ref) -> bool:
    found = schema.fields[key]
    return ref.kind == "text" and not ref.sheet and found.distinct > len(found.examples)


def _places(wording: CorrectedText, mentions: Sequence[Mention]) -> Iterator[tuple[Place, bool]]:
    """Where to look, longest first: around each run of unknown words, then the run and its parts (True)."""
    fixed = {at for m in mentions if m.period or m.amount for at in range(m.start, m.end)}
    for start, end, _ in leftovers(mentions, wording)[:_MOST_RUNS]:
        ends = range(end, min(len(wording.words), end + _REACH) + 1)
        runs = ((first, last) for first in range(max(0, start - _REACH), start + 1) for last in ends)
        wide = [run for run in runs if run != (start, end) and run[1] - run[0] <= _LONGEST_VALUE]
        wide = [run for run in wide if fixed.isdisjoint(range(*run))]
        inside = [
            (first, last) for first in range(start, end) for last in range(first + 1, min(first + 3, end) + 1)
        ]
        known = {(start, end): True, **dict.fromkeys(inside, True), **dict.fromkeys(wide, False)}
        for place in sorted(known, key=lambda each: (each[0] - each[1], each))[:_MOST_TRIED]:
            yield place, known[place]
