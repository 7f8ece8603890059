"""`app serve`: the same assistants over HTTP."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from troly.cli.failures import UsageError
from troly.cli.invocation import Invocation
from troly.cli.output import note

NEEDED = ("fastapi", "uvicorn", "httptools", "prometheus_client", "multipart")


def serve(
    ctx: typer.Context,
    host: Annotated[str | None, typer.Option("--host", metavar="ADDRESS", help="serve.host")] = None,
    port: Annotated[
        int | None, typer.Option("--port", "-p", min=0, max=65535, metavar="PORT", help="serve.port")
    ] = None,
) -> None:
    """See `cli.serve.help`."""
    invocation: Invocation = ctx.obj
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError("serve.missing", names=", ".join(missing))

    def ready(address: str, any_key: bool) -> None:
        note(invocation.say("serve.ready", address=address))
        settings = invocation.settings.server
        if not any_key and not settings.open:
            note(invocation.say("serve.no_key"))

    with invocation.open_session() as session:
        invocation.run_server(session, host, port, ready)
