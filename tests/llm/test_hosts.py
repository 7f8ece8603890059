"""Several Ollama hosts behind one name: who answers, what stays warm, and what happens when one dies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import ExitStack, aclosing

import pytest

from tests.support.ollama.clients import HELLO, settings_for, whole
from tests.support.ollama.double import Fault, OllamaDouble
from tests.support.process.waiting import until
from troly.errors import ModelError
from troly.llm.hosts import ModelHosts, open_client
from troly.llm.types import ChatChunk

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


async def waits(stream: AsyncGenerator[ChatChunk, None]) -> int | None:
    """The number of questions before this one, as the first piece says; None where it is an answer's."""
    return (await anext(stream)).ahead


@pytest.fixture
async def narrow(servers: list[OllamaDouble]) -> AsyncIterator[ModelHosts]:
    """One server that writes one answer at a time."""
    opened = open_client(settings_for(servers[0].url, parallel=1))
    assert isinstance(opened, ModelHosts)
    yield opened
    await opened.aclose()


async def test_who_got_a_place_longest_ago_goes_first(
    servers: list[OllamaDouble], narrow: ModelHosts
) -> None:
    """One person asks many questions at once; another who comes later waits for one answer, not for all."""
    order: list[str] = []

    async def put(user: str, name: str) -> None:
        async with aclosing(narrow.chat(MODEL, [{"role": "user", "content": name}], user=user)) as stream:
            order.extend([name async for chunk in stream if chunk.done])

    servers[0].fault = "hang_mid"
    async with aclosing(narrow.chat(MODEL, HELLO, user="lan")) as first:
        assert await waits(first) is None
        tasks = [asyncio.create_task(put("lan", f"lan {number}")) for number in range(3)]
        await until(lambda: len(narrow._waiting) == 3)
        tasks.append(asyncio.create_task(put("minh", "minh")))
        await until(lambda: len(narrow._waiting) == 4)
        servers[0].fault = None
    await asyncio.gather(*tasks)
    assert order == ["minh", "lan 0", "lan 1", "lan 2"]
    assert [host.running for host in narrow.hosts] == [0]


async def test_who_waits_is_told_and_who_gives_up_frees_the_place(
    servers: list[OllamaDouble], narrow: ModelHosts
) -> None:
    servers[0].fault = "hang_mid"
    async with aclosing(narrow.chat(MODEL, HELLO)) as first:
        assert await waits(first) is None
        async with (
            aclosing(narrow.chat(MODEL, HELLO)) as second,
            aclosing(narrow.chat(MODEL, HELLO)) as third,
        ):
            assert await waits(second) == 0
            waiting = asyncio.create_task(anext(second))
            await until(lambda: len(narrow._waiting) == 1)
            assert await waits(third) == 1
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            servers[0].fault = None
    assert narrow._waiting == []
    assert await whole(narrow.chat(MODEL, HELLO))


async def test_a_place_given_to_who_has_just_gone_goes_to_the_next(
    servers: list[OllamaDouble], narrow: ModelHosts
) -> None:
    servers[0].fault = "hang_mid"
    first = narrow.chat(MODEL, HELLO)
    assert await waits(first) is None
    gone = narrow.chat(MODEL, HELLO)
    assert await waits(gone) == 0
    waiting = asyncio.create_task(anext(gone))
    await until(lambda: len(narrow._waiting) == 1)
    servers[0].fault = None
    await first.aclose()  # gives the place to `waiting`, which is ended before it runs
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert [host.running for host in narrow.hosts] == [0]
    assert await whole(narrow.chat(MODEL, HELLO))


async def test_places_given_by_the_settings_are_taken_at_once(
    servers: list[OllamaDouble], narrow: ModelHosts
) -> None:
    servers[0].fault = "hang_mid"
    async with aclosing(narrow.chat(MODEL, HELLO)) as first:
        assert await waits(first) is None
        second = asyncio.create_task(whole(narrow.chat(MODEL, HELLO)))
        await until(lambda: len(narrow._waiting) == 1)
        servers[0].fault = None
        narrow.configure(settings_for(servers[0].url, parallel=2))
        assert await second


async def test_every_host_has_its_limit(servers: list[OllamaDouble]) -> None:
    hosts = ModelHosts(
        settings_for(servers[0].url, urls=tuple(server.url for server in servers[1:]), parallel=1)
    )
    for server in servers:
        server.fault = "hang_mid"
    streams = [hosts.chat(MODEL, HELLO) for _ in range(4)]
    try:
        assert [await waits(stream) for stream in streams] == [None, None, None, 0]
        assert answered(servers) == [1, 1, 1]
    finally:
        for stream in streams:
            await stream.aclose()
        await hosts.aclose()


async def test_the_first_piece_names_who_answers(servers: list[OllamaDouble], hosts: ModelHosts) -> None:
    servers[1].loaded.add(MODEL)
    named = [chunk.host async for chunk in hosts.chat(MODEL, HELLO)]
    assert named[0] == servers[1].url
    assert not any(named[1:])


def test_one_address_needs_no_choice() -> None:
    assert not isinstance(open_client(settings_for("http://127.0.0.1:1")), ModelHosts)
    assert not isinstance(
        open_client(settings_for("http://127.0.0.1:1", urls=("http://127.0.0.1:1",))), ModelHosts
    )


async def test_who_waits_takes_a_host_that_comes_up_meanwhile(
    servers: list[OllamaDouble], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("troly.llm.hosts.LOOK_AGAIN", 0.05)
    servers[1].down()
    servers[0].fault = "hang_mid"
    hosts = ModelHosts(settings_for(servers[0].url, urls=(servers[1].url,), parallel=1))
    async with aclosing(hosts.chat(MODEL, HELLO)) as first:
        assert await waits(first) is None
        second = asyncio.create_task(whole(hosts.chat(MODEL, HELLO)))
        await until(lambda: len(hosts._waiting) == 1)
        servers[1].up()
        await hosts.health(max_age=0.0)
        assert await second
    assert answered(servers)[1] == 1
    await hosts.aclose()
