"""The dental memory on a test's own folder, and its MCP servers as processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.modes.made import registry_of
from tests.support.process.waiting import wait_until
from tests.support.stores.services import services_at
from troly.plugin.services import Services
from troly_dental import MODE
from troly_dental.memory.store import MemoryStore
from troly_dental.settings import DentalSettings

TOKEN = "mot-ma-rat-bi-mat"
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/mcp")


@contextmanager
def dental_house(home: Path, **env: str) -> Iterator[Services]:
    """Services with the dental mode's tables; `env` as for `services_at`."""
    with services_at(home, registry_of(dental=MODE), **env) as services:
        yield services


def store_of(services: Services, owner: str = "an") -> MemoryStore:
    """The memory of `owner`."""
    return MemoryStore.of(services.state, services.clock, owner, services.settings.of(DentalSettings))


@dataclass(slots=True)
class Served:
    """A server on a loopback port; `said` is its stderr so far."""

    process: subprocess.Popen[str]
    said: list[str]

    @property
    def url(self) -> str:
        """The MCP endpoint."""
        found = _ADDRESS.search("".join(self.said))
        assert found, self.said
        return found.group()


@contextmanager
def served(home: Path, server: str = "memory", *more: str, **env: str) -> Iterator[Served]:
    """`app mcp serve … --http` in a process of its own with `env` beside this one's, ended at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "troly", "mcp", "serve", server, "--http", "--port", "0", *more],
        env={**os.environ, "TROLY_HOME": str(home), **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    said: list[str] = []
    stderr = process.stderr
    assert stderr is not None
    reader = threading.Thread(target=lambda: said.extend(iter(stderr.readline, "")), daemon=True)
    reader.start()
    try:
        wait_until(lambda: "token" in "".join(said).lower() or process.poll() is not None, 60)
        yield Served(process, said)
    finally:
        process.kill()
        process.communicate()
        reader.join(10)
