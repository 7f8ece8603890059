"""Loads the samples of one mode in a process of its own: neither the typing nor the memory of the chat pays for them.

`python -m troly.plugin.stocking` is that process; it reads what to load from its standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.plugin.samples import PATIENCE, had_samples, load_once
from troly.text.catalogue import Lang

if TYPE_CHECKING:
    from troly.plugin.registry import Registry
    from troly.plugin.services import Services

# So much lower than the chat's is the priority of that process: a question may be waiting for it.
NICE = 5


class SampleLoader:
    """The samples that a data directory still lacks; safe from any thread."""

    def __init__(self, services: Services, registry: Registry) -> None:
        self._services = services
        self._registry = registry
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def lacking(self) -> frozenset[str]:
        """The modes whose samples were never loaded here. Raises StoreError."""
        modes = [mode for mode in self._registry if mode.samples is not None]
        return frozenset(mode.id for mode in modes if not had_samples(self._services, mode.id))

    def stock(self, mode: str, lang: Lang) -> None:
        """Load the samples of `mode`; blocking. What fails, or is cut off, is tried again at the next start."""
        try:
            process = self._begin(mode, lang)
        except OSError:  # no further process may be started here
            load_once(self._services, [self._registry.get(mode)], lang)
            return
        if process is not None:
            try:
                process.wait(2 * PATIENCE)
            except subprocess.TimeoutExpired:  # nobody's question waits for ever
                process.kill()
                process.wait()
            with self._lock:
                self._running.discard(process)

    def close(self) -> None:
        """End what is being loaded: each part of it is there whole or not at all."""
        with self._lock:
            self._closed = True
            running = set(self._running)
        for process in running:
            with suppress(OSError):
                process.kill()

    def _begin(self, mode: str, lang: Lang) -> subprocess.Popen[bytes] | None:
        paths = {name: str(folder) for name, folder in asdict(self._services.paths).items() if folder}
        order = json.dumps({"paths": paths, "mode": mode, "lang": lang})
        with self._lock:
            if self._closed:
                return None
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "troly.plugin.sample_loading"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=sys.platform != "win32",  # keys and signals of the terminal are the chat's
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0) if sys.platform == "win32" else 0,
            )
            self._running.add(process)
        assert process.stdin is not None  # noqa: S101  opened as a pipe above
        with suppress(OSError), process.stdin as pipe:  # it may be gone already
            pipe.write(order.encode())
        return process


def main() -> None:
    """Load what the standard input asks for. Raises TrolyError."""
    order = json.load(sys.stdin.buffer)
    with suppress(AttributeError, OSError):
        os.nice(NICE)
    from troly.config.load import load_settings
    from troly.paths import Paths
    from troly.plugin.registry import Registry
    from troly.plugin.services import open_services

    folders: dict[str, Any] = {name: Path(folder) for name, folder in order["paths"].items()}
    paths = Paths(**folders)
    registry = Registry()
    services = open_services(paths, load_settings(paths, sections=registry.sections()), registry)
    try:
        load_once(services, [registry.get(order["mode"])], order["lang"])
    finally:
        services.close()


if __name__ == "__main__":
    main()
