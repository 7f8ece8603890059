"""Stores in a folder of the test's own, closed at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.stores.real import Stores, Worker, open_stores


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data directory that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
def stores(home: Path) -> Iterator[Stores]:
    """All stores, migrated."""
    opened = open_stores(home)
    yield opened
    opened.close()


@pytest.fixture
def start_worker() -> Iterator[Callable[..., Worker]]:
    """Starts worker processes: `start_worker(home, task, count)`; none outlives the test."""
    started: list[Worker] = []

    def start(home: Path, task: str, count: int = 0) -> Worker:
        started.append(Worker(home, task, count))
        return started[-1]

    yield start
    for worker in started:
        worker.end()
