"""What modes keep open as long as the services: made once, ended last first, before the stores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.stores.services import services_at


class Kept:
    """Notes its end, and whether the state database was still open."""

    def __init__(self, name: str, ended: list[str], is_open: Callable[[], object]) -> None:
        self._name, self._ended, self._is_open = name, ended, is_open

    def close(self) -> None:
        self._is_open()
        self._ended.append(self._name)


def test_what_is_kept_is_made_once_and_ended_before_the_stores(own_home: Path) -> None:
    ended: list[str] = []
    with services_at(own_home) as services:

        def is_open() -> None:
            with services.state.read() as connection:
                connection.execute("SELECT 1")

        def make(name: str) -> Kept:
            return services.keep(name, lambda: Kept(name, ended, is_open))

        with ThreadPoolExecutor(8) as threads:
            assert len({id(one) for one in threads.map(make, ["a"] * 32)}) == 1
        assert make("b") is not make("a")
        assert ended == []
    assert ended == ["b", "a"]
