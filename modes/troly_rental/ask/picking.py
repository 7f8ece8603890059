"""Reads which row of the last list is pointed at: "cái thứ hai", "căn đầu tiên bao nhiêu tiền", "chi tiết phòng số 3"."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from troly.text.fold import folded_words, nfc, tokens
from troly_rental.ask.reading import Filter, Reading, remark
from troly_rental.ask.shown import Shown
from troly_rental.ask.standing import PLACES
from troly_rental.ask.understand import Parts
from troly_rental.ask.words import lists

_LONG, _SHORT = 12, 5
_DIGITS, _ALONE = 2, 2
_NUMBERS = tuple(str(number) for number in range(1, 11))
# In English the number stands before the thing: "the second one"; "hai phòng" are two rooms.
_ORDINAL = re.compile(r"first|second|third|last|bottom|top|\w+(?:st|nd|rd|th)")


def pick(message: str, parts: Parts, previous: Reading, shown: Shown | None) -> Reading | None:
    """The one row of the last list that `message` points at, as a query for it alone; None where it points at none.

    A number that the list does not reach is asked about.
    """
    if shown is None or len(folded_words(parts.text)) > _LONG:
        return None
    if any(one.field in PLACES or one.field == "price" for one in parts.filters):
        return None
    number = number_in(nfc(message), len(shown.ids))
    if number is None:
        return None
    start = Reading(entity=shown.entity, own=previous.own, edited=True, question=message)
    if not 1 <= number <= len(shown.ids):
        missing = remark("missing.number", last=str(len(shown.ids)), number=str(number))
        return replace(start, missing=(missing,))
    return replace(start, filters=(Filter("id", "=", shown.ids[number - 1]),), limit=1, picked=number)


def number_in(text: str, rows: int) -> int | None:
    """The number of the row, as it is counted in the list: "đầu tiên" is the first shown, "cuối" the last; None for
    none, and for several rows ("3 phòng đầu tiên").
    """
    words = [token.folded for token in tokens(text.replace("#", " số "))]
    for at in range(len(words)):
        said = _pointed(words, at)
        if said is not None:
            return {"first": 1, "last": rows}.get(said) or int(said)
    return None


def _pointed(words: list[str], at: int) -> str | None:
    """ "first", "last" or the number that the words at `at` point with; None for none."""
    counted = _phrase(words, at, "numbered")
    if counted and len(words) <= _SHORT and (number := _number(words, at + counted)):
        return number
    thing = _phrase(words, at, "thing")
    if thing and not (at and words[at - 1].isdigit()):
        after = at + thing
        if counted := _phrase(words, after, "counted"):
            return _number(words, after + counted)
        return next((label for label in ("first", "last") if _phrase(words, after, label)), None)
    for label in ("first", "last", *_NUMBERS):
        ordinal = _ORDINAL.fullmatch(words[at]) and words[at] in _folded(label)
        if ordinal and (_phrase(words, at + 1, "thing") or len(words) <= at + 1 <= _ALONE):
            return label
    return None


def _number(words: list[str], at: int) -> str | None:
    if at < len(words) and words[at].isdigit() and len(words[at]) <= _DIGITS:
        return words[at]
    return next((label for label in (*_NUMBERS, "first", "last") if _phrase(words, at, label)), None)


def _phrase(words: list[str], at: int, label: str) -> int:
    """How many words from `at` on are a phrase of the section, the longest; 0 for none."""
    for length in (3, 2, 1):
        if at + length <= len(words) and " ".join(words[at : at + length]) in _folded(label):
            return length
    return 0


@cache
def _folded(label: str) -> frozenset[str]:
    return frozenset(" ".join(token.folded for token in tokens(word)) for word in lists("picking")[label])
