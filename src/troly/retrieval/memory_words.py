"""Finds messages of one conversation by words; how much a word tells is counted inside that conversation alone."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from troly.retrieval.ranking import Standing, Weights, judge
from troly.retrieval.tokens import index_terms, query_terms
from troly.text.fold import bigrams

# A message is judged by its beginning; a pasted file says early what it is about.
JUDGED_CHARS = 4_000
_CANDIDATES = 100
_COLUMNS = "m.seq, m.id, m.sender, m.type, m.created_at, m.text"
_MINE = (
    "m.conversation_id = :conversation AND c.user_id = :owner AND c.deleted_at IS NULL "
    "AND m.id NOT IN (SELECT value FROM json_each(:skip)) "
    # An answer that was marked as wrong is not remembered.
    "AND NOT (m.sender = 'assistant' AND m.turn_id IN (SELECT turn_id FROM wrong_answers))"
)
# The bounds let the index leave out other conversations before it looks at a row.
_BY_WORDS = f"""
SELECT {_COLUMNS} FROM messages_fts AS f
JOIN messages AS m ON m.seq = f.rowid JOIN conversations AS c ON c.id = m.conversation_id
WHERE messages_fts MATCH :expression AND f.rowid BETWEEN :first AND :last AND {_MINE}
ORDER BY f.rowid DESC LIMIT :limit
"""  # noqa: S608 (constants; everything typed is a parameter)
_BY_ID = f"""
SELECT {_COLUMNS} FROM json_each(:ids) AS j CROSS JOIN messages AS m ON m.id = j.value
JOIN conversations AS c ON c.id = m.conversation_id WHERE {_MINE}
"""  # noqa: S608 (constants)
_BOUNDS = "SELECT min(seq), max(seq), count(*) FROM messages WHERE conversation_id = ?"


@dataclass(frozen=True, slots=True)
class Place:
    """Where is searched: one conversation of one owner, without the messages `skip`."""

    owner: str
    conversation: str
    skip: Collection[str] = ()

    def params(self) -> dict[str, str]:
        """As parameters of the queries."""
        return {
            "owner": self.owner,
            "conversation": self.conversation,
            "skip": json.dumps(sorted(self.skip)),
        }


@dataclass(frozen=True, slots=True)
class Said:
    """A message that may be meant; `seq` is its order of arrival, `created_at` as stored."""

    seq: int
    id: str
    sender: str
    type: str
    created_at: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates and how well the words fit each, by `seq`."""

    said: dict[int, Said]
    standings: dict[int, Standing]
    weights: Weights


def by_words(connection: sqlite3.Connection, question: str, place: Place) -> Found:
    """The newest messages of `place` that hold a word of `question`, judged. Any string is a valid question."""
    terms = query_terms(question)
    first, last, total = connection.execute(_BOUNDS, (place.conversation,)).fetchone()
    if not terms.folded or not total:
        return Found({}, {}, Weights({}, {}))
    either = " OR ".join(f'"{word}"' for word in terms.folded)
    params = {"expression": f"folded : ({either})", "first": first, "last": last, "limit": _CANDIDATES}
    rows = connection.execute(_BY_WORDS, {**place.params(), **params})
    said = {row[0]: Said(*row) for row in rows}
    texts = {seq: _words(one) for seq, one in said.items()}
    weights = Weights(
        _weights(terms.folded, [set(words) for words in texts.values()], total),
        _weights(terms.bigrams, [set(bigrams(words)) for words in texts.values()], total),
    )
    standings = {seq: judge(0.0, words, weights) for seq, words in texts.items()}
    return Found(said, standings, weights)


def by_id(connection: sqlite3.Connection, ids: Sequence[str], place: Place) -> list[Said]:
    """The messages of `ids` that are in `place`."""
    params = {**place.params(), "ids": json.dumps(list(ids))}
    return [Said(*row) for row in connection.execute(_BY_ID, params)]


def standing(said: Said, weights: Weights) -> Standing:
    """How well the words fit a message that was found otherwise."""
    return judge(0.0, _words(said), weights)


def _words(said: Said) -> list[str]:
    return index_terms(said.text[:JUDGED_CHARS]).folded


def _weights(terms: Sequence[str], texts: Sequence[set[str]], total: int) -> dict[str, float]:
    """Inverse document frequency of each term among the conversation's messages."""
    counts = {term: sum(term in words for words in texts) for term in terms}
    return {term: math.log((total - n + 0.5) / (n + 0.5) + 1) for term, n in counts.items()}
