"""Opens the memory where the settings say it is: at the server inside the program, or at one of another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.recording import replaying
from troly.stores.wrong_answers import WrongAnswers
from troly_dental.mcp.caller import McpConnection
from troly_dental.mcp.in_process import InsideCaller, inside
from troly_dental.memory.client import McpMemory, RecordedMemory
from troly_dental.settings import DentalSettings

if TYPE_CHECKING:
    from troly.config import Profile
    from troly.plugin.services import Services
    from troly_dental.memory.types import MemoryClient
    from troly_dental.servers.server import StrictServer


def open_memory(services: Services, profile: Profile) -> MemoryClient:
    """The memory of `profile`: `async with open_memory(services, profile) as memory`.

    Always an MCP client: of the memory-server inside the program, one to each person, or over streamable HTTP when
    MCP_SERVER_URL is set (003-43). The MCP library is imported when the first call is made.
    """
    settings = services.settings.of(DentalSettings)
    if settings.mcp_server_url:
        return McpMemory(
            McpConnection(settings.mcp_server_url, settings.mcp_server_token or "", settings.mcp_seconds)
        )

    def build() -> StrictServer:
        from troly_dental.memory.store import MemoryStore
        from troly_dental.servers import memory

        return memory.build(MemoryStore.of(services.state, services.clock, profile.login, settings))

    # The store holds one person and these numbers of the settings: another of either is another server.
    name = f"memory-server {profile.login} {settings.keep_recent_messages} {settings.compress_after_summary}"
    return McpMemory(InsideCaller(inside(services), name, build))


def memory_of_turn(services: Services, profile: Profile) -> MemoryClient:
    """The same as a turn is told of it: what it gives is recorded; a replay is given that again, and opens none."""
    wrong = WrongAnswers(services.conversations)
    return RecordedMemory(None if replaying() else open_memory(services, profile), wrong.texts)
