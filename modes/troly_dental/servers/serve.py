"""Runs a server: on stdio, or on a loopback port over streamable HTTP with a token."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable

from troly.errors import InputError
from troly_dental.servers import jsonrpc
from troly_dental.servers.gate import Gate
from troly_dental.servers.strict import StrictServer

HOST = "127.0.0.1"


def on_stdio(server: StrictServer) -> None:
    """Serve the process that started this one until it closes stdin; nothing but the protocol goes to stdout."""
    asyncio.run(server.run_stdio_async())


def on_http(server: StrictServer, port: int, token: str, tell: Callable[[str], None]) -> None:
    """Serve on 127.0.0.1 at `port` (0 takes a free one) until the process is told to end.

    `tell` is given the address once the port is taken. Raises InputError `dental.mcp.port_taken`.
    """
    import uvicorn

    # The protocol is named so that asyncio turns Nagle's delay off: without it every answer waits 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            listening.bind((HOST, port))
            listening.listen()
        except OSError as error:
            raise InputError("dental.mcp.port_taken", port=port, reason=error.strerror or error) from error
        jsonrpc.add(server)
        app = Gate(server.streamable_http_app(host=HOST), token)
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
        tell(f"http://{HOST}:{listening.getsockname()[1]}/mcp")
        asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))
    finally:
        listening.close()


def on_stderr(line: str) -> None:
    """Say something to the person; stdout belongs to the protocol."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
