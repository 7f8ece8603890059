"""The little of HTTP/1.1 that a loopback test server needs, on asyncio streams."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 500: "Internal Server Error", 502: "Bad Gateway"}


class GoneError(Exception):
    """The client closed its end before the answer was complete."""


def compact(value: object) -> str:
    """JSON as Go writes it: no spaces, letters not escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Wire:
    """One connection: reads requests, writes answers, notices at once when the client goes away."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._early = b""
        self._gone = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self.gone_at: float | None = None

    async def read_request(self) -> tuple[str, str, Mapping[str, str], bytes]:
        """Method, path, headers (lower case) and body; raises GoneError at the end of the connection."""
        try:
            head = self._early + await self._reader.readuntil(b"\r\n\r\n")
            self._early = b""
            first, *rest = head.decode("latin-1").split("\r\n")
            method, target, _ = first.split(" ", 2)
            pairs = (line.partition(":") for line in rest if ":" in line)
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        except (asyncio.IncompleteReadError, ConnectionError, ValueError) as error:
            raise GoneError from error
        return method, target.partition("?")[0], headers, body

    def watch(self) -> None:
        """Begin to watch for the client's end of the connection; call `unwatch` before the next request."""
        self._watcher = asyncio.create_task(self._watch())

    async def unwatch(self) -> None:
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
            self._watcher = None

    async def _watch(self) -> None:
        try:
            self._early = await self._reader.read(1)
        except ConnectionError:
            self._early = b""
        if not self._early:
            self.gone_at = time.monotonic()
            self._gone.set()

    async def pause(self, seconds: float | None) -> None:
        """Wait (None: for ever); raises GoneError as soon as the client leaves."""
        try:
            await asyncio.wait_for(self._gone.wait(), seconds)
        except TimeoutError:
            return
        raise GoneError

    async def write(self, data: bytes) -> None:
        if self._gone.is_set():
            raise GoneError
        try:
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError as error:
            raise GoneError from error
        await asyncio.sleep(0)

    async def send(self, status: int, value: Any, kind: str = "application/json; charset=utf-8") -> None:
        """A whole answer: text as it is, anything else as JSON."""
        data = (value if isinstance(value, str) else compact(value)).encode()
        head = f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n"
        await self.write(head.encode() + data)

    async def start_lines(self) -> None:
        head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        await self.write(head.encode())

    async def chunk(self, data: bytes) -> None:
        await self.write(b"%x\r\n" % len(data) + data + b"\r\n")

    async def line(self, value: object) -> None:
        await self.chunk((compact(value) + "\n").encode())

    async def end_lines(self) -> None:
        await self.write(b"0\r\n\r\n")

    def abort(self) -> None:
        self._writer.transport.abort()

    async def close(self) -> None:
        # First of all: a server that ends cancels whatever waits here.
        self._writer.close()
        try:
            await self.unwatch()
            await self._writer.wait_closed()
        except ConnectionError:
            return
        except asyncio.CancelledError:
            # The server ends: what nobody has read of the last answer goes with it.
            self.abort()
            raise
