"""Whether a question names a document by its title ("giờ làm việc" in "giờ làm việc bắt đầu lúc mấy giờ")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from troly.text.fold import tokens
from troly.text.wordlist import read_lists

LEXICON = Path(__file__).parent / "lexicons" / "titles.txt"
# A title of one word may stand in any sentence by chance.
_FEWEST = 2


def named_in(texts: Sequence[str]) -> Callable[[str], bool]:
    """A test for titles: whether one of `texts` (a query and its other wordings) holds what a title says.

    The kind of document before its subject ("Quy định", "Policy on") and what stands in brackets do not count.
    """
    spoken = tuple(f" {_folded(text)} " for text in texts)

    @cache
    def named(title: str) -> bool:
        core = core_of(title)
        telling = len(core.split()) >= _FEWEST and core not in _lists()["everywhere"]
        return telling and any(f" {core} " in text for text in spoken)

    return named


def core_of(title: str) -> str:
    """The subject of a title, folded: without the kind of document, a year, a version and brackets."""
    words = _folded(title.partition("(")[0]).split()
    while words and (words[-1].isdigit() or words[-1] in _lists()["ending"]):
        words.pop()
    for kind in _kinds():
        if words[: len(kind)] == kind:
            words = words[len(kind) :]
            break
    return " ".join(words)


def _folded(text: str) -> str:
    return " ".join(token.folded for token in tokens(text))


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    return read_lists(LEXICON)


@cache
def _kinds() -> list[list[str]]:
    """The kinds of document as words, longest first."""
    return sorted((kind.split() for kind in _lists()["kind"]), key=len, reverse=True)
