"""Opens the memory where the settings say it is: in the program, or at an MCP server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.tape import replaying

if TYPE_CHECKING:
    from troly.config import Profile
    from troly.plugin.services import Services
    from troly_dental.memory.types import MemoryClient


def open_memory(services: Services, profile: Profile) -> MemoryClient:
    """The memory of `profile`: `async with open_memory(services, profile) as memory`.

    In the program itself, or over streamable HTTP when MCP_SERVER_URL is set (003-43); only then is the MCP library
    imported, when the first call is made.
    """
    settings = services.settings.dental
    if settings.mcp_server_url:
        from troly_dental.mcp_client import McpMemory

        return McpMemory(settings.mcp_server_url, settings.mcp_server_token or "", settings.mcp_seconds)
    from troly_dental.memory.local import LocalMemory
    from troly_dental.memory.store import MemoryStore

    return LocalMemory(MemoryStore.of(services.state, services.clock, profile.login, settings))


def memory_of_turn(services: Services, profile: Profile) -> MemoryClient:
    """The same as a turn is told of it: what it gives is recorded; a replay is given that again, and opens none."""
    from troly.stores.wrong import WrongAnswers
    from troly_dental.memory.taped import TapedMemory

    wrong = WrongAnswers(services.conversations)
    return TapedMemory(None if replaying() else open_memory(services, profile), wrong.texts)
