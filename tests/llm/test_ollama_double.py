"""The Ollama double: what goes over the wire is what the real server sends."""

from __future__ import annotations

import json
import socket
import threading
import urllib.error
import urllib.request
from typing import Any

import httpx
import pytest

from tests.support.ollama.double import OllamaDouble, Reply, closed_port_url
from tests.support.ollama.replies import smallest
from tests.support.process.waiting import wait_until

CHAT = {"model": "gpt-oss", "messages": [{"role": "user", "content": "Chào"}]}


def post(url: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    with httpx.Client(trust_env=False) as client:
        answer = client.post(url, json=body)
        return [json.loads(line) for line in answer.text.splitlines()]


def said(lines: list[dict[str, Any]]) -> str:
    return "".join(line["message"]["content"] for line in lines)


def test_streams_lines_and_ends_with_done() -> None:
    with OllamaDouble() as server:
        server.script("Xin chào bạn")
        lines = post(f"{server.url}/api/chat", CHAT)
        assert said(lines) == "Xin chào bạn"
        assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
        assert lines[-1]["prompt_eval_count"] > 0
        assert server.chats[0].last_user == "Chào"
        wait_until(lambda: server.chats[0].finished)


def test_half_characters_join_to_the_same_text() -> None:
    with OllamaDouble() as server:
        server.script(Reply("Đơn hàng của quý khách", fault="half_chars"))
        assert said(post(f"{server.url}/api/chat", CHAT)) == "Đơn hàng của quý khách"


def test_one_connection_carries_several_requests() -> None:
    with OllamaDouble() as server, httpx.Client(trust_env=False, base_url=server.url) as client:
        for _ in range(3):
            assert client.get("/api/version").json() == {"version": server.version}
        names = [model["name"] for model in client.get("/api/tags").json()["models"]]
        assert names == list(server.models)
        assert client.post("/api/show", json={"model": "bge-m3"}).json()["capabilities"] == ["embedding"]
        assert client.get("/api/ps").json() == {"models": []}
        assert client.get("/nowhere").status_code == 404


def test_notices_that_the_client_left() -> None:
    with OllamaDouble() as server:
        server.fault = "hang"
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{server.url}/api/chat", json=CHAT, timeout=0.05, trust_env=False)
        wait_until(lambda: server.chats[0].disconnected)


def test_down_and_up_again_on_the_same_port() -> None:
    with OllamaDouble() as server:
        server.down()
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(server.url, timeout=1)
        server.up()
        assert httpx.get(server.url, trust_env=False).text == "Ollama is running"


def test_gate_holds_the_stream_until_it_opens() -> None:
    gate = threading.Event()
    with OllamaDouble() as server:
        server.script(Reply("một hai ba bốn năm", gate=gate, after=2))
        with httpx.stream("POST", f"{server.url}/api/chat", json=CHAT, trust_env=False) as answer:
            lines = answer.iter_lines()
            assert "một" in next(lines)
            wait_until(lambda: server.chats[0].sent == 2)
            gate.set()
            assert json.loads(list(lines)[-1])["done"] is True


def test_leaves_no_thread_and_no_listener() -> None:
    before = threading.active_count()
    server = OllamaDouble()
    port = int(server.url.rpartition(":")[2])
    server.close()
    server.close()
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
    assert closed_port_url().startswith("http://127.0.0.1:")


def test_embeddings_have_the_asked_dimension_and_are_deterministic() -> None:
    with OllamaDouble(dims=8) as server:
        body = {"model": "bge-m3", "input": ["bảo hành", "bảo hành", "thuê xe"]}
        first, again, other = post(f"{server.url}/api/embed", body)[0]["embeddings"]
        assert len(first) == 8
        assert first == again != other


def test_default_reply_fits_a_schema() -> None:
    schema = {
        "$defs": {"Kind": {"enum": ["a", "b"]}},
        "properties": {
            "kind": {"$ref": "#/$defs/Kind"},
            "count": {"type": "integer", "minimum": 2},
            "parts": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["kind", "count", "parts", "note"],
    }
    assert smallest(schema) == {"kind": "a", "count": 2, "parts": ["x"], "note": "x"}
    with OllamaDouble() as server:
        assert json.loads(said(post(f"{server.url}/api/chat", {**CHAT, "format": schema}))) == smallest(
            schema
        )
