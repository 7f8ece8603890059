"""The company's desk with the sample company, one to each module: what is asked changes none of its documents."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.modes.rag import RagDesk, rag_desk


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a module share the event loop that its desk was opened on."""
    for item in items:
        if item.nodeid.startswith("tests/modes/rag/") and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RagDesk]:
    async with rag_desk(tmp_path_factory.mktemp("company")) as desk:
        yield desk


@pytest.fixture
def desk(opened: RagDesk) -> RagDesk:
    """Somebody of the staff office, in a conversation that has not begun."""
    desk = RagDesk(opened.services, opened.registry)
    desk.become("private", department="hr")
    return desk
