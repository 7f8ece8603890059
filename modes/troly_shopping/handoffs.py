"""Hands a conversation to a person: kept in the state database, told as an event, listed by `app handoffs`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import CommandRequest, CommandResult
from troly.plugin.events import Handoff, Table
from troly.stores.migrations import Migration
from troly.text.catalogue import Lang
from troly.text.dates import HCM
from troly_shopping.strings import say

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.context import TurnContext
    from troly.stores.state import StateDb

HANDOFF = "handoff"
ASKED, FAILED = "asked", "failed"
# After so many serials in a row that could not be read or found, a person takes over.
MAX_FAILED = 3
# Who sees everybody's handoffs: this role, or anybody with this permission.
LEAD_ROLE, LEAD_PERMISSION = "lead", "handoffs"
_LINES, _LINE_CHARS = 40, 300

# A handoff goes with its conversation when that is removed for good.
MIGRATION = Migration(
    "shopping/0001_handoffs",
    (
        """
        CREATE TABLE shopping_handoffs (
            seq INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            user_id TEXT NOT NULL,
            reason TEXT NOT NULL,
            created_at TEXT NOT NULL,
            transcript TEXT NOT NULL
        )
        """,
        "CREATE INDEX shopping_handoffs_user ON shopping_handoffs (user_id)",
        "CREATE INDEX shopping_handoffs_conversation ON shopping_handoffs (conversation_id)",
    ),
)


@dataclass(frozen=True, slots=True)
class HandoffRecord:
    """One handoff as it was kept; `created_at` is aware."""

    conversation: str
    user: str
    reason: str
    created_at: datetime
    transcript: tuple[str, ...]


class HandoffStore:
    """The handoffs in the state database; raises StoreError."""

    def __init__(self, state: StateDb) -> None:
        self._state = state

    def add(self, entry: HandoffRecord) -> None:
        """Keep one."""
        values = (
            entry.conversation, entry.user, entry.reason, entry.created_at.astimezone(UTC).isoformat(),
            json.dumps(entry.transcript, ensure_ascii=False),
        )  # fmt: skip
        sql = (
            "INSERT INTO shopping_handoffs (conversation_id, user_id, reason, created_at, transcript)"
            " VALUES (?, ?, ?, ?, ?)"
        )
        with self._state.write() as connection:
            connection.execute(sql, values)

    def list(self, viewer: Profile) -> list[HandoffRecord]:
        """Those that `viewer` may see, newest first: the own ones, all of them for a lead; none of deleted conversations."""
        sql = (
            "SELECT h.conversation_id, h.user_id, h.reason, h.created_at, h.transcript FROM shopping_handoffs h"
            " JOIN conversations c ON c.id = h.conversation_id"
            " WHERE c.deleted_at IS NULL AND (? OR h.user_id = ?) ORDER BY h.seq DESC"
        )
        with self._state.read() as connection:
            rows = connection.execute(sql, (sees_all(viewer), viewer.login)).fetchall()
        return [
            HandoffRecord(row[0], row[1], row[2], datetime.fromisoformat(row[3]), tuple(json.loads(row[4])))
            for row in rows
        ]


def sees_all(viewer: Profile) -> bool:
    """Whether `viewer` sees everybody's handoffs."""
    return viewer.role == LEAD_ROLE or LEAD_PERMISSION in viewer.permissions


async def hand_over(turn: TurnContext, code: str) -> str:
    """Keep the handoff and tell it; returns the sentence for the customer, with the persona's hotline."""
    lines = transcript(turn)
    entry = HandoffRecord(turn.conversation.id, turn.profile.login, code, turn.now, lines)
    await asyncio.to_thread(HandoffStore(turn.services.state).add, entry)
    hotline = turn.persona().hotline
    turn.emit(Handoff(say(f"handoff.reason_{code}", turn.language), lines, hotline, code))
    return say(f"handoff.said_{code}", turn.language, hotline=hotline)


def transcript(turn: TurnContext) -> tuple[str, ...]:
    """The last lines of the conversation with the message being answered, one line a message."""
    said = [(message.sender, message.text) for message in turn.history] + [("user", turn.text)]
    return tuple(
        f"{say(f'handoff.{sender}', turn.language)}: {_short(text)}"
        for sender, text in said[-_LINES:]
        if sender in {"user", "assistant"}
    )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LINE_CHARS else f"{text[:_LINE_CHARS]}…"


def list_handoffs(request: CommandRequest) -> CommandResult:
    """`app handoffs`. Raises StoreError."""
    lang = request.language
    found = HandoffStore(request.services.state).list(request.profile)
    if not found:
        return CommandResult(records=(), summary=say("handoff.none", lang))
    return CommandResult(table=_table(found, lang), records=tuple(_record(entry) for entry in found))


def _table(found: Sequence[HandoffRecord], lang: Lang) -> Table:
    columns = tuple(say(f"handoff.column_{name}", lang) for name in ("time", "user", "reason", "id", "last"))
    rows = tuple(
        (
            f"{entry.created_at.astimezone(HCM):%Y-%m-%d %H:%M}",
            entry.user,
            say(f"handoff.reason_{entry.reason}", lang),
            entry.conversation,
            entry.transcript[-1][:60] if entry.transcript else "",
        )
        for entry in found
    )
    return Table(columns, rows)


def _record(entry: HandoffRecord) -> dict[str, Any]:
    return {
        "conversation": entry.conversation,
        "user": entry.user,
        "reason": entry.reason,
        "created_at": entry.created_at.isoformat(),
        "transcript": list(entry.transcript),
    }
