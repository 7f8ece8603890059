"""`app mcp serve memory|tools|all`: the adviser's MCP servers for any MCP client."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult
from troly_dental.settings import DentalSettings
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly_dental.servers.strict import StrictServer

# Both on one port is how the documents draw it.
SERVERS = {"memory": 8001, "tools": 8002, "all": 8001}
_HIGHEST_PORT, _SHORTEST_TOKEN = 65535, 8


def serve(request: CommandRequest) -> CommandResult:
    """Serve until the client leaves or the process is ended. Raises InputError."""
    wanted = request.text("server").strip().lower()
    if wanted not in SERVERS:
        raise InputError("dental.mcp.server", name=wanted[:40], known=", ".join(SERVERS))
    http = bool(request.values.get("http"))
    port, token = request.text("port"), request.text("token")
    if not http and (port or token):
        raise InputError("dental.mcp.http_only")
    number = _port(port, SERVERS[wanted])
    secret = _token(token or request.services.settings.of(DentalSettings).mcp_server_token or "")
    from troly_dental.servers.serve import on_http, on_stderr, on_stdio

    server = _server(wanted, request)
    if not http:
        on_stdio(server)
        return CommandResult(records=())

    def tell(address: str) -> None:
        on_stderr(say("mcp.listening", request.language, name=server.name, address=address))
        on_stderr(say("mcp.token", request.language, token=secret))

    on_http(server, number, secret, tell)
    return CommandResult(records=())


def _server(wanted: str, request: CommandRequest) -> StrictServer:
    from troly_dental.memory.store import MemoryStore
    from troly_dental.servers import memory, tools

    services = request.services
    search = tools.web_search(services)
    if wanted == "tools":
        return tools.build(search)
    login, numbers = request.profile.login, services.settings.of(DentalSettings)
    store = MemoryStore.of(services.state, services.clock, login, numbers)
    return memory.build(store) if wanted == "memory" else tools.both(store, search)


def _port(text: str, default: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and int(text[:6]) <= _HIGHEST_PORT):
        raise InputError("dental.mcp.port", port=text[:40], highest=_HIGHEST_PORT)
    return int(text)


def _token(given: str) -> str:
    if not given:
        return secrets.token_urlsafe(32)
    if len(given) < _SHORTEST_TOKEN or not (given.isascii() and given.isprintable()) or " " in given:
        raise InputError("dental.mcp.token", shortest=_SHORTEST_TOKEN)
    return given
