"""The assistants as MCP tools: over HTTP with the keys of the server, and on stdio."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from tests.support.modes.made import Plan
from tests.support.process.command_line import install_modes
from tests.support.server import Served, serving
from troly.plugin.registry import Registry
from troly.plugin.services import Services


@asynccontextmanager
async def tools_of(served: Served, key: dict[str, str] | None = None) -> AsyncIterator[Client]:
    headers = key or {"X-API-Key": served.client.headers["x-api-key"]}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=20, trust_env=False) as http,
        Client(streamable_http_client(f"{served.url}/mcp", http_client=http)) as client,
    ):
        yield client


def text_of(result: CallToolResult) -> str:
    return "\n".join(one.text for one in result.content if isinstance(one, TextContent))


async def test_each_assistant_is_a_tool_that_answers_with_what_it_showed(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry) as served, tools_of(served) as client:
        listed = (await client.list_tools()).tools
        first = await client.call_tool("planned", {"message": "xin chào"})
        found: Any = first.structured_content
        more = await client.call_tool("planned", {"message": "nữa", "conversation": found["conversation"]})
        said = await served.client.get(f"/api/v1/conversations/{found['conversation']}")
    assert {tool.name for tool in listed} == {"planned", "other"}
    assert not first.is_error
    assert "| a |\n|---|\n| 1 |" in text_of(first)
    assert found["conversation"] in text_of(first)
    assert found["answer"] in text_of(first)
    assert found["answered"]
    assert more.structured_content is not None
    assert more.structured_content["conversation"] == found["conversation"]
    assert [one["text"] for one in said.json()["messages"] if one["sender"] == "user"] == ["xin chào", "nữa"]


async def test_the_client_is_told_what_is_being_done(services: Services, registry: Registry) -> None:
    told: list[float] = []

    async def see(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async with serving(services, registry) as served, tools_of(served) as client:
        await client.call_tool("planned", {"message": "x"}, progress_callback=see)
    assert told
    assert told == sorted(told)


async def test_a_key_sees_its_assistants_and_its_own_conversations(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry) as served:
        mine = await served.client.post("/api/v1/ask", json={"text": "x", "mode": "planned", "offline": True})
        theirs = mine.json()["conversation"]
        async with tools_of(served, served.key("binh", modes=("planned",))) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            refused = await client.call_tool("planned", {"message": "x", "conversation": theirs})
            none = await client.call_tool("planned", {"message": "x", "conversation": "0" * 34})
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("other", {"message": "x"})
            for wrong in ({}, {"message": 5}, {"message": "x", "conversation": 1}, {"message": "x", "y": 1}):
                with pytest.raises(MCPError):
                    await client.call_tool("planned", wrong)
        bare = await served.client.post(
            "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers={"X-API-Key": "none"}
        )
    assert listed == ["planned"]
    assert refused.is_error
    assert none.is_error
    assert text_of(refused) == text_of(none)
    assert bare.status_code == 401


async def test_a_turn_that_fails_is_an_error_that_can_be_read(
    services: Services, registry: Registry, plan: Plan
) -> None:
    plan.actions[:] = ["say", "model_error"]
    async with serving(services, registry) as served, tools_of(served) as client:
        failed = await client.call_tool("planned", {"message": "x"})
    assert failed.is_error
    assert text_of(failed)


async def test_on_stdio_the_tools_are_those_of_who_started_it(tmp_path: Path) -> None:
    """`app mcp serve assistants`: all assistants of the installation; nothing but the protocol is on stdout."""
    made = "from tests.support.modes.made import Plan, planned_mode\nMODE = planned_mode(Plan(['event', 'say']), 'third')"
    modes = install_modes(tmp_path / "modes", {"third_mode": made}, {"third": "third_mode:MODE"})
    path = os.pathsep.join([str(modes), str(Path(__file__).parents[2])])
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "troly", "mcp", "serve", "assistants"],
        env={
            **os.environ,
            "TROLY_HOME": str(tmp_path),
            "OLLAMA_HOST": "http://127.0.0.1:9",
            "PYTHONPATH": path,
        },
    )
    async with Client(stdio_client(server)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        answer = await client.call_tool("third", {"message": "xin chào"})
    assert {mode.id for mode in Registry()} <= names
    assert not answer.is_error
    assert "| a |\n|---|\n| 1 |" in text_of(answer)
