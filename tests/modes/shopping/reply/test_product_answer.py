"""Questions about goods with a model: it is given the rows, and a price it makes up is not shown."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import stocked_shop
from tests.support.ollama.double import OllamaDouble


@pytest.fixture
def server() -> Iterator[OllamaDouble]:
    with OllamaDouble() as double:
        yield double


@pytest.fixture
async def shop(own_home: Path, server: OllamaDouble) -> AsyncIterator[Shop]:
    with stocked_shop(own_home, OLLAMA_HOST=server.url) as opened:
        yield opened
        await opened.services.llm.aclose()


async def test_the_model_is_given_the_rows_and_may_say_their_prices(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ Laptop Dell Latitude 3450 8GB giá 19.490.000 VND ạ.")
    told = await shop.ask("tư vấn laptop dưới 20 triệu")
    prompt = "\n".join(message["content"] for message in server.chats[-1].messages)
    assert "Laptop Dell Latitude 3450 8GB | 19.490.000 VND" in prompt
    assert "19.490.000 VND ạ." in told.answer
    assert told.done.calls == 1
    assert told.notices == []


async def test_a_price_that_is_made_up_is_withheld_and_said(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ Laptop Dell giá 12.345.000 VND ạ. Mẫu kia 19.490.000 VND ạ.")
    told = await shop.ask("tư vấn laptop dưới 20 triệu")
    assert "12.345.000" not in told.answer
    assert "Laptop Dell giá [chưa xác nhận] ạ. Mẫu kia 19.490.000 VND ạ." in told.answer
    assert "12.345.000" not in told.done.text
    [notice] = told.notices
    assert notice.level == "warning"
    assert "1900" in notice.remedy


async def test_the_customers_own_price_is_not_confirmed(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ đúng ạ, Laptop Dell Latitude 3450 giá 5 triệu.")
    told = await shop.ask("Laptop Dell Latitude 3450 giá 5 triệu đúng không shop")
    assert "giá [chưa xác nhận]" in told.answer


async def test_what_the_model_names_is_what_is_meant_later(shop: Shop, server: OllamaDouble) -> None:
    server.script(
        "Dạ có MSI Modern 14 C12MO 16GB giá 13.290.000 VND và Acer Aspire 3 A315-59 16GB giá 11.690.000 VND ạ."
    )
    await shop.ask("tư vấn laptop dưới 15 triệu")
    told = await shop.ask("con thứ 2 ram bao nhiêu", offline=True)
    assert "Acer Aspire 3 A315-59 16GB" in told.answer
    assert "MSI" not in told.answer


async def test_a_product_that_is_not_sold_is_withheld(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ quý khách xem Dell Alienware X16, RAM 64GB, bảo hành 48 tháng ạ.")
    told = await shop.ask("tư vấn laptop dưới 20 triệu")
    assert "Alienware" not in told.answer
    assert "48 tháng" not in told.answer
    assert [notice.level for notice in told.notices] == ["warning"]
