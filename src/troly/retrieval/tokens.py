"""Words as the index holds them, and questions as SQLite FTS5 reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from troly.text import fold

# The index is told to take these, and every character beyond ASCII, as part of a word (`tokenize` in the schema).
_NO_TOKEN = re.compile(r"[\x00-/:-^`{-\x7f]")
# A question longer than this is a pasted text: its beginning says what it is about.
_MAX_QUERY_WORDS = 128


class Terms(NamedTuple):
    """A text as three lists: words with their marks, folded words, neighbouring folded words joined by `_`."""

    accented: list[str]
    folded: list[str]
    bigrams: list[str]


class Query(NamedTuple):
    """A question: the terms to look for, each once; `accented` is empty when it was typed without marks."""

    accented: list[str]
    folded: list[str]
    bigrams: list[str]


def index_terms(text: str) -> Terms:
    """What the index holds of `text`; the same for NFC, NFD and both ways of placing a tone mark (`hòa`, `hoà`)."""
    words = fold.words(text)
    folded = [_folded(word) for word in words]
    return Terms([_accented(word) for word in words], folded, fold.bigrams(folded))


def query_terms(question: str) -> Query:
    """The terms of `question`; question words (`là gì`, `bao nhiêu`, `how`) are dropped while others remain."""
    words = fold.words(question)[:_MAX_QUERY_WORDS]
    folded = [_folded(word) for word in words]
    marked = fold.has_marks(words)
    asking = _question_words()[0 if marked else 1]
    idle = [
        (_accented(word) if marked else plain) in asking for word, plain in zip(words, folded, strict=True)
    ]
    if all(idle):
        idle = [False] * len(words)
    pairs = [pair for at, pair in enumerate(fold.bigrams(folded)) if not (idle[at] and idle[at + 1])]
    kept = [at for at, skip in enumerate(idle) if not skip]
    accented = [_accented(words[at]) for at in kept] if marked else []
    return Query(_once(accented), _once(folded[at] for at in kept), _once(pairs))


def match_expression(query: Query) -> str:
    """The FTS5 expression for `query`: any term, each in its own column; empty when there is nothing to look for.

    Terms are quoted and hold no quotes, so nothing that was typed is read as FTS5 syntax.
    """
    columns = (("accented", query.accented), ("folded", query.folded), ("bigrams", query.bigrams))
    parts = ((column, " OR ".join(f'"{term}"' for term in terms)) for column, terms in columns)
    return " OR ".join(f"{{{column}}} : ({either})" for column, either in parts if either)


def _once(terms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(terms))


@lru_cache(maxsize=50_000)
def _folded(word: str) -> str:
    return _NO_TOKEN.sub("_", fold.fold(word)) or "_"


@lru_cache(maxsize=50_000)
def _accented(word: str) -> str:
    return _NO_TOKEN.sub("_", fold.accents(word)) or _folded(word)


@cache
def _question_words() -> tuple[frozenset[str], frozenset[str]]:
    """Words that ask and say nothing of the subject: with their marks, and folded."""
    lines = files("troly.retrieval").joinpath("question_words.txt").read_text(encoding="utf-8").splitlines()
    words: Sequence[str] = [word for line in lines if not line.startswith("#") for word in fold.words(line)]
    return frozenset(map(_accented, words)), frozenset(map(_folded, words))
