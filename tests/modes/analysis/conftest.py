"""The analyst with the sheet of orders, opened once a module: what is asked changes no sheet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.modes.analysis import Analyst, analyst_at


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    with analyst_at(tmp_path_factory.mktemp("orders")) as analyst:
        yield analyst


@pytest.fixture
def analyst(opened: Analyst) -> Analyst:
    """Somebody in a conversation that has not begun."""
    return Analyst(opened.services, opened.registry)
