"""Words as the index holds them, and questions as SQLite FTS5 reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from troly.text import fold
from troly.text.language import detect_score

# The index is told to take these, and every character beyond ASCII, as part of a word (`tokenize` in the schema).
_NO_TOKEN = re.compile(r"[\x00-/:-^`{-\x7f]")
# A question longer than this is a pasted text: its beginning says what it is about.
_MAX_QUERY_WORDS = 128


class IndexTerms(NamedTuple):
    """A text as three lists: words with their marks, folded words, neighbouring folded words joined by `_`."""

    accented: list[str]
    folded: list[str]
    bigrams: list[str]


class QueryTerms(NamedTuple):
    """A question: the terms to look for, each once; `accented` is empty when it was typed without marks."""

    accented: list[str]
    folded: list[str]
    bigrams: list[str]


def index_terms(text: str) -> IndexTerms:
    """What the index holds of `text`; the same for NFC, NFD and both ways of placing a tone mark (`hòa`, `hoà`)."""
    words = fold.words(text)
    folded = [folded_token(word) for word in words]
    return IndexTerms([accented_token(word) for word in words], folded, fold.bigrams(folded))


class ParsedQuestion(NamedTuple):
    """A question word by word: as typed, folded, and whether it only asks (`là gì`, `bao nhiêu`, `how`).

    `language` is from -1 (English) to 1 (Vietnamese).
    """

    words: list[str]
    folded: list[str]
    idle: list[bool]
    language: float


def read_question(question: str) -> ParsedQuestion:
    """The words of `question`; none of them is idle when all are, and English ones only in an English question."""
    words = fold.words(question)[:_MAX_QUERY_WORDS]
    folded = [folded_token(word) for word in words]
    marked, language = fold.has_marks(words), detect_score(question)
    asking = _idle_words("question_words.txt")[0 if marked else 1]
    if language < 0:
        asking = asking | _idle_words("function_words.txt")[1]
    idle = [
        (accented_token(word) if marked else plain) in asking
        for word, plain in zip(words, folded, strict=True)
    ]
    return ParsedQuestion(words, folded, idle if not all(idle) else [False] * len(words), language)


def query_terms(question: str) -> QueryTerms:
    """The terms of `question`; words that only ask are dropped while others remain."""
    return terms_of(read_question(question))


def terms_of(asked: ParsedQuestion) -> QueryTerms:
    """The terms to look for, of a question read before."""
    idle = asked.idle
    pairs = [pair for at, pair in enumerate(fold.bigrams(asked.folded)) if not (idle[at] and idle[at + 1])]
    kept = [at for at, skip in enumerate(idle) if not skip]
    accented = [accented_token(asked.words[at]) for at in kept] if fold.has_marks(asked.words) else []
    return QueryTerms(_once(accented), _once(asked.folded[at] for at in kept), _once(pairs))


def match_expression(query: QueryTerms) -> str:
    """The FTS5 expression for `query`: any term, each in its own column; empty when there is nothing to look for.

    Terms are quoted and hold no quotes, so nothing that was typed is read as FTS5 syntax.
    """
    columns = (("accented", query.accented), ("folded", query.folded), ("bigrams", query.bigrams))
    parts = ((column, " OR ".join(f'"{term}"' for term in terms)) for column, terms in columns)
    return " OR ".join(f"{{{column}}} : ({either})" for column, either in parts if either)


def _once(terms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(terms))


@lru_cache(maxsize=50_000)
def folded_token(word: str) -> str:
    """A word as the column `folded` holds it."""
    return _NO_TOKEN.sub("_", fold.fold(word)) or "_"


@lru_cache(maxsize=50_000)
def accented_token(word: str) -> str:
    """A word as the column `accented` holds it."""
    return _NO_TOKEN.sub("_", fold.accents(word)) or folded_token(word)


@cache
def _idle_words(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words that say nothing of the subject: with their marks, and folded."""
    lines = files("troly.retrieval").joinpath(name).read_text(encoding="utf-8").splitlines()
    words: Sequence[str] = [word for line in lines if not line.startswith("#") for word in fold.words(line)]
    return frozenset(map(accented_token, words)), frozenset(map(folded_token, words))
