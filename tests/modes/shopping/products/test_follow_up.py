"""Questions about the products that were just shown, limits in other money, and figures tied to their product."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import stocked_shop
from tests.support.ollama.double import OllamaDouble
from troly.plugin.samples import remove
from troly.text.numbers import find_amounts
from troly_shopping import MODE
from troly_shopping.products.follow_up import parse_follow_up
from troly_shopping.reply.price_check import PriceCheck

LIST = "laptop asus dưới 25 triệu"
NAMES = ("Laptop A", "Laptop B", "Laptop C")


@pytest.fixture
def shop(own_home: Path) -> Iterator[Shop]:
    with stocked_shop(own_home) as opened:
        yield opened


@pytest.mark.parametrize(
    ("text", "kind", "places", "by"),
    [
        ("con nào rẻ hơn?", "extreme", (), "cheapest"),
        ("con nao re hon", "extreme", (), "cheapest"),
        (unicodedata.normalize("NFD", "Cái nào đắt nhất ạ"), "extreme", (), "dearest"),
        ("WHICH ONE IS CHEAPER?", "extreme", (), "cheapest"),
        ("cái thứ hai bao nhiêu?", "each", (2,), ""),
        ("cai thu 2 bao nhieu tien", "each", (2,), ""),
        ("how much is the second one", "each", (2,), ""),
        ("con số 7 giá sao", "each", (7,), ""),
        ("cái cuối cùng giá bao nhiêu", "each", (-1,), ""),
        ("còn hàng không shop", "each", (), ""),
        ("are they in stock", "each", (), ""),
        ("loại nào nhẹ hơn", "attribute", (), "weight -"),
        ("which is lighter", "attribute", (), "weight -"),
        ("laptop nào ram nhiều hơn", "attribute", (), "ram +"),
        ("con 1 với con 2 con nào rẻ hơn", "extreme", (1, 2), "cheapest"),
        ("so sánh con 1 với con 3 đi", "compare", (1, 3), ""),
        ("có con nào rẻ hơn không", "others", (), ""),
        ("anything cheaper?", "others", (), ""),
    ],
)
def test_what_is_asked(text: str, kind: str, places: tuple[int, ...], by: str) -> None:
    found = parse_follow_up(text, NAMES, ("laptop",))
    assert found is not None
    assert (found.kind, found.places, found.by) == (kind, places, by)


@pytest.mark.parametrize(
    "text",
    [
        "chuột nào rẻ hơn", "con nào rẻ hơn 15 triệu", "màn hình còn hàng không", "rtx 4060 bao nhiêu",
        "Dell với HP cái nào rẻ hơn", "giao hàng bao nhiêu tiền", "bảo hành ABC123", "xin chào", "", "laptop", "ship còn không", "laptop rẻ nhất", "the cheapest laptop",
    ],
)  # fmt: skip
def test_what_is_another_question(text: str) -> None:
    assert parse_follow_up(text, NAMES, ("laptop",)) is None


def test_nothing_follows_on_nothing() -> None:
    assert parse_follow_up("con nào rẻ hơn?", (), ()) is None


async def test_the_answers_keep_to_what_was_shown(shop: Shop) -> None:
    shown = (await shop.ask(LIST)).tables[0].rows
    names, prices = [row[0] for row in shown], [row[1] for row in shown]
    values = [find_amounts(price)[0].value for price in prices]
    cheapest = values.index(min(values))
    told = await shop.ask("con nào rẻ hơn?")
    assert f"rẻ nhất là {names[cheapest]}: {prices[cheapest]}" in told.answer
    assert told.state["intent"] == "shopping"
    told = await shop.ask("cái thứ hai bao nhiêu?")
    assert f"- {names[1]}: {prices[1]}" in told.answer
    assert names[0] not in told.answer
    told = await shop.ask("còn hàng không")
    assert [row[0] for row in told.tables[0].rows] == names
    told = await shop.ask("cái thứ 12 giá bao nhiêu")
    assert f"chỉ có {len(names)} mẫu" in told.answer
    assert not told.tables


async def test_what_the_catalogue_does_not_say_is_not_guessed(shop: Shop) -> None:
    await shop.ask(LIST)
    assert "không ghi trọng lượng" in (await shop.ask("loại nào nhẹ hơn")).answer
    told = await shop.ask("con nào ram nhiều hơn")
    assert "32GB" in told.answer.splitlines()[0]


async def test_the_kind_stays_when_only_the_limit_changes(shop: Shop) -> None:
    await shop.ask(LIST)
    told = await shop.ask("có con nào dưới 12 triệu không")
    assert told.tables
    assert all("Laptop" in row[0] for row in told.tables[0].rows)


async def test_cheaper_ones_become_what_is_shown(shop: Shop) -> None:
    await shop.ask("laptop từ 15 đến 20 triệu")
    told = await shop.ask("có con nào rẻ hơn không")
    first = told.tables[0].rows[0][0]
    assert first in (await shop.ask("cái đầu tiên còn hàng không")).answer
    await shop.ask("laptop rẻ nhất")
    assert "rẻ nhất cùng loại" in (await shop.ask("có con nào rẻ hơn không")).answer


async def test_another_conversation_knows_nothing_of_it(shop: Shop) -> None:
    shown = (await shop.ask(LIST)).tables[0].rows
    shop.leave()
    assert shown[1][0] not in (await shop.ask("cái thứ hai bao nhiêu?")).answer


async def test_a_catalogue_that_is_gone_is_said(shop: Shop) -> None:
    await shop.ask(LIST)
    remove(shop.services, MODE, "vi")
    assert "không còn trong danh mục" in (await shop.ask("con nào rẻ hơn?")).answer


@pytest.mark.parametrize(
    ("text", "amount"),
    [("laptop under $500", "$500"), ("laptop dưới 500 đô", "500 đô"), ("something under 700 usd", "700 usd")],
)
async def test_a_limit_in_other_money_is_said_and_not_converted(shop: Shop, text: str, amount: str) -> None:
    told = await shop.ask(text)
    first = told.answer.splitlines()[0]
    assert amount in first
    assert "VND" in first
    assert told.state["response"] == told.answer
    assert told.state["intent"] == "shopping"


OWN = {
    "Laptop ASUS TUF A15": frozenset({Decimal(20_000_000)}),
    "Laptop Acer Nitro V": frozenset({Decimal(18_000_000)}),
}


@pytest.mark.parametrize(
    ("text", "withheld"),
    [
        ("Laptop ASUS TUF A15 giá 20.000.000 VND ạ.", False),
        ("ASUS TUF A15 giá 18.000.000 VND ạ.", True),
        ("Laptop Acer Nitro V giá 20 triệu, ASUS TUF A15 giá 18 triệu ạ.", True),
        ("Laptop Acer Nitro V giá 18 triệu, ASUS TUF A15 giá 20 triệu ạ.", False),
        ("ASUS TUF A15 và Acer Nitro V lần lượt giá 20 triệu và 18 triệu ạ.", False),
        ("Giá 18.000.000 VND và 20.000.000 VND ạ.", False),
    ],
)
@pytest.mark.parametrize("size", [2, 300])
def test_a_figure_belongs_to_the_product_that_the_sentence_names(
    text: str, withheld: bool, size: int
) -> None:
    known = frozenset(value for values in OWN.values() for value in values)
    check = PriceCheck(known, frozenset(), "[?]", OWN)
    shown = "".join(check.add(text[at : at + size]) for at in range(0, len(text), size)) + check.finish()
    assert check.withheld is withheld
    assert ("[?]" in shown) is withheld


async def test_a_model_is_given_the_products_meant(own_home: Path) -> None:
    with OllamaDouble() as server, stocked_shop(own_home, OLLAMA_HOST=server.url) as shop:
        shown = (await shop.ask(LIST, offline=True)).tables[0].rows
        server.script("Dạ mẫu thứ hai giá " + shown[1][1] + " ạ.")
        told = await shop.ask("cái thứ hai bao nhiêu?")
        prompt = "\n".join(message["content"] for message in server.chats[-1].messages)
        await shop.services.llm.aclose()
    assert shown[1][1] in told.answer
    assert f"{shown[1][0]} | {shown[1][1]}" in prompt
    assert told.done.source in {"model", "mixed"}
