"""The MCP servers as real processes, talked to by the SDK's own client and by plain HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.support.modes.dental_memory import TOKEN, Served, dental_house, served, store_of
from troly.text.catalogue import Lang
from troly_dental.servers import memory, tools

TOOLS = {
    "get_or_create",
    "get_context",
    "get_old_messages",
    "get_all_messages",
    "get_summary",
    "set_summary",
    "add_message",
}


def stdio(home: Path, server: str) -> StdioServerParameters:
    arguments = ["-m", "troly", "mcp", "serve", server]
    return StdioServerParameters(
        command=sys.executable, args=arguments, env={**os.environ, "TROLY_HOME": str(home)}
    )


async def test_the_memory_server_on_stdio_keeps_a_conversation(own_home: Path) -> None:
    async with Client(stdio(own_home, "memory")) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS

        async def ask(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error
            return result.structured_content

        assert await ask("get_or_create", conversation_id="chat_1") == {"conversation_id": "chat_1"}
        for n in range(4):
            await ask("add_message", conversation_id="chat_1", role="user", content=f"tôi dị ứng latex {n}")
            await ask("add_message", conversation_id="chat_1", role="assistant", content=f"vâng {n}")
        context = await ask("get_context", conversation_id="chat_1", max_messages=20)
        assert [one["content"] for one in context["messages"]][:2] == ["tôi dị ứng latex 1", "vâng 1"]
        assert len(context["messages"]) == 6
        old = await ask("get_old_messages", conversation_id="chat_1")
        assert (len(old["old_messages"]), old["total_count"]) == (2, 8)
        await ask("set_summary", conversation_id="chat_1", summary="Tóm tắt", compress=True)
        assert (await ask("get_old_messages", conversation_id="chat_1"))["old_messages"] == []
        assert len((await ask("get_all_messages", conversation_id="chat_1"))["messages"]) == 8
        summary = await ask("get_summary", conversation_id="chat_1")
        assert summary["summary"] == "Tóm tắt"
        assert [fact["value"] for fact in summary["facts"]] == ["latex"]
    with dental_house(own_home) as services, services.state.read() as connection:
        assert connection.execute("SELECT count(*) FROM dental_messages").fetchone() == (8,)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("nope", {}),
        ("get_context", {}),
        ("get_context", {"conversation_id": 5}),
        ("get_context", {"conversation_id": "c", "max_messages": -1}),
        ("add_message", {"conversation_id": "c", "role": "system", "content": "x"}),
        ("get_summary", {"conversation_id": "a\u0007b"}),
        ("set_summary", {"conversation_id": "c", "summary": "x" * 200_001}),
    ],
)
async def test_unknown_tools_and_bad_parameters_are_minus_32602(
    own_home: Path, tool: str, arguments: dict[str, Any]
) -> None:
    with dental_house(own_home) as services:
        async with Client(memory.build(store_of(services))) as client:
            with pytest.raises(MCPError) as refused:
                await client.call_tool(tool, arguments)
            assert refused.value.code == -32602
            assert (
                await client.call_tool("get_all_messages", {"conversation_id": "c"})
            ).structured_content == {"messages": []}


async def test_somebody_elses_conversation_is_a_tool_error_with_a_sentence(own_home: Path) -> None:
    with dental_house(own_home) as services:
        store_of(services, "ba").add_message("c", "user", "bí mật")
        async with Client(memory.build(store_of(services, "an"))) as client:
            result = await client.call_tool("get_all_messages", {"conversation_id": "c"})
    assert result.is_error
    assert "not yours" in str(result.content)
    assert "bí mật" not in str(result.content)


async def test_a_fault_of_the_program_is_minus_32603_and_tells_nothing_of_itself(own_home: Path) -> None:
    async def broken(query: str, _lang: Lang | None) -> str:
        raise ZeroDivisionError(f"secret {query}")

    async with Client(tools.build(broken)) as client:
        with pytest.raises(MCPError) as failed:
            await client.call_tool("duckduckgo_search", {"query": "răng"})
    assert failed.value.code == -32603
    assert "secret" not in str(failed.value)


async def test_the_tool_server_answers_with_text_or_a_sentence(own_home: Path) -> None:
    async def found(query: str, _lang: Lang | None) -> str:
        return f"Title: {query}\nContent: x\nLink: https://a.vn"

    async with Client(tools.build(found)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["duckduckgo_search"]
        result = await client.call_tool("duckduckgo_search", {"query": "răng"})
    assert result.structured_content == {"result": "Title: răng\nContent: x\nLink: https://a.vn"}
    with dental_house(own_home, TROLY_DENTAL__SEARCH="off") as services:
        async with Client(tools.build(tools.web_search(services))) as client:
            result = await client.call_tool("duckduckgo_search", {"query": "răng khôn"})
    assert result.is_error


def test_only_the_protocol_is_on_stdout_and_bad_lines_get_standard_codes(own_home: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        b"{bad",
        b'{"a": 1}',
        b"\xff\xfe",
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).encode(),
        b'{"jsonrpc": "2.0", "id": 2, "method": "no/such"}',
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "troly", "mcp", "serve", "tools"],
        env={**os.environ, "TROLY_HOME": str(own_home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None
    with process:
        stdin.write(b"\n".join(lines) + b"\n")
        stdin.flush()
        answers = [json.loads(stdout.readline()) for _ in lines]
        stdin.close()
        assert stdout.read() == b""
        assert process.wait(30) == 0
    codes = {answer["id"]: answer["error"]["code"] for answer in answers[1:] if "error" in answer}
    assert [answer["error"]["code"] for answer in answers[:3]] == [-32700, -32600, -32700]
    assert codes[2] == -32601
    assert answers[3]["result"]["serverInfo"]["name"] == "tool-server"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One memory server on a loopback port for the tests that only ask."""
    with served(tmp_path_factory.mktemp("served"), "memory", "--token", TOKEN) as running:
        yield running


def post(server: Served, path: str, body: bytes | dict[str, Any], **headers: str) -> httpx.Response:
    sent = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    sent |= {"Accept": "application/json, text/event-stream", **{k.title(): v for k, v in headers.items()}}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    url = server.url.removesuffix("/mcp") + path
    return httpx.post(url, content=content, headers=sent, trust_env=False, timeout=30, verify=False)


@pytest.mark.parametrize("path", ["/mcp", "/jsonrpc"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": "Bearer wrong-token"}, 401),
        ({"authorization": ""}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1.evil.example"}, 403),
        ({"host": "evil.example"}, 421),
    ],
)
def test_strangers_are_refused(server: Served, path: str, headers: dict[str, str], status: int) -> None:
    assert post(server, path, {}, **headers).status_code == status


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/mcp", b"{bad", -32700),
        ("/mcp", b"[]", -32600),
        ("/mcp", b'{"a": 1}', -32600),
        ("/jsonrpc", b"{bad", -32700),
        ("/jsonrpc", b"\xff\xfe", -32700),
        ("/jsonrpc", b"[]", -32600),
        ("/jsonrpc", b'{"jsonrpc": "1.0", "method": "x", "id": 1}', -32600),
        ("/jsonrpc", b'{"jsonrpc": "2.0", "method": "memory-server/memory/nope", "id": 1}', -32601),
        ("/jsonrpc", b'{"jsonrpc": "2.0", "method": "memory-server/memory/get_context", "id": 1}', -32602),
        (
            "/jsonrpc",
            b'{"jsonrpc": "2.0", "method": "memory-server/memory/get_context", "params": [], "id": 1}',
            -32602,
        ),
    ],
)
def test_http_mistakes_have_the_standard_codes(server: Served, path: str, body: bytes, code: int) -> None:
    assert post(server, path, body).json()["error"]["code"] == code


def test_the_documents_shape_is_answered_too(server: Served) -> None:
    """003-12, 003-33 to 003-35."""

    def ask(method: str, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "method": f"memory-server/{method}", "params": params, "id": 7}
        answer = post(server, "/jsonrpc", body).json()
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
        return answer["result"]

    assert ask("memory/get_or_create", conversation_id="chat_xxx") == {"conversation_id": "chat_xxx"}
    ask("memory/add_message", conversation_id="chat_xxx", role="user", content="xin chào")
    said = {"messages": [{"role": "user", "content": "xin chào"}]}
    assert ask("memory/get_context", conversation_id="chat_xxx", max_messages=20) == said
    call = {"name": "get_summary", "arguments": {"conversation_id": "chat_xxx"}}
    assert ask("tools/call", **call) == {"summary": "", "facts": []}
    silent = {"jsonrpc": "2.0", "method": "memory-server/memory/get_or_create", "params": {}}
    assert post(server, "/jsonrpc", silent).status_code == 204


def test_a_token_is_made_and_told_on_stderr_only(own_home: Path) -> None:
    with served(own_home) as running:
        token = next(line for line in running.said if "token" in line.lower()).split()[-1]
        assert len(token) >= 40
        answer = post(running, "/jsonrpc", b"{bad", authorization=f"Bearer {token}")
        assert answer.json()["error"]["code"] == -32700
        running.process.terminate()
        out, _ = running.process.communicate(timeout=30)
        assert out == ""


def test_one_server_answers_for_both_by_the_documents_names(own_home: Path) -> None:
    with served(own_home, "all", "--token", TOKEN, TROLY_DENTAL__SEARCH="off") as running:

        def ask(method: str, **params: Any) -> Any:
            body = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
            answer = post(running, "/jsonrpc", body).json()
            return answer.get("result") or answer["error"]

        search = {"name": "duckduckgo_search", "arguments": {"query": "răng khôn"}}
        assert ask("memory-server/memory/get_or_create", conversation_id="c") == {"conversation_id": "c"}
        assert "dental.search" in ask("tool-server/tools/call", **search)["message"]
        assert ask("memory-server/tools/call", **search)["code"] == -32602
        assert ask("tool-server/memory/get_or_create", conversation_id="c")["code"] == -32601
        assert ask("other-server/tools/call", **search)["code"] == -32601
