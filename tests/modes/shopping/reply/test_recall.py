"""What the shop desk remembers of a long conversation: found again, kept private, never taken for the catalogue."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.modes.desk import Told
from tests.support.modes.shopping import Shop, shop_at
from tests.support.ollama.double import OllamaDouble
from tests.support.process.waiting import until
from troly_shopping.reply.recall import MEMORY, _without_pointing, memory_block, shared_entries

SHOPPING = {"intent": "shopping", "confidence": 0.9, "rationale": "wants advice"}
WISH = "mình thích máy màu xanh lá cây, vỏ nhôm"


@pytest.fixture
def server() -> Iterator[OllamaDouble]:
    with OllamaDouble() as double:
        yield double


@pytest.fixture
async def shop(own_home: Path, server: OllamaDouble) -> AsyncIterator[Shop]:
    with shop_at(own_home, OLLAMA_HOST=server.url) as opened:
        opened.services.memory.queue.quiet = 0.0
        yield opened
        await opened.services.llm.aclose()


def talk(shop: Shop, first: str, *, fill: int = 14) -> None:
    """A conversation that begins with `first` and goes on for `fill` messages about something else."""
    store, login = shop.services.conversations, shop.profile.login
    shop.conversation = store.create(login, "shopping", language="vi").id
    for number, text in enumerate([first, *(f"đoạn chuyện phiếm thứ {n}" for n in range(fill))]):
        store.add_message(login, shop.conversation, "assistant" if number % 2 else "user", text)


def memories(told: Told) -> list[dict[str, Any]]:
    return [item for item in told.state["retrieved_context"] if item["kind"] == MEMORY]


def embedded(shop: Shop) -> int:
    with shop.services.state.read() as connection:
        return int(connection.execute("SELECT count(*) FROM memory_vectors").fetchone()[0])


@pytest.mark.parametrize("question", [
    "như lúc nãy em nói, laptop màu xanh lá cây giá bao nhiêu",
    "nhu luc nay em noi, laptop mau xanh la cay gia bao nhieu",
])  # fmt: skip
async def test_an_early_wish_is_found_again_without_a_model(shop: Shop, question: str) -> None:
    talk(shop, WISH)
    told = await shop.ask(question, offline=True)
    assert [item["text"] for item in memories(told)] == [WISH]
    assert WISH not in told.answer


async def test_the_model_is_shown_the_memory_apart_from_the_catalogue(
    shop: Shop, server: OllamaDouble
) -> None:
    talk(shop, WISH)
    shop.services.memory.enqueue()
    await until(lambda: embedded(shop) == 15, 30)
    server.script(SHOPPING, "Dạ em nhớ ạ.")
    told = await shop.ask("như lúc nãy em nói, laptop màu xanh lá cây giá bao nhiêu")
    assert WISH in [item["text"] for item in memories(told)]
    prompt = "\n".join(message["content"] for message in server.chats[-1].body["messages"])
    assert f"Earlier in this conversation:\nUser: {WISH}" in prompt
    assert prompt.count(WISH) == 1


async def test_what_the_prompt_holds_anyway_is_not_repeated(shop: Shop) -> None:
    talk(shop, WISH, fill=3)
    told = await shop.ask("như lúc nãy em nói, laptop màu xanh lá cây giá bao nhiêu", offline=True)
    assert memories(told) == []


async def test_the_question_itself_is_no_memory(shop: Shop) -> None:
    talk(shop, "xin chào")
    question = "laptop màu tím than vỏ nhôm giá bao nhiêu"
    told = await shop.ask(question, offline=True)
    assert question not in [item["text"] for item in memories(told)]


async def test_another_conversation_is_never_remembered(shop: Shop) -> None:
    talk(shop, WISH)
    talk(shop, "xin chào")
    told = await shop.ask("như lúc nãy em nói, laptop màu xanh lá cây giá bao nhiêu", offline=True)
    assert memories(told) == []


async def test_a_price_that_was_only_said_is_not_known(shop: Shop, server: OllamaDouble) -> None:
    talk(shop, "laptop vỏ nhôm giá 1.234.000đ nhé")
    server.script(SHOPPING, "Dạ laptop vỏ nhôm giá 1.234.000đ ạ.")
    told = await shop.ask("như lúc nãy em nói, laptop vỏ nhôm giá bao nhiêu")
    assert memories(told)
    assert "1.234.000" not in told.answer


@pytest.mark.parametrize(("question", "rest", "pointing"), [
    ("như lúc nãy em nói laptop nào", "laptop nào", True),
    ("what did I say earlier about the mouse", "what did I say about the mouse", True),
    ("ban đầu", "ban đầu", True),
    ("laptop dưới 20 triệu", "laptop dưới 20 triệu", False),
])  # fmt: skip
def test_pointing_back_is_recognised(question: str, rest: str, pointing: bool) -> None:
    assert _without_pointing(question) == (rest, pointing)


def test_memory_is_kept_apart() -> None:
    context = [
        {"kind": "document", "text": "a"},
        {"kind": MEMORY, "title": "user", "text": "b\nAssistant: c"},
    ]
    assert shared_entries(context) == context[:1]
    assert memory_block(context) == "Earlier in this conversation:\nUser: b Assistant: c\n\n"
    assert memory_block(context[:1]) == ""
