"""Several Ollama hosts behind one name: who answers, what stays warm, and what happens when one dies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, aclosing

import pytest

from tests.support.ollama.clients import HELLO, settings_for, whole
from tests.support.ollama.double import Fault, OllamaDouble
from tests.support.process.waiting import until
from troly.errors import ModelError
from troly.llm.hosts import ModelHosts, open_client

MODEL = "gpt-oss:latest"


@pytest.fixture
def servers() -> Iterator[list[OllamaDouble]]:
    with ExitStack() as opened:
        yield [opened.enter_context(OllamaDouble()) for _ in range(3)]


@pytest.fixture
async def hosts(servers: list[OllamaDouble]) -> AsyncIterator[ModelHosts]:
    opened = ModelHosts(settings_for(servers[0].url, urls=tuple(server.url for server in servers[1:])))
    yield opened
    await opened.aclose()


def answered(servers: list[OllamaDouble]) -> list[int]:
    return [len(server.chats) for server in servers]


async def ask(hosts: ModelHosts, conversation: str = "") -> str:
    return await whole(hosts.chat(MODEL, HELLO, conversation=conversation))


async def test_who_holds_the_model_answers(servers: list[OllamaDouble], hosts: ModelHosts) -> None:
    servers[1].loaded.add(MODEL)
    for number in range(3):
        await ask(hosts, f"c{number}")
    assert answered(servers) == [0, 3, 0]


async def test_who_lacks_the_model_is_not_asked(servers: list[OllamaDouble], hosts: ModelHosts) -> None:
    del servers[0].models[MODEL]
    del servers[1].models[MODEL]
    await ask(hosts)
    assert answered(servers) == [0, 0, 1]
    assert {model.name for model in (await hosts.health()).models} >= {MODEL}


async def test_answers_at_once_are_spread_and_a_conversation_stays(
    servers: list[OllamaDouble], hosts: ModelHosts
) -> None:
    for server in servers:
        server.loaded.add(MODEL)
        server.fault = "hang_mid"
    async with aclosing(hosts.chat(MODEL, HELLO, conversation="a")) as first:
        await anext(first)
        async with aclosing(hosts.chat(MODEL, HELLO, conversation="b")) as second:
            await anext(second)
            assert sorted(answered(servers)) == [0, 1, 1]
    for server in servers:
        server.fault = None
    before = answered(servers)
    for conversation in "aabab":
        await ask(hosts, conversation)
    more = [after - was for after, was in zip(answered(servers), before, strict=True)]
    assert sorted(more) == [0, 2, 3]
    assert [was > 0 for was in before] == [count > 0 for count in more]


async def test_a_busy_home_is_left(servers: list[OllamaDouble], hosts: ModelHosts) -> None:
    for server in servers:
        server.loaded.add(MODEL)
    await ask(hosts, "a")
    home = answered(servers).index(1)
    servers[home].fault = "hang_mid"
    async with aclosing(hosts.chat(MODEL, HELLO, conversation="a")) as one:
        await anext(one)
        async with aclosing(hosts.chat(MODEL, HELLO, conversation="a")) as two:
            await anext(two)
            assert answered(servers)[home] == 3
            await ask(hosts, "a")
    assert answered(servers)[home] == 3


@pytest.mark.parametrize("fault", ["server_error", "refuse_load", "html", "not_found"])
async def test_a_host_that_fails_before_a_word_is_passed_over(
    servers: list[OllamaDouble], hosts: ModelHosts, fault: Fault
) -> None:
    servers[0].loaded.add(MODEL)
    servers[0].fault = fault
    assert await ask(hosts, "a")
    assert answered(servers)[0] == 1
    assert sum(answered(servers)) == 2


async def test_a_host_that_dies_after_the_first_word_is_told(
    servers: list[OllamaDouble], hosts: ModelHosts
) -> None:
    servers[0].loaded.add(MODEL)
    servers[0].fault = "cut"
    with pytest.raises(ModelError):
        await ask(hosts)
    assert sum(answered(servers)) == 1


async def test_what_is_wrong_with_the_question_is_wrong_everywhere(
    servers: list[OllamaDouble], hosts: ModelHosts
) -> None:
    for server in servers:
        server.window = 1
    with pytest.raises(ModelError) as caught:
        await ask(hosts)
    assert caught.value.key == "ollama.refused_length"
    assert sum(answered(servers)) == 1


async def test_hosts_that_are_gone_are_passed_over_and_come_back(
    servers: list[OllamaDouble], hosts: ModelHosts
) -> None:
    servers[0].down()
    servers[1].down()
    assert (await hosts.health(max_age=0.0)).up
    await ask(hosts)
    assert answered(servers) == [0, 0, 1]
    assert hosts.known_down() is None
    servers[2].down()
    assert not (await hosts.health(max_age=0.0)).up
    assert (hosts.known_down() or ModelError("")).key == "ollama.down"
    servers[1].up()
    assert (await hosts.health(max_age=0.0)).up
    assert [status.health.up for status in await hosts.statuses()] == [False, True, False]


async def test_vectors_come_from_another_host_too(servers: list[OllamaDouble], hosts: ModelHosts) -> None:
    servers[0].faults["/api/embed"] = "server_error"
    assert len(await (await hosts.embedder("bge-m3"))(["một", "hai"])) == 2


async def test_an_answer_that_is_not_read_to_its_end_frees_its_host(
    servers: list[OllamaDouble], hosts: ModelHosts
) -> None:
    for server in servers:
        server.fault = "hang_mid"
    async with aclosing(hosts.chat(MODEL, HELLO)) as stream:
        await anext(stream)
        assert sum(host.running for host in hosts.hosts) == 1
    assert sum(host.running for host in hosts.hosts) == 0
    await until(lambda: any(request.disconnected for server in servers for request in server.chats))
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_one_address_needs_no_choice() -> None:
    assert not isinstance(open_client(settings_for("http://127.0.0.1:1")), ModelHosts)
    assert not isinstance(
        open_client(settings_for("http://127.0.0.1:1", urls=("http://127.0.0.1:1",))), ModelHosts
    )
