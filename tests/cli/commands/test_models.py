"""`app models`: what a server has and what the settings want, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.ollama.double import OllamaDouble
from tests.support.process.command_line import CommandLine


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaDouble]:
    """A server, and the environment that points at it."""
    with OllamaDouble() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


def test_list_joins_what_is_there_and_what_is_wanted(app: CommandLine, ollama: OllamaDouble) -> None:
    del ollama.models["bge-m3:latest"]
    ollama.models["mistral:7b"] = ["completion"]
    ran = app.run("models", "list")
    assert ran.code == 0
    lines = {line.split()[0]: line for line in ran.out.splitlines()[2:]}
    assert "chat" in lines["gpt-oss:latest"]
    assert "2.0 GB" in lines["mistral:7b"]
    assert "missing" in lines["bge-m3"]
    assert "embed" in lines["bge-m3"]
    as_json = {line["name"]: line for line in app.run("models", "list", "--json").events}
    assert as_json["bge-m3"] == {"name": "bge-m3", "size": None, "roles": ["embed"], "installed": False}


def test_pull_brings_a_model(app: CommandLine, ollama: OllamaDouble) -> None:
    ran = app.run("models", "pull", "qwen3:8b")
    assert (ran.code, ran.out) == (0, "qwen3:8b\n")
    assert "qwen3:8b" in ollama.models


def test_a_pull_that_fails_and_a_server_that_is_down_are_exit_5(
    app: CommandLine, ollama: OllamaDouble
) -> None:
    ollama.pull_error = "pull model manifest: file does not exist"
    failed = app.run("models", "pull", "nothing")
    assert (failed.code, failed.out) == (5, "")
    assert "nothing" in failed.err
    ollama.down()
    for args in (["list"], ["pull", "x"]):
        ran = app.run("models", *args)
        assert (ran.code, ran.out) == (5, "")
        assert len([line for line in ran.err.splitlines() if ":" in line]) >= 1


def test_models_hosts_tells_of_each(
    app: CommandLine, ollama: OllamaDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OllamaDouble({"bge-m3:latest": ["embedding"]}) as other:
        ollama.loaded.add("gpt-oss:latest")
        monkeypatch.setenv("TROLY_OLLAMA__URLS", f"{other.url},http://127.0.0.1:9")
        rows = app.run("models", "hosts", "--json").events
        assert [row["up"] for row in rows] == [True, True, False]
        assert rows[0]["loaded"] == ["gpt-oss:latest"]
        assert rows[1]["models"] == ["bge-m3:latest"]
        assert "127.0.0.1:9" in app.run("models", "hosts").out
