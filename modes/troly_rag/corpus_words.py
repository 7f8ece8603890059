"""Other ways to say a query: words of offices that mean the same, and their English names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from troly.text.fold import Token, accents_agree, tokens
from troly.text.language import detect

SYNONYMS = Path(__file__).parent / "lexicons" / "synonyms.txt"
_MOST = 8


class _Phrase(NamedTuple):
    group: int
    words: tuple[Token, ...]


class _Known(NamedTuple):
    groups: tuple[tuple[str, ...], ...]
    by_first: dict[str, list[_Phrase]]


class _Hit(NamedTuple):
    start: int
    end: int
    group: int


def variants(query: str) -> tuple[str, ...]:
    """`query` itself first, then up to `_MOST` other ways to say it.

    A phrase of `synonyms.txt` is replaced by another of its line: all phrases at once, then one at a time. Of an
    English query only the known phrases are kept, since documents are mostly Vietnamese.
    """
    known = _known()
    hits = _hits(query, known)
    if not hits:
        return (query,)
    found: dict[str, None] = {query: None}
    for number in range(max(len(known.groups[hit.group]) for hit in hits)):
        found[_replaced(query, hits, known, dict.fromkeys(range(len(hits)), number))] = None
    for at, hit in enumerate(hits):
        for number in range(len(known.groups[hit.group])):
            found[_replaced(query, hits, known, {at: number})] = None
    if detect(query) == "en":
        for number in range(2):
            found[" ".join(_nth(known, hit, number) for hit in hits)] = None
        kept = list(found)
        found = dict.fromkeys([query, *kept[-2:], *kept[1:]])
    return tuple(list(found)[: _MOST + 1])


def _nth(known: _Known, hit: _Hit, number: int) -> str:
    group = known.groups[hit.group]
    return group[min(number, len(group) - 1)]


def _replaced(query: str, hits: Sequence[_Hit], known: _Known, choice: dict[int, int]) -> str:
    parts, at = [], 0
    for number, hit in enumerate(hits):
        parts.append(query[at : hit.start])
        parts.append(_nth(known, hit, choice[number]) if number in choice else query[hit.start : hit.end])
        at = hit.end
    return "".join([*parts, query[at:]])


def _hits(query: str, known: _Known) -> list[_Hit]:
    """The longest known phrases of `query`, left to right, none inside another."""
    found = tokens(query)
    hits: list[_Hit] = []
    at = 0
    while at < len(found):
        fitting = [phrase for phrase in known.by_first.get(found[at].folded, ()) if _fits(found, at, phrase)]
        if not fitting:
            at += 1
            continue
        longest = max(fitting, key=lambda phrase: len(phrase.words))
        last = at + len(longest.words) - 1
        hits.append(_Hit(found[at].start, found[last].end, longest.group))
        at = last + 1
    return hits


def _fits(found: Sequence[Token], at: int, phrase: _Phrase) -> bool:
    typed = found[at : at + len(phrase.words)]
    return len(typed) == len(phrase.words) and all(
        one.folded == word.folded and accents_agree(one.text, word.text)
        for one, word in zip(typed, phrase.words, strict=True)
    )


@cache
def _known() -> _Known:
    groups = tuple(
        tuple(part.strip() for part in line.split("|"))
        for line in SYNONYMS.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    )
    by_first: dict[str, list[_Phrase]] = {}
    for number, group in enumerate(groups):
        for text in group:
            words = tuple(tokens(text))
            by_first.setdefault(words[0].folded, []).append(_Phrase(number, words))
    return _Known(groups, by_first)
