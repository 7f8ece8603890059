"""Tool calling within one turn: what is sent, what comes back, how it is recorded, replayed, limited and broken."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from tests.support.ollama.clients import HELLO, MODELS, session_for
from tests.support.ollama.double import Fault, OllamaDouble, Reply
from troly.errors import ModelError
from troly.llm.prompts import count, estimate_tools
from troly.llm.session import Budget, ModelSession
from troly.llm.source import ReplayedCalls
from troly.llm.types import CallRecord, ToolReply

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "aggregate_data",
            "description": "Sum or count.",
            "parameters": {"type": "object", "properties": {"operation": {"type": "string"}}},
        },
    }
]
CALL = {"name": "aggregate_data", "arguments": {"operation": "sum", "filters": {"Sàn": "Shopee"}}}


def calling(text: str = "") -> Reply:
    return Reply(text, tool_calls=[{"function": CALL}])


async def test_the_tools_are_sent_and_the_calls_come_back() -> None:
    with OllamaDouble() as server:
        server.script(calling())
        async with session_for(server.url) as session:
            reply = await session.use_tools("agent", HELLO, TOOLS)
        body = server.chats[0].body
    assert reply == ToolReply("", (CALL,))
    assert body["tools"][0]["function"]["name"] == "aggregate_data"
    assert body["options"]["temperature"] == 0
    (call,) = session.calls
    assert (call.task, call.kind, call.error) == ("agent", "tools", "")
    assert call.tool_calls == [CALL]
    assert call.ttft_ms is not None


async def test_text_and_calls_may_come_together_and_text_alone_is_an_answer() -> None:
    with OllamaDouble() as server:
        server.script(calling("Để tôi xem."), "Tổng là 5.")
        async with session_for(server.url) as session:
            both = await session.use_tools("agent", HELLO, TOOLS)
            alone = await session.use_tools("agent", HELLO, TOOLS)
    assert (both.text, both.calls) == ("Để tôi xem.", (CALL,))
    assert alone == ToolReply("Tổng là 5.")


async def test_results_go_back_in_the_conversation() -> None:
    asked: list[dict[str, Any]] = [
        *HELLO,
        {"role": "assistant", "content": "", "tool_calls": [{"function": CALL}]},
        {"role": "tool", "content": "57750000", "tool_name": "aggregate_data"},
    ]
    with OllamaDouble() as server:
        server.script("57.750.000 VND")
        async with session_for(server.url) as session:
            await session.use_tools("agent", asked, TOOLS)
        sent = server.chats[0].messages
    assert [message["role"] for message in sent] == ["user", "assistant", "tool"]
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == CALL["arguments"]
    assert sent[2]["content"] == "57750000"


async def test_a_recorded_call_is_replayed_without_a_server() -> None:
    with OllamaDouble() as server:
        server.script(calling("Xem."))
        async with session_for(server.url) as session:
            await session.use_tools("agent", HELLO, TOOLS)
    saved = [json.loads(json.dumps(dataclasses.asdict(call))) for call in session.calls]
    again = ModelSession(
        ReplayedCalls([CallRecord.from_dict(item) for item in saved]), MODELS.__getitem__, offline=True
    )
    assert await again.use_tools("agent", HELLO, TOOLS) == ToolReply("Xem.", (CALL,))
    assert again.calls[0].tool_calls == [CALL]
    with pytest.raises(ModelError) as caught:
        await again.use_tools("agent", HELLO, TOOLS)
    assert caught.value.key == "ollama.replay_end"


async def test_the_budget_counts_every_round() -> None:
    with OllamaDouble() as server:
        server.script(*[calling()] * 5)
        async with session_for(server.url, Budget(2, 60)) as session:
            for _ in range(2):
                await session.use_tools("agent", HELLO, TOOLS)
            with pytest.raises(ModelError) as caught:
                await session.use_tools("agent", HELLO, TOOLS)
        assert len(server.chats) == 2
    assert caught.value.key == "ollama.budget"
    assert session.skipped == [("agent", "ollama.budget")]


@pytest.mark.parametrize("fault", ["server_error", "html", "error_line", "junk", "cut", "no_done", "empty"])
async def test_a_fault_is_a_model_error_and_is_recorded(fault: Fault) -> None:
    with OllamaDouble() as server:
        server.script(Reply("một hai ba bốn", tool_calls=[{"function": CALL}], fault=fault))
        async with session_for(server.url) as session:
            with pytest.raises(ModelError):
                await session.use_tools("agent", HELLO, TOOLS)
    assert session.calls[0].error


@pytest.mark.parametrize("arguments", ['{"operation": "sum"}', ["sum"], None, 3])
async def test_arguments_that_are_no_object_are_junk(arguments: object) -> None:
    with OllamaDouble() as server:
        server.script(Reply(tool_calls=[{"function": {"name": "aggregate_data", "arguments": arguments}}]))
        async with session_for(server.url) as session:
            with pytest.raises(ModelError) as caught:
                await session.use_tools("agent", HELLO, TOOLS)
    assert caught.value.key == "ollama.junk"


async def test_offline_calls_nobody() -> None:
    with OllamaDouble() as server:
        async with session_for(server.url, offline=True) as session:
            with pytest.raises(ModelError, match="offline"):
                await session.use_tools("agent", HELLO, TOOLS)
        assert not server.requests


async def test_the_tools_take_room_in_the_window() -> None:
    long = [{**TOOLS[0], "function": {**TOOLS[0]["function"], "description": "dài " * 1500}}]
    assert count(HELLO, long) == count(HELLO) + estimate_tools(long)
    with OllamaDouble(context=2048) as server:
        async with session_for(server.url) as session:
            with pytest.raises(ModelError) as caught:
                await session.use_tools("agent", HELLO, long)
        assert not server.chats
    assert caught.value.key == "ollama.small_window"
    assert "rút ngắn tin nhắn không giúp được" in str(caught.value.render("vi").remedy)
