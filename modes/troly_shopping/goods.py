"""Words for goods: how a catalogue entry is indexed, which kind it is, and what phrases say of prices and wishes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

from troly.text.fold import fold, folded_words
from troly.text.match import Lexicon, PhraseHit
from troly.text.wordlist import read_lists

LEXICONS = Path(__file__).parent / "lexicons"
_SPLIT = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")
# Parts of a computer in the order of a list of parts.
PARTS = ("cpu", "mainboard", "ram", "vga", "ssd", "psu", "case")


def terms(text: str) -> list[str]:
    """The index terms of `text`, each once: folded words, their letters and digits apart, neighbours joined.

    "RTX 4060", "rtx4060" and "RTX-4060" share "rtx4060"; "bàn phím" and "banphim" share "banphim".
    """
    words = folded_words(text)
    found = dict.fromkeys(words)
    for word in words:
        found.update(dict.fromkeys(_SPLIT.split(word)))
    found.update(dict.fromkeys(a + b for a, b in pairwise(words)))
    return [term for term in found if term]


def model_terms(code: str) -> list[str]:
    """The index terms that an entry with the model `code` has: neighbouring pieces joined, or the one piece."""
    pieces = folded_words(code)
    return [a + b for a, b in pairwise(pieces)] or pieces


def key_of(name: str) -> str:
    """What two rows for the same product have in common."""
    return " ".join(fold(name).split())


def kind_of(category: str, name: str) -> str:
    """The kind that a category or else a name begins with; a category of no known kind is a kind of its own."""
    for text in (category, name):
        hits = kinds().find(text)
        if hits:
            return min(hits, key=lambda hit: (hit.start, -hit.end)).label
    return key_of(category)


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text` with blanks in place of the spans, so that offsets stay."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def spans(hits: Iterable[PhraseHit]) -> list[tuple[int, int]]:
    """The places of phrases found."""
    return [(hit.start, hit.end) for hit in hits]


@cache
def kinds() -> Lexicon:
    """The kinds of goods."""
    return Lexicon.load(LEXICONS / "kinds.txt")


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    return read_lists(LEXICONS / "catalogue.txt")


@cache
def phrases(*labels: str) -> Lexicon:
    """The phrases of some sections of `catalogue.txt`, which then compete among themselves only."""
    return Lexicon({label: _lists()[label] for label in labels})


@cache
def idle_words() -> frozenset[str]:
    """Folded words that say nothing of the goods."""
    return frozenset(word for entry in _lists()["idle"] for word in folded_words(entry))
