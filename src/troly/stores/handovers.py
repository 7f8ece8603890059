"""Conversations that a person takes over: asked for by an assistant, taken and answered by a member of staff."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from troly.errors import AccessError
from troly.stores.conversations import Conversations
from troly.stores.records import (
    MESSAGE_COLUMNS,
    IdMaker,
    StoredMessage,
    instant,
    message_of,
    storable,
    when,
    when_or_none,
)
from troly.text.sanitize import sanitize

# Type of a message that a member of staff wrote.
STAFF = "staff"
# Where such a message keeps how its writer is called.
NAME = "name"
_COLUMNS = "h.id, h.conversation_id, c.user_id, c.mode, h.reason, h.code, h.created_at, h.taken_by, h.taken_at, h.closed_at"
_FROM = "FROM handovers AS h JOIN conversations AS c ON c.id = h.conversation_id WHERE c.deleted_at IS NULL"


@dataclass(frozen=True, slots=True)
class HandoverRecord:
    """One conversation of `customer` that waits for a person, or that `taken_by` answers until it is closed."""

    id: str
    conversation: str
    customer: str
    mode: str
    reason: str
    code: str
    created_at: datetime
    taken_by: str | None = None
    taken_at: datetime | None = None
    closed_at: datetime | None = None


class Handovers:
    """The hand-overs in the state database.

    `viewer` is a login, `staff` says whether it may see and take those of others. What it may not see raises AccessError
    `store.not_yours`, as what does not exist; all methods raise StoreError.
    """

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations
        self._db = conversations.db
        self._clock: Callable[[], datetime] = conversations.clock
        self._new_id = IdMaker(self._clock)

    def add(self, conversation: str, reason: str, code: str) -> None:
        """Ask for a person; where one was asked for already and did not close it, the reason is the newer one."""
        row = (self._new_id(), conversation, storable(reason), code, instant(self._clock()))
        with self._db.write() as connection:
            sql = "UPDATE handovers SET reason = ?, code = ? WHERE conversation_id = ? AND closed_at IS NULL"
            if not connection.execute(sql, (row[2], code, conversation)).rowcount:
                connection.execute(
                    "INSERT INTO handovers (id, conversation_id, reason, code, created_at) VALUES (?, ?, ?, ?, ?)",
                    row,
                )

    def list(self, viewer: str, *, staff: bool, closed: bool = False) -> list[HandoverRecord]:
        """Those that `viewer` may see, oldest first; the closed ones as well with `closed`."""
        sql = (
            f"SELECT {_COLUMNS} {_FROM} AND (? OR c.user_id = ?) AND (? OR h.closed_at IS NULL) ORDER BY h.id"
        )
        with self._db.read(None if staff else viewer) as connection:
            rows = connection.execute(sql, (staff, viewer, closed)).fetchall()
        return [_handover_of(row) for row in rows]

    def get(self, handover: str, viewer: str, *, staff: bool) -> HandoverRecord:
        """One that `viewer` may see."""
        with self._db.read(None if staff else viewer) as connection:
            sql = f"SELECT {_COLUMNS} {_FROM} AND h.id = ? AND (? OR c.user_id = ?)"
            row = connection.execute(sql, (handover, staff, viewer)).fetchone()
        if row is None:
            raise AccessError("store.not_yours")
        return _handover_of(row)

    def take(self, handover: str, viewer: str, *, staff: bool) -> HandoverRecord:
        """Take it over; raises AccessError `handover.taken` where somebody else did, `handover.closed`, `handover.staff`."""
        found = self._own(handover, viewer, staff=staff)
        sql = "UPDATE handovers SET taken_by = ?, taken_at = ? WHERE id = ? AND taken_by IS NULL"
        with self._db.write() as connection:
            connection.execute(sql, (viewer, instant(self._clock()), found.id))
        return self._own(handover, viewer, staff=staff)

    def words(
        self, customer: str, conversation: str, after: str = ""
    ) -> tuple[builtins.list[StoredMessage], bool]:
        """What staff wrote in a conversation of `customer`, behind the message `after`, and whether one waits for them."""
        sql = (
            f"SELECT {MESSAGE_COLUMNS} FROM messages AS m "  # noqa: S608 (constants)
            "JOIN conversations AS c ON c.id = m.conversation_id "
            "WHERE m.conversation_id = ? AND c.user_id = ? AND m.type = ? "
            "AND m.seq > coalesce((SELECT seq FROM messages WHERE id = ?), 0) ORDER BY m.seq"
        )
        open_ones = f"SELECT count(*) {_FROM} AND c.id = ? AND c.user_id = ? AND h.closed_at IS NULL"
        with self._db.read(customer) as connection:
            # Asked first: what was written before a hand-over was closed is among the words.
            row = connection.execute(open_ones, (conversation, customer)).fetchone()
            found = connection.execute(sql, (conversation, customer, STAFF, after))
            return [message_of(one) for one in found], bool(row and row[0])

    def colleague(self, customer: str, conversation: str) -> str:
        """How the member of staff is called who took an open hand-over of `customer`; "" where nobody answers there."""
        sql = f"SELECT h.taken_by {_FROM} AND c.id = ? AND c.user_id = ? AND h.closed_at IS NULL"
        with self._db.read(customer) as connection:
            row = connection.execute(sql, (conversation, customer)).fetchone()
        if row is None or row[0] is None:
            return ""
        said, _ = self.words(customer, conversation)
        return next((colleague_of(one) for one in reversed(said)), sanitize(row[0], keep_newlines=False))

    def answer(self, handover: str, viewer: str, text: str, *, staff: bool, name: str = "") -> StoredMessage:
        """Write `text` to the customer, as `viewer`, who has taken it (or does so now); the customer reads their `name`.

        Raises as `take`.
        """
        found = self.take(handover, viewer, staff=staff)
        return self._conversations.add_message(
            found.customer,
            found.conversation,
            "assistant",
            text,
            type=STAFF,
            metadata={STAFF: viewer, NAME: name or viewer},
        )

    def close(self, handover: str, viewer: str, *, staff: bool) -> HandoverRecord:
        """The customer needs no person any more. Raises as `take`."""
        found = self._own(handover, viewer, staff=staff)
        with self._db.write() as connection:
            connection.execute(
                "UPDATE handovers SET closed_at = ? WHERE id = ?", (instant(self._clock()), found.id)
            )
        return self.get(handover, viewer, staff=staff)

    def _own(self, handover: str, viewer: str, *, staff: bool) -> HandoverRecord:
        """One that `viewer` may take: open, and nobody else's."""
        found = self.get(handover, viewer, staff=staff)
        if not staff:
            raise AccessError("handover.staff")
        if found.closed_at is not None:
            raise AccessError("handover.closed")
        if found.taken_by not in (None, viewer):
            raise AccessError("handover.taken", who=found.taken_by)
        return found


def colleague_of(message: StoredMessage) -> str:
    """How the member of staff who wrote `message` is called, as it may be shown; "" where nobody is named."""
    named = message.metadata.get(NAME) or message.metadata.get(STAFF) or ""
    return sanitize(str(named), keep_newlines=False)


def _handover_of(row: tuple[Any, ...]) -> HandoverRecord:
    values = list(row)
    values[6], values[8], values[9] = when(row[6]), when_or_none(row[8]), when_or_none(row[9])
    return HandoverRecord(*values)
