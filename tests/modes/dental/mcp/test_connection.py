"""The mode as an MCP client over HTTP, when an address is set; a server that fails costs the memory, not the turn."""

from __future__ import annotations

import ast
import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.modes.dental_memory import TOKEN, dental_house, served
from tests.support.ollama.double import closed_port_url
from tests.support.process.waiting import until
from tests.support.stores.services import profile
from troly_dental import mcp_client
from troly_dental.mcp_client import McpConnection
from troly_dental.memory import client
from troly_dental.memory.client import MemoryClient
from troly_dental.memory.connection import open_memory
from troly_dental.memory.types import OldMessages

SOURCES = [Path(str(one.__file__)) for one in (mcp_client, client)]


def at(url: str, token: str = TOKEN, seconds: float = 30) -> MemoryClient:
    """The memory of the server at `url`."""
    return MemoryClient(McpConnection(url, token, seconds))


async def assert_empty(memory: MemoryClient) -> None:
    assert await memory.get_or_create("c") == "c"
    assert await memory.get_context("c") == []
    assert await memory.get_old_messages("c") == OldMessages()
    assert await memory.get_all_messages("c") == []
    assert await memory.get_summary("c") == ""
    assert await memory.get_facts("c") == ()
    await memory.add_message("c", "user", "x")
    await memory.set_summary("c", "x")
    assert memory.problem


@contextmanager
def silent_server() -> Iterator[str]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        kept: list[socket.socket] = []
        ended = threading.Event()

        def accept() -> None:
            listening.settimeout(0.1)
            while not ended.is_set():
                try:
                    kept.append(listening.accept()[0])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            ended.set()
            thread.join(10)
            for one in kept:
                one.close()


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_client_imports_nothing_of_the_server(source: Path) -> None:
    """003-36: nothing of servers/ nor of the store, at the top or inside a function."""
    named: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            named |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add(node.module or "")
    own = {name for name in named if name.startswith("troly_dental")}
    assert own <= {"troly_dental.memory.types", "troly_dental.mcp_client"}
    assert not {name for name in named if name.startswith("mcp.server")}


async def test_a_conversation_over_http(own_home: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served(own_home, "memory", "--token", TOKEN) as server:
        env = {"MCP_SERVER_URL": server.url.removesuffix("/mcp"), "MCP_SERVER_TOKEN": TOKEN}
        with dental_house(own_home / "client", TROLY_DENTAL__MCP_SECONDS="30", **env) as services:
            async with open_memory(services, profile()) as memory:
                assert await memory.get_or_create("chat_1") == "chat_1"
                for n in range(4):
                    await memory.add_message("chat_1", "user", f"răng số {n + 1} đau, tôi dị ứng latex")
                    await memory.add_message("chat_1", "assistant", "vâng")
                assert len(await memory.get_context("chat_1")) == 6
                assert (await memory.get_old_messages("chat_1")).total_count == 8
                await memory.set_summary("chat_1", "Tóm tắt", True)
                assert (await memory.get_old_messages("chat_1")).messages == ()
                assert await memory.get_summary("chat_1") == "Tóm tắt"
                assert {fact.kind for fact in await memory.get_facts("chat_1")} == {"allergy", "tooth"}
                assert len(await memory.get_all_messages("chat_1")) == 8
                assert memory.problem == ""
        assert not caplog.records


async def test_a_wrong_token_is_logged_and_leaves_the_memory_empty(
    own_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with served(own_home, "memory", "--token", TOKEN) as server:
        async with at(server.url, "another-token") as memory:
            await assert_empty(memory)
    assert all(record.levelno == logging.ERROR for record in caplog.records if record.name == client.__name__)
    assert TOKEN not in caplog.text
    assert "another-token" not in caplog.text


async def test_nobody_at_the_address_costs_the_memory_only(caplog: pytest.LogCaptureFixture) -> None:
    async with at(closed_port_url()) as memory:
        await assert_empty(memory)
    assert "Memory error, going on without it" in caplog.text


async def test_a_silent_server_is_waited_for_once() -> None:
    with silent_server() as url:
        async with at(url, seconds=0.3) as memory:
            await assert_empty(memory)
            assert "no answer within 0.3 s" in memory.problem


async def test_a_stopped_call_does_not_wait_for_a_silent_server() -> None:
    with silent_server() as url:
        connection = McpConnection(url, TOKEN, 600)

        async def recall() -> None:
            async with MemoryClient(connection) as memory:
                await memory.get_context("c")

        recalling = asyncio.ensure_future(recall())
        await until(lambda: connection.asked)
        recalling.cancel()
        done, _ = await asyncio.wait({recalling}, timeout=60)
        assert done
        assert recalling.cancelled()


async def test_a_server_killed_in_the_middle_of_a_call_and_between_calls(own_home: Path) -> None:
    with served(own_home, "memory", "--token", TOKEN) as server:
        connection = McpConnection(server.url, TOKEN, 20)
        async with MemoryClient(connection) as memory:
            await memory.add_message("c", "user", "tôi dị ứng latex")
            assert await memory.get_facts("c")
            server.process.send_signal(signal.SIGSTOP)  # it takes the call and cannot answer
            asking = asyncio.ensure_future(memory.get_context("c"))
            await until(lambda: connection.busy)
            server.process.kill()
            assert await asking == []
            assert memory.problem
            await assert_empty(memory)
