"""The word lists of the rental assistant, read once: sections of phrases that a person can extend."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from troly.text.lexicon import Hit, Lexicon
from troly.text.wordlist import read_lists

LEXICONS = Path(__file__).parent / "lexicons"


@cache
def lists(name: str) -> dict[str, tuple[str, ...]]:
    """The sections of `lexicons/<name>.txt`."""
    return read_lists(LEXICONS / f"{name}.txt")


@cache
def phrases(name: str, *labels: str) -> Lexicon:
    """The phrases of a file, or of some of its sections, which then compete among themselves only."""
    sections = lists(name)
    return Lexicon({label: sections[label] for label in labels or tuple(sections)})


@cache
def merged(*names: str) -> Lexicon:
    """The phrases of several files, which compete: the longest wins."""
    return Lexicon({label: listed for name in names for label, listed in lists(name).items()})


def without(text: str, spans: Iterable[tuple[int, int]], blank: str = " ") -> str:
    """`text` with blanks in place of the spans, so that offsets stay."""
    for start, end in spans:
        text = text[:start] + blank * (end - start) + text[end:]
    return text


def spans(hits: Iterable[Hit]) -> list[tuple[int, int]]:
    """The places of phrases found."""
    return [(hit.start, hit.end) for hit in hits]
