"""The shop with its sample data, opened once a module: what is asked changes none of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import stocked_shop
from tests.support.ollama.double import OllamaDouble


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with stocked_shop(tmp_path_factory.mktemp("shop") / "home") as shop:
        yield shop


@pytest.fixture(scope="module")
def double() -> Iterator[OllamaDouble]:
    """A model server for the tests of a module; each forgets what others asked of it."""
    with OllamaDouble() as running:
        yield running


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory, double: OllamaDouble) -> Iterator[Shop]:
    with stocked_shop(tmp_path_factory.mktemp("shop") / "home", OLLAMA_HOST=double.url) as opened:
        yield opened


@pytest.fixture
def shop(opened: Shop) -> Shop:
    """Somebody in a conversation that has not begun."""
    return Shop(opened.services, opened.registry)


@pytest.fixture
def own_shop(own_home: Path) -> Iterator[Shop]:
    """A shop for the test alone, whose lists it may change."""
    with stocked_shop(own_home) as shop:
        yield shop
