"""Hands a conversation to a person: told as an event, which the core keeps as a hand-over, and listed by `app handoffs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troly.plugin.contract import CommandRequest, CommandResult
from troly.plugin.events import Handoff, Table
from troly.stores.handovers import HandoverRecord, Handovers
from troly.stores.migrations import Migration
from troly.text.catalogue import Lang
from troly.text.dates import HCM
from troly_shopping.strings import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from troly.plugin.context import TurnContext
    from troly.stores.records import StoredMessage

HANDOFF = "handoff"
ASKED, FAILED = "asked", "failed"
# After so many serials in a row that could not be read or found, a person takes over.
MAX_FAILED = 3
_LINES, _LINE_CHARS = 40, 300
# Messages that are read for them: what came after the last words is left out.
_READ = 200

# The first edition kept them in a table of the shop's own; they are hand-overs like all others now.
MIGRATIONS = (
    Migration(
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
    ),
    Migration(
        "shopping/0002_handovers",
        (
            """
            INSERT OR IGNORE INTO handovers (id, conversation_id, reason, code, created_at)
            SELECT printf('0%012d', seq), conversation_id,
                CASE reason WHEN 'failed' THEN 'nhiều lần chưa tra được serial' ELSE 'khách muốn gặp nhân viên' END,
                reason, created_at
            FROM shopping_handoffs ORDER BY seq DESC
            """,
            "DROP TABLE shopping_handoffs",
        ),
        postgres=("DROP TABLE shopping_handoffs",),
    ),
)


def hand_over(turn: TurnContext, code: str) -> str:
    """Tell that a person is to take over; returns the sentence for the customer, with the persona's hotline."""
    hotline, lang = turn.persona().hotline, turn.language
    said = [(message.sender, message.text) for message in turn.history] + [("user", turn.text)]
    turn.emit(Handoff(say(f"handoff.reason_{code}", lang), tuple(_transcript(said, lang)), hotline, code))
    return say(f"handoff.said_{code}", lang, hotline=hotline)


def _transcript(said: Iterable[tuple[str, str]], lang: Lang) -> list[str]:
    """The last lines of a conversation, one line a message."""
    lines = []
    for sender, text in said:
        if sender in {"user", "assistant"}:
            line = " ".join(text.split())
            line = line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}…"
            lines.append(f"{say(f'handoff.{sender}', lang)}: {line}")
    return lines[-_LINES:]


def list_handoffs(request: CommandRequest) -> CommandResult:
    """`app handoffs`: those that the person may see, newest first. Raises StoreError."""
    lang, conversations, viewer = request.language, request.services.conversations, request.profile
    found = Handovers(conversations).list(viewer.login, staff=viewer.answers_customers)[::-1]
    if not found:
        return CommandResult(records=(), summary=say("handoff.none", lang))
    records = []
    for entry in found:
        spoken = conversations.get(entry.customer, entry.conversation).language
        said = _until_last_words(conversations.messages(entry.customer, entry.conversation, limit=_READ))
        records.append(
            {
                "conversation": entry.conversation,
                "user": entry.customer,
                "reason": entry.code,
                "created_at": entry.created_at.isoformat(),
                "taken_by": entry.taken_by,
                "transcript": _transcript(said, "en" if spoken == "en" else "vi"),
            }
        )
    return CommandResult(table=_table(found, records, lang), records=tuple(records))


def _until_last_words(messages: Iterable[StoredMessage]) -> list[tuple[str, str]]:
    """What was said, down to the customer's last words."""
    said: list[tuple[str, str]] = [(message.sender, message.text) for message in messages]
    while said and said[-1][0] != "user":
        said.pop()
    return said


def _table(found: Iterable[HandoverRecord], records: Iterable[dict[str, Any]], lang: Lang) -> Table:
    columns = tuple(
        say(f"handoff.column_{name}", lang) for name in ("time", "user", "reason", "taken", "id", "last")
    )
    rows = tuple(
        (
            f"{entry.created_at.astimezone(HCM):%Y-%m-%d %H:%M}",
            entry.customer,
            say(f"handoff.reason_{entry.code}", lang) if entry.code in (ASKED, FAILED) else entry.reason,
            entry.taken_by or "",
            entry.conversation,
            record["transcript"][-1][:60] if record["transcript"] else "",
        )
        for entry, record in zip(found, records, strict=True)
    )
    return Table(columns, rows)
