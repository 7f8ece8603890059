"""The MCP servers inside the program: a thread with a loop of its own keeps them and a client to each until the end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from troly_dental.mcp.caller import McpCallError, ToolResult, answer_of, has_tool, line_of

if TYPE_CHECKING:
    from troly.plugin.services import Services

T = TypeVar("T")
NAME = "dental/mcp"
# A call inside the program has no network to wait for: this only ends what would hang for ever.
SECONDS, CLOSING_SECONDS = 60.0, 5.0
_CLOSED = "the servers inside the program are closed"


@dataclass(slots=True)
class _Session:
    """A server and the client to it; `opened` is the client once it is there."""

    task: asyncio.Task[None]
    opened: asyncio.Future[Any]


class InsideServers:
    """In-memory pairs of server and client, by name; safe from any thread and any loop.

    The first call starts the thread and reads the MCP library in it: nobody's screen waits. A call that is cancelled
    is cancelled at the server too.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._started = threading.Event()
        self._sessions: dict[str, _Session] = {}

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]], seconds: float) -> T:
        """`work` on the servers' own loop; raises McpCallError after `seconds`, and when the servers are closed."""
        loop = self._loop if not self._closed else None
        if loop is None:
            loop = await asyncio.to_thread(self._start)
        coroutine = work()
        try:
            running = asyncio.run_coroutine_threadsafe(coroutine, loop)
        except RuntimeError as error:
            coroutine.close()
            raise McpCallError(_CLOSED) from error
        try:
            return await asyncio.wait_for(asyncio.wrap_future(running), seconds)
        except TimeoutError as error:
            raise McpCallError(f"no answer within {seconds:g} s") from error
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise McpCallError(_CLOSED) from error

    async def client(self, name: str, build: Callable[[], Any]) -> Any:
        """The SDK's client of the server `name`, which `build` makes at its first use; on the servers' loop only."""
        session = self._sessions.get(name)
        if session is None:
            opened = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(self._hold(name, build, opened))
            session = self._sessions[name] = _Session(task, opened)
        return await asyncio.shield(session.opened)

    def close(self) -> None:
        """End the clients, the servers and the thread, in this order; further calls are refused."""
        with self._lock:
            self._closed = True
            thread, loop = self._thread, self._loop
        if thread is None or loop is None:
            return
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._ending.set)
        thread.join(CLOSING_SECONDS)

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise McpCallError(_CLOSED)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=lambda: asyncio.run(self._main()), name=NAME, daemon=True
                )
                self._thread.start()
                self._started.wait()
            if self._loop is None:
                raise McpCallError(_CLOSED)
            return self._loop

    async def _main(self) -> None:
        self._ending = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._started.set()
        await self._ending.wait()
        tasks = {session.task for session in self._sessions.values()}
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSING_SECONDS / 2)

    async def _hold(self, name: str, build: Callable[[], Any], opened: asyncio.Future[Any]) -> None:
        try:
            server = build()
            from mcp import Client

            async with Client(server) as client:
                opened.set_result(client)
                await self._ending.wait()
        except Exception as error:  # noqa: BLE001 (told to every caller; the next call begins anew)
            self._sessions.pop(name, None)
            if not opened.done():
                opened.set_exception(McpCallError(line_of(error)))


@dataclass(frozen=True, slots=True)
class InsideCaller:
    """A `Caller` of one server inside the program; `build` makes the server, and is all that knows it."""

    servers: InsideServers
    name: str
    build: Callable[[], Any]
    seconds: float = SECONDS

    async def call(
        self, tool: str, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None = None
    ) -> ToolResult:
        """See `Caller`."""

        async def work() -> ToolResult:
            client = await self.servers.client(self.name, self.build)
            return await answer_of(client, tool, arguments, meta)

        return await self.servers.run(work, self.seconds)

    async def offers(self, tool: str) -> bool:
        """See `Caller`."""

        async def work() -> bool:
            return await has_tool(await self.servers.client(self.name, self.build), tool)

        return await self.servers.run(work, self.seconds)

    async def close(self) -> None:
        """The session stays for the calls to come; it ends with the services."""


def inside(services: Services) -> InsideServers:
    """The servers that live as long as `services`, the same for every turn."""
    return services.keep(NAME, InsideServers)
