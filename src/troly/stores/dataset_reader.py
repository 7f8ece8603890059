"""Reads the current version of a published dataset over a warm connection, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from troly.errors import StoreError
from troly.stores.duck import fault_of, open_hardened, store_error_of

if TYPE_CHECKING:
    import duckdb

# Versions may be published and collected while a reader opens one.
_TRIES = 20


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """One published version: its DuckDB file, when it was published (UTC) and what its ingest says of it."""

    name: str
    version: int
    file: Path
    published_at: datetime
    info: Mapping[str, Any]


class VersionSource(Protocol):
    """Where a reader learns which version is current."""

    def current(self, name: str) -> DatasetVersion | None:
        """The newest version that can be read."""
        ...

    def withdraw(self, version: DatasetVersion, reason: str) -> None:
        """Take back a version whose file is damaged."""
        ...


class _Opened:
    """A connection to one version's file and how many reads are using it."""

    def __init__(self, version: DatasetVersion, connection: duckdb.DuckDBPyConnection) -> None:
        self.version = version
        self.connection = connection
        self.users = 0
        self.retired = False

    def close_if_idle(self) -> None:
        # Closing a connection closes its cursors, also those that another thread reads from.
        if self.retired and self.users == 0:
            self.connection.close()


class DatasetReader:
    """Read-only access to the current version of one dataset; follows each newly published version by itself."""

    def __init__(self, source: VersionSource, name: str) -> None:
        self.name = name
        self._source = source
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    @property
    def version(self) -> DatasetVersion:
        """The version that a read would see now; raises StoreError `store.dataset_missing`."""
        found = self._source.current(self.name)
        if found is None:
            raise StoreError("store.dataset_missing", name=self.name)
        return found

    def fetch(self, sql: str, params: Sequence[object] | Mapping[str, object] = ()) -> list[tuple[Any, ...]]:
        """All rows of one statement, seen in one whole version.

        Raises StoreError (`store.dataset_missing`, …); duckdb.Error for a statement that is wrong.
        """
        return self.fetch_with_version(sql, params)[1]

    def fetch_with_version(
        self, sql: str, params: Sequence[object] | Mapping[str, object] = ()
    ) -> tuple[DatasetVersion, list[tuple[Any, ...]]]:
        """The same, and the version that the rows came from."""
        import duckdb

        for _ in range(_TRIES):
            with self._leased() as opened:
                try:
                    cursor = opened.connection.cursor()
                    try:
                        rows: list[tuple[Any, ...]] = cursor.execute(sql, params or None).fetchall()
                    finally:
                        cursor.close()
                    return opened.version, rows
                except duckdb.Error as error:
                    if fault_of(error) != "damaged":
                        raise
                    reason = str(error)
                    self._retire(opened)
            self._source.withdraw(opened.version, reason)
        raise StoreError("store.dataset_missing", name=self.name)

    def close(self) -> None:
        """Let go of the file; a later read opens it again."""
        with self._lock:
            self._swap(None)

    @contextmanager
    def _leased(self) -> Iterator[_Opened]:
        with self._lock:
            opened = self._current()
            opened.users += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.users -= 1
                opened.close_if_idle()

    def _current(self) -> _Opened:
        """The open connection, reopened when the published version changed. The lock is held."""
        import duckdb

        for _ in range(_TRIES):
            version = self.version
            if self._opened is not None and self._opened.version.file == version.file:
                return self._opened
            self._swap(None)
            try:
                self._swap(_Opened(version, open_hardened(version.file)))
            except duckdb.Error as error:
                self._refused(version, error)
        raise StoreError("store.dataset_missing", name=self.name)

    def _refused(self, version: DatasetVersion, error: duckdb.Error) -> None:
        """A file that is gone was collected after its row was read; a damaged one is withdrawn; both: read again."""
        fault = fault_of(error)
        if fault == "damaged":
            self._source.withdraw(version, str(error))
        elif fault != "missing":
            raise (store_error_of(error, version.file) or error) from error

    def _retire(self, opened: _Opened) -> None:
        with self._lock:
            opened.retired = True
            if self._opened is opened:
                self._opened = None

    def _swap(self, opened: _Opened | None) -> None:
        before, self._opened = self._opened, opened
        if before is not None:
            before.retired = True
            before.close_if_idle()
