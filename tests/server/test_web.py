"""The screen in the browser: who may open it, what its page holds, and that a visitor's process ends."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import psutil
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.process.waiting import until
from tests.support.server import Served, serving
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly.server.web import Screens


def cookie(key: dict[str, str]) -> dict[str, str]:
    return {"Cookie": f"troly_key={key['X-API-Key']}"}


def screen_of(served: Served, headers: dict[str, str]) -> connect:
    url = served.url.replace("http", "ws") + "/screen?width=80&height=24"
    return connect(url, additional_headers={**headers, "Accept-Language": "vi"}, proxy=None)


async def test_the_page_asks_for_a_key_and_keeps_a_good_one(services: Services, registry: Registry) -> None:
    async with serving(services, registry, web=True) as served:
        good = served.key("lan")
        del served.client.headers["x-api-key"]
        asked = await served.client.get("/", headers={"Accept-Language": "vi"})
        wrong = await served.client.post("/screen/key", json={"key": "nonsense"})
        kept = await served.client.post("/screen/key", json={"key": good["X-API-Key"]})
        page = await served.client.get("/")
        script = await served.client.get("/static/js/textual.js")
        outside = await served.client.get("/static/%2e%2e/templates/app_index.html")
        modes = await served.client.get("/api/v1/modes")
    assert (asked.status_code, "Nhập khóa" in asked.text) == (401, True)
    assert wrong.status_code == 401
    assert "set-cookie" not in wrong.headers
    assert {"httponly", "samesite=strict"} <= set(kept.headers["set-cookie"].lower().split("; "))
    assert (page.status_code, "terminal" in page.text) == (200, True)
    assert "://" not in page.text  # nothing is fetched from elsewhere
    assert script.status_code == 200
    assert outside.status_code == 404
    assert modes.status_code == 200


async def test_other_pages_keys_of_one_assistant_and_strangers_open_no_screen(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry, web=True) as served:
        narrow = served.key("lan", modes=("planned",))
        del served.client.headers["x-api-key"]
        refused = await served.client.post("/screen/key", json={"key": narrow["X-API-Key"]})
        foreign = {**cookie(served.key("lan")), "Origin": "https://evil.example"}
        for headers in ({}, cookie({"X-API-Key": "nonsense"}), foreign, cookie(narrow)):
            with pytest.raises((InvalidStatus, ConnectionClosed)):
                async with screen_of(served, headers) as socket:
                    await socket.recv()
    assert refused.status_code == 403


async def test_without_room_a_visitor_is_told_so_politely(
    services: Services, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("troly.server.web.free_memory", lambda: 300 * 1024 * 1024)
    async with serving(services, registry, web=True, visitor_megabytes=100) as served:
        page = await served.client.get("/", headers={"Accept-Language": "vi"})
        async with screen_of(served, cookie(served.key("lan"))) as socket:
            with pytest.raises(ConnectionClosed):
                await socket.recv()
    assert page.status_code == 503
    assert "vui lòng thử lại" in page.text
    assert page.headers["retry-after"]
    assert socket.close_code == 1013


def test_visitors_that_just_came_are_counted_with_the_memory_they_will_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("troly.server.web.free_memory", lambda: 500 * 1024 * 1024)
    screens = Screens()
    assert screens.has_room(100)
    screens._begun = [float("inf")] * 2
    assert not screens.has_room(100)


async def test_a_visitor_sees_the_screen_of_the_keys_person_until_nothing_is_typed(
    services: Services, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TROLY_HOME", str(services.paths.data.parent))
    before = set(psutil.Process().children())
    async with serving(services, registry, web=True) as served:
        async with screen_of(served, cookie(served.key("lan", role="lead"))) as socket:
            for strange in ("{", "[]", '["resize", 5]', '["stdin", {}]', "[" * 10_000):
                await socket.send(strange)
            seen = b""
            async with asyncio.timeout(100):
                while "lan · lead".encode() not in seen:
                    piece = await socket.recv()
                    seen += piece if isinstance(piece, bytes) else piece.encode()
                # However long the screen took: from the next key on it may be idle for half a second.
                server = replace(services.settings.server, idle_minutes=0.01)
                services.settings = replace(services.settings, server=server)
                await socket.send(json.dumps(["stdin", "x"]))
                async for _ in socket:
                    pass
        await until(lambda: set(psutil.Process().children()) <= before)
    assert socket.close_code in (1000, 1001)
