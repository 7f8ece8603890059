"""Searching the word index: BM25 candidates, the words of candidates for ranking them again, unknown words corrected."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from troly.retrieval.documents.store import VISIBLE, Reader
from troly.retrieval.search.terms import QueryTerms, match_expression
from troly.stores.connections import Connection
from troly.text.fold import bigrams
from troly.text.spelling import nearest

# Weights of the columns accented, folded, bigrams: measured on a public Vietnamese question set, equal ones won.
_BM25 = "bm25(chunks_fts, 1.0, 1.0, 1.0)"
# From this many chunks on, words in more than that share of them are not looked for, beyond the rarest few.
_LARGE, _COMMON, _KEEP = 5000, 0.1, 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that may answer: `words` are its folded words in order, as indexed (title and heading first), `accented` the same with marks, joined by blanks."""

    id: int
    document_id: int
    path: str
    title: str
    heading: str
    where: str
    text: str
    permission: str | None
    ingested_at: str
    words: tuple[str, ...]
    accented: str


def best_by_words(
    connection: Connection, query: QueryTerms, reader: Reader, limit: int
) -> list[tuple[int, float]]:
    """Up to `limit` chunks that `reader` may see, as (id, BM25 score), best first; scores are positive."""
    expression = match_expression(query)
    if not expression:
        return []
    sql = f"""
        SELECT c.id, -{_BM25} AS score FROM chunks_fts JOIN chunks AS c ON c.id = chunks_fts.rowid
        WHERE chunks_fts MATCH :expression AND {VISIBLE.format(t="c")}
        ORDER BY score DESC, c.id LIMIT :limit
    """  # noqa: S608 (constant text; everything typed is a parameter)
    params = {"expression": expression, "limit": limit, **reader.params()}
    return [(int(row[0]), float(row[1])) for row in connection.execute(sql, params)]


def candidates(connection: Connection, ids: Sequence[int], reader: Reader) -> dict[int, Candidate]:
    """The chunks of `ids` that still exist and that `reader` may see."""
    # CROSS JOIN keeps the order: otherwise SQLite may walk through the whole collection.
    sql = f"""
        SELECT c.id, d.id, d.path, d.title, c.heading, c.where_, c.text, c.permission, d.ingested_at, f.folded, f.accented
        FROM json_each(:ids) AS j CROSS JOIN chunks AS c ON c.id = j.value
        CROSS JOIN documents AS d ON d.id = c.document_id CROSS JOIN chunks_fts AS f ON f.rowid = c.id
        WHERE {VISIBLE.format(t="c")}
    """  # noqa: S608 (constant text)
    params = {"ids": json.dumps(list(ids)), **reader.params()}
    return {
        int(row[0]): Candidate(*(*row[:9], tuple(row[9].split()), row[10]))
        for row in connection.execute(sql, params)
    }


def rarity(connection: Connection, terms: Sequence[str], column: str, total: int) -> dict[str, float]:
    """How much each term of `column` tells among `total` chunks (inverse document frequency).

    A term that is nowhere tells the most.
    """
    sql = """
        SELECT v.term, v.doc FROM json_each(:terms) AS j CROSS JOIN chunks_vocabulary AS v ON v.term = j.value
        WHERE v.col = :column
    """
    found = dict(connection.execute(sql, {"terms": json.dumps(list(terms)), "column": column}).fetchall())
    return {term: tells(int(found.get(term, 0)), total) for term in terms}


def selective(weights: Mapping[str, float], total: int) -> list[str]:
    """The terms to look for: all in a small store; in a large one those in at most a tenth of the chunks.

    A term that half of a large store holds costs a walk through that half and decides nothing; it still counts when
    candidates are judged. The `_KEEP` rarest are always looked for.
    """
    if total < _LARGE:
        return list(weights)
    rarest = sorted(weights.values(), reverse=True)[:_KEEP]
    floor = min([tells(int(total * _COMMON), total), *rarest[-1:]])
    return [term for term, weight in weights.items() if weight >= floor]


class Stand(NamedTuple):
    """How many chunks there are, and the number of the newest: no number is given twice, so the same stand is the same chunks."""

    chunks: int
    newest: int


def stand(connection: Connection) -> Stand:
    """The stand of the index."""
    chunks, newest = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM chunks").fetchone()
    return Stand(int(chunks), int(newest))


def tells(documents: int, total: int) -> float:
    """How much a term tells that stands in `documents` of `total` chunks (inverse document frequency)."""
    return math.log((total - documents + 0.5) / (documents + 0.5) + 1)


# Words of a question that the index does not know, read as the known words one slip away.


# A shorter word has too many neighbours; a longer one may hold two slips ("ghandi" for "gandhi").
_SHORTEST, _LONG = 4, 6
_MOST_WORDS, _MOST_NEIGHBOURS = 4, 2


def correct_terms(connection: Connection, query: QueryTerms, meant_so: Collection[str] = ()) -> QueryTerms:
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
    return QueryTerms(query.accented, list(dict.fromkeys(folded)), list(dict.fromkeys(pairs)))


def _known(connection: Connection, words: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for word in words:
        sql = "SELECT 1 FROM chunks_vocabulary WHERE term = ? AND col = 'folded'"
        if connection.execute(sql, (word,)).fetchone():
            found.add(word)
    return found


def _may_slip(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha()


def _neighbours(connection: Connection, word: str) -> tuple[str, ...]:
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
