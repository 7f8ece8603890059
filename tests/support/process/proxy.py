"""A network that can be cut: passes bytes on to an address, or holds them as a partition does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

# A port of this machine, or the path of a socket file.
Address = int | Path


class Proxy:
    """Listens at `at` (a free port of loopback where none is said) and passes on to `to`, until `close`."""

    def __init__(self, to: Address, at: Address = 0) -> None:
        self._to, self._at = to, at
        self.port = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._listen()), daemon=True)
        self._thread.start()
        assert self._ready.wait(60)

    def cut(self) -> None:
        """Hold every byte from now on; nobody is told."""
        self._do(self._passing.clear)

    def mend(self) -> None:
        """Pass on what was held, and all that follows."""
        self._do(self._passing.set)

    def close(self) -> None:
        """End all connections."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()

    def _do(self, action: Callable[[], None]) -> None:
        done = threading.Event()
        self._loop.call_soon_threadsafe(action)
        self._loop.call_soon_threadsafe(done.set)
        assert done.wait(60)

    async def _listen(self) -> None:
        self._loop, self._passing, self._ended = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        self._passing.set()
        if isinstance(self._at, Path):
            server = await asyncio.start_unix_server(self._serve, self._at)
            self._at.chmod(0o777)
        else:
            server = await asyncio.start_server(self._serve, "127.0.0.1", self._at)
            self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._ended.wait()
        # Whoever still passes bytes on is cancelled when the loop ends.
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = [writer]
        try:
            await self._passing.wait()
            if isinstance(self._to, Path):
                there, back = await asyncio.open_unix_connection(self._to)
            else:
                there, back = await asyncio.open_connection("127.0.0.1", self._to)
            ends.append(back)
            await asyncio.wait(
                [
                    asyncio.ensure_future(self._pump(reader, back)),
                    asyncio.ensure_future(self._pump(there, writer)),
                ],
                return_when=asyncio.FIRST_COMPLETED,
            )
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for one in ends:
                one.transport.abort()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                await self._passing.wait()
                target.write(data)
                await target.drain()
        except (OSError, asyncio.CancelledError):
            pass
