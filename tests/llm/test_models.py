"""Which installed model answers for a configured one, what it can do, and downloading one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.ollama.clients import client_for
from tests.support.ollama.double import Fault, OllamaDouble
from troly.errors import ModelError
from troly.llm.types import PullProgress, ResolvedModel

CHAT = ["completion"]


async def resolve(
    models: dict[str, list[str]], name: str, *, tagged: bool = False, **changes: Any
) -> ResolvedModel:
    with OllamaDouble(models, tags_have_capabilities=tagged) as server:
        async with client_for(server.url, **changes) as client:
            return await client.resolve(name)


@pytest.mark.parametrize(
    ("wanted", "name"), [("gpt-oss", "gpt-oss:latest"), ("qwen2.5:7b", "qwen2.5:7b"), ("qwen3", "qwen3:8b")]
)
async def test_exact_name_or_tag(wanted: str, name: str) -> None:
    found = await resolve(
        {"other:1b": CHAT, "gpt-oss:latest": CHAT, "qwen2.5:7b": CHAT, "qwen3:8b": CHAT, "qwen3:4b": CHAT},
        wanted,
    )
    assert found == ResolvedModel(name, wanted)


@pytest.mark.parametrize("tagged", [True, False])
@pytest.mark.parametrize(
    ("models", "name"),
    [
        ({"bge-m3:latest": ["embedding"], "llama3.2:3b": CHAT, "gemma3:4b": CHAT}, "llama3.2:3b"),
        ({"llama3.2:3b": CHAT, "qwen3:4b": CHAT}, "qwen3:4b"),
        ({"qwen3:4b": CHAT, "qwen2.5:3b": CHAT}, "qwen2.5:3b"),
    ],
)
async def test_another_chat_model_stands_in(models: dict[str, list[str]], name: str, tagged: bool) -> None:
    found = await resolve(models, "qwen2.5:7b-instruct", tagged=tagged)
    assert found == ResolvedModel(name, "qwen2.5:7b-instruct", substituted=True)


@pytest.mark.parametrize(
    ("models", "changes"),
    [({}, {}), ({"bge-m3:latest": ["embedding"]}, {}), ({"llama3.2:3b": CHAT}, {"fallback_model": False})],
)
async def test_nothing_can_stand_in(models: dict[str, list[str]], changes: dict[str, Any]) -> None:
    with pytest.raises(ModelError) as caught:
        await resolve(models, "gpt-oss", **changes)
    assert caught.value.key == "ollama.model_missing"
    assert "ollama pull gpt-oss" in caught.value.render("en").remedy


async def test_an_embedder_is_never_replaced() -> None:
    with OllamaDouble({"nomic-embed-text:latest": ["embedding"], "llama3.2:3b": CHAT}) as server:
        async with client_for(server.url) as client:
            with pytest.raises(ModelError, match="not installed"):
                await client.resolve("bge-m3", "embedding")


async def test_a_server_that_tells_no_capabilities_is_read_by_names() -> None:
    with OllamaDouble({"nomic-embed-text:latest": [], "llama3.2:3b": []}) as server:
        async with client_for(server.url) as client:
            assert (await client.resolve("gpt-oss")).name == "llama3.2:3b"


async def test_details_are_asked_once_and_bound_the_window() -> None:
    with OllamaDouble(context=2048) as server:
        async with client_for(server.url, context_tokens=8192) as client:
            assert await client.window("gpt-oss:latest") == 2048
            details = await client.details("gpt-oss:latest")
            assert details.capabilities == frozenset({"completion", "tools", "thinking"})
        assert [request.path for request in server.requests] == ["/api/show"]


async def test_a_failing_show_is_no_failure_of_the_turn() -> None:
    with OllamaDouble() as server:
        server.faults["/api/show"] = "server_error"
        async with client_for(server.url, context_tokens=4096) as client:
            assert await client.window("gpt-oss:latest") == 4096


async def test_pull_reports_bytes_over_all_layers_and_finds_the_model_after() -> None:
    with OllamaDouble({}) as server:
        async with client_for(server.url) as client:
            assert not (await client.health()).models
            seen = [progress async for progress in client.pull("gpt-oss")]
            assert (await client.resolve("gpt-oss")).name == "gpt-oss:latest"
    assert seen[0].status == "pulling manifest"
    assert seen[-1] == PullProgress("success", 5_000, 5_000)
    done = [progress.completed for progress in seen]
    assert done == sorted(done)
    assert PullProgress("pulling 000000000000", 2_000, 4_000) in seen


@pytest.mark.parametrize(
    ("said", "fault", "key"),
    [
        ("pull model manifest: file does not exist", None, "ollama.pull_unknown"),
        ("write /var/lib/models: no space left on device", None, "ollama.pull_failed"),
        ("", "no_done", "ollama.pull_failed"),
    ],
)
async def test_pull_that_fails(said: str, fault: Fault | None, key: str) -> None:
    with OllamaDouble({}) as server:
        server.pull_error, server.fault = said, fault
        async with client_for(server.url) as client:
            with pytest.raises(ModelError) as caught:
                _ = [progress async for progress in client.pull("no-such-model")]
    assert caught.value.key == key
    assert caught.value.params["detail"] == said
    assert caught.value.render("vi").remedy


async def test_pull_from_a_silent_server_ends() -> None:
    with OllamaDouble({}) as server:
        server.faults["/api/pull"] = "hang"
        async with client_for(server.url) as client:
            with pytest.raises(ModelError, match="silent"):
                _ = [progress async for progress in client.pull("gpt-oss", silence=0.1)]
