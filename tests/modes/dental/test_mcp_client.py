"""The mode as an MCP client: over HTTP when an address is set; a server that fails costs the memory, not the turn."""

from __future__ import annotations

import ast
import asyncio
import logging
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.dental_memory import TOKEN, dental_house, served
from tests.support.house import profile
from tests.support.ollama_double import closed_port_url
from tests.support.waiting import until
from troly_dental import mcp_client
from troly_dental.mcp_client import McpMemory
from troly_dental.memory import OldMessages, open_memory
from troly_dental.memory.local import LocalMemory

SOURCE = Path(mcp_client.__file__)


async def assert_empty(memory: McpMemory) -> None:
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


def test_the_client_imports_nothing_of_the_server() -> None:
    """003-36: nothing of servers/ nor of the store, at the top or inside a function."""
    named: set[str] = set()
    for node in ast.walk(ast.parse(SOURCE.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            named |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add(node.module or "")
    own = {name for name in named if name.startswith("troly")}
    assert own == {"troly_dental.memory.types"}
    assert not {name for name in named if name.startswith("mcp.server")}


def test_the_default_path_imports_no_mcp(own_home: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from tests.support.dental_memory import dental_house\n"
        "from tests.support.house import profile\n"
        "from troly_dental.memory import open_memory\n"
        "async def main(services):\n"
        "    async with open_memory(services, profile('an')) as memory:\n"
        "        await memory.add_message('c', 'user', 'tôi dị ứng latex')\n"
        "        assert await memory.get_facts('c')\n"
        "from pathlib import Path\n"
        f"with dental_house(Path({str(own_home)!r})) as services: asyncio.run(main(services))\n"
        "print([m for m in ('mcp', 'pydantic', 'httpx', 'httpx2') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_address_decides_where_the_memory_is(own_home: Path) -> None:
    with dental_house(own_home) as services:
        assert isinstance(open_memory(services, profile()), LocalMemory)
    with dental_house(own_home, MCP_SERVER_URL="http://127.0.0.1:8001") as services:
        assert isinstance(open_memory(services, profile()), McpMemory)


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
        async with McpMemory(server.url, "another-token", 30) as memory:
            await assert_empty(memory)
    assert all(
        record.levelno == logging.ERROR for record in caplog.records if record.name == mcp_client.__name__
    )
    assert TOKEN not in caplog.text
    assert "another-token" not in caplog.text


async def test_nobody_at_the_address_costs_the_memory_only(caplog: pytest.LogCaptureFixture) -> None:
    async with McpMemory(closed_port_url(), TOKEN, 30) as memory:
        await assert_empty(memory)
    assert "Memory error, going on without it" in caplog.text


async def test_a_silent_server_is_waited_for_once() -> None:
    with silent_server() as url:
        async with McpMemory(url, TOKEN, 0.3) as memory:
            await assert_empty(memory)
            assert "no answer within 0.3 s" in memory.problem


async def test_a_server_killed_in_the_middle_of_a_call_and_between_calls(own_home: Path) -> None:
    with served(own_home, "memory", "--token", TOKEN) as server:
        async with McpMemory(server.url, TOKEN, 20) as memory:
            await memory.add_message("c", "user", "tôi dị ứng latex")
            assert await memory.get_facts("c")
            server.process.send_signal(signal.SIGSTOP)  # it takes the call and cannot answer
            asking = asyncio.ensure_future(memory.get_context("c"))
            await until(lambda: memory._connection.busy)
            server.process.kill()
            assert await asking == []
            assert memory.problem
            await assert_empty(memory)
