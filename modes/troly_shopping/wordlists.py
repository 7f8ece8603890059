"""The word lists of this assistant, as lists and as lexicons, each read once; and the places of phrases in a text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from troly.text.fold import WordToken
from troly.text.match import Lexicon, PhraseHit
from troly.text.wordlist import read_lists

LEXICONS = Path(__file__).parent / "lexicons"


@cache
def word_lists(name: str) -> dict[str, tuple[str, ...]]:
    """The sections of `lexicons/<name>.txt`, each with its entries."""
    return read_lists(LEXICONS / f"{name}.txt")


@cache
def lexicon(name: str, *sections: str, without: str = "") -> Lexicon:
    """The phrases of some sections of a list, which compete among themselves only; without any named, of all but one."""
    lists = word_lists(name)
    return Lexicon({label: lists[label] for label in sections or lists if label != without})


def spans_of(hits: Iterable[PhraseHit]) -> list[tuple[int, int]]:
    """Where phrases stand."""
    return [(hit.start, hit.end) for hit in hits]


def blank_out(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text` with blanks in place of the spans, so that offsets stay."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def words_outside(words: Iterable[WordToken], spans: Iterable[tuple[int, int]]) -> list[WordToken]:
    """Those of `words`, which are in order, that begin in none of `spans`."""
    ordered, at, reached = sorted(spans), 0, -1
    rest = []
    for word in words:
        while at < len(ordered) and ordered[at][0] <= word.start:
            reached = max(reached, ordered[at][1])
            at += 1
        if reached <= word.start:
            rest.append(word)
    return rest
