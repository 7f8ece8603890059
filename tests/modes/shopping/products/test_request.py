"""Questions about what was just shown, changes of the last question, and limits in other money."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import stocked_shop, told_lines
from tests.support.ollama.double import OllamaDouble
from troly.plugin.samples import remove
from troly.text.numbers import find_amounts
from troly_shopping import MODE

LIST = "laptop asus dưới 25 triệu"


def names(answer: str) -> list[str]:
    """The products that an answer lists, in order."""
    return [line.split(":")[0] for line in told_lines(answer)]


def prices(answer: str) -> list[Decimal]:
    return [find_amounts(line.split(": ")[1])[0].value for line in told_lines(answer)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("con nào rẻ hơn?", (-1,)),
        ("con nao re nhat", (-1,)),
        ("WHICH ONE IS THE CHEAPEST?", (-1,)),
        ("cái thứ hai bao nhiêu?", (1,)),
        ("cai thu 2 bao nhieu tien", (1,)),
        ("how much is the second one", (1,)),
        ("cái cuối cùng giá bao nhiêu", (3,)),
        ("con thứ 2 pin bao lâu", (1,)),
        ("so sánh con 1 với con 3 đi", (0, 2)),
        ("còn hàng không shop", (0, 1, 2, 3)),
    ],
)
async def test_what_was_shown_is_what_is_meant(shop: Shop, text: str, expected: tuple[int, ...]) -> None:
    shown = (await shop.ask(LIST)).answer
    listed = names(shown)
    assert len(listed) >= 4
    cheapest = listed[prices(shown).index(min(prices(shown)))]
    told = await shop.ask(text)
    wanted = [
        cheapest if at < 0 else listed[-1] if at == 3 and len(expected) == 1 else listed[at]
        for at in expected
    ]
    assert names(told.answer)[: len(wanted)] == wanted
    assert told.state["intent"] == "shopping"


@pytest.mark.parametrize("text", ["chuột nào rẻ hơn", "màn hình còn hàng không", "rtx 4060 bao nhiêu"])
async def test_what_is_another_question(shop: Shop, text: str) -> None:
    listed = names((await shop.ask(LIST)).answer)
    assert not set(listed) & set(names((await shop.ask(text)).answer))


async def test_a_number_that_the_list_does_not_reach_is_said(shop: Shop) -> None:
    listed = names((await shop.ask(LIST)).answer)
    assert f"chỉ có {len(listed)} mẫu" in (await shop.ask("cái thứ 12 giá bao nhiêu")).answer


async def test_one_of_the_list_stays_what_is_spoken_of_and_the_list_stays_too(shop: Shop) -> None:
    listed = names((await shop.ask(LIST)).answer)
    assert names((await shop.ask("con thứ 2 ram bao nhiêu")).answer) == [listed[1]]
    assert names((await shop.ask("còn hàng không")).answer) == [listed[1]]
    assert names((await shop.ask("con đầu giá sao")).answer) == [listed[0]]


async def test_what_the_catalogue_does_not_say_is_not_guessed(shop: Shop) -> None:
    await shop.ask(LIST)
    assert not (await shop.ask("loại nào nhẹ hơn")).done.metadata["answered"]
    assert "danh mục không ghi pin" in (await shop.ask("con thứ 2 pin bao lâu")).answer


async def test_a_change_keeps_what_was_said_before(shop: Shop) -> None:
    await shop.ask("laptop gaming dưới 25tr không lấy dell")
    told = await shop.ask("à ý mình là 27tr mà phải 32gb")
    assert names(told.answer)
    assert all("32GB" in name and "Dell" not in name for name in names(told.answer))
    assert max(prices(told.answer)) <= 27_000_000
    told = await shop.ask("bỏ hp luôn")
    assert all("HP" not in name and "Dell" not in name and "32GB" in name for name in names(told.answer))


async def test_other_ones_are_not_those_shown(shop: Shop) -> None:
    shown = await shop.ask("laptop từ 15 đến 20 triệu")
    assert not (await shop.ask("còn mẫu nào khác không")).done.metadata["answered"]
    shop.leave()
    await shop.ask("laptop từ 15 đến 20 triệu")
    cheaper = await shop.ask("có con nào rẻ hơn không")
    assert names(cheaper.answer)
    assert not set(names(cheaper.answer)) & set(names(shown.answer))


async def test_how_much_cheaper_is_no_question_for_another_price(shop: Shop) -> None:
    await shop.ask("ổ cứng di động WD My Passport 2TB giá bao nhiêu")
    told = await shop.ask("bản 1TB rẻ hơn được bao nhiêu?")
    assert "600.000" in told.answer
    assert told.done.metadata["answered"]


async def test_a_computer_that_was_built_is_summed_and_no_part_is_changed_by_guess(shop: Shop) -> None:
    built = await shop.ask("build pc 15tr chơi game")
    parts = [find_amounts(line)[-1].value for line in built.answer.splitlines() if line.startswith("- ")]
    total = await shop.ask("tổng bao nhiêu")
    assert sum(parts) in {amount.value for amount in find_amounts(total.answer)}
    assert not (await shop.ask("đổi vga khác")).done.metadata["answered"]
    cases = [line for line in built.answer.splitlines() if line.startswith("- vỏ")]
    less = sum(parts) - sum(find_amounts(line)[-1].value for line in cases)
    assert cases
    assert less in {amount.value for amount in find_amounts((await shop.ask("bỏ vỏ case ra")).answer)}


async def test_another_conversation_knows_nothing_of_it(shop: Shop) -> None:
    shown = names((await shop.ask(LIST)).answer)
    shop.leave()
    assert shown[1] not in (await shop.ask("cái thứ hai bao nhiêu?")).answer


async def test_a_catalogue_that_is_gone_is_said(own_shop: Shop) -> None:
    await own_shop.ask(LIST)
    remove(own_shop.services, MODE, "vi")
    assert "không còn trong danh mục" in (await own_shop.ask("con nào rẻ hơn?")).answer


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


async def test_a_model_is_given_the_products_meant(own_home: Path) -> None:
    with OllamaDouble() as server, stocked_shop(own_home, OLLAMA_HOST=server.url) as shop:
        shown = told_lines((await shop.ask(LIST, offline=True)).answer)
        name, price = shown[1].split(": ")[0], shown[1].split(": ")[1].split(",")[0]
        decision = {"intent": "shopping", "confidence": 0.9, "query": f"{name} giá bao nhiêu"}
        server.script(decision, "Dạ mẫu thứ hai giá " + price + " ạ.")
        told = await shop.ask("cái thứ hai bao nhiêu?")
        prompt = "\n".join(message["content"] for message in server.chats[-1].messages)
        await shop.services.llm.aclose()
    assert price in told.answer
    assert f"{name} | {price}" in prompt
    assert told.done.source in {"model", "mixed"}


@pytest.mark.parametrize(
    "said", ["không phải, con {} kìa", "khong phai con do, {} co", "not that one, the {}"]
)
@pytest.mark.parametrize(("shown", "meant"), [("Ergo 1", "Ergo 2"), ("Ergo 2", "Ergo 1")])
async def test_a_correction_means_the_product_that_it_names(
    shop: Shop, said: str, shown: str, meant: str
) -> None:
    assert shown in (await shop.ask(f"Ghế công thái học SSTC {shown} bán bao nhiêu?")).answer
    listed = names((await shop.ask(said.format(meant))).answer)
    assert len(listed) == 1
    assert listed[0].endswith(meant)


@pytest.mark.parametrize("asked", ["bản rẻ nhất của dòng đó thì sao ạ", "dong do con re nhat bao nhieu"])
@pytest.mark.parametrize(
    ("shown", "least"),
    [
        ("MacBook Air 13 M2 16GB/512GB", "MacBook Air 13 M2 8GB/256GB"),
        ("MacBook Air 13 M2 8GB/256GB", "MacBook Air 13 M2 8GB/256GB"),
        ("RAM Kingston Fury Beast DDR5 5600 32GB", "RAM Kingston Fury Beast DDR5 5600 16GB"),
    ],
)
async def test_the_cheapest_of_a_line_is_one_of_all_its_sizes(
    shop: Shop, asked: str, shown: str, least: str
) -> None:
    assert shown in (await shop.ask(f"{shown} giá bao nhiêu")).answer
    assert least in (await shop.ask(asked)).answer


async def test_of_a_line_that_is_not_known_no_product_is_the_cheapest(shop: Shop) -> None:
    await shop.ask("Ghế công thái học SSTC Ergo 1 bán bao nhiêu?")
    told = await shop.ask("dòng đó con rẻ nhất bao nhiêu")
    assert "2.490.000" not in told.answer
    assert told.done.metadata["answered"] is False


async def test_a_correction_may_point_as_well(shop: Shop) -> None:
    listed = names((await shop.ask(LIST)).answer)
    assert names((await shop.ask("không phải con đó, con thứ hai kìa")).answer) == [listed[1]]
