"""The HTTP clients of one event loop, with explicit timeouts and no proxy in front of this machine."""

from __future__ import annotations

import importlib
import ipaddress
import ssl
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from troly.config.address import normalise
from troly.errors import ModelError
from troly.llm.failures import shown_url
from troly.llm.shared import Shared

if TYPE_CHECKING:
    import httpx

    from troly.config import OllamaSettings
    from troly.llm.types import Health

LOOPBACK_CONNECT = 1.0
PROBE_READ = 3.0


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


def import_libraries() -> None:
    """Load what a Wire needs; meant for a thread."""
    importlib.import_module("ollama")
    importlib.import_module("troly.llm.lines")


class Wire:
    """An `ollama.AsyncClient` for models and a plain client for short questions about the server.

    Connections are not kept: a kept one is dead after Ollama restarts, and a loop that ends without `close` would
    leave it open. On this machine a new one takes less than a millisecond.
    """

    def __init__(self, settings: OllamaSettings, probe: Any) -> None:
        import httpx
        import ollama

        from troly.llm.lines import keep_lines

        url = checked_url(settings.url)
        local = is_loopback(url)
        connect = min(LOOPBACK_CONNECT, settings.connect_timeout) if local else settings.connect_timeout
        # The real limits between tokens are set at each read; this one only backs them.
        read = max(settings.first_token_timeout, settings.read_timeout) + 1.0
        common: dict[str, Any] = {
            "trust_env": not local,
            "follow_redirects": False,
            "event_hooks": {"response": [keep_lines]},
            "limits": httpx.Limits(max_keepalive_connections=0),
        }
        if url.startswith("http://"):
            # Loading the machine's certificates takes 80 ms and is of no use without TLS; this context trusts none.
            common["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        parts = urlsplit(url)
        if parts.username:
            common["auth"] = (unquote(parts.username), unquote(parts.password or ""))
        slow = httpx.Timeout(read, connect=connect, pool=None)
        quick = httpx.Timeout(min(PROBE_READ, settings.first_token_timeout), connect=connect, pool=None)
        try:
            self.ollama = ollama.AsyncClient(host=shown_url(url), timeout=slow, **common)
            self._quick = httpx.AsyncClient(base_url=shown_url(url), timeout=quick, **common)
        except (ValueError, ImportError) as error:
            raise ModelError("ollama.proxy", url=shown_url(url), model="", detail=str(error)) from error
        self.probe: Shared[Health] = Shared(probe)

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
