"""The word lists of the rental assistant, read once: sections of phrases that a person can extend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from troly.text.fold import fold
from troly.text.language import detect_score, is_syllable
from troly.text.lexicon import Hit, Lexicon
from troly.text.wordlist import LEXICONS as SHARED
from troly.text.wordlist import read_lists

LEXICONS = Path(__file__).parent / "lexicons"
_SHORT = 4
_SPOKEN: ContextVar[float] = ContextVar("spoken", default=0.0)
"""How Vietnamese (above 0) or English (below) the message being read is."""


class Phrases(Lexicon):
    """A lexicon that does not take short words of one language for those of the other.

    Without accents "căn" is "can", "nợ" is "no" and "Mỹ" is "my": a single word counts only in its own language.
    """

    def find(self, text: str) -> list[Hit]:
        """The phrases of `text`, as in Lexicon."""
        hits = super().find(text)
        score = _SPOKEN.get()
        return [hit for hit in hits if not _foreign(hit, english=score < 0)] if score else hits


def _foreign(hit: Hit, *, english: bool) -> bool:
    word = fold(hit.phrase)
    if " " in hit.phrase or not word.isalpha():
        return False
    if english:
        return not hit.exact and not hit.phrase.isascii() and len(word) <= _SHORT
    return hit.phrase.isascii() and word in _english() and is_syllable(word)


@contextmanager
def speaking(text: str) -> Iterator[None]:
    """While it lasts, phrases are found for a message in the language of `text`, of which they may see parts only."""
    token = _SPOKEN.set(detect_score(text))
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def in_english() -> bool:
    """Whether the message being read is in English."""
    return _SPOKEN.get() < 0


@cache
def _english() -> frozenset[str]:
    shared = read_lists(SHARED / "english.txt")
    return frozenset(fold(entry) for listed in shared.values() for entry in listed)


@cache
def lists(name: str) -> dict[str, tuple[str, ...]]:
    """The sections of `lexicons/<name>.txt`."""
    return read_lists(LEXICONS / f"{name}.txt")


@cache
def phrases(name: str, *labels: str) -> Phrases:
    """The phrases of a file, or of some of its sections, which then compete among themselves only."""
    sections = lists(name)
    return Phrases({label: sections[label] for label in labels or tuple(sections)})


@cache
def merged(*names: str) -> Phrases:
    """The phrases of several files, which compete: the longest wins."""
    return Phrases({label: listed for name in names for label, listed in lists(name).items()})


def without(text: str, spans: Iterable[tuple[int, int]], blank: str = " ") -> str:
    """`text` with blanks in place of the spans, so that offsets stay."""
    for start, end in spans:
        text = text[:start] + blank * (end - start) + text[end:]
    return text


def spans(hits: Iterable[Hit]) -> list[tuple[int, int]]:
    """The places of phrases found."""
    return [(hit.start, hit.end) for hit in hits]
