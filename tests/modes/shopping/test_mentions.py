"""Products as names after @: found by words in any spelling, and a name in quotes leads to its product."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.modes.shopping import shop_at
from tests.support.stores.services import profile
from troly.plugin import samples
from troly.plugin.events import ItemList
from troly_shopping import MODE


async def test_products_are_offered_and_the_quoted_name_finds_the_product(tmp_path: Path) -> None:
    with shop_at(tmp_path) as shop:
        samples.load(shop.services, MODE, "vi")
        offered = MODE.mentions(shop.services, profile(), "laptop", 8)
        assert len(offered) == 8
        assert all("laptop" in name.lower() and "VND" in hint for name, hint in offered)
        name, hint = offered[3]
        told = await shop.ask(f'Giá của "{name}" là bao nhiêu?', offline=True)
        shown = told.answer + str([item for items in told.all(ItemList) for item in items.items])
        assert name in shown
        assert hint.removesuffix(" VND") in shown


@pytest.mark.parametrize("prefix", ["'; drop table products; --", "%", "?", "$1", "\\", "“", ""])
async def test_any_prefix_is_only_words(tmp_path: Path, prefix: str) -> None:
    with shop_at(tmp_path) as shop:
        assert MODE.mentions(shop.services, profile(), "dell", 8) == []  # no catalogue yet
        samples.load(shop.services, MODE, "vi")
        assert len(MODE.mentions(shop.services, profile(), prefix, 5)) <= 5
        assert MODE.mentions(shop.services, profile(), "dell", 8)
