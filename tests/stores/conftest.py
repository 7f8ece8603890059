"""Stores in a folder of the test's own, closed at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.stores.postgres import needs_postgres
from tests.support.stores.real import ADDRESS, Stores, Worker, open_stores

# Files whose tests run on both databases; the others are about the SQLite file itself.
BOTH = {
    "test_conversations",
    "test_handovers",
    "test_jobs",
    "test_message_search",
    "test_published",
    "test_together",
    "test_transactions",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of the files above are run twice."""
    if metafunc.module.__name__.rpartition(".")[2] in BOTH and "home" in metafunc.fixturenames:
        postgres = pytest.param("postgres", marks=needs_postgres)
        metafunc.parametrize("home", ["sqlite", postgres], indirect=True)


@pytest.fixture
def home(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A data directory that does not exist yet; where a PostgreSQL server is asked for, its address stands beside it."""
    if getattr(request, "param", "") == "postgres":
        (tmp_path / ADDRESS).write_text(request.getfixturevalue("postgres").database(), encoding="utf-8")
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
