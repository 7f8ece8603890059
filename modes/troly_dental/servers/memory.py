"""`memory-server`: the dental memory of one user as MCP tools with the documents' parameters (003-12 to 003-29)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly_dental.memory.store import methods
from troly_dental.servers.server import StrictServer

if TYPE_CHECKING:
    from troly_dental.memory.store import MemoryStore

NAME = "memory-server"


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
    for method in own:
        server.tool()(method)
    server.parts[NAME] = frozenset(method.__name__ for method in own)
