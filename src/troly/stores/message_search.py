"""Finds messages by their words, with or without diacritics, among those of one owner only."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from troly.stores.records import SearchHit, when
from troly.text.fold import fold, fold_in_place, folded_words, words

SNIPPET = 160
_LEAD = 40
_MAX_WORDS = 24

# bm25 weights: a word with the same marks counts more than one that is only the same letters.
_SEARCH = """
SELECT m.id, m.conversation_id, c.mode, c.title, m.sender, m.created_at, m.text
FROM messages_fts AS f
JOIN messages AS m ON m.seq = f.rowid
JOIN conversations AS c ON c.id = m.conversation_id
WHERE messages_fts MATCH ? AND c.user_id = ? AND c.deleted_at IS NULL
ORDER BY bm25(messages_fts, 2.0, 1.0), m.seq DESC
LIMIT ?
"""


def index_message(connection: sqlite3.Connection, seq: int, text: str) -> None:
    """Put the message of row `seq` into the index; its deletion takes it out by a trigger."""
    connection.execute(
        "INSERT INTO messages_fts (rowid, accented, folded) VALUES (?, ?, ?)",
        (seq, " ".join(words(text)), " ".join(folded_words(text))),
    )


def search_messages(connection: sqlite3.Connection, owner: str, text: str, limit: int) -> list[SearchHit]:
    """Messages of `owner` that hold all words of `text`, best first; the last word may be unfinished."""
    query = _query(text)
    if not query:
        return []
    wanted = [fold(word) for word in words(text)[:_MAX_WORDS]]
    hits = []
    for row in connection.execute(_SEARCH, (query, owner, limit)):
        values = list(row)
        values[5:7] = when(row[5]), *_snippet(row[6], wanted)
        hits.append(SearchHit(*values))
    return hits


def _query(text: str) -> str:
    """An FTS5 query; words are quoted, so that nothing typed is taken for its syntax."""
    found = words(text)[:_MAX_WORDS]
    parts = []
    for at, word in enumerate(found):
        star = "*" if at == len(found) - 1 else ""
        plain = fold(word)
        either = [f'accented : "{word}"{star}'] + ([f'folded : "{plain}"{star}'] if plain else [])
        parts.append("(" + " OR ".join(either) + ")")
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
