"""What the conversation store gives back: conversations, messages and turns as frozen values."""

from __future__ import annotations

import json
import secrets
import threading
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

Sender = Literal["user", "assistant"]
TurnStatus = Literal["running", "completed", "failed", "stopped", "interrupted"]
ENDINGS: frozenset[str] = frozenset({"completed", "failed", "stopped", "interrupted"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of `owner` with one assistant (000-52); times are aware, in UTC."""

    id: str
    owner: str
    mode: str
    title: str
    language: str | None
    created_at: datetime
    updated_at: datetime
    metadata: Mapping[str, Any]
    pinned: bool = False
    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to be saved; `type` is the documents' message type (`greeting`, `warranty_result`, …)."""

    sender: Sender
    text: str
    type: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    status: str = "complete"


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A saved message (000-52). `status` is `complete`, or `interrupted` where a crash cut it off."""

    id: str
    conversation_id: str
    turn_id: str | None
    sender: Sender
    text: str
    type: str
    created_at: datetime
    metadata: Mapping[str, Any]
    status: str = "complete"


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One question and what became of it; `ms`, `source`, `state`, `trace` and `error` are known once it ended."""

    id: str
    conversation_id: str
    owner: str
    mode: str
    question_message_id: str
    status: TurnStatus
    pid: int
    process_started: float
    started_at: datetime
    finished_at: datetime | None = None
    ms: float | None = None
    source: str | None = None
    calls: int = 0
    partial: str = ""
    state: Any = None
    trace: Any = None
    error: Any = None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message that matches: `snippet` is a piece of its text as written, `spans` the matches in the snippet."""

    message_id: str
    conversation_id: str
    mode: str
    title: str
    sender: Sender
    created_at: datetime
    snippet: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationExport:
    """A whole conversation, oldest message and turn first."""

    conversation: Conversation
    messages: tuple[StoredMessage, ...]
    turns: tuple[StoredTurn, ...]


class IdMaker:
    """Text ids that sort by time: 48 bits of milliseconds, a counter for ids of one moment, and 64 random bits.

    Within one maker each id is greater than the one before, also when the clock stands still or goes back.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last = (0, 0)

    def __call__(self) -> str:
        now = max(0, int(self._clock().timestamp() * 1000))
        with self._lock:
            ms, count = self._last
            self._last = (now, 0) if now > ms else (ms, count + 1)
            ms, count = self._last
        return f"{ms:012x}{count:06x}{secrets.token_hex(8)}"


CONVERSATION_COLUMNS = "c.id, c.user_id, c.mode, c.title, c.language, c.created_at, c.updated_at, c.metadata, c.pinned, c.deleted_at"
MESSAGE_COLUMNS = (
    "m.id, m.conversation_id, m.turn_id, m.sender, m.text, m.type, m.created_at, m.metadata, m.status"
)
TURN_COLUMNS = (
    "t.id, t.conversation_id, c.user_id, t.mode, t.question_message_id, t.status, t.pid, t.process_started, "
    "t.started_at, t.finished_at, t.ms, t.source, t.calls, t.partial, t.state, t.trace, t.error"
)


def conversation_of(row: tuple[Any, ...]) -> Conversation:
    values = list(row)
    values[5:10] = when(row[5]), when(row[6]), json.loads(row[7]), bool(row[8]), when_or_none(row[9])
    return Conversation(*values)


def message_of(row: tuple[Any, ...]) -> StoredMessage:
    values = list(row)
    values[6:8] = when(row[6]), json.loads(row[7])
    return StoredMessage(*values)


def turn_of(row: tuple[Any, ...]) -> StoredTurn:
    values = list(row)
    values[8:10] = when(row[8]), when_or_none(row[9])
    values[14:17] = [None if blob is None else json.loads(blob) for blob in row[14:17]]
    return StoredTurn(*values)


def instant(moment: datetime) -> str:
    """An aware moment as text of fixed width in UTC, so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def when(text: str) -> datetime:
    return datetime.fromisoformat(text)


def when_or_none(text: str | None) -> datetime | None:
    """`when`, for a column that may be empty."""
    return when(text) if text else None


def dump(value: Any) -> str:
    """JSON for a column; what JSON does not know is written as its text rather than lost."""
    return storable(json.dumps(value, ensure_ascii=False, default=_plain))


def pack(value: Mapping[str, Any]) -> bytes:
    """JSON for a column that is seldom read, compressed."""
    return zlib.compress(dump(dict(value)).encode("utf-8"))


def unpack(packed: bytes) -> dict[str, Any]:
    """The inverse of `pack`; {} for what is damaged."""
    try:
        value = json.loads(zlib.decompress(packed))
    except (zlib.error, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def storable(text: str) -> str:
    """`text` without the half code points that a badly decoded paste carries and SQLite refuses."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)
