"""Questions about goods without a model: lists, comparisons, computers to build, and what the catalogue has not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import stocked_shop
from troly.plugin.contract import IngestRequest
from troly.plugin.events import Sources, Table
from troly.text.numbers import parse_number
from troly_shopping.products.load import ingest_products


@pytest.fixture
def shop(own_home: Path) -> Iterator[Shop]:
    with stocked_shop(own_home) as opened:
        yield opened


def prices(table: Table) -> list[int]:
    return [int(parse_number(row[table.numeric[0]]) or 0) for row in table.rows]


@pytest.mark.parametrize(
    ("text", "named", "low", "high"),
    [
        ("Shop có laptop nào dưới 20 triệu không?", "laptop", 0, 20_000_000),
        ("shop co laptop nao duoi 20 trieu khong", "laptop", 0, 20_000_000),
        ("Which laptops do you have under 20 million?", "laptop", 0, 20_000_000),
        ("tư vấn chuột logitech tầm 500k", "chuột", 400_000, 600_000),
        ("mua màn hình 27 inch từ 5 đến 9 triệu", "27 inch", 5_000_000, 9_000_000),
    ],
)
async def test_a_list_keeps_to_kind_and_price(shop: Shop, text: str, named: str, low: int, high: int) -> None:
    told = await shop.ask(text)
    [table] = told.tables
    assert told.nodes == ["classify", "retrieve", "respond_stream"]
    assert all(low <= price <= high for price in prices(table))
    assert all(named.lower() in row[0].lower() or "macbook" in row[0].lower() for row in table.rows)
    name, price, _, url = table.rows[0]
    assert name in told.answer
    assert price.endswith(" VND")
    assert price in told.answer
    assert url.startswith("https://")
    assert url in told.answer
    assert told.state["retrieved_context"][0]["product"] == name
    assert told.done.source == "rules"


async def test_the_cheapest_comes_first(shop: Shop) -> None:
    told = await shop.ask("bàn phím rẻ nhất giá bao nhiêu")
    [table] = told.tables
    assert prices(table) == sorted(prices(table))
    assert "rẻ nhất" in told.answer


async def test_a_model_number_is_found_however_it_is_written(shop: Shop) -> None:
    for text in ("giá card rtx 4060", "gia card RTX4060 bao nhieu", "giá card RTX-4060"):
        told = await shop.ask(text)
        assert all("RTX 4060" in row[0] for row in told.tables[0].rows)


async def test_what_is_not_there_is_said(shop: Shop) -> None:
    told = await shop.ask("shop có bán card RTX 5090 không")
    assert "chưa thấy" in told.answer
    assert "5090" in told.answer.splitlines()[0]
    dear = await shop.ask("mua laptop dưới 2 triệu")
    assert "chưa thấy" in dear.answer
    assert len(dear.tables[0].rows) == 3


async def test_a_comparison_stands_side_by_side(shop: Shop) -> None:
    told = await shop.ask("so sánh laptop asus tuf f15 với acer nitro v")
    [table] = told.tables
    assert "ASUS TUF Gaming F15" in table.columns[1]
    assert "Acer Nitro V" in table.columns[2]
    rows = {row[0]: row[1:] for row in table.rows}
    assert {"Giá", "CPU", "RAM", "VGA", "Liên kết"} <= set(rows)
    assert "rẻ hơn" in told.answer
    half = await shop.ask("so sánh laptop dell inspiron với laptop framework 13")
    assert "framework" in half.answer.lower()


async def test_a_computer_is_built_within_the_budget(shop: Shop) -> None:
    told = await shop.ask("build pc 20 triệu chơi game giúp em")
    [table] = told.tables
    *parts, total = prices(table)
    assert sum(parts) == total <= 20_000_000
    assert {row[0] for row in table.rows[:-1]} == {
        "CPU", "mainboard", "RAM", "card màn hình", "SSD", "nguồn máy tính", "vỏ case",
    }  # fmt: skip
    assert "20.000.000 VND" in told.answer
    little = await shop.ask("build pc 5 triệu chơi game")
    assert "chưa đủ" in little.answer
    office = await shop.ask("build a pc for office work, 10 million", language="en")
    assert "graphics card" not in {row[0] for row in office.tables[0].rows}


async def test_parts_that_are_not_sold_are_named(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "goods.csv"
    path.write_text("name,price\nCPU Intel Core i5-12400F,2890000\n", encoding="utf-8")
    ingest_products(IngestRequest(shop.services, path, shop.services.clock(), "vi"))
    told = await shop.ask("build pc 20 triệu chơi game")
    assert told.tables == []
    assert "mainboard" in told.answer
    assert "1900" in told.answer


async def test_terms_are_answered_from_the_pages(shop: Shop) -> None:
    told = await shop.ask("phí giao hàng laptop là bao nhiêu")
    assert told.tables == []
    assert "30.000 VND" in told.answer
    assert told.all(Sources)


async def test_what_stands_in_a_list_is_shown_as_text(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "goods.csv"
    name = "Laptop \x1b]52;c;eA==\x07[/b] [@click=app.quit]x[/]"
    others = "".join(f"Chuột số {number},100000\n" for number in range(50))
    path.write_text(f'name,price\n"{name}",12000000\n{others}', encoding="utf-8")
    ingest_products(IngestRequest(shop.services, path, shop.services.clock(), "vi"))
    told = await shop.ask("laptop rẻ nhất giá bao nhiêu")
    assert "[@click=app.quit]x[/]" in told.answer
    assert "\x1b" not in told.answer + str(told.tables)
