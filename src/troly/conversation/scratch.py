"""A copy of a house in which a turn can be run again without touching anything of the house."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from troly.config import Settings
from troly.errors import StoreError
from troly.paths import Paths
from troly.plugin.registry import Registry
from troly.plugin.services import Services, open_services


@contextmanager
def scratch_services(paths: Paths, settings: Settings, registry: Registry) -> Iterator[Services]:
    """Services on a copy of the stores under `paths`, gone at the end; settings and personas are the house's own.

    The state database is copied as it is at this moment, published datasets and vectors are linked or copied. Raises
    StoreError when there is no room or no right to make the copy.
    """
    with tempfile.TemporaryDirectory(prefix="troly-replay-", ignore_cleanup_errors=True) as name:
        own = Paths(data=Path(name) / "data", config=paths.config, cache=Path(name) / "cache")
        try:
            own.data.mkdir(parents=True)
            if paths.state_db.exists():
                _copy_state(paths.state_db, own.state_db)
            for folder, copy in ((paths.datasets, own.datasets), (paths.chroma, own.chroma)):
                if folder.exists():
                    shutil.copytree(
                        folder, copy, copy_function=_link if folder == paths.datasets else shutil.copy2
                    )
        except (OSError, shutil.Error, sqlite3.Error) as error:
            raise StoreError("replay.no_copy", folder=name, reason=error) from error
        services = open_services(own, settings, registry, temporary=True)
        try:
            yield services
        finally:
            services.close()


def _copy_state(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new)


def _link(source: str, target: str) -> str:
    """A published file never changes: a link to it is a copy, and costs nothing."""
    with suppress(OSError):
        os.link(source, target)
        return target
    return shutil.copy2(source, target)
