"""Reads the periods of a message: those of the core, and what stands around them ("trước 15/9", "10 ngày đầu tháng 10")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from troly.text.dates import DateRange, find_ranges, whole
from troly.text.fold import WordToken, accents_agree, fold
from troly_analysis.planner.wording import Wording

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
    ("to", "now"), ("until", "now"), ("and", "later"), ("to", "date"),
)  # fmt: skip
_THIRDS = {
    "đầu": (1, 10),
    "giữa": (11, 20),
    "cuối": (21, 31),
    "early": (1, 10),
    "mid": (11, 20),
    "late": (21, 31),
}
_DAYS = re.compile(r"^(\d{1,2}|mot|hai|ba|bon|nam|sau|bay) (?:ngay )?(dau|cuoi)(?: tien)?$")
_FIRST_DAYS = re.compile(r"^(first|last) (\d{1,2}) days(?: (?:of|in))?$")
_COUNTS = {"mot": 1, "hai": 2, "ba": 3, "bon": 4, "nam": 5, "sau": 6, "bay": 7}
_LONGEST = 5
_WEEKENDS = frozenset({"cuoi tuan", "weekend", "weekends", "the weekend", "ngay cuoi tuan"})
_FULL = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTHS = {name: nth for nth, full in enumerate(_FULL, 1) for name in (full, full[:3])} | {"sept": 9}


def read_spans(wording: Wording, today: date, span: tuple[date, date] | None) -> list[DateRange]:
    """The periods named, with their places in the text; `span` are the first and last day of the sheet.

    A period with one end reaches to the end of the sheet, or to 1970 and 2099 where that is not known.
    """
    # Weekends of no week are days of the week, which are read as conditions.
    found = [each for each in find_ranges(wording.text, today) if fold(each.label) not in _WEEKENDS]
    found += _named_months(wording, found, max(today, span[1]) if span else today)
    ordered = sorted(found, key=lambda each: each.span)
    return [_widened(wording, each, today, span) for each in ordered]


def _named_months(wording: Wording, taken: Sequence[DateRange], last: date) -> list[DateRange]:
    """English months that stand alone ("October sales", "before 1 Oct"): the latest that has begun by `last`."""
    found = []
    for nth, token in enumerate(wording.words):
        name = wording.text[token.start : token.end]
        month = _MONTHS.get(name.lower())
        covered = any(each.span[0] < token.end and token.start < each.span[1] for each in taken)
        if month is None or covered or (month in {3, 5} and not name[:1].isupper()):
            continue
        start, words = date(last.year, month, 1), [token]
        year = wording.words[nth + 1 : nth + 2]
        if year and re.fullmatch("(?:19|20)[0-9]{2}", year[0].folded):
            start, words = start.replace(year=int(year[0].folded)), [token, *year]
        elif start > last:
            start = start.replace(year=last.year - 1)
        end = whole(start, "month")[1]
        day = wording.words[max(0, nth - 1) : nth]
        if day and day[0].folded.isdigit() and 1 <= int(day[0].folded) <= end.day:
            start = end = start.replace(day=int(day[0].folded))
            words = [*day, *words]
        place = (words[0].start, words[-1].end)
        found.append(DateRange(start, end, wording.text[slice(*place)], place))
    return found


def _widened(wording: Wording, found: DateRange, today: date, span: tuple[date, date] | None) -> DateRange:
    inside = [
        nth
        for nth, token in enumerate(wording.words)
        if token.start < found.span[1] and found.span[0] < token.end
    ]
    if not inside:
        return found
    before = wording.words[max(0, inside[0] - _LONGEST) : inside[0]]
    after = wording.words[inside[-1] + 1 : inside[-1] + 4]
    part = _part(found, before)
    if part is not None:
        return _placed(wording, part[0], before[-part[1] :], found)
    least, most = span or (FIRST, LAST)
    first, last = min(least, found.start), max(most, found.end)
    onward = _starts(after, _ONWARD)
    if onward:
        since = _ends(before, _SINCE)
        words = [*(before[-since:] if since else []), *after[:onward]]
        return _placed(wording, (found.start, max(today, found.end)), words, found)
    for listed, ends in (
        (_BEFORE, (first, found.start - timedelta(days=1))),
        (_AFTER, (found.end + timedelta(days=1), last)),
        (_UNTIL, (first, found.end)),
        (_SINCE, (found.start, last)),
    ):
        said = _ends(before, listed)
        if said and ends[0] <= ends[1] and not _is_apart(before[:-said]):
            return _placed(wording, ends, before[-said:], found)
    return found


def _part(found: DateRange, before: Sequence[WordToken]) -> tuple[tuple[date, date], int] | None:
    """The first or last days, or a third of a month, and by how many words before it that is said."""
    said = [token.folded for token in before]
    for length in range(min(_LONGEST, len(said)), 0, -1):
        text = " ".join(said[-length:])
        if text.endswith((" cua", " of")):
            text = text.rsplit(" ", 1)[0]
        if day := (_DAYS.match(text) if " ngay " in f" {text} " else None):
            count, end = day[1], day[2]
            return _days(found, int(count) if count.isdigit() else _COUNTS[count], first=end == "dau"), length
        if days := _FIRST_DAYS.match(text):
            return _days(found, int(days[2]), first=days[1] == "first"), length
        if text in {"nua dau", "first half"}:
            return _half(found, first=True), length
        if text in {"nua cuoi", "nua sau", "second half"}:
            return _half(found, first=False), length
    month = found.start.day == 1 and 28 <= (found.end - found.start).days + 1 <= 31
    inner = fold(found.label).startswith(("in ", "trong ", "vao "))  # "were late in June"
    month = month and not inner
    third = next((name for name in _THIRDS if said and _is_word(before[-1], name)), "") if month else ""
    if third:  # "tiền dầu tháng 8" is about oil
        start, end_day = _THIRDS[third]
        last = min(found.start.replace(day=1) + timedelta(days=end_day - 1), found.end)
        return (found.start + timedelta(days=start - 1), last), 1
    return None


def _is_word(typed: WordToken, word: str) -> bool:
    return typed.folded == fold(word) and accents_agree(typed.text, word)


def _days(found: DateRange, count: int, *, first: bool) -> tuple[date, date]:
    length = timedelta(days=max(1, count) - 1)
    if first:
        return found.start, min(found.end, found.start + length)
    return max(found.start, found.end - length), found.end


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


def _is_apart(before: Sequence[WordToken]) -> bool:
    """Whether the words belong to a comparison, or to another column ("đặt tháng 5 và đến tháng 6")."""
    return bool(before) and before[-1].folded in {"so", "compared", "va", "and"}


def _placed(
    wording: Wording, days: tuple[date, date], words: Sequence[WordToken], found: DateRange
) -> DateRange:
    start = min([found.span[0], *(token.start for token in words)])
    end = max([found.span[1], *(token.end for token in words)])
    return DateRange(*days, wording.text[start:end], (start, end))
