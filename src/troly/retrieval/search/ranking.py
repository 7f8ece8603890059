"""Ordering candidates: words again, closer; then the two searches joined. Deterministic, no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

# Reciprocal rank fusion's usual constant: how little the first places stand out.
_FUSION = 60
# Measured together on a public Vietnamese question set, with and without marks (tests/retrieval holds our own set).
_WINDOW_WORDS = 40
_WINDOW_WEIGHT = 3.0
_STRETCH_WORDS = 25
_STRETCH_WEIGHT = 0.2
_COVERAGE_WEIGHT = 4.0
# What the words say beside the fused rank: enough to decide between neighbours, not to bury a find by meaning.
_WORDS_WEIGHT = 0.25


class OtherWording(NamedTuple):
    """Another wording of words of the question: where it stands, `words` and `bigrams` of the question stand too.

    `folded` are its words in order, `accented` the same with their marks: these decide, but several words may stand without any.
    """

    folded: tuple[str, ...]
    accented: tuple[str, ...]
    words: tuple[str, ...]
    bigrams: tuple[str, ...]

    def stands(self, words: Sequence[str], accented: Sequence[str], at: int) -> bool:
        """Whether it begins at place `at` of a text, given as folded words and the same with their marks."""
        place = slice(at, at + len(self.folded))
        same = (self.accented, self.folded) if len(self.folded) > 1 else (self.accented,)
        return tuple(words[place]) == self.folded and tuple(accented[place]) in same


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each folded word and each bigram of the question tells; `others` by the first of their words."""

    words: Mapping[str, float]
    bigrams: Mapping[str, float]
    others: Mapping[str, Sequence[OtherWording]] = field(default_factory=dict)
    begins: frozenset[str] = field(init=False)
    """Every word that a word, a bigram or another wording begins with."""

    def __post_init__(self) -> None:
        lefts = {pair[:at] for pair in self.bigrams for at, sign in enumerate(pair) if sign == "_"}
        object.__setattr__(self, "begins", frozenset(lefts.union(self.words, self.others)))


@dataclass(frozen=True, slots=True)
class RelevanceScore:
    """What the words say of one candidate: `points` to order by, `coverage` 0-1 of what the question's words tell."""

    points: float
    coverage: float


def judge(
    bm25: float, words: Sequence[str], weights: Weights, accented: Sequence[str] = ()
) -> RelevanceScore:
    """BM25, how many of the question's words are in `words` by what they tell, and how closely they stand there.

    `accented` are the same words with their marks, needed where `weights` has other wordings.
    """
    total = sum(weights.words.values()) or 1.0
    begins = weights.begins
    hits: list[tuple[int, str]] = []
    pairs: list[tuple[int, str]] = []
    for at, word in [(at, word) for at, word in enumerate(words) if word in begins]:
        if word in weights.words:
            hits.append((at, word))
        if at + 1 < len(words) and (pair := f"{word}_{words[at + 1]}") in weights.bigrams:
            pairs.append((at, pair))
        for other in weights.others.get(word, ()):
            if other.stands(words, accented, at):
                hits += [(at, meant) for meant in other.words]
                pairs += [(at, meant) for meant in other.bigrams]
    present = {word for _, word in hits}
    coverage = sum(weight for word, weight in weights.words.items() if word in present) / total
    near = _closest(hits, weights.words, _WINDOW_WORDS) / total
    # A bigram holds a `_` and no word does: both fit in one mapping.
    both = {**weights.words, **weights.bigrams}
    stretch = _closest(sorted(hits + pairs), both, _STRETCH_WORDS)
    closely = _WINDOW_WEIGHT * near + _STRETCH_WEIGHT * stretch
    return RelevanceScore(bm25 + closely + _COVERAGE_WEIGHT * coverage, coverage)


def _closest(hits: Sequence[tuple[int, str]], weights: Mapping[str, float], span: int) -> float:
    """The most that different terms tell within `span` neighbours; `hits` are places and terms, in order."""
    inside: Counter[str] = Counter()
    best = told = 0.0
    first = 0
    for at, term in hits:
        inside[term] += 1
        told += weights[term] if inside[term] == 1 else 0.0
        while at - hits[first][0] > span:
            gone = hits[first][1]
            inside[gone] -= 1
            told -= weights[gone] if inside[gone] == 0 else 0.0
            first += 1
        best = max(best, told)
    return best


def fuse(
    standings: Mapping[int, RelevanceScore], by_words: Sequence[int], by_vectors: Sequence[int]
) -> dict[int, float]:
    """Scores 0-1 of the union of both lists: fused rank, with what the words say deciding between neighbours."""
    lists = [ranked for ranked in (by_words, by_vectors) if ranked]
    most = max((standing.points for standing in standings.values()), default=0.0) or 1.0
    places = [{chunk: at for at, chunk in enumerate(ranked, 1)} for ranked in lists]
    scores: dict[int, float] = {}
    for chunk in dict.fromkeys([*by_words, *by_vectors]):
        fused = sum((_FUSION + 1) / (_FUSION + place[chunk]) for place in places if chunk in place) / len(
            lists
        )
        said = max(0.0, standings[chunk].points) / most if chunk in standings else 0.0
        scores[chunk] = (fused + _WORDS_WEIGHT * said) / (1 + _WORDS_WEIGHT)
    return scores
