"""Runs the server in this process: the socket, the limits of the protocol, the log, and a quiet end."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from troly.errors import ConfigError, InputError
from troly.server.access import fixed_keys
from troly.server.app import LOOPBACK, create_app
from troly.server.guard import HEADER_BYTES
from troly.stores.api_keys import ApiKeys

if TYPE_CHECKING:
    from troly.config.settings import ServerSettings
    from troly.conversation.session import Session

# Answers' connections that may be open, and idle ones kept for the next request (seconds).
CONNECTIONS, IDLE = 2048, 30
SOCKET_BYTES = 512 * 1024
log = logging.getLogger("troly.server")


def serve(
    session: Session,
    *,
    host: str | None = None,
    port: int | None = None,
    web: bool = False,
    ready: Callable[[str, bool], None] = lambda _address, _keys: None,
) -> None:
    """Serve until the process is told to end; answers that run then may end first. Blocking.

    `ready` is told the address, and whether there is any key, once the port is taken. Raises ConfigError
    `server.no_keys` for an address that others reach while there is no key, InputError `server.port`.
    """
    given = session.services.settings
    settings = replace(
        given.server,
        host=given.server.host if host is None else host,
        port=given.server.port if port is None else port,
    )
    session.services.settings = replace(given, server=settings)
    now = session.services.clock()
    keys = ApiKeys(session.services.state, session.services.clock).list()
    any_key = bool(fixed_keys(settings.api_keys)) or any(not key.ended(now) for key in keys)
    if settings.host not in LOOPBACK and not any_key:
        raise ConfigError("server.no_keys", host=settings.host)
    with listen(settings) as listening:
        app, site = create_app(session, web=web, prepare=settings.prepare)
        config = uvicorn.Config(
            app,
            http=type("Protocol", (LimitedProtocol,), {"head_seconds": settings.head_seconds}),
            loop="uvloop" if sys.platform != "win32" else "asyncio",
            ws_max_size=SOCKET_BYTES,
            ws_max_queue=8,
            limit_concurrency=None,
            timeout_keep_alive=IDLE,
            timeout_graceful_shutdown=5,
            server_header=False,
            proxy_headers=False,
            access_log=False,
            log_config=None,
            lifespan="on",
        )
        server = DrainingServer(config, lambda: site.hub.drain(settings.drain_seconds))
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{shown}:{listening.getsockname()[1]}", any_key)
        start_log()
        server.run(sockets=[listening])


def listen(settings: ServerSettings) -> socket.socket:
    """A listening socket; raises InputError `server.port`."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is named so that asyncio turns Nagle's delay off.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise InputError(
            "server.port", host=settings.host, port=settings.port, reason=error.strerror or error
        ) from error
    return listening


class DrainingServer(uvicorn.Server):
    """A server whose first signal to end lets the answers end; a second one ends it at once."""

    def __init__(self, config: uvicorn.Config, drain: Callable[[], Any]) -> None:
        super().__init__(config)
        self._drain = drain
        self._draining: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().serve(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._loop is None or self._draining is not None or not self.started:
            super().handle_exit(sig, frame)
            return
        if threading.current_thread() is threading.main_thread():
            self._loop.call_soon_threadsafe(self._begin_drain, sig)

    def _begin_drain(self, sig: int) -> None:
        if self._draining is None:
            log.info("draining", extra={"fields": {"signal": signal.Signals(sig).name}})
            self._draining = asyncio.create_task(self._drained())

    async def _drained(self) -> None:
        await self._drain()
        # The last events are on their way to who reads.
        self.should_exit = True


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with what it lacks: the head of a request must come in time, and be small."""

    head_seconds = 10.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_bytes = 0
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._late is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._late is not None and self._head_bytes > 2 * HEADER_BYTES and not self.transport.is_closing():
            self._refuse(b"431 Request Header Fields Too Large")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def _wait_for_head(self) -> None:
        if self._late is None:
            self._head_bytes = 0
            self._late = self.loop.call_later(self.head_seconds, self._is_late)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _is_late(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self._refuse(b"408 Request Timeout")

    def _refuse(self, status: bytes) -> None:
        self.transport.write(b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()


class JsonLines(logging.Formatter):
    """One JSON object a line; nothing in it can begin a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, default=str)


def start_log() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("troly.server", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], name == "troly.server"
        logger.setLevel(logging.INFO if name == "troly.server" else logging.WARNING)
