"""One base file for all tests of the sandbox, and a sandbox that is closed at the end of a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.scene import make_base
from troly.sandbox import Sandbox


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database that holds more than anybody may read."""
    return make_base(tmp_path_factory.mktemp("base"))


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A sandbox without workers yet."""
    made = Sandbox()
    yield made
    made.close()
