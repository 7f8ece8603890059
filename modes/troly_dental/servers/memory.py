"""`memory-server`: the dental memory of one user as MCP tools with the documents' parameters (003-12 to 003-29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from troly_dental.memory.store import LONGEST, LONGEST_ID, methods
from troly_dental.servers.server import StrictServer

if TYPE_CHECKING:
    from troly_dental.memory.store import MemoryStore

NAME = "memory-server"
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
    earlier: bool


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
    own = methods(store)

    @server.tool()
    def get_or_create(
        conversation_id: Annotated[str | None, Field(max_length=LONGEST_ID)] = None,
    ) -> Conversation:
        """The id of an existing conversation, or of a new one; a fresh id when none is given."""
        answer: Conversation = own["get_or_create"](conversation_id)
        return answer

    @server.tool()
    def get_context(conversation_id: _Id, max_messages: _Most = 20) -> Messages:
        """The last messages for a model's context: the smaller of max_messages and KEEP_RECENT_MESSAGES."""
        answer: Messages = own["get_context"](conversation_id=conversation_id, max_messages=max_messages)
        return answer

    @server.tool()
    def get_old_messages(conversation_id: _Id) -> OldMessages:
        """The messages before the recent ones; none once they were compressed. total_count counts all."""
        answer: OldMessages = own["get_old_messages"](conversation_id)
        return answer

    @server.tool()
    def get_all_messages(conversation_id: _Id) -> Messages:
        """The whole history, for display."""
        answer: Messages = own["get_all_messages"](conversation_id)
        return answer

    @server.tool()
    def get_summary(conversation_id: _Id) -> Summary:
        """The accumulated summary (an empty string before the first answer) and the pinned facts."""
        answer: Summary = own["get_summary"](conversation_id)
        return answer

    @server.tool()
    def set_summary(conversation_id: _Id, summary: _Text, compress: bool = False) -> WriteResult:
        """Replace the summary. With compress, old messages leave the context; the history stays whole."""
        answer: WriteResult = own["set_summary"](conversation_id, summary, compress)
        return answer

    @server.tool()
    def add_message(conversation_id: _Id, role: Literal["user", "assistant"], content: _Text) -> WriteResult:
        """Keep a message; facts that a user states are pinned."""
        answer: WriteResult = own["add_message"](conversation_id, role, content)
        return answer

    server.parts[NAME] = frozenset(own)
