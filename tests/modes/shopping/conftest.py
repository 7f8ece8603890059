"""The shop with its sample data, opened once a module: what is asked changes none of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import stocked_shop


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with stocked_shop(tmp_path_factory.mktemp("shop") / "home") as shop:
        yield shop


@pytest.fixture
def shop(opened: Shop) -> Shop:
    """Somebody in a conversation that has not begun."""
    return Shop(opened.services, opened.registry)


@pytest.fixture
def own_shop(own_home: Path) -> Iterator[Shop]:
    """A shop for the test alone, whose lists it may change."""
    with stocked_shop(own_home) as shop:
        yield shop
