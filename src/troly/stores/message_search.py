"""Finds messages by their words, with or without diacritics, among those of one owner only."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from troly.stores.connections import Connection
from troly.stores.records import SearchHit, when
from troly.text.fold import fold, fold_in_place, folded_words, words

SNIPPET = 160
_LEAD = 40
_MAX_WORDS = 24

# More matches than these are not weighed against each other: the newest come first.
RANKED = 1_000

# The newest matches, without their weight: each costs two look-ups, and no more are looked at than are taken.
_NEWEST = """
SELECT f.rowid FROM messages_fts AS f {join} JOIN messages AS m ON m.seq = f.rowid
WHERE {match} AND f.rowid >= :least
    AND m.conversation_id IN (SELECT id FROM conversations WHERE user_id = :owner AND deleted_at IS NULL)
ORDER BY f.rowid DESC LIMIT :limit
"""
# A word with the same marks counts more than one that is only the same letters.
_WEIGHED = """
SELECT m.id, m.conversation_id, c.mode, c.title, m.sender, m.created_at, m.text
FROM messages_fts AS f
JOIN messages AS m ON m.seq = f.rowid
JOIN conversations AS c ON c.id = m.conversation_id
WHERE {match} AND f.rowid >= :least AND c.user_id = :owner AND c.deleted_at IS NULL
ORDER BY {weight}, m.seq DESC
LIMIT :limit
"""
_ONE = """
SELECT m.id, m.conversation_id, c.mode, c.title, m.sender, m.created_at, m.text
FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id WHERE m.seq = ?
"""


@dataclass(frozen=True, slots=True)
class MessageIndex:
    """How one database finds words: `match` is the condition, `weight` the order, `term` one word of an expression.

    `term(column, word, star)`: column `accented` or `folded`; with `star` words that begin so as well.
    """

    match: str
    weight: str
    join: str
    term: Callable[[str, str, bool], str]
    both: str
    either: str

    def any_of(self, folded: Iterable[str]) -> str:
        """An expression for messages that hold any of the words."""
        return self.either.join(self.term("folded", word, False) for word in folded)


# Words are quoted, so that nothing typed is taken for syntax. CROSS JOIN: SQLite begins with the words.
_FTS5 = MessageIndex(
    "messages_fts MATCH :expression",
    "bm25(messages_fts, 2.0, 1.0)",
    "CROSS",
    lambda column, word, star: f'{column} : "{word}"{"*" if star else ""}',
    " AND ",
    " OR ",
)
# One list of words a message: its words as written after an `a`, their letters after an `f`.
_TSVECTOR = MessageIndex(
    "f.words @@ CAST(:expression AS tsquery)",
    "ts_rank('{0, 0, 0.5, 1}', f.words, CAST(:expression AS tsquery)) DESC",
    "",
    lambda column, word, star: f"{_lexeme(column, word)}{':*' if star else ''}",
    " & ",
    " | ",
)
# What PostgreSQL takes of a word and of a message: 2 kB, 1 MB.
_LONGEST_WORD, _MOST_INDEXED = 500, 40_000


def _lexeme(column: str, word: str) -> str:
    text = word[:_LONGEST_WORD].replace("\\", "\\\\").replace("'", "''")
    return f"'{column[0]}{text}'"


def word_index(connection: Connection) -> MessageIndex:
    """The words of messages in the database of `connection`."""
    return _FTS5 if isinstance(connection, sqlite3.Connection) else _TSVECTOR


def index_message(connection: Connection, seq: int, text: str) -> None:
    """Put the message of row `seq` into the index; its deletion takes it out."""
    accented, folded = words(text), folded_words(text)
    if isinstance(connection, sqlite3.Connection):
        sql = "INSERT INTO messages_fts (rowid, accented, folded) VALUES (?, ?, ?)"
        connection.execute(sql, (seq, " ".join(accented), " ".join(folded)))
        return
    places: dict[str, list[str]] = {}
    for at, pair in enumerate(zip(accented[:_MOST_INDEXED], folded[:_MOST_INDEXED], strict=True), 1):
        for column, word, weight in zip(("accented", "folded"), pair, "AB", strict=True):
            if word:
                places.setdefault(_lexeme(column, word), []).append(f"{at}{weight}")
    vector = " ".join(f"{lexeme}:{','.join(found)}" for lexeme, found in places.items())
    connection.execute(
        "INSERT INTO messages_fts (rowid, words) VALUES (?, CAST(? AS tsvector))", (seq, vector)
    )


def search_messages(connection: Connection, owner: str, text: str, limit: int) -> list[SearchHit]:
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


def _rows(connection: Connection, owner: str, text: str, limit: int) -> list[tuple[Any, ...]]:
    """The messages found, best first; of more than `RANKED` the newest, those with the same marks before the rest."""
    index = word_index(connection)
    newest = _newest(connection, owner, _query(text, index, "folded"), 0)
    if not newest:
        return []
    if len(newest) <= RANKED:
        sql = _WEIGHED.format(match=index.match, weight=index.weight)
        expression = _query(text, index, "accented", "folded")
        weighed = {"expression": expression, "least": newest[-1], "owner": owner, "limit": limit}
        return connection.execute(sql, weighed).fetchall()
    plain = all(fold(word) == word for word in words(text)[:_MAX_WORDS])
    marked = [] if plain else _newest(connection, owner, _query(text, index, "accented"), newest[-1])
    chosen = list(dict.fromkeys([*marked, *newest]))[:limit]
    return [connection.execute(_ONE, (seq,)).fetchone() for seq in chosen]


def _newest(connection: Connection, owner: str, query: str, least: int) -> list[int]:
    """Rows that match, from `least` on, the newest first."""
    index = word_index(connection)
    values = {"expression": query, "least": least, "owner": owner, "limit": RANKED + 1}
    found = connection.execute(_NEWEST.format(match=index.match, join=index.join), values)
    return [row[0] for row in found]


def _query(text: str, index: MessageIndex, *columns: str) -> str:
    """An expression for all words of `text` in any of `columns`; a word that is nothing but marks as it is."""
    found = words(text)[:_MAX_WORDS]
    parts = []
    for at, word in enumerate(found):
        forms = {column: fold(word) if column == "folded" else word for column in columns}
        known = {column: form for column, form in forms.items() if form} or {"accented": word}
        ways = (index.term(column, form, at == len(found) - 1) for column, form in known.items())
        parts.append(f"({index.either.join(ways)})")
    return index.both.join(parts)


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
