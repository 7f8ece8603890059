"""Every built-in mode gives the same events to the byte when a conversation is replayed without any server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.dental import WebDouble
from tests.support.modes.made import BUILT_IN
from tests.support.modes.replays import person_at, replayed, told_apart
from tests.support.ollama.double import OllamaDouble


@pytest.fixture
def web() -> Iterator[WebDouble]:
    double = WebDouble()
    yield double
    double.close()


@pytest.mark.parametrize("mode", BUILT_IN)
async def test_a_conversation_by_rules_is_replayed_to_the_byte(own_home: Path, mode: str) -> None:
    with person_at(own_home, mode) as person:
        for question in person.questions():
            await person.ask(question)
        found = await replayed(person, person.turns())
        await person.services.llm.aclose()
    assert told_apart(found) == []
    assert [one.missed for one in found] == [()] * len(found)
    assert all(one.events > 3 for one in found)


@pytest.mark.parametrize("mode", BUILT_IN)
async def test_a_conversation_with_a_model_is_replayed_when_it_is_gone(
    own_home: Path, mode: str, web: WebDouble
) -> None:
    calls = 0
    with (
        OllamaDouble() as server,
        person_at(own_home, mode, OLLAMA_HOST=server.url, SEARXNG_URL=web.url) as person,
    ):
        for question in person.questions():
            calls += (await person.ask(question)).done.calls
        await person.services.llm.aclose()
        turns, conversation = person.turns(), person.conversation
    web.close()
    with person_at(own_home, mode, loaded=False, OLLAMA_HOST=server.url, SEARXNG_URL=web.url) as person:
        person.conversation = conversation
        found = await replayed(person, turns)
        await person.services.llm.aclose()
    assert calls > 0
    assert told_apart(found) == []
    assert [one.missed for one in found] == [()] * len(found)
