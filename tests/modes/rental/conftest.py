"""The desk with the sample market, one to each module: its turns build on one another's data."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.rental.desk import RentalDesk, rental_desk


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a module share the event loop that its desk was opened on."""
    for item in items:
        if item.nodeid.startswith("tests/modes/rental/") and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rental")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(home: Path) -> AsyncIterator[RentalDesk]:
    async with rental_desk(home) as desk:
        yield desk


@pytest.fixture
def desk(opened: RentalDesk) -> RentalDesk:
    """Nobody in particular, in a conversation that has not begun."""
    return RentalDesk(opened.services, opened.registry, "nobody")
