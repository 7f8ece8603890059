"""The desk with the sample market, one home to each module: its turns build on one another's data."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.rental.desk import RentalDesk, rental_desk


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rental")


@pytest.fixture
async def desk(home: Path) -> AsyncIterator[RentalDesk]:
    async with rental_desk(home) as opened:
        yield opened
