"""Sample data that ships with the modes: loaded once in a data directory, when a mode is first needed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from troly.errors import InputError, TrolyError
from troly.text.catalogue import Lang

if TYPE_CHECKING:
    from troly.plugin.contract import Mode
    from troly.plugin.services import Services

# Samples take seconds at most: who still waits then goes on without.
PATIENCE = 60.0


def shipped(name: str) -> Path:
    """A file or folder of the data that ships; raises InputError `samples.missing`."""
    package: Path = Path(__file__).resolve().parents[1]
    # A checkout keeps it beside src/ and has no copy inside the package; an installed package has no src/.
    checkout = (package.parents[1] / "data",) if package.parent.name == "src" else ()
    for folder in (package / "data", *checkout):
        path: Path = folder / name
        if path.exists():
            return path
    raise InputError("samples.missing", name=name)


def load_once(services: Services, modes: Iterable[Mode], lang: Lang) -> None:
    """Load the samples of each mode whose samples this data directory never had; blocking, quick when it had them.

    One process at a time loads them, the others wait for it. What fails (a full disk) is tried again the next time:
    nobody who asks a question should be told about it.
    """
    waiting = [mode for mode in modes if mode.samples is not None and not had_samples(services, mode.id)]
    if not waiting:
        return
    lock = services.state.lock(services.paths.data / "samples.lock")
    with suppress(OSError, TrolyError), lock:
        if lock.acquire(PATIENCE):
            for mode in waiting:
                with suppress(TrolyError):
                    if not had_samples(services, mode.id):
                        load(services, mode, lang)


def load(services: Services, mode: Mode, lang: Lang) -> tuple[str, ...]:
    """Load the samples of `mode` beside what is there already; returns sentences that tell what was done.

    Raises InputError, StoreError.
    """
    with services.publishing():
        told = mode.samples.load(services, lang) if mode.samples else ()
    _remember(services, mode.id)
    return told


def remove(services: Services, mode: Mode, lang: Lang) -> tuple[str, ...]:
    """Remove the samples of `mode`, which do not come back by themselves; returns sentences. Raises StoreError."""
    with services.publishing():
        told = mode.samples.remove(services, lang) if mode.samples else ()
    _remember(services, mode.id)
    return told


def had_samples(services: Services, mode: str) -> bool:
    """Whether the samples of `mode` were loaded or removed here before."""
    with services.state.read() as connection:
        return connection.execute("SELECT 1 FROM samples WHERE mode = ?", (mode,)).fetchone() is not None


def _remember(services: Services, mode: str) -> None:
    with services.state.write() as connection:
        row = (mode, services.clock().isoformat())
        connection.execute(
            "INSERT INTO samples (mode, decided_at) VALUES (?, ?) "
            "ON CONFLICT (mode) DO UPDATE SET decided_at = excluded.decided_at",
            row,
        )
