"""What the concepts of a question are called elsewhere: terms to look for beside its own, and what each tells."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from troly.retrieval import lexical
from troly.retrieval.glossary import Wording, concepts
from troly.retrieval.ranking import Other, Weights
from troly.retrieval.tokens import Asked, Terms, index_terms, read_question
from troly.text import fold

# Nearer to 0 than this, the language of a question is not told.
_UNSURE = 0.2
# How much less a wording must tell than what was typed to be more usual: about seven times as many chunks hold it.
_MORE_USUAL = 2.0


class Meaning(NamedTuple):
    """Words of a question that name a concept, without those that only ask, and the concept's other wordings."""

    words: tuple[str, ...]
    bigrams: tuple[str, ...]
    english: bool
    others: tuple[Wording, ...]


class Rewording(NamedTuple):
    """Terms to look for in two columns with what each tells, and the question's weights with its other wordings."""

    accented: Mapping[str, float]
    bigrams: Mapping[str, float]
    weights: Weights


def meanings(asked: Asked) -> list[Meaning]:
    """The concepts that a question names."""
    sure = abs(asked.language) > _UNSURE
    found = []
    for hit in concepts(asked.words, english=asked.language < 0 if sure else None):
        span = range(hit.start, hit.end)
        words = tuple(dict.fromkeys(asked.folded[at] for at in span if not asked.idle[at]))
        if words and hit.others:
            pairs = tuple(fold.bigrams(asked.folded[hit.start : hit.end]))
            found.append(Meaning(words, pairs, hit.english, hit.others))
    return found


def named_elsewise(question: str) -> Callable[[str], frozenset[str]]:
    """A look at texts: which folded words of `question` name a concept that a text calls by another wording."""
    others: dict[str, list[Other]] = {}
    for meaning in meanings(read_question(question)):
        for one in meaning.others:
            other = Other(one.folded, one.accented[0], meaning.words, ())
            others.setdefault(one.folded[0], []).append(other)

    def look(text: str) -> frozenset[str]:
        terms = index_terms(text) if others else Terms([], [], [])
        return frozenset(
            word
            for at, first in enumerate(terms.folded)
            for other in others.get(first, ())
            if other.stands(terms.folded, terms.accented, at)
            for word in other.words
        )

    return look


def reword(
    connection: sqlite3.Connection, found: Sequence[Meaning], weights: Weights, total: int
) -> Rewording:
    """The other wordings that the index knows, and the rarest term of each that is to be looked for.

    A concept tells as much as its most frequent wording in the other language: where that stands everywhere, a rare
    name for it is no news.
    """
    known, nothing = _known(connection, found, total), lexical.tells(0, total)
    words, others = dict(weights.words), dict[str, list[Other]]()
    accented: dict[str, float] = {}
    bigrams: dict[str, float] = {}
    for meaning in found:
        own, least = _own(meaning, weights), nothing
        pairs = tuple(pair for pair in meaning.bigrams if pair in weights.bigrams)
        for one in meaning.others:
            if (rarest := _rarest(one, known)) is None:
                continue
            tells, needed = known[rarest], one.english != meaning.english or own >= nothing
            # In its own language a known word gives way to a more usual one only; the reverse finds what nobody meant.
            if not needed and tells > own - _MORE_USUAL:
                continue
            least = min(least, tells) if needed else least
            (bigrams if len(one.folded) > 1 else accented)[rarest] = tells
            other = Other(one.folded, one.accented[0], meaning.words, pairs)
            others.setdefault(one.folded[0], []).append(other)
        words.update({word: min(words[word], least) for word in meaning.words if word in words})
    return Rewording(accented, bigrams, Weights(words, weights.bigrams, others))


def _known(connection: sqlite3.Connection, found: Sequence[Meaning], total: int) -> dict[str, float]:
    """What each term of the wordings tells; terms that no chunk holds are left out."""
    wordings = [one for meaning in found for one in meaning.others]
    single = sorted({term for one in wordings if len(one.folded) == 1 for term in _terms(one)})
    double = sorted({term for one in wordings if len(one.folded) > 1 for term in _terms(one)})
    weights = {
        **lexical.rarity(connection, single, "accented", total),
        **lexical.rarity(connection, double, "bigrams", total),
    }
    nothing = lexical.tells(0, total)
    return {term: weight for term, weight in weights.items() if weight < nothing}


def _terms(one: Wording) -> Sequence[str]:
    """What the index holds of a wording: its pairs, or its one word with its marks."""
    return fold.bigrams(one.folded) if len(one.folded) > 1 else one.accented


def _rarest(one: Wording, known: Mapping[str, float]) -> str | None:
    terms = _terms(one)
    return max(terms, key=lambda term: known[term]) if all(term in known for term in terms) else None


def _own(meaning: Meaning, weights: Weights) -> float:
    """What the question's own wording tells: its rarest pair, or its one word."""
    pairs = [weights.bigrams[pair] for pair in meaning.bigrams if pair in weights.bigrams]
    return max(pairs or [weights.words[word] for word in meaning.words if word in weights.words], default=0.0)
