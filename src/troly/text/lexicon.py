"""Finding listed phrases in a message, on word boundaries, with the accents that were typed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Self

from troly.text.fold import Token, accents, accents_agree, tokens
from troly.text.wordlist import read_lists

_GAP = re.compile(r"[\s\-_'’/]*")
_SHORTEST_JOINED = 6


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found: `text[start:end]` means `label`; `exact` when its accents were typed as listed."""

    label: str
    phrase: str
    start: int
    end: int
    exact: bool


class _Entry(NamedTuple):
    label: str
    phrase: str
    words: tuple[Token, ...]
    joined: bool


class _Candidate(NamedTuple):
    entry: _Entry
    first: int
    last: int
    exact: bool


class Lexicon:
    """Phrases by label. Built once; finding is linear in the message."""

    def __init__(self, phrases: Mapping[str, Sequence[str]]) -> None:
        """`phrases` by label, Vietnamese ones with their accents; raises ValueError for a phrase without a word."""
        self.labels = tuple(phrases)
        by_first: dict[str, list[_Entry]] = defaultdict(list)
        for label, listed in phrases.items():
            for phrase in listed:
                for entry in _entries(label, phrase):
                    by_first[entry.words[0].folded].append(entry)
        self._by_first = dict(by_first)

    @classmethod
    def load(cls, path: Path, *more: Path) -> Self:
        """Read word-list files (`label: phrase, phrase` or `[label]` sections); raises OSError, ValueError."""
        merged: dict[str, list[str]] = {}
        for each in (path, *more):
            for label, listed in read_lists(each).items():
                merged.setdefault(label, []).extend(listed)
        return cls(merged)

    def find(self, text: str) -> list[Hit]:
        """The phrases of `text`, left to right, with offsets in `text`.

        Where phrases compete for the same words the longest wins; one that is listed under several labels gives a hit
        for each. Words without accents may mean any accented ones, unless the message is otherwise typed with accents
        and the phrase is a single word: there "mua" is not "mùa". Accents that were typed must be those of the phrase;
        in phrases of several words hỏi and ngã may be confused.
        """
        typed = tokens(text)
        if not typed:
            return []
        careful = _typed_with_accents(typed)
        candidates = [c for at in range(len(typed)) for c in self._at(text, typed, at, careful=careful)]
        chosen = _longest(candidates, len(typed))
        return [
            Hit(c.entry.label, c.entry.phrase, typed[c.first].start, typed[c.last - 1].end, c.exact)
            for c in chosen
        ]

    def labels_in(self, text: str) -> list[str]:
        """The labels found in `text`, each once, in the order of their first phrase."""
        return list(dict.fromkeys(hit.label for hit in self.find(text)))

    def has(self, text: str, label: str) -> bool:
        """Whether a phrase of `label` is in `text`."""
        return any(hit.label == label for hit in self.find(text))

    def _at(self, text: str, typed: list[Token], at: int, *, careful: bool) -> Iterable[_Candidate]:
        for entry in self._by_first.get(typed[at].folded, ()):
            end = at + len(entry.words)
            span = typed[at:end]
            if len(span) < len(entry.words) or any(
                a.folded != b.folded for a, b in zip(span, entry.words, strict=True)
            ):
                continue
            if not all(_GAP.fullmatch(text, a.end, b.start) for a, b in pairwise(span)):
                continue
            exact = all(accents(a.text) == accents(b.text) for a, b in zip(span, entry.words, strict=True))
            alone = len(span) == 1 and not entry.joined
            if not exact and ((alone and careful) or not _agree(span, entry.words, strict=alone)):
                continue
            yield _Candidate(entry, at, end, exact)


def _entries(label: str, phrase: str) -> Iterable[_Entry]:
    words = tuple(tokens(phrase))
    if not words:
        raise ValueError(f"{label or 'lexicon'}: no word in {phrase!r}")
    yield _Entry(label, phrase, words, joined=False)
    together = "".join(word.text for word in words)
    if len(words) > 1 and len(together) >= _SHORTEST_JOINED:  # "baohanh", "khuyenmai"
        yield _Entry(label, phrase, tuple(tokens(together)), joined=True)


def _agree(span: Sequence[Token], words: Sequence[Token], *, strict: bool) -> bool:
    return all(
        accents_agree(typed.text, word.text) or (not strict and _confused(typed.text) == _confused(word.text))
        for typed, word in zip(span, words, strict=True)
    )


def _confused(word: str) -> str:
    """The accents with hỏi and ngã as one: half the country says them alike and writes "bão hành"."""
    shape, bar, tones = accents(word).partition("|")
    return shape + bar + tones.replace("r", "x")


def _typed_with_accents(typed: Sequence[Token]) -> bool:
    marked = sum(1 for token in typed if accents(token.text))
    letters = sum(1 for token in typed if token.folded.isalpha())
    return marked >= 2 and marked >= 0.4 * letters


def _longest(candidates: list[_Candidate], count: int) -> list[_Candidate]:
    """Candidates that do not overlap, longest first, exact before inexact; the same words may have several labels."""
    taken: list[tuple[int, int, bool] | None] = [None] * count
    chosen: list[_Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.first - c.last, not c.exact, c.first)):
        place = (candidate.first, candidate.last, candidate.exact)
        holders = taken[candidate.first : candidate.last]
        if any(holder not in {None, place} for holder in holders):
            continue
        taken[candidate.first : candidate.last] = [place] * (candidate.last - candidate.first)
        chosen.append(candidate)
    unique: dict[tuple[int, int, str], _Candidate] = {}
    for candidate in chosen:
        unique.setdefault((candidate.first, candidate.last, candidate.entry.label), candidate)
    return sorted(unique.values(), key=lambda c: c.first)
