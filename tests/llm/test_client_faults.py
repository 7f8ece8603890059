"""Each way in which Ollama can fail ends in its own error, with a remedy, and keeps what was said."""

from __future__ import annotations

import time

import pytest

from tests.support.ollama.clients import HELLO, client_for, whole
from tests.support.ollama.double import Fault, OllamaDouble, Reply, closed_port_url
from troly.errors import ModelError
from troly.llm.client import OllamaClient
from troly.text.catalogue import LANGS

TEXT = "một hai ba bốn năm"


async def failure(client: OllamaClient) -> tuple[ModelError, str]:
    """The error of one chat and what was said before it."""
    said = ""
    try:
        async for chunk in client.chat("gpt-oss", HELLO):
            said += chunk.text
    except ModelError as error:
        return error, said
    raise AssertionError(f"nothing failed: {said}")


def assert_helpful(error: ModelError) -> None:
    for lang in LANGS:
        text = error.render(lang)
        assert text.title != error.key
        assert text.message
        assert text.remedy
        assert "{" not in text.line()


@pytest.mark.parametrize(
    ("fault", "key", "said"),
    [
        ("not_found", "ollama.model_missing", ""),
        ("server_error", "ollama.server_error", ""),
        ("refuse_load", "ollama.out_of_memory", ""),
        ("html", "ollama.server_error", ""),
        ("error_line", "ollama.stream_error", "một hai"),
        ("junk", "ollama.junk", "một hai"),
        ("cut", "ollama.cut", "một hai"),
        ("no_done", "ollama.no_done", TEXT),
        ("hang", "ollama.timeout_first", ""),
        ("hang_mid", "ollama.timeout_stall", "một hai"),
    ],
)
async def test_fault_of_a_chat(fault: Fault, key: str, said: str) -> None:
    with OllamaDouble() as server:
        server.script(Reply(TEXT, fault=fault))
        async with client_for(server.url, first_token_timeout=0.3, read_timeout=0.2) as client:
            error, before = await failure(client)
            assert (error.key, before) == (key, said)
            assert error.params["model"] == "gpt-oss"
            assert error.params["url"] == server.url
            assert_helpful(error)
            assert (await whole(client.chat("gpt-oss", HELLO))).startswith("Đây là")


async def test_model_missing_names_the_command() -> None:
    with OllamaDouble({}) as server:
        async with client_for(server.url) as client:
            error, _ = await failure(client)
    assert "ollama pull gpt-oss" in error.render("vi").remedy


async def test_server_down_fails_at_once_and_is_remembered() -> None:
    async with client_for(closed_port_url(), connect_timeout=60) as client:
        began = time.monotonic()
        error, _ = await failure(client)
        assert error.key == "ollama.down"
        assert "ollama serve" in error.render("en").remedy
        assert client.known_down() is error
        for ask in (client.resolve("gpt-oss"), client.embed("bge-m3", ["a"])):
            with pytest.raises(ModelError, match="cannot be reached"):
                await ask
        assert time.monotonic() - began < 60  # nothing was waited for


async def test_a_slow_first_token_is_waited_for_and_a_slow_middle_is_not() -> None:
    with OllamaDouble() as server:
        server.script(Reply(TEXT, first_delay=0.3), Reply(TEXT, gap=0.5))
        async with client_for(server.url, first_token_timeout=5.0, read_timeout=0.15) as client:
            assert await whole(client.chat("gpt-oss", HELLO)) == TEXT
            error, said = await failure(client)
    assert (error.key, said) == ("ollama.timeout_stall", "một")
    assert error.params["seconds"] == 0.15


async def test_proxy_variables_do_not_matter_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, closed_port_url())
    with OllamaDouble() as server:
        async with client_for(server.url) as client:
            assert (await client.health()).up
            assert await whole(client.chat("gpt-oss", HELLO))
            assert await client.embed("bge-m3", ["a"])


async def test_proxy_variables_count_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    with OllamaDouble() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        async with client_for("http://ollama.example:11434") as client:
            await client.health()
        assert proxy.requests


async def test_a_broken_proxy_setting_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "nonsense://proxy")
    async with client_for("http://ollama.example:11434") as client:
        health = await client.health()
    assert isinstance(health.error, ModelError)
    assert health.error.key == "ollama.proxy"
    assert_helpful(health.error)


@pytest.mark.parametrize(
    "url", ["", "ftp://host", "http://", "not an address", "http://host:99999", "http://[::1"]
)
async def test_bad_address(url: str) -> None:
    async with client_for(url) as client:
        assert not (await client.health()).up
        error, _ = await failure(client)
    assert error.key == "ollama.bad_url"
    assert_helpful(error)


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ("junk", "ollama.not_ollama"),
        ("html", "ollama.server_error"),
        ("cut", "ollama.cut"),
        ("not_found", "ollama.not_ollama"),
        ("hang", "ollama.timeout_first"),
    ],
)
async def test_fault_of_the_health_probe(fault: Fault, key: str) -> None:
    with OllamaDouble() as server:
        server.faults["/api/tags"] = fault
        async with client_for(server.url, first_token_timeout=0.2) as client:
            health = await client.health()
    assert not health.up
    assert isinstance(health.error, ModelError)
    assert health.error.key == key
    assert_helpful(health.error)


@pytest.mark.parametrize("fault", ["server_error", "refuse_load", "junk", "cut", "hang"])
async def test_fault_of_an_embedding(fault: Fault) -> None:
    keys = {"refuse_load": "out_of_memory", "hang": "timeout_first"}
    with OllamaDouble() as server:
        server.fault = fault
        async with client_for(server.url, first_token_timeout=0.2) as client:
            with pytest.raises(ModelError) as caught:
                await client.embed("bge-m3", ["bảo hành"])
    assert caught.value.key == f"ollama.{keys.get(fault, fault)}"
    assert_helpful(caught.value)


async def test_the_servers_words_are_cleaned_and_shortened() -> None:
    with OllamaDouble() as server:
        server.script(Reply(fault="server_error", error="\x1b[31mbad\x07 {model}\n" + "x" * 900))
        async with client_for(server.url) as client:
            error, _ = await failure(client)
    detail = str(error.params["detail"])
    assert detail.startswith("bad {model} xxx")
    assert len(detail) == 200
    assert "\x1b" not in error.render("vi").line()


async def test_a_password_in_the_address_is_used_but_never_shown() -> None:
    with OllamaDouble({}) as server:
        address = server.url.replace("http://", "http://anna:secret@")
        async with client_for(address) as client:
            error, _ = await failure(client)
            assert (await client.health()).up
    assert all(request.headers["authorization"].startswith("Basic ") for request in server.requests)
    assert "secret" not in str(error.params) + error.render("en").line()


@pytest.mark.parametrize("plain", [False, True])
async def test_a_refusal_for_length_is_told_in_the_words_of_the_server(plain: bool) -> None:
    with OllamaDouble() as server:
        server.window, server.plain_refusals = 1, plain
        async with client_for(server.url) as client:
            error, said = await failure(client)
            assert (error.key, error.params["limit"], said) == ("ollama.refused_length", 1, "")
            assert (
                error.params["detail"] == "the request exceeds the available context size, try increasing it"
            )
            assert_helpful(error)


async def test_a_server_that_refuses_truncate_is_asked_without_it_from_then_on() -> None:
    with OllamaDouble() as server:
        server.fault = "no_truncate"
        server.script("refused", "một", "hai")
        async with client_for(server.url) as client:
            assert await whole(client.chat("gpt-oss", HELLO)) == "một"
            assert await whole(client.chat("gpt-oss", HELLO)) == "hai"
    assert [one.body.get("truncate") for one in server.chats] == [False, None, None]
