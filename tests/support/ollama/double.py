"""An Ollama server of our own for tests: real HTTP on loopback, scripted replies, every fault of the real one."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, Self

from tests.support.ollama.http_wire import GoneError, Wire
from tests.support.ollama.replies import Fault, Reply, Request, Scripted, as_reply, default_reply
from tests.support.ollama.routes import Routes

__all__ = ["DEFAULT_MODELS", "Fault", "OllamaDouble", "Reply", "Request", "closed_port_url"]

DEFAULT_MODELS: Mapping[str, tuple[str, ...]] = {
    "gpt-oss:latest": ("completion", "tools", "thinking"),
    "qwen2.5:7b-instruct": ("completion", "tools"),
    "qwen2.5:3b-instruct": ("completion", "tools"),
    "bge-m3:latest": ("embedding",),
}


def closed_port_url() -> str:
    """The address of a loopback port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


class OllamaDouble:
    """A running server; `with OllamaDouble() as server:` gives `.url` and ends it, its thread included.

    `models` maps a name to its capabilities and may be changed at any time, as may `fault` (every model call),
    `faults` (by path), `dims`, `version`, `pull_error` and `default` (the reply when the script is empty).

    `window` is what the server really opens for every model, in tokens: a chat that is longer is refused, or loses its
    beginning where `cuts_silently` (servers before `truncate`), and an embedding of a longer text is refused. The first
    call of a model waits until `loading_done` is set, where there is one, before which /api/ps does not list it. A refusal
    for length is JSON within JSON, or an object where `plain_refusals`.
    """

    def __init__(
        self,
        models: Mapping[str, Sequence[str]] = DEFAULT_MODELS,
        *,
        dims: int = 1024,
        version: str = "0.12.3",
        context: int = 32768,
        tags_have_capabilities: bool = False,
    ) -> None:
        self.models: dict[str, list[str]] = {name: list(able) for name, able in models.items()}
        self.dims = dims
        self.version = version
        self.context = context
        self.tags_have_capabilities = tags_have_capabilities
        self.requests: list[Request] = []
        self.fault: Fault | None = None
        self.faults: dict[str, Fault] = {}
        self.window: int | None = None
        self.cuts_silently = False
        self.plain_refusals = False
        self.loading_done: threading.Event | None = None
        self.loaded: set[str] = set()
        self.pull_error = ""
        self.pull_layers: tuple[int, ...] = (4_000, 1_000)
        self.default: Callable[[Request], Reply] = default_reply
        self._script: deque[Scripted] = deque()
        self._routes = Routes(self)
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ollama-double", daemon=True)
        self._thread.start()
        self.up()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def chats(self) -> list[Request]:
        """Only the requests that asked a model for an answer."""
        return [request for request in self.requests if request.path == "/api/chat"]

    def script(self, *replies: Scripted) -> Self:
        """Queue answers for the next chat requests: text, JSON values, `Reply`, or a callable of the request."""
        self._script.extend(replies)
        return self

    def forget(self) -> None:
        """Begin anew for another test: nothing was asked, nothing is scripted."""
        self.requests.clear()
        self._script.clear()
        self.default = default_reply

    def next_reply(self, request: Request) -> Reply:
        scripted: Scripted = self._script.popleft() if self._script else self.default
        return as_reply(scripted, request)

    def up(self) -> None:
        """Listen (again) on the same port."""
        self._call(self._listen())

    def down(self) -> None:
        """Close the port and every connection, as when the server is killed; `up` brings it back."""
        self._call(self._silence())

    def close(self) -> None:
        """End the server and its thread; a second call does nothing."""
        if not self._loop.is_closed():
            self.down()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=10)

    async def _listen(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, limit=2**26)
            self._port = self._server.sockets[0].getsockname()[1]

    async def _silence(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        # A connection accepted just before the port closed gets its task only in one of the next turns of the loop.
        while asyncio.all_tasks() != {asyncio.current_task()}:
            for task in list(self._connections):
                task.cancel()
            await asyncio.sleep(0.001)
        # Connections that were aborted are closed in the loop's next turn.
        await asyncio.sleep(0)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        wire = Wire(reader, writer)
        try:
            while await self._serve_one(wire):
                pass
        except (GoneError, asyncio.CancelledError, CancelledError):
            wire.abort()
        finally:
            self._connections.discard(task)
            await wire.close()

    async def _serve_one(self, wire: Wire) -> bool:
        """Answer one request; says whether the connection may carry another."""
        method, path, headers, body = await wire.read_request()
        request = Request(method, path, headers, json.loads(body) if body else {}, time.monotonic())
        self.requests.append(request)
        wire.watch()
        try:
            await self._routes.answer(request, wire)
        except GoneError:
            request.disconnected = wire.gone_at or time.monotonic()
            raise
        finally:
            await wire.unwatch()
        request.finished = time.monotonic()
        return headers.get("connection", "").lower() != "close"
