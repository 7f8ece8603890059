"""The HTTP clients of one event loop, with explicit timeouts and no proxy in front of this machine."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import unquote, urlsplit

import httpx
import ollama

from troly.config.address import normalise
from troly.errors import ModelError
from troly.llm.failures import shown_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from troly.config.settings import OllamaSettings
    from troly.llm.types import Health


T = TypeVar("T")
LOOPBACK_CONNECT = 3.0


def is_loopback(url: str) -> bool:
    """Whether the address is this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def checked_url(url: str) -> str:
    """The address in its one form; raises ModelError `ollama.bad_url`."""
    try:
        return normalise(url)
    except ValueError as error:
        raise ModelError("ollama.bad_url", url=shown_url(url), model="", detail="") from error


class _Client(ollama.AsyncClient):
    """The library's client; a chat asks that a prompt be refused rather than cut silently, which it cannot say itself.

    Servers that do not know the field pass over it.
    """

    async def _request(self, cls: Any, *args: Any, **values: Any) -> Any:
        if args[1:] == ("/api/chat",):
            values["json"] = {**values["json"], "truncate": False}
        return await super()._request(cls, *args, **values)


class Wire:
    """An `ollama.AsyncClient` for models and a plain client for short questions about the server.

    Connections are not kept: a kept one is dead after Ollama restarts, and a loop that ends without `close` would
    leave it open. On this machine a new one takes less than a millisecond.
    """

    def __init__(self, settings: OllamaSettings, probe: Any, probe_read: float) -> None:
        """`probe` looks at the server once for all who ask together; a short question may take `probe_read` seconds."""
        url = checked_url(settings.url)
        local = is_loopback(url)
        connect = min(LOOPBACK_CONNECT, settings.connect_timeout) if local else settings.connect_timeout
        # The real limits between tokens are set at each read; this one only backs them.
        read = max(settings.first_token_timeout, settings.read_timeout) + 1.0
        common: dict[str, Any] = {
            "trust_env": not local,
            "follow_redirects": False,
            "event_hooks": {"response": [keep_json_lines]},
            "limits": httpx.Limits(max_keepalive_connections=0),
        }
        if url.startswith("http://"):
            # Loading the machine's certificates takes 80 ms and is of no use without TLS; this context trusts none.
            common["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        parts = urlsplit(url)
        if parts.username:
            common["auth"] = (unquote(parts.username), unquote(parts.password or ""))
        slow = httpx.Timeout(read, connect=connect, pool=None)
        quick = httpx.Timeout(min(probe_read, settings.first_token_timeout), connect=connect, pool=None)
        try:
            self.ollama = _Client(host=shown_url(url), timeout=slow, **common)
            self._quick = httpx.AsyncClient(base_url=shown_url(url), timeout=quick, **common)
        except (ValueError, ImportError) as error:
            raise ModelError("ollama.proxy", url=shown_url(url), model="", detail=str(error)) from error
        self.probe: SharedTask[Health] = SharedTask(probe)

    async def get(self, path: str) -> httpx.Response:
        """A short GET; raises what httpx raises, also for a status that is an error."""
        answer = await self._quick.get(path)
        answer.raise_for_status()
        return answer

    async def close(self) -> None:
        """Close both clients; a second call does nothing."""
        await self._quick.aclose()
        # The library's own `close` carries no types.
        closing: Awaitable[None] = self.ollama.close()  # type: ignore[no-untyped-call]
        await closing


# Keeps one JSON line of the server one line, whatever characters the model wrote into it.


# httpx ends a line at these too, JSON does not: NEL (which Go does not escape), U+2028 and U+2029.
_BREAKS: Mapping[bytes, bytes] = {
    b"\xc2\x85": rb"\u0085",
    b"\xe2\x80\xa8": rb"\u2028",
    b"\xe2\x80\xa9": rb"\u2029",
}
_BEGINNINGS = (b"\xe2\x80", b"\xe2", b"\xc2")


class _JsonLines(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        held = b""
        async for data in self._inner:
            whole = held + data
            held = next((part for part in _BEGINNINGS if whole.endswith(part)), b"")
            yield _escaped(whole.removesuffix(held))
        if held:
            yield held

    async def aclose(self) -> None:
        await self._inner.aclose()


def _escaped(data: bytes) -> bytes:
    for found, written in _BREAKS.items():
        data = data.replace(found, written)
    return data


async def keep_json_lines(response: httpx.Response) -> None:
    """A response hook for httpx; a compressed body is left alone, its bytes are no text."""
    stream = response.stream
    if isinstance(stream, httpx.AsyncByteStream) and "content-encoding" not in response.headers:
        response.stream = _JsonLines(stream)


class SharedTask(Generic[T]):
    """`await shared()` joins the work that is running, else starts it; it is cancelled when nobody waits any more."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._work = work
        self._task: asyncio.Task[T] | None = None
        self._waiting: dict[asyncio.Task[T], int] = {}

    async def __call__(self) -> T:
        task = self._task
        if task is None or task.done():
            task = self._task = asyncio.create_task(self._work())
        self._waiting[task] = self._waiting.get(task, 0) + 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]
                await self._end(task)

    async def _end(self, task: asyncio.Task[T]) -> None:
        if task.done():
            return
        if self._task is task:
            self._task = None
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
