"""Answers that a person marked as wrong, and the keys of kept answers that may not be reused because of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from troly.stores.conversations import Conversations
from troly.stores.records import instant, storable, when

_COLUMNS = "w.turn_id, t.conversation_id, t.mode, w.reason, w.note, w.marked_at"
_OF_OWNER = (
    f"SELECT {_COLUMNS} FROM wrong_answers AS w JOIN turns AS t ON t.id = w.turn_id "  # noqa: S608 (constants)
    "JOIN conversations AS c ON c.id = t.conversation_id WHERE c.user_id = ? AND c.deleted_at IS NULL"
)


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """One mark: `reason` is a key of the list (`figures`, `sources`, …), `note` what the person wrote."""

    turn: str
    conversation: str
    mode: str
    reason: str
    note: str
    marked_at: datetime


class WrongAnswers:
    """Marks of turns; every method raises AccessError `store.not_yours` for somebody else's turn, StoreError."""

    def __init__(self, conversations: Conversations) -> None:
        self._turns = conversations
        self._db = conversations.db
        self._clock = conversations.clock

    def mark(self, owner: str, turn_id: str, reason: str, note: str, keys: Sequence[str]) -> WrongAnswer:
        """Mark a turn (again: reason and note are replaced) and bar `keys` from reuse, in one transaction."""
        turn = self._turns.turn(owner, turn_id)
        now = self._clock()
        with self._db.write(owner) as connection:
            connection.execute(
                "INSERT INTO wrong_answers (turn_id, reason, note, marked_at) VALUES (?, ?, ?, ?) ON CONFLICT (turn_id) "
                "DO UPDATE SET reason = excluded.reason, note = excluded.note, marked_at = excluded.marked_at",
                (turn.id, reason, storable(note), instant(now)),
            )
            connection.executemany(
                "INSERT INTO excluded (key, turn_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [(key, turn.id) for key in keys],
            )
        return WrongAnswer(turn.id, turn.conversation_id, turn.mode, reason, note, now)

    def take_back(self, owner: str, turn_id: str) -> bool:
        """Remove the mark of a turn and what it bars; whether there was one."""
        turn = self._turns.turn(owner, turn_id)
        with self._db.write(owner) as connection:
            connection.execute("DELETE FROM excluded WHERE turn_id = ?", (turn.id,))
            return connection.execute("DELETE FROM wrong_answers WHERE turn_id = ?", (turn.id,)).rowcount > 0

    def list(self, owner: str) -> list[WrongAnswer]:
        """The owner's marks, newest first."""
        with self._db.read(owner) as connection:
            rows = connection.execute(f"{_OF_OWNER} ORDER BY w.marked_at DESC, w.turn_id DESC", (owner,))
            return [_answer(row) for row in rows]

    def of(self, owner: str, turn_id: str) -> WrongAnswer | None:
        with self._db.read(owner) as connection:
            row = connection.execute(f"{_OF_OWNER} AND w.turn_id = ?", (owner, turn_id)).fetchone()
        return _answer(row) if row else None

    def texts(self, conversation_id: str) -> frozenset[str]:
        """What the wrong answers of a conversation said, for memories that keep texts of their own."""
        sql = (
            "SELECT m.text FROM messages AS m JOIN wrong_answers AS w ON w.turn_id = m.turn_id "
            "WHERE m.conversation_id = ? AND m.sender = 'assistant'"
        )
        with self._db.read() as connection:
            return frozenset(row[0] for row in connection.execute(sql, (conversation_id,)))

    def in_conversation(self, owner: str, conversation_id: str) -> Mapping[str, WrongAnswer]:
        """The marks of a conversation by turn."""
        with self._db.read(owner) as connection:
            rows = connection.execute(f"{_OF_OWNER} AND t.conversation_id = ?", (owner, conversation_id))
            return {row[0]: _answer(row) for row in rows}


def _answer(row: tuple[str, ...]) -> WrongAnswer:
    turn, conversation, mode, reason, note, at = row
    return WrongAnswer(turn, conversation, mode, reason, note, when(at))
