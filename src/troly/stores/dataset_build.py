"""One new version of a dataset while an ingest writes it: invisible until it is published, gone if it is not."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from troly.errors import StoreError
from troly.stores.dataset_reader import DatasetVersion
from troly.stores.duck import open_hardened, store_error_of
from troly.stores.faults import os_error


class Build:
    """`path` is where to write the DuckDB file; `publish` makes it the current version."""

    def __init__(
        self,
        name: str,
        version: int,
        path: Path,
        record: Callable[[Build, Mapping[str, Any]], DatasetVersion],
    ) -> None:
        self.name = name
        self.version = version
        self.path = path
        self.published: DatasetVersion | None = None
        self._record = record

    def publish(self, info: Mapping[str, Any] | None = None) -> DatasetVersion:
        """Make the file the current version; it must be closed. From then on every reader sees it, whole.

        Raises StoreError `store.build_open` when it is missing, still open or not whole; `store.full` and others.
        """
        if self.published is not None:
            raise RuntimeError("a build is published once")
        self._check_closed()
        try:
            _sync(self.path)
        except OSError as error:
            raise os_error(error, self.path) from error
        self.published = self._record(self, info or {})
        return self.published

    def _check_closed(self) -> None:
        import duckdb

        wal = self.path.with_name(self.path.name + ".wal")
        if wal.exists():
            raise StoreError("store.build_open", name=self.name, reason=wal.name)
        try:
            connection = open_hardened(self.path)
            try:
                connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall()
            finally:
                connection.close()
        except duckdb.Error as error:
            known = store_error_of(error, self.path)
            raise known or StoreError("store.build_open", name=self.name, reason=error) from error


def remove_files(path: Path) -> bool:
    """Delete a DuckDB file and what DuckDB keeps beside it; False when something holds it (Windows): try later."""
    done = True
    for beside in (path.with_name(path.name + ".wal"), path):
        try:
            beside.unlink(missing_ok=True)
        except OSError:
            done = False
    shutil.rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)
    return done


def _sync(path: Path) -> None:
    """Make the file and its name durable."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
