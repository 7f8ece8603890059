"""Declares the commands of the dental adviser: its MCP servers, and what it remembers of a person."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from troly.errors import InputError
from troly.plugin.contract import (
    Command,
    CommandRequest,
    CommandResult,
    Memories,
    MemoryItem,
    Parameter,
)
from troly.plugin.events import Table
from troly_dental.memory.facts import short
from troly_dental.settings import DentalSettings
from troly_dental.strings import TEXTS, say

if TYPE_CHECKING:
    from troly_dental.memory.store import MemoryStore
    from troly_dental.memory.types import Fact
    from troly_dental.servers.server import StrictServer


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
    from troly_dental.servers.http import on_http, on_stderr, on_stdio

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


def facts(request: CommandRequest) -> CommandResult:
    """List the facts of all conversations, or of one. Raises AccessError, InputError, StoreError."""
    lang = request.language
    found = _store(request).facts(request.text("conversation") or None)
    if not found:
        return CommandResult(records=(), summary=say("memory.no_facts", lang))
    columns = tuple(say(f"memory.column_{name}", lang) for name in ("id", "kind", "text", "conversation"))
    rows = tuple(
        (str(fact.id), say(f"memory.kind_{fact.kind}", lang), short(fact), fact.conversation_id)
        for fact in found
    )
    summary = say("memory.facts_hint", lang)
    return CommandResult(Table(columns, rows), records=tuple(map(_record, found)), summary=summary)


def correct(request: CommandRequest) -> CommandResult:
    """Let a fact say something else. Raises InputError, StoreError."""
    fact = _store(request).correct(_number(request), request.text("text"))
    text = say("memory.corrected", request.language, id=fact.id, text=fact.text)
    return CommandResult(text=text, records=(_record(fact),))


def forget(request: CommandRequest) -> CommandResult:
    """Forget a fact. Raises InputError, StoreError."""
    fact = _store(request).forget(_number(request))
    text = say("memory.forgotten", request.language, text=fact.text)
    return CommandResult(text=text, records=(_record(fact),), summary=say("memory.stays", request.language))


def _store(request: CommandRequest) -> MemoryStore:
    from troly_dental.memory.store import MemoryStore

    services = request.services
    return MemoryStore.of(
        services.state, services.clock, request.profile.login, services.settings.of(DentalSettings)
    )


def _number(request: CommandRequest) -> int:
    text = request.text("id").strip().lstrip("#")
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise InputError("dental.memory.no_fact", id=text[:40])
    return int(text)


def _record(fact: Fact) -> dict[str, object]:
    return {
        "id": fact.id,
        "kind": fact.kind,
        "value": fact.value,
        "text": fact.text,
        "conversation": fact.conversation_id,
    }


def remembered(request: CommandRequest) -> tuple[MemoryItem, ...]:
    """The facts of all conversations. Raises StoreError."""
    return tuple(
        MemoryItem(
            str(fact.id), short(fact), say(f"memory.kind_{fact.kind}", request.language), editable=True
        )
        for fact in _store(request).facts(None)
    )


MEMORIES = Memories(remembered, forget, correct)
_ID = Parameter("id", TEXTS.both("memory.id_help"), "ID", required=True)
COMMANDS = (
    Command(
        path=("mcp", "serve"),
        help=TEXTS.both("mcp.help"),
        example="app mcp serve memory\napp mcp serve tools --http --port 8002",
        run=serve,
        parameters=(
            Parameter("server", TEXTS.both("mcp.server"), "SERVER", required=True),
            Parameter("--http", TEXTS.both("mcp.http")),
            Parameter("--port", TEXTS.both("mcp.port"), "PORT"),
            Parameter("--token", TEXTS.both("mcp.token_help"), "TOKEN"),
        ),
        takes=("user",),
    ),
    Command(
        path=("dental", "facts"),
        help=TEXTS.both("memory.facts_help"),
        example="app dental facts\napp dental facts --json",
        run=facts,
        parameters=(Parameter("--conversation", TEXTS.both("memory.one_help"), "ID"),),
        takes=("csv", "user"),
    ),
    Command(
        path=("dental", "correct"),
        help=TEXTS.both("memory.correct_help"),
        example='app dental correct 3 "dị ứng ibuprofen"',
        run=correct,
        parameters=(_ID, Parameter("text", TEXTS.both("memory.text_help"), "TEXT", required=True)),
        takes=("user",),
    ),
    Command(
        path=("dental", "forget"),
        help=TEXTS.both("memory.forget_help"),
        example="app dental forget 3",
        run=forget,
        parameters=(_ID,),
        takes=("user",),
    ),
)
