"""`memory-server`: the dental memory of one user as MCP tools with the documents' parameters (003-12 to 003-29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from troly_dental.memory.facts import facts_for_prompt
from troly_dental.memory.store import LONGEST, LONGEST_ID
from troly_dental.servers.server import StrictServer

if TYPE_CHECKING:
    from troly_dental.memory.store import MemoryStore

NAME = "memory-server"
TOOLS = frozenset(
    [
        "get_or_create",
        "get_context",
        "get_old_messages",
        "get_all_messages",
        "get_summary",
        "set_summary",
        "add_message",
    ]
)
_Id = Annotated[str, Field(min_length=1, max_length=LONGEST_ID, description="Id of the conversation")]
_Text = Annotated[str, Field(max_length=LONGEST)]
_Most = Annotated[int, Field(ge=0, le=10_000, description="Most messages to return")]


class ChatMessage(TypedDict):
    """A message."""

    role: Literal["user", "assistant"]
    content: str


class Conversation(TypedDict):
    """The id of a conversation."""

    conversation_id: str


class Messages(TypedDict):
    """Messages, oldest first."""

    messages: list[ChatMessage]


class OldMessages(TypedDict):
    """Messages before the recent ones, and the count of all."""

    old_messages: list[ChatMessage]
    total_count: int


class PinnedFact(TypedDict):
    """Something the user stated that no summary may lose."""

    id: int
    kind: str
    value: str
    text: str


class Summary(TypedDict):
    """The accumulated summary, with the pinned facts beside it."""

    summary: str
    facts: list[PinnedFact]


class WriteResult(TypedDict):
    """A write that was kept."""

    ok: bool
    conversation_id: str


def build(store: MemoryStore) -> StrictServer:
    """The server over `store`; every tool sees the conversations of the store's owner only."""
    server = StrictServer(
        NAME,
        "Troly dental memory",
        "Conversations of a dental adviser: recent context, whole history, rolling summary, pinned facts.",
    )
    add(server, store)
    return server


def add(server: StrictServer, store: MemoryStore) -> None:
    """Let `server` offer the memory of the store's owner."""
    _add_reading(server, store)
    _add_writing(server, store)
    server.parts[NAME] = TOOLS


def _add_reading(server: StrictServer, store: MemoryStore) -> None:
    @server.tool()
    def get_context(conversation_id: _Id, max_messages: _Most = 20) -> Messages:
        """The last messages for a model's context: the smaller of max_messages and KEEP_RECENT_MESSAGES."""
        return {"messages": [ChatMessage(**one) for one in store.get_context(conversation_id, max_messages)]}

    @server.tool()
    def get_old_messages(conversation_id: _Id) -> OldMessages:
        """The messages before the recent ones; none once they were compressed. total_count counts all."""
        old = store.get_old_messages(conversation_id)
        return {"old_messages": [ChatMessage(**one) for one in old.messages], "total_count": old.total_count}

    @server.tool()
    def get_all_messages(conversation_id: _Id) -> Messages:
        """The whole history, for display."""
        return {"messages": [ChatMessage(**one) for one in store.get_all_messages(conversation_id)]}

    @server.tool()
    def get_summary(conversation_id: _Id) -> Summary:
        """The accumulated summary (an empty string before the first answer) and the pinned facts."""
        facts = facts_for_prompt(store.pinned(conversation_id))
        pinned = [PinnedFact(id=one.id, kind=one.kind, value=one.value, text=one.text) for one in facts]
        return {"summary": store.get_summary(conversation_id), "facts": pinned}


def _add_writing(server: StrictServer, store: MemoryStore) -> None:
    @server.tool()
    def get_or_create(
        conversation_id: Annotated[str | None, Field(max_length=LONGEST_ID)] = None,
    ) -> Conversation:
        """The id of an existing conversation, or of a new one; a fresh id when none is given."""
        return {"conversation_id": store.get_or_create(conversation_id)}

    @server.tool()
    def set_summary(conversation_id: _Id, summary: _Text, compress: bool = False) -> WriteResult:
        """Replace the summary. With compress, old messages leave the context; the history stays whole."""
        store.set_summary(conversation_id, summary, compress=compress)
        return {"ok": True, "conversation_id": conversation_id}

    @server.tool()
    def add_message(conversation_id: _Id, role: Literal["user", "assistant"], content: _Text) -> WriteResult:
        """Keep a message; facts that a user states are pinned."""
        store.add_message(conversation_id, role, content)
        return {"ok": True, "conversation_id": conversation_id}
