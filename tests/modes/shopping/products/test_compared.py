"""Which of some goods has most or least of what the catalogue gives, and goods held against each other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import told_lines
from troly_shopping.products.offers import measure_of
from troly_shopping.products.store import ProductStore, SearchCriteria


@pytest.mark.parametrize(
    ("text", "kind", "attribute", "pick"),
    [
        ("chuột nào DPI cao nhất", "mouse", "dpi", max),
        ("man hinh nao hz cao nhat", "monitor", "refresh", max),
        ("which laptop has the most RAM", "laptop", "ram", max),
        ("màn hình nào tần số quét thấp nhất", "monitor", "refresh", min),
        ("ssd nào bảo hành lâu nhất", "ssd", "warranty", max),
        ("màn hình nào to nhất", "monitor", "screen", max),
    ],
)
async def test_the_most_is_the_most_of_all_that_the_catalogue_gives(
    shop: Shop, text: str, kind: str, attribute: str, pick: Callable[..., float]
) -> None:
    told = await shop.ask(text)
    goods = ProductStore(shop.services.datasets).search(SearchCriteria(kinds=(kind,), count=500))
    figures = {one.name: measure_of(one, attribute) for one in goods}
    best = pick(figure for figure in figures.values() if figure is not None)
    names = [line.split(":")[0] for line in told_lines(told.answer)]
    assert names
    assert all(figures[name] == best for name in names)
    assert told.done.metadata["answered"]


@pytest.mark.parametrize(
    ("first", "text", "expected"),
    [
        ("SSD Kingston NV2 1TB còn hàng không", "nó với WD SN580 1TB con nào bảo hành lâu hơn", "60 tháng"),
        ("MacBook Air M2 8GB giá bao nhiêu", "bản 16gb/256gb mắc hơn nó bn tiền", "3.000.000"),
        ("card RTX 4070 Super giá sao", "đắt hơn con RTX 4070 thường bao nhiêu", "2.300.000"),
        ("router wifi 6 rẻ nhất", "con thứ ba đắt hơn con đầu bao nhiêu tiền", "2.150.000"),
        ("alo", "Dell G15 5530 có mấy bản, chênh nhau bao nhiêu", "2.000.000"),
        ("alo", "laptop Acer Nitro V bản 8gb với 16gb chênh nhau bao nhiêu", "1.300.000"),
        ("alo", "G502 Hero với G102 đen con nào rẻ hơn", "590.000"),
        ("MacBook Air 13 M2 16GB/256GB giá sao", "the len o 512 thi phai bu them nhieu", "4.000.000"),
        ("ASUS TUF A15 FA507NU 32GB giá bao nhiêu", "lấy bản 16GB thì đỡ được bao nhiêu", "1.800.000"),
        (
            "alo",
            "mình làm design, so giúp Dell U2724D với LG 32UN650, con nào resolution cao hơn",
            "3840x2160",
        ),
        ("alo", "G102 đen với trắng khác gì nhau", "10.000"),
        ("alo", "Vivobook Go 15 bản 16GB đắt hơn bản 8GB bao nhiêu tiền", "1.500.000"),
        ("so sánh CV550 và PF400", "con nào mạnh hơn", "công suất cao hơn: Nguồn máy tính Corsair CV550"),
    ],
)
async def test_two_that_are_meant_stand_side_by_side(
    shop: Shop, first: str, text: str, expected: str
) -> None:
    await shop.ask(first)
    told = await shop.ask(text)
    assert expected in told.answer
    assert told.done.metadata["answered"]


async def test_a_part_that_is_asked_of_a_computer_is_no_part_to_buy(shop: Shop) -> None:
    told = await shop.ask("CPU của Lenovo Legion 5 là gì")
    assert "i7-14650HX" in told.answer
    assert all("Legion" in line for line in told_lines(told.answer))


@pytest.mark.parametrize(
    "text", ["có bán điện thoại iphone không", "bán tivi ko shop", "do you sell tablets"]
)
async def test_what_the_shop_does_not_sell_is_said(shop: Shop, text: str) -> None:
    told = await shop.ask(text)
    assert not told_lines(told.answer)
    assert told.done.metadata["answered"]


@pytest.mark.parametrize(
    "pair", ["rtx 4060 với rtx 3060", "Ryzen 5 7600 và i5 12400F", "loa z313 với r1280db"]
)
@pytest.mark.parametrize("asked", ["con nào mạnh hơn", "cai nao khoe hon", "which one is stronger"])
async def test_what_no_figure_tells_is_not_the_stronger(shop: Shop, pair: str, asked: str) -> None:
    await shop.ask(f"so sánh {pair}")
    told = await shop.ask(asked)
    assert not told.done.metadata["answered"]
    assert "rẻ hơn" not in told.answer
    assert "less" not in told.answer
