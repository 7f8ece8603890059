"""`app mcp serve`: the assistants as tools for MCP clients; beside them the servers that assistants bring themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from troly.cli.command import User
from troly.cli.commands.mode_commands import run_command
from troly.cli.commands.serve import announced, require_server
from troly.cli.failures import UsageError
from troly.cli.invocation import IdentityClaim, Invocation, profile_for

ASSISTANTS = "assistants"
HIGHEST_PORT = 65535
PATH = ("mcp", "serve")


def serve(
    ctx: typer.Context,
    server: Annotated[str, typer.Argument(metavar="SERVER", help="mcp.server", show_default=False)],
    *,
    http: Annotated[bool, typer.Option("--http", help="mcp.http")] = False,
    port: Annotated[str | None, typer.Option("--port", metavar="PORT", help="mcp.port")] = None,
    token: Annotated[str | None, typer.Option("--token", metavar="TOKEN", help="mcp.token")] = None,
    user: User = None,
) -> None:
    invocation: Invocation = ctx.obj
    if server.strip().lower() != ASSISTANTS:
        commands = (one for mode in invocation.registry for one in mode.commands if one.path == PATH)
        command = next(commands, None)
        if command is None:
            raise UsageError("mcp.server", name=server[:40], known=ASSISTANTS)
        code = run_command(invocation, command, user=user, server=server, http=http, port=port, token=token)
        raise typer.Exit(code)
    require_server()
    if token is not None or (port is not None and not http):
        raise UsageError("mcp.keys" if token is not None else "mcp.http_only")
    if not (port is None or (port.isascii() and port.isdecimal() and int(port[:6]) <= HIGHEST_PORT)):
        raise UsageError("mcp.port", port=port[:40])
    with invocation.open_session() as session:
        if http:
            ready = announced(invocation, "mcp.ready")
            invocation.run_server(session, host=None, port=None if port is None else int(port), ready=ready)
        else:
            own = profile_for(invocation, session, IdentityClaim(user=user))
            invocation.run_server(replace(session, profile=own), stdio=True)
