"""The interfaces of the documents: 000's conversations and stream, 001's socket events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
import socketio
from websockets.asyncio.client import connect

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.process.waiting import until
from tests.support.server import Served, all_frames, serving
from troly.plugin.registry import Registry
from troly.plugin.services import Services


async def begun(served: Served) -> str:
    made = await served.client.post("/conversations", json={"mode": "planned"})
    assert made.status_code == 201
    return str(made.json()["conversation_id"])


async def test_a_stream_opens_with_its_sign_and_gives_the_chunks_in_order(
    services: Services, registry: Registry
) -> None:
    """000-61, 000-62."""
    async with serving(services, registry) as served:
        conversation = await begun(served)
        path = f"/conversations/{conversation}/stream"
        async with served.client.stream("POST", path, json={"text": "xin chào", "offline": True}) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            assert response.headers["x-accel-buffering"] == "no"
            raw = b"".join([piece async for piece in response.aiter_bytes()])
        history = await served.client.get(f"/conversations/{conversation}/history")
        for number in range(250):
            services.conversations.add_message("an", conversation, "user", f"tin {number}")
        long = await served.client.get(f"/conversations/{conversation}/history")
    assert raw.startswith(b'data: {"debug":"stream-open"}\n\n')
    data = [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: ")]
    assert data[1]["chunk"] == "một "
    assert data[-1] == {
        "done": True, "conversation_id": conversation, "turn_id": data[-1]["turn_id"], "type": "answer",
    }  # fmt: skip
    assert [one["sender"] for one in history.json()["messages"]] == ["user", "assistant", "assistant"]
    assert long.json()["messages"][:3] == history.json()["messages"]
    assert len(long.json()["messages"]) == 253


async def test_a_message_is_accepted_and_answered_in_the_background(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry) as served:
        conversation = await begun(served)
        nothing = await served.client.post(f"/conversations/{conversation}/stream")
        accepted = await served.client.post(
            f"/conversations/{conversation}/messages", json={"text": "xin chào", "offline": True}
        )
        frames = await all_frames(served.client, "POST", f"/conversations/{conversation}/stream")
    assert nothing.status_code == 404
    assert (accepted.status_code, accepted.json()["status"]) == (202, "accepted")
    assert frames[0].data == {"debug": "stream-open"}
    assert frames[-1].data["turn_id"] == accepted.json()["turn_id"]


async def test_without_a_key_there_is_no_conversation(services: Services, registry: Registry) -> None:
    """000-62: 401."""
    async with serving(services, registry) as served:
        del served.client.headers["x-api-key"]
        assert (await served.client.post("/conversations")).status_code == 401


@asynccontextmanager
async def socket_of(served: Served, auth: object = None, **headers: str) -> AsyncIterator[Socket]:
    """A real Socket.IO client, with the key in a header or, as in a browser, in `auth`; leaves at the end."""
    key = {} if auth else {"X-API-Key": served.client.headers["x-api-key"]}
    async with aiohttp.ClientSession() as session:
        client = socketio.AsyncClient(reconnection=False, http_session=session)
        socket = Socket(client)
        client.on("*", socket.take)
        await client.connect(served.url, headers={**key, **headers}, auth=auth, transports=["websocket"])
        try:
            yield socket
        finally:
            await client.disconnect()


class Socket:
    """What a client hears, in order."""

    def __init__(self, client: socketio.AsyncClient) -> None:
        self.client = client
        self._heard: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()

    async def take(self, event: str, data: dict[str, Any]) -> None:
        self._heard.put_nowait((event, data))

    async def send(self, event: str, data: Any) -> None:
        await self.client.emit(event, data)

    async def received(self) -> list[tuple[str, dict[str, Any]]]:
        """Everything up to the end of one turn."""
        found: list[tuple[str, dict[str, Any]]] = []
        while not found or found[-1][0].rpartition(":")[2] not in ("completed", "failed"):
            found.append(await asyncio.wait_for(self._heard.get(), 60))
        return found


async def test_socket_events_of_a_turn(services: Services, registry: Registry) -> None:
    """001-43: started first, exactly one of completed and failed last."""
    async with serving(services, registry) as served, socket_of(served) as socket:
        await socket.send("chat:message", {"text": "xin chào", "mode": "planned", "offline": True})
        events = await socket.received()
        conversation = events[0][1]["conversation_id"]
        await socket.send("chat:message", {"text": "nữa", "conversation_id": conversation, "offline": True})
        more = await socket.received()
        await socket.send("chat:message", {"text": "x", "conversation_id": "0" * 34})
        (refused,) = await socket.received()
        await socket.send("dance", {"text": "x"})
        (strange,) = await socket.received()
    names = [name.removeprefix("chat:message:") for name, _ in events]
    assert names[0] == "started"
    assert names[-1] == "completed"
    assert set(names[1:-1]) == {"token"}
    assert more[-1][1]["conversation_id"] == conversation
    assert (refused[0], refused[1]["error"]) == ("chat:message:failed", "store.not_yours")
    assert strange[1]["error"] == "server.event"


async def test_a_page_sends_its_key_with_the_first_message(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        key = served.client.headers["x-api-key"]
        async with socket_of(served, {"token": key}) as socket:
            await socket.send("chat:message", {"text": "xin chào", "mode": "planned", "offline": True})
            events = await socket.received()
        for wrong in ({"token": key[:-1]}, {"token": ["x"]}, {"key": key}, [key], "\ud83d\ude00"):
            with pytest.raises(socketio.exceptions.ConnectionError):
                async with socket_of(served, wrong):
                    pass
    assert events[-1][0] == "chat:message:completed"


async def test_a_socket_that_says_no_key_is_left(services: Services, registry: Registry) -> None:
    async with serving(services, registry, head_seconds=0.05) as served, connect(
        served.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket", proxy=None
    ) as socket:  # fmt: skip
        await asyncio.wait_for(socket.wait_closed(), 60)
        refused = await served.client.post(
            "/api/v1/ask", json={"text": "x", "mode": "planned", "offline": True}
        )
    assert refused.status_code == 200


async def test_tools_are_told() -> None:
    from troly.plugin.events import StepFinished, StepStarted, TurnCompleted, TurnStarted
    from troly.server.documents import socket_events
    from troly.server.streams import SavedStream

    seen: list[str] = []

    async def emit(event: str, _data: dict[str, Any]) -> None:
        seen.append(event)

    events = (
        TurnStarted("x", "vi", "c", "t"), StepStarted("n", "a", "query"), StepFinished("n", 1.0, tool="query"),
        StepStarted("n"), TurnCompleted("", {}, "rules", 0, 1.0),
    )  # fmt: skip
    await socket_events(SavedStream(events, "planned", "an"), emit)
    assert seen == [f"chat:message:{name}" for name in ("started", "tool_start", "tool_end", "completed")]


async def test_a_turn_is_stopped_over_the_socket(services: Services, registry: Registry, plan: Plan) -> None:
    plan.actions[:] = ["say", "hang"]
    async with serving(services, registry) as served, socket_of(served) as socket:
        await socket.send("chat:message", {"text": "x", "mode": "planned"})
        await asyncio.wait_for(plan.reached.wait(), 60)
        (turn,) = served.site.hub._streams
        await socket.send("chat:message:cancel", {"turn_id": turn})
        events = await socket.received()
    assert events[-1][1]["error"] == "turn.stopped"


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"X-API-Key": "nonsense"}]
)
async def test_a_web_page_cannot_open_a_socket(
    services: Services, registry: Registry, headers: dict[str, str]
) -> None:
    async with serving(services, registry, open=True) as served:
        with pytest.raises(socketio.exceptions.ConnectionError):
            async with socket_of(served, **headers):
                pass


async def test_a_socket_that_never_reads_is_left(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its turns are answered, nobody waits for it, and it is left."""
    monkeypatch.setattr("troly.server.documents.SOCKET_SECONDS", 0.3)
    registry = registry_of(planned=planned_mode(Plan(["say"] * 3)))
    async with serving(services, registry, queue=10) as served, connect(
        served.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket", proxy=None, max_queue=1,
        additional_headers={"X-API-Key": served.client.headers["x-api-key"]},
    ) as socket:  # fmt: skip
        await socket.recv()
        await socket.send("40")
        await socket.recv()
        socket.transport.pause_reading()
        asked = json.dumps(["chat:message", {"text": "dài " * 20_000, "mode": "planned", "offline": True}])
        for _ in range(8):
            await socket.send("42" + asked)
        await until(lambda: served.site.hub.readers == 0 and served.site.hub.running == 0)
        good = await served.client.post("/api/v1/ask", json={"text": "x", "mode": "planned", "offline": True})
        socket.transport.abort()
    assert good.json()["status"] == "completed"


@pytest.mark.parametrize("data", [None, [], 5, "x", {"text": 5}, {"text": "x", "mode": []}])
async def test_a_message_that_is_none(services: Services, registry: Registry, data: object) -> None:
    async with serving(services, registry) as served, socket_of(served) as socket:
        await socket.send("chat:message", data)
        (refused,) = await socket.received()
    assert refused[1]["error"] == "server.event"


@pytest.mark.parametrize("text", ["42{", "42[]", "4299999999999[", "x", "45", "42" + "[" * 100_000])
async def test_a_packet_that_is_none_harms_nobody(services: Services, registry: Registry, text: str) -> None:
    async with serving(services, registry) as served, socket_of(served) as other, connect(
        served.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket", proxy=None,
        additional_headers={"X-API-Key": served.client.headers["x-api-key"]},
    ) as socket:  # fmt: skip
        await socket.recv()
        await socket.send("40")
        await socket.recv()
        await socket.send(text)
        await other.send("chat:message", {"text": "x", "mode": "planned", "offline": True})
        events = await other.received()
    assert events[-1][0] == "chat:message:completed"
