"""The shop desk with the sample data of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.modes.shopping import Shop, shop_at
from troly.plugin.samples import load_once
from troly_shopping import MODE


@contextmanager
def stocked_shop(home: Path, **env: str) -> Iterator[Shop]:
    """A shop with the sample catalogue, warranty list and pages."""
    with shop_at(home, loaded=False, **env) as shop:
        load_once(shop.services, [MODE], "vi")
        yield shop
