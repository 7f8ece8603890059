"""Nothing of a conversation is posted to a tracing service, whatever the environment of the person says."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ASK = """
import asyncio, time
from pathlib import Path
from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn

async def ask(services):
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    turn = run_turn(Session(services, registry, profile()), TurnRequest("planned", "xin chào", offline=True))
    return [event async for event in turn.events()][-1]

with services_at(Path.cwd() / "home") as services:
    print(asyncio.run(ask(services)).text)
GRAPH = {traced}
if GRAPH:
    from langsmith import Client, traceable, tracing_context
    import os
    for name in list(os.environ):
        if name.endswith(("TRACING", "TRACING_V2")):
            os.environ[name] = "true"
    from langsmith.utils import get_env_var
    get_env_var.cache_clear()
    client = Client()
    with tracing_context(enabled=True, client=client):
        traceable(lambda: 1)()
    client.flush()
time.sleep(0.5)
"""


@pytest.fixture
def service() -> Iterator[tuple[str, list[str]]]:
    """The address of something that takes what a tracing client posts, and the paths that were asked for."""
    asked: list[str] = []

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(202)
            self.end_headers()

        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("traced", [False, True], ids=["a turn", "the service is reachable"])
def test_a_turn_posts_nothing_though_tracing_is_asked_for(
    tmp_path: Path, service: tuple[str, list[str]], traced: bool
) -> None:
    address, asked = service
    names = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
    env = {**os.environ, **dict.fromkeys(names, "true"), "PYTHONPATH": str(Path(__file__).parents[2])}
    env |= {"LANGSMITH_ENDPOINT": address, "LANGCHAIN_ENDPOINT": address, "LANGSMITH_API_KEY": "x"}
    done = subprocess.run(
        [sys.executable, "-c", ASK.replace("{traced}", str(traced))],
        cwd=tmp_path, env=env, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "một" in done.stdout
    assert bool(asked) == traced
