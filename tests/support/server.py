"""The server on loopback, in the test's own event loop, on real stores."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx
import uvicorn

from tests.support.stores.services import profile
from troly.conversation.session import Session
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly.server.app import create_app
from troly.server.run import LimitedProtocol, listen
from troly.server.site import Site
from troly.stores.api_keys import ApiKeys


class QuietServer(uvicorn.Server):
    """A server that leaves the signals of the tests alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(frozen=True)
class Served:
    """A running server; `client` sends the key of `an`, as `keys` do for others."""

    site: Site
    url: str
    client: httpx.AsyncClient
    server: uvicorn.Server

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.url.removeprefix("http://").split(":")
        return host, int(port)

    def key(self, user: str, *permissions: str, **more: Any) -> dict[str, str]:
        """The header with a new key of `user`."""
        services = self.site.session.services
        keys = ApiKeys(services.state, services.clock)
        _, token = keys.add(user, more.pop("role", "staff"), frozenset(permissions), **more)
        return {"X-API-Key": token}


@asynccontextmanager
async def serving(
    services: Services, registry: Registry, *, web: bool = False, **settings: Any
) -> AsyncIterator[Served]:
    """The server for `services`; `settings` are those of `[server]`."""
    given = {"port": 0, "host": "127.0.0.1", "drain_seconds": 5.0, **settings}
    services.settings = replace(services.settings, server=replace(services.settings.server, **given))
    limits = services.settings.server
    app, site = create_app(Session(services, registry, profile()), prepare=False, web=web)
    with listen(limits) as listening:
        protocol = type("Protocol", (LimitedProtocol,), {"head_seconds": limits.head_seconds})
        config = uvicorn.Config(
            app, http=protocol, access_log=False, log_config=None, lifespan="on", timeout_graceful_shutdown=1,
            ws_max_size=512 * 1024, ws_max_queue=8,
        )  # fmt: skip
        server = QuietServer(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.005)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=url, timeout=20, trust_env=False, verify=False) as client:
            served = Served(site, url, client, server)
            client.headers.update(served.key("an"))
            try:
                yield served
            finally:
                server.should_exit = True
                await task
                # Connections that a test left hanging outlive the server's patience.
                for connection in list(server.server_state.connections):
                    if transport := getattr(connection, "transport", None):
                        transport.abort()
                await asyncio.sleep(0)


@dataclass(frozen=True)
class Frame:
    """One server-sent event."""

    data: Any
    event: str = ""
    id: str = ""


async def frames_of(response: httpx.Response) -> AsyncIterator[Frame]:
    """The events of a stream as they come; comments are left out, `[DONE]` is a text."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
        elif not line and fields:
            data = fields["data"]
            yield Frame(
                data if data == "[DONE]" else json.loads(data), fields.get("event", ""), fields.get("id", "")
            )
            fields = {}


async def all_frames(client: httpx.AsyncClient, method: str, path: str, **request: Any) -> list[Frame]:
    """Every event of a stream, to its end."""
    async with client.stream(method, path, **request) as response:
        assert response.status_code == 200, await response.aread()
        return [frame async for frame in frames_of(response)]
