"""Words of a question that the index does not know, read as the known words one slip away."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from troly.retrieval.tokens import Query
from troly.text.fold import bigrams
from troly.text.spelling import nearest

# A shorter word has too many neighbours; a longer one may hold two slips ("ghandi" for "gandhi").
_SHORTEST, _LONG = 4, 6
_MOST_WORDS, _MOST_NEIGHBOURS = 4, 2


def mend(connection: sqlite3.Connection, query: Query, meant_so: Collection[str] = ()) -> Query:
    """`query` with each of its first unknown words replaced by its nearest known ones; codes and numbers stay.

    So do the words `meant_so`, whose meaning is known.
    An unknown word matches nothing, so nothing is lost; which words were meant is not told, for the passages tell it.
    """
    known = _known(connection, query.folded)
    unknown = [
        word for word in query.folded if word not in known and word not in meant_so and _may_slip(word)
    ][:_MOST_WORDS]
    meant = {word: near for word in unknown if (near := _neighbours(connection, word))}
    if not meant:
        return query
    folded = [one for word in query.folded for one in meant.get(word, (word,))]
    pairs = [one for pair in query.bigrams for one in _pairs(pair, meant)]
    return Query(query.accented, list(dict.fromkeys(folded)), list(dict.fromkeys(pairs)))


def _known(connection: sqlite3.Connection, words: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for word in words:
        sql = "SELECT 1 FROM chunks_vocabulary WHERE term = ? AND col = 'folded'"
        if connection.execute(sql, (word,)).fetchone():
            found.add(word)
    return found


def _may_slip(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha()


def _neighbours(connection: sqlite3.Connection, word: str) -> tuple[str, ...]:
    """The known words with the fewest slips to `word`, most frequent first; the first letter is taken to be right."""
    sql = """
        SELECT term, doc FROM chunks_vocabulary
        WHERE term >= :first AND term < :next AND col = 'folded' AND length(term) BETWEEN :least AND :most
    """
    slips = 1 if len(word) < _LONG else 2
    span = {
        "first": word[0],
        "next": chr(ord(word[0]) + 1),
        "least": len(word) - slips,
        "most": len(word) + slips,
    }
    known = {str(term): int(count) for term, count in connection.execute(sql, span) if _may_slip(term)}
    near = sorted(nearest(word, known, slips), key=lambda term: (-known[term], term))
    return tuple(near[:_MOST_NEIGHBOURS])


def _pairs(pair: str, meant: dict[str, tuple[str, ...]]) -> list[str]:
    left, _, right = pair.partition("_")
    return [
        joined
        for one in meant.get(left, (left,))
        for other in meant.get(right, (right,))
        for joined in bigrams([one, other])
    ]
