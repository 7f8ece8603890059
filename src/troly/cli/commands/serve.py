"""`app serve`: the same assistants over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Annotated

import typer

from troly.cli.failures import UsageError
from troly.cli.invocation import Invocation
from troly.cli.output import note

NEEDED = ("socketio", "fastapi", "uvicorn", "httptools", "prometheus_client", "multipart")

WEB = ("textual_serve", "psutil")


def serve(
    ctx: typer.Context,
    host: Annotated[str | None, typer.Option("--host", metavar="ADDRESS", help="serve.host")] = None,
    port: Annotated[
        int | None, typer.Option("--port", "-p", min=0, max=65535, metavar="PORT", help="serve.port")
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="serve.web")] = False,
) -> None:
    invocation: Invocation = ctx.obj
    require_server(*(WEB if web else ()))
    with invocation.open_session() as session:
        invocation.run_server(
            session, host=host, port=port, web=web, ready=announced(invocation, "serve.ready")
        )


def require_server(*more: str) -> None:
    """Raise UsageError `serve.missing` where the extra is not installed; `more` are modules of another one."""
    missing = [name for name in (*NEEDED, *more) if find_spec(name) is None]
    if missing:
        extras = "serve,web" if more else "serve"
        raise UsageError("serve.missing", names=", ".join(missing), extras=extras)


def announced(invocation: Invocation, key: str) -> Callable[[str, bool], None]:
    """What says on stderr where the server is, and that there is no key where one is needed."""

    def ready(address: str, any_key: bool) -> None:
        note(invocation.say(key, address=address))
        if not any_key and not invocation.settings.server.open:
            note(invocation.say("serve.no_key"))

    return ready
