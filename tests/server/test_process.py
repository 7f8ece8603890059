"""The server as a process of its own: told to end, it lets answers end; killed, it has lost no accepted question."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import httpx
import pytest

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.ollama.double import OllamaDouble, Reply
from tests.support.process.command_line import install_modes
from tests.support.server import Frame, all_frames, frames_of, serving
from tests.support.stores.services import services_at
from troly.config.load import load_settings
from troly.paths import Paths
from troly.plugin.registry import Registry
from troly.plugin.services import open_services
from troly.stores.api_keys import ApiKeys

MODE = """
from tests.support.modes.made import Plan, planned_mode
MODE = planned_mode(Plan(["stream"]), "streams")
"""
LONG = " ".join(f"chữ{number}" for number in range(60))


@pytest.fixture
def ollama() -> Iterator[OllamaDouble]:
    with OllamaDouble() as server:
        server.default = lambda _request: Reply(LONG, gap=0.02)
        yield server


class ServerProcess:
    """`app serve` with one assistant that lets the model talk."""

    def __init__(self, home: Path, ollama: OllamaDouble, modes: Path, **env: str) -> None:
        paths = Paths.resolve({"TROLY_HOME": str(home)})
        services = open_services(paths, load_settings(paths, {}, sections=Registry().sections()))
        _, self.key = ApiKeys(services.state, services.clock).add("an", "staff", rate=100_000)
        services.close()
        root = Path(__file__).parents[2]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "troly", "serve", "--port", "0", "--lang", "en"],
            env={
                **os.environ, "TROLY_HOME": str(home), "OLLAMA_HOST": ollama.url, "TROLY_SERVER__PREPARE": "false",
                "PYTHONPATH": os.pathsep.join([str(modes), str(root)]), **env,
            },
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self.process.stderr is not None
        first = self.process.stderr.readline()
        assert "http://127.0.0.1:" in first, first + self.process.stderr.read()
        self.url = first[first.index("http://") :].split()[0]

    def client(self) -> httpx.AsyncClient:
        limits = httpx.Limits(max_connections=None)
        return httpx.AsyncClient(
            base_url=self.url,
            headers={"X-API-Key": self.key},
            timeout=30,
            trust_env=False,
            verify=False,
            limits=limits,
        )

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """The exit code after this signal; what it wrote is read away."""
        self.process.send_signal(number)
        self.process.communicate(timeout=30)
        return self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


async def follow(client: httpx.AsyncClient, number: int, begun: asyncio.Event) -> list[Frame]:
    """What comes of one question, until its end or the end of the server."""
    seen: list[Frame] = []
    question = {"text": f"câu {number}", "mode": "streams", "stream": True}
    try:
        async with client.stream("POST", "/api/v1/ask", json=question) as response:
            async for frame in frames_of(response):
                seen.append(frame)
                if frame.event == "Token":
                    begun.set()
    except httpx.HTTPError:
        pass
    return seen


@pytest.fixture
def modes(tmp_path: Path) -> Path:
    return install_modes(tmp_path / "modes", {"third_streams": MODE}, {"streams": "third_streams:MODE"})


async def ask_many(client: httpx.AsyncClient, number: int) -> list[asyncio.Task[list[Frame]]]:
    """So many questions, each of which has its first word."""
    signs = [asyncio.Event() for _ in range(number)]
    tasks = [asyncio.create_task(follow(client, at, sign)) for at, sign in enumerate(signs)]
    async with asyncio.timeout(40):
        await asyncio.gather(*(sign.wait() for sign in signs))
    return tasks


async def _first_key(home: Path) -> str:
    """A key of the same person."""
    paths = Paths.resolve({"TROLY_HOME": str(home)})
    services = open_services(paths, load_settings(paths, {}, sections=Registry().sections()))
    _, key = ApiKeys(services.state, services.clock).add("an", "staff")
    services.close()
    return key


async def test_whatever_ends_the_server_no_accepted_question_is_lost(
    tmp_path: Path, ollama: OllamaDouble, modes: Path
) -> None:
    """Killed in the middle of fifty answers, then told to end: every question is there, marked, and can be asked again."""
    home = tmp_path / "home"
    ollama.default = lambda _request: Reply(LONG, gap=0.2)
    with ServerProcess(home, ollama, modes) as server:
        async with server.client() as client:
            tasks = await ask_many(client, 50)
            server.end(signal.SIGKILL)
            streams = await asyncio.gather(*tasks)
    accepted = {frames[0].data["turn"]: frames for frames in streams}
    assert len(accepted) == 50
    ollama.default = lambda _request: Reply("xong")
    with ServerProcess(home, ollama, modes) as server:
        async with server.client() as client:
            client.headers["X-API-Key"] = await _first_key(home)
            ends: list[dict[str, Any]] = [
                (await client.get(f"/api/v1/turns/{turn}")).json() for turn in accepted
            ]
            listed = (await client.get("/api/v1/conversations?limit=100")).json()["conversations"]
            turn = next(iter(accepted))
            again = (await client.post(f"/api/v1/turns/{turn}/retry")).json()
            ollama.default = lambda _request: Reply(LONG, gap=0.02)
            tasks = await ask_many(client, 3)
            server.process.send_signal(signal.SIGTERM)
            while (await client.get("/ready")).status_code == 200:
                await asyncio.sleep(0.02)
            refused = await client.post("/api/v1/ask", json={"text": "x", "mode": "streams"})
            ended = await asyncio.gather(*tasks)
        log = server.process.communicate(timeout=30)[1]
    assert {one["status"] for one in ends} == {"interrupted"}
    assert {one["title"] for one in listed} == {f"câu {number}" for number in range(50)}
    assert (again["status"], again["text"]) == ("completed", "xong")
    assert refused.json()["error"]["code"] == "server.draining"
    assert {frames[-1].event for frames in ended} == {"TurnCompleted"}
    assert server.process.returncode in (0, -signal.SIGTERM, 143)
    assert all(json.loads(line) for line in log.splitlines() if line.startswith("{"))


async def test_answers_that_take_too_long_to_end_are_marked_and_can_be_asked_again(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    ollama.default = lambda _request: Reply(LONG, gap=1.0)
    registry = registry_of(streams=planned_mode(Plan(["stream"]), "streams"))
    with services_at(tmp_path / "house", registry, OLLAMA_HOST=ollama.url) as services:
        async with serving(services, registry) as served:
            tasks = await ask_many(served.client, 3)
            await served.site.hub.drain(0.1)
            streams = await asyncio.gather(*tasks)
        ends = [frames[-1] for frames in streams]
        assert {(one.event, one.data["code"]) for one in ends} == {("TurnFailed", "turn.interrupted")}
        ollama.default = lambda _request: Reply("xong")
        async with serving(services, registry) as served:
            turn = streams[0][0].data["turn"]
            saved = (await served.client.get(f"/api/v1/turns/{turn}")).json()
            frames = await all_frames(served.client, "GET", f"/api/v1/turns/{turn}/events")
            again = (await served.client.post(f"/api/v1/turns/{turn}/retry")).json()
    assert (saved["status"], saved["text"]) == ("interrupted", "chữ0")
    assert frames == streams[0]
    assert again["text"] == "xong"
