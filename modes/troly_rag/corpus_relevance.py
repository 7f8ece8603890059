"""How well a find answers a query, as one number from 0 to 1 that can be held against a threshold."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from troly.retrieval.hybrid import Passage as Find

# Share of what the query's words tell, and cosine similarity, that stand for a relevance. Between two points the
# value is on the line. Measured with `tests/modes/rag/retrieval_pairs.txt` on the sample company: 93 % of the right
# documents reach 0.7, of 12 questions that nothing answers none does (`test_corpus_recall.py` holds both).
_BY_WORDS = ((0.0, 0.0), (0.3, 0.45), (0.45, 0.7), (0.75, 0.88), (1.0, 0.97))
# What tells less than this share of the best find of the same search is beside the point, whatever it holds.
_NEAR_THE_BEST = 0.7
_BESIDE = 0.69
# What a passage of a document is worth at least whose title stands in the query, if it has any of the query's words.
_NAMED = 0.75
_BY_MEANING = ((0.0, 0.0), (0.4, 0.3), (0.6, 0.7), (0.8, 0.9), (1.0, 0.99))


def relevance(find: Find, share: float, best: float, *, named: bool = False) -> float:
    """The larger of what words and meaning say, rounded to four places.

    `share` is what the find holds of what the query's words tell, `best` the largest share of the same search;
    `named` says that the query holds the title of its document.
    """
    by_words = _on(_BY_WORDS, share)
    near = share / (_NEAR_THE_BEST * best) if best else 1.0
    if near < 1:
        by_words = min(by_words, _BESIDE * near)
    if named and share:
        by_words = max(by_words, _NAMED)
    by_meaning = _on(_BY_MEANING, find.similarity) if find.similarity is not None else 0.0
    return round(max(by_words, by_meaning), 4)


def _on(line: tuple[tuple[float, float], ...], at: float) -> float:
    at = min(max(at, line[0][0]), line[-1][0])
    for (left, low), (right, high) in pairwise(line):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return line[-1][1]
