"""The assistants behind OpenAI's protocol, asked with the official SDK."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.ollama.double import OllamaDouble, Reply
from tests.support.server import Served, serving
from tests.support.stores.services import services_at
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly.server.openai import StopText

MODEL = "troly-planned"
HELLO = {"role": "user", "content": "xin chào"}


@asynccontextmanager
async def sdk(served: Served, **more: str) -> AsyncIterator[Any]:
    key = more.get("key", served.client.headers["x-api-key"])
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key=key, max_retries=0) as client:
        yield client


async def test_the_assistants_are_models(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served, sdk(served) as client:
        listed = [one.id async for one in client.models.list()]
        one = await client.models.retrieve(MODEL)
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("gpt-4")
    assert listed == ["troly-other", MODEL]
    assert one.owned_by == "troly"


def test_the_documents_name_of_the_dental_assistant() -> None:
    """003-02."""
    from troly.server.openai import model_names

    assert model_names(Registry().get("dental")) == ("troly-dental", "dental-duckduckgo")


async def test_a_whole_answer(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served, sdk(served) as client:
        answer = await client.chat.completions.create(model=MODEL, messages=[HELLO])
    text = answer.choices[0].message.content or ""
    assert text.startswith("một")
    assert "| a |\n|---|\n| 1 |" in text
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.model_dump()["conversation_id"]


async def test_a_streamed_answer_is_the_same(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served, sdk(served) as client:
        whole = await client.chat.completions.create(model=MODEL, messages=[HELLO])
        stream = await client.chat.completions.create(
            model=MODEL, messages=[HELLO], stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(pieces) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None


async def test_tokens_of_the_model_are_told(services: Services) -> None:
    with (
        OllamaDouble() as ollama,
        services_at(services.paths.data / "more", OLLAMA_HOST=ollama.url) as opened,
    ):
        ollama.script("một hai ba")
        registry = registry_of(planned=planned_mode(Plan(["stream"])))
        async with serving(opened, registry) as served, sdk(served) as client:
            answer = await client.chat.completions.create(model=MODEL, messages=[HELLO])
    assert answer.choices[0].message.content == "một hai ba"
    assert answer.usage is not None
    assert answer.usage.completion_tokens > 0
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


async def test_a_request_names_its_models(services: Services) -> None:
    """003-04: the model that answers and the one that judges."""
    models = {name: ["completion"] for name in ("gpt-oss:latest", "qwen2.5:3b-instruct", "a:1b", "b:1b")}
    with (
        OllamaDouble(models) as ollama,
        services_at(services.paths.data / "more", OLLAMA_HOST=ollama.url) as opened,
    ):
        registry = registry_of(planned=planned_mode(Plan(["judge", "stream"])))
        async with serving(opened, registry) as served, sdk(served) as client:
            named = {"ollama_model": "a:1b", "ollama_guardrail_model": "b:1b"}
            for extra in (named, {}):
                await client.chat.completions.create(model=MODEL, messages=[HELLO], extra_body=extra)
    asked = [request.body["model"] for request in ollama.chats]
    assert asked == ["b:1b", "a:1b", "qwen2.5:3b-instruct", "gpt-oss:latest"]


async def test_a_failure_is_an_error_of_the_sdk(services: Services) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say", "model_error"])))
    async with serving(services, registry) as served, sdk(served) as client:
        with pytest.raises(openai.InternalServerError) as whole:
            await client.chat.completions.create(model=MODEL, messages=[HELLO])
        with pytest.raises(openai.APIError):
            async for _ in await client.chat.completions.create(model=MODEL, messages=[HELLO], stream=True):
                pass
        with pytest.raises(openai.NotFoundError):
            await client.chat.completions.create(model="gpt-4", messages=[HELLO])
        with pytest.raises(openai.BadRequestError):
            await client.chat.completions.create(model=MODEL, messages=[HELLO], n=2)
        async with sdk(served, key="troly_no") as stranger:
            with pytest.raises(openai.AuthenticationError):
                await stranger.models.list()
    assert whole.value.code == "ollama.down"


async def conversations(services: Services, owner: str = "an") -> int:
    return len(services.conversations.list(owner))


@pytest.mark.parametrize("streamed", [False, True])
async def test_the_conversation_follows_the_messages(
    services: Services, registry: Registry, *, streamed: bool
) -> None:
    """A client that sends everything again goes on with the same conversation; one that changes it begins another."""
    async with serving(services, registry) as served, sdk(served) as client:
        messages: list[dict[str, str]] = [{"role": "system", "content": "be brief"}, HELLO]
        for number in range(3):
            if streamed:
                stream = await client.chat.completions.create(model=MODEL, messages=messages, stream=True)
                text = "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])
            else:
                text = (await client.chat.completions.create(model=MODEL, messages=messages)).choices[
                    0
                ].message.content or ""
            messages += [{"role": "assistant", "content": text}, {"role": "user", "content": f"câu {number}"}]
        assert await conversations(services) == 1
        await client.chat.completions.create(model=MODEL, messages=[messages[1], messages[2], HELLO])
        assert await conversations(services) == 2
    newest = services.conversations.list("an")[0]
    said = services.conversations.messages("an", newest.id)
    assert [one.text for one in said][:3] == ["xin chào", messages[2]["content"], "xin chào"]


async def test_the_conversation_follows_chat_id_and_user(services: Services, registry: Registry) -> None:
    """003-02: only the new message is sent, with `chat_id`; a conversation's own id is one as well."""
    async with serving(services, registry) as served, sdk(served) as client:

        async def ask(**more: object) -> str:
            answer = await client.chat.completions.create(model=MODEL, messages=[HELLO], extra_body=more)
            return str(answer.model_dump()["conversation_id"])

        chat = {await ask(chat_id="chat_1"), await ask(chat_id="chat_1")}
        user = {await ask(user="khach-7"), await ask(user="khach-7")}
        assert len(chat) == len(user) == 1
        assert chat != user
        assert {await ask(chat_id=next(iter(user)))} == user
        assert await ask(chat_id="chat_2") not in chat | user
        read = await served.client.get("/v1/conversations/chat_1")
        other = served.key("binh")
        theirs = await served.client.get("/v1/conversations/chat_1", headers=other)
        asked = await served.client.post(
            "/v1/chat/completions",
            json={"model": MODEL, "messages": [HELLO], "chat_id": next(iter(chat))},
            headers=other,
        )
    assert read.json()["conversation_id"] in chat
    assert [one["role"] for one in read.json()["messages"]][:2] == ["user", "assistant"]
    assert theirs.status_code == 404
    assert asked.json()["conversation_id"] not in chat


async def test_content_in_parts_is_read(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served, sdk(served) as client:
        parts = [{"type": "text", "text": "xin"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
        message = {"role": "user", "content": parts}
        await client.chat.completions.create(model=MODEL, messages=[message])
        (one,) = services.conversations.list("an")
    assert services.conversations.messages("an", one.id)[0].text == "xin"


async def test_the_answer_ends_before_a_stop(services: Services) -> None:
    with (
        OllamaDouble() as ollama,
        services_at(services.paths.data / "more", OLLAMA_HOST=ollama.url) as opened,
    ):
        ollama.default = lambda _request: Reply("một hai ba bốn năm")
        registry = registry_of(planned=planned_mode(Plan(["stream"])))
        async with serving(opened, registry) as served, sdk(served) as client:
            whole = await client.chat.completions.create(model=MODEL, messages=[HELLO], stop=["ba b"])
            stream = await client.chat.completions.create(
                model=MODEL, messages=[HELLO], stop="ba b", stream=True
            )
            pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert whole.choices[0].message.content == "một hai "
    assert "".join(pieces) == "một hai "


@given(
    st.lists(st.text("ab", max_size=4), max_size=8),
    st.lists(st.text("ab", min_size=1, max_size=3), max_size=3),
)
def test_a_text_in_pieces_stops_where_the_whole_would(pieces: list[str], stops: list[str]) -> None:
    cut = StopText(stops)
    written = "".join(cut.take(piece) for piece in pieces) + cut.rest()
    text = "".join(pieces)
    ends = [text.find(stop) for stop in stops if stop in text]
    if not ends:
        assert written == text
    else:
        assert len(written) <= min(ends) or any(
            written + stop == text[: len(written) + len(stop)] for stop in stops
        )
        assert text.startswith(written)
        assert not any(stop in written for stop in stops)
    assert json.dumps(written)
