"""`app dental facts|correct|forget` and the refusals of `app mcp serve`, as a person types them."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from tests.support.modes.dental_memory import dental_house
from tests.support.process.command_line import CommandLine
from tests.support.stores.services import profile
from troly_dental.memory.connection import open_memory


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    monkeypatch.setenv("LOGNAME", "an")
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def stated(own_home: Path) -> None:
    """The person who runs the tests has said two things."""

    async def say() -> None:
        with dental_house(own_home) as services:
            async with open_memory(services, profile("an")) as memory:
                await memory.add_message("c1", "user", "Tôi dị ứng \x1b[31mpenicillin, răng số 6 đau")

    asyncio.run(say())


def test_nothing_is_remembered_at_first(app: CommandLine) -> None:
    ran = app.run("dental", "facts")
    assert (ran.code, ran.out) == (0, "")
    assert "remembers nothing" in ran.err


def test_facts_are_listed_corrected_and_forgotten(app: CommandLine, stated: None) -> None:
    ran = app.run("dental", "facts")
    assert ran.code == 0
    assert "penicillin" in ran.out
    assert "\x1b" not in ran.out
    first, second = app.run("dental", "facts", "--json").events
    assert (first["kind"], second["kind"], second["value"]) == ("allergy", "tooth", "răng số 6")
    ran = app.run("dental", "correct", str(first["id"]), "dị ứng ibuprofen")
    assert ran.code == 0
    assert "dị ứng ibuprofen" in ran.out
    values = {event["value"] for event in app.run("dental", "facts", "--json").events}
    assert values == {"ibuprofen", "răng số 6"}
    ran = app.run("dental", "forget", str(second["id"]))
    assert ran.code == 0
    assert "răng số 6" in ran.out
    assert "history" in ran.err
    assert len(app.run("dental", "facts", "--json").events) == 1


@pytest.mark.parametrize("number", ["0", "99", "x", "-1", "1" * 30, "１"])
def test_a_number_that_is_no_fact_is_told(app: CommandLine, stated: None, number: str) -> None:
    for arguments in (("forget", "--", number), ("correct", "--", number, "x")):
        ran = app.run("dental", *arguments)
        assert ran.code == 3
        assert "app dental facts" in ran.err
    assert len(app.run("dental", "facts", "--json").events) == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nope",), "memory, tools"),
        (("memory", "--port", "8001"), "--http"),
        (("memory", "--token", "long-enough"), "--http"),
        (("memory", "--http", "--port", "x"), "65535"),
        (("memory", "--http", "--port", "70000"), "65535"),
        (("memory", "--http", "--token", "short"), "8"),
        (("memory", "--http", "--token", "có dấu tiếng Việt"), "8"),
    ],
)
def test_a_server_that_cannot_be_started_says_why(
    app: CommandLine, arguments: tuple[str, ...], told: str
) -> None:
    ran = app.run("mcp", "serve", *arguments)
    assert (ran.code, ran.out) == (3, "")
    assert told in ran.err


def test_a_taken_port_is_told(app: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = app.run("mcp", "serve", "memory", "--http", "--port", str(taken.getsockname()[1]))
    assert (ran.code, ran.out) == (3, "")
    assert "--port 0" in ran.err
