"""The HTTP clients of one event loop, with explicit timeouts and no proxy in front of this machine."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import unquote, urlsplit

import httpx
import ollama

from troly.config.address import normalise
from troly.errors import ModelError
from troly.llm.failures import shown_url

if TYPE_CHECKING:
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


class Wire:
    """An `ollama.AsyncClient` for what is answered whole, and a plain client for short questions and streamed answers.

    Connections are not kept: a kept one is dead after Ollama restarts, and a loop that ends without `close` would
    leave it open. On this machine a new one takes less than a millisecond.
    """

    def __init__(self, settings: OllamaSettings, probe: Any, probe_read: float) -> None:
        """`probe` looks at the server once for all who ask together; a short question may take `probe_read` seconds."""
        url = checked_url(settings.url)
        local = is_loopback(url)
        connect = min(LOOPBACK_CONNECT, settings.connect_timeout) if local else settings.connect_timeout
        # The real limits are set at each wait; this one only backs them.
        read = max(settings.first_token_timeout, settings.read_timeout) + 1.0
        common: dict[str, Any] = {
            "trust_env": not local,
            "follow_redirects": False,
            "limits": httpx.Limits(max_keepalive_connections=0),
        }
        if key := os.environ.get("OLLAMA_API_KEY"):  # as the library does
            common["headers"] = {"authorization": f"Bearer {key}"}
        if url.startswith("http://"):
            # Loading the machine's certificates takes 80 ms and is of no use without TLS; this context trusts none.
            common["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        parts = urlsplit(url)
        if parts.username:
            common["auth"] = (unquote(parts.username), unquote(parts.password or ""))
        slow = httpx.Timeout(read, connect=connect, pool=None)
        quick = httpx.Timeout(min(probe_read, settings.first_token_timeout), connect=connect, pool=None)
        # Each piece of an answer has its limit already; one more costs as much as reading it.
        self._unlimited = httpx.Timeout(None, connect=connect)
        try:
            self.ollama = ollama.AsyncClient(host=shown_url(url), timeout=slow, **common)
            self._plain = httpx.AsyncClient(base_url=shown_url(url), timeout=quick, **common)
        except (ValueError, ImportError) as error:
            raise ModelError("ollama.proxy", url=shown_url(url), model="", detail=str(error)) from error
        self.probe: SharedTask[Health] = SharedTask(probe)

    async def get(self, path: str) -> httpx.Response:
        """A short GET; raises what httpx raises, also for a status that is an error."""
        answer = await self._plain.get(path)
        answer.raise_for_status()
        return answer

    async def lines(self, path: str, body: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of an answer that comes line by line; read them with a limit, there is none here.

        The library makes a model of each of them, which costs more than all else that is done with a token. Raises
        `ollama.ResponseError` for an error of the server, also one that stands in a line, what httpx raises, and
        ValueError or TypeError where a line is no JSON object.
        """
        async with self._plain.stream("POST", path, json=body, timeout=self._unlimited) as answer:
            if not answer.is_success:
                await answer.aread()
                raise ollama.ResponseError(answer.text, answer.status_code)
            rest = b""
            async for data in answer.aiter_bytes():
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    yield _parsed(line)
            if rest:
                yield _parsed(rest)

    async def close(self) -> None:
        await self._plain.aclose()
        # The library's own `close` carries no types.
        closing: Awaitable[None] = self.ollama.close()  # type: ignore[no-untyped-call]
        await closing


def _parsed(line: bytes) -> dict[str, Any]:
    found = json.loads(line.decode("utf-8", "replace"))
    if not isinstance(found, dict):
        raise TypeError("no JSON object")
    if said := found.get("error"):
        raise ollama.ResponseError(said if isinstance(said, str) else json.dumps(said))
    return found


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
