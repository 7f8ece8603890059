"""Finds messages by their words, with or without diacritics, among those of one owner only."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from troly.stores.records import SearchHit, when
from troly.text.fold import fold, fold_in_place, folded_words, words

SNIPPET = 160
_LEAD = 40
_MAX_WORDS = 24

# More matches than these are not weighed against each other: the newest come first.
RANKED = 1_000

# The newest matches, without their weight: each costs two look-ups, and no more are looked at than are taken.
_NEWEST = """
SELECT f.rowid FROM messages_fts AS f CROSS JOIN messages AS m ON m.seq = f.rowid
WHERE messages_fts MATCH ? AND f.rowid >= ?
    AND m.conversation_id IN (SELECT id FROM conversations WHERE user_id = ? AND deleted_at IS NULL)
ORDER BY f.rowid DESC LIMIT ?
"""
# bm25 weights: a word with the same marks counts more than one that is only the same letters.
_WEIGHED = """
SELECT m.id, m.conversation_id, c.mode, c.title, m.sender, m.created_at, m.text
FROM messages_fts AS f
JOIN messages AS m ON m.seq = f.rowid
JOIN conversations AS c ON c.id = m.conversation_id
WHERE messages_fts MATCH ? AND f.rowid >= ? AND c.user_id = ? AND c.deleted_at IS NULL
ORDER BY bm25(messages_fts, 2.0, 1.0), m.seq DESC
LIMIT ?
"""
_ONE = """
SELECT m.id, m.conversation_id, c.mode, c.title, m.sender, m.created_at, m.text
FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id WHERE m.seq = ?
"""


def index_message(connection: sqlite3.Connection, seq: int, text: str) -> None:
    """Put the message of row `seq` into the index; its deletion takes it out by a trigger."""
    connection.execute(
        "INSERT INTO messages_fts (rowid, accented, folded) VALUES (?, ?, ?)",
        (seq, " ".join(words(text)), " ".join(folded_words(text))),
    )


def search_messages(connection: sqlite3.Connection, owner: str, text: str, limit: int) -> list[SearchHit]:
    """Messages of `owner` that hold all words of `text`, best first; the last word may be unfinished."""
    if not words(text):
        return []
    wanted = [fold(word) for word in words(text)[:_MAX_WORDS]]
    hits = []
    for row in _rows(connection, owner, text, limit):
        values = list(row)
        values[5:7] = when(row[5]), *_snippet(row[6], wanted)
        hits.append(SearchHit(*values))
    return hits


def _rows(connection: sqlite3.Connection, owner: str, text: str, limit: int) -> list[tuple[Any, ...]]:
    """The messages found, best first; of more than `RANKED` the newest, those with the same marks before the rest."""
    newest = _newest(connection, owner, _query(text, _folded), 0)
    if not newest:
        return []
    if len(newest) <= RANKED:
        weighed = (_query(text, _either), newest[-1], owner, limit)
        return connection.execute(_WEIGHED, weighed).fetchall()
    plain = all(fold(word) == word for word in words(text)[:_MAX_WORDS])
    marked = [] if plain else _newest(connection, owner, _query(text, _accented), newest[-1])
    chosen = list(dict.fromkeys([*marked, *newest]))[:limit]
    return [connection.execute(_ONE, (seq,)).fetchone() for seq in chosen]


def _newest(connection: sqlite3.Connection, owner: str, query: str, least: int) -> list[int]:
    """Rows that match, from `least` on, the newest first."""
    found = connection.execute(_NEWEST, (query, least, owner, RANKED + 1))
    return [row[0] for row in found]


def _accented(word: str, _plain: str, star: str) -> list[str]:
    return [f'accented : "{word}"{star}']


def _folded(word: str, plain: str, star: str) -> list[str]:
    """The letters alone; a word that is nothing but marks as it is."""
    return [f'folded : "{plain}"{star}'] if plain else _accented(word, plain, star)


def _either(word: str, plain: str, star: str) -> list[str]:
    return [*_accented(word, plain, star), *([f'folded : "{plain}"{star}'] if plain else [])]


def _query(text: str, either: Callable[[str, str, str], list[str]]) -> str:
    """An FTS5 query; words are quoted, so that nothing typed is taken for its syntax."""
    found = words(text)[:_MAX_WORDS]
    parts = []
    for at, word in enumerate(found):
        ways = either(word, fold(word), "*" if at == len(found) - 1 else "")
        parts.append("(" + " OR ".join(ways) + ")")
    return " AND ".join(parts)


def _snippet(body: str, wanted: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A piece of `body` around the first match, in one line, and where the matches are in it."""
    flat = " ".join(body.split())
    folded, offsets = fold_in_place(flat)
    offsets.append(len(flat))
    # A match may end inside what one character folds to: that character is shown whole.
    places = sorted(
        {
            (offsets[at], max(offsets[at + len(word)], offsets[at + len(word) - 1] + 1))
            for word in wanted
            if word
            for at in _starts(folded, word)
        }
    )
    begin = max(0, places[0][0] - _LEAD) if places else 0
    begin = flat.rfind(" ", 0, begin) + 1 if begin else 0
    end = min(len(flat), begin + SNIPPET)
    before, after = ("…" if begin else ""), ("…" if end < len(flat) else "")
    spans = [(a - begin + len(before), b - begin + len(before)) for a, b in places if begin <= a and b <= end]
    return before + flat[begin:end] + after, tuple(spans)


def _starts(folded: str, word: str) -> list[int]:
    """Where `word` begins a word of `folded`."""
    found: list[int] = []
    at = folded.find(word)
    while at >= 0 and len(found) < _MAX_WORDS:
        if at == 0 or not folded[at - 1].isalnum():
            found.append(at)
        at = folded.find(word, at + 1)
    return found
