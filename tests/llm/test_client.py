"""The Ollama client against a real server of ours: answers, models, vectors, downloads, cancelling."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from tests.support.ollama.clients import HELLO, client_for, settings_for, whole
from tests.support.ollama.double import Fault, OllamaDouble, Reply
from tests.support.process.waiting import until
from troly.errors import ModelError
from troly.llm.client import OllamaClient


@pytest.fixture
def server() -> Iterator[OllamaDouble]:
    with OllamaDouble() as double:
        yield double


async def test_streams_text_thinking_and_counts(server: OllamaDouble) -> None:
    server.script(Reply("Chào bạn, mình là Troly.", thinking="hmm, một lời chào"))
    async with client_for(server.url) as client:
        chunks = [chunk async for chunk in client.chat("gpt-oss", HELLO)]
    assert "".join(chunk.text for chunk in chunks) == "Chào bạn, mình là Troly."
    assert "".join(chunk.thinking for chunk in chunks) == "hmm, một lời chào"
    assert chunks[-1].done
    assert chunks[-1].prompt_tokens == 4
    assert chunks[-1].completion_tokens
    await until(lambda: server.chats[0].finished)
    assert server.chats[0].disconnected is None


async def test_sends_window_keep_alive_tools_and_schema(server: OllamaDouble) -> None:
    tool = {
        "type": "function",
        "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}},
    }
    call = {"function": {"name": "look_up", "arguments": {"serial": "SN1"}}}
    server.script(Reply(tool_calls=[call]))
    async with client_for(server.url, context_tokens=4096, keep_alive="-1") as client:
        chunks = [chunk async for chunk in client.chat("gpt-oss", HELLO, tools=[tool], options={"seed": 3})]
        await whole(client.chat("gpt-oss", HELLO, format={"type": "object"}, think="low"))
    assert [dict(c) for chunk in chunks for c in chunk.tool_calls] == [
        {"name": "look_up", "arguments": {"serial": "SN1"}}
    ]
    first, second = (request.body for request in server.chats)
    assert first["options"] == {"num_ctx": 4096, "seed": 3}
    assert first["keep_alive"] == -1
    assert first["tools"][0]["function"]["name"] == "look_up"
    assert "think" not in first
    assert (second["think"], second["format"]) == ("low", {"type": "object"})


async def test_one_long_line_and_split_characters_arrive_whole(server: OllamaDouble) -> None:
    text = "Cảm ơn quý khách đã liên hệ. " * 2000
    server.script(Reply(text, fault="big_line"), Reply("Đổi trả trong bảy ngày ạ 🙏", fault="half_chars"))
    async with client_for(server.url) as client:
        assert await whole(client.chat("gpt-oss", HELLO)) == text
        assert await whole(client.chat("gpt-oss", HELLO)) == "Đổi trả trong bảy ngày ạ 🙏"


@pytest.mark.parametrize("fault", [None, "half_chars"])
async def test_characters_that_end_lines_elsewhere_do_not_break_an_answer(
    server: OllamaDouble, fault: Fault | None
) -> None:
    text = "một\x85hai\u2028ba\u2029bốn – năm…"
    server.script(Reply(text, fault=fault))
    async with client_for(server.url) as client:
        assert await whole(client.chat("gpt-oss", HELLO)) == text


@pytest.mark.parametrize(("fault", "sent"), [("hang", 0), ("hang_mid", 2)])
async def test_cancelling_the_task_closes_the_connection(
    server: OllamaDouble, fault: Fault, sent: int
) -> None:
    server.script(Reply("một hai ba bốn năm", fault=fault))
    async with client_for(server.url) as client:
        task = asyncio.create_task(whole(client.chat("gpt-oss", HELLO)))
        await until(lambda: server.chats and server.chats[0].sent == sent)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.chats[0].disconnected)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_leaving_the_stream_early_closes_the_connection(server: OllamaDouble) -> None:
    server.script(Reply("một hai ba bốn năm", fault="hang_mid"))
    async with client_for(server.url) as client, aclosing(client.chat("gpt-oss", HELLO)) as chunks:
        assert (await anext(chunks)).text
    await until(lambda: server.chats[0].disconnected)


async def test_embeds_in_batches_with_the_servers_dimension(server: OllamaDouble) -> None:
    server.dims = 16
    texts = [f"đoạn văn {i}" for i in range(70)]
    async with client_for(server.url) as client:
        vectors = await client.embed("bge-m3", texts)
        assert await client.embed("bge-m3", []) == []
    assert [len(vector) for vector in vectors] == [16] * 70
    batches = [request.body for request in server.requests if request.path == "/api/embed"]
    assert [len(body["input"]) for body in batches] == [32, 32, 6]
    assert all(body["truncate"] is False and body["options"]["num_ctx"] == 8192 for body in batches)


async def test_a_long_text_is_embedded_in_parts_where_the_window_is_short(server: OllamaDouble) -> None:
    server.window = 150
    texts = ["ngắn", "đoạn văn dài " * 100]
    async with client_for(server.url) as client:
        short, long = await client.embed("bge-m3", texts)
        assert await client.embed("bge-m3", ["ngắn"]) == [short]
    assert (len(short), len(long)) == (1024, 1024)
    tried = [len(request.body["input"]) for request in server.requests if request.path == "/api/embed"]
    assert tried[0] == 2 < max(tried)


@pytest.mark.parametrize(
    ("written", "sent"), [("15m", "15m"), ("1h30m", "1h30m"), ("-1", -1), ("300ms", "300ms"), ("90", 90), ("0", 0)]
)  # fmt: skip
async def test_keep_alive_is_any_duration_of_go(server: OllamaDouble, written: str, sent: object) -> None:
    async with client_for(server.url, keep_alive=written) as client:
        await whole(client.chat("gpt-oss", HELLO))
    assert server.chats[0].body["keep_alive"] == sent


async def test_health_is_shared_cached_and_notices_coming_back(server: OllamaDouble) -> None:
    async with client_for(server.url) as client:
        seen = await asyncio.gather(*(client.health() for _ in range(20)))
        assert all(health.up and health.version == server.version for health in seen)
        assert [model.name for model in seen[0].models] == list(server.models)
        assert len(server.requests) == 2
        server.down()
        assert (await client.health()).up
        assert not (await client.health(max_age=0)).up
        assert (client.known_down() or ModelError("")).key == "ollama.down"
        server.up()
        assert (await client.health(max_age=0)).up
        assert client.known_down() is None


async def test_a_probe_survives_one_impatient_caller_and_ends_with_the_last(server: OllamaDouble) -> None:
    server.faults["/api/tags"] = "hang"
    async with client_for(server.url) as client:
        callers = [asyncio.create_task(client.health()) for _ in range(3)]
        await until(lambda: server.requests)
        for caller in callers[:2]:
            caller.cancel()
        await asyncio.gather(*callers[:2], return_exceptions=True)
        assert server.requests[0].disconnected is None
        callers[2].cancel()
        await asyncio.gather(callers[2], return_exceptions=True)
        await until(lambda: server.requests[0].disconnected)
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_one_client_serves_several_loops_one_after_the_other(server: OllamaDouble) -> None:
    client = OllamaClient(settings_for(server.url))

    async def ask(close: bool) -> str:
        text = await whole(client.chat("gpt-oss", HELLO))
        if close:
            await client.aclose()
            await client.aclose()
        return text

    assert len({asyncio.run(ask(close)) for close in (True, False, True)}) == 1


async def test_many_calls_at_once(server: OllamaDouble) -> None:
    async with client_for(server.url) as client:
        asked = [[{"role": "user", "content": f"câu {i}"}] for i in range(25)]
        answers = await asyncio.gather(*(whole(client.chat("gpt-oss", messages)) for messages in asked))
    assert [answer.endswith(f"câu {i}") for i, answer in enumerate(answers)] == [True] * 25
