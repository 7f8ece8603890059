"""The sheets of the users: each a published table of its owner, which no question of anybody else can reach."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from troly.config.problems import nearest
from troly.errors import InputError, StoreError
from troly.stores.published import HARDENED, Datasets, DatasetVersion
from troly.tables.columns import literal, quoted
from troly_analysis.sheets.metrics import Metrics, parse_metric
from troly_analysis.sheets.records import dataset_of, key_of, prefix_of, sheet_of
from troly_analysis.types import Metric, Sheet

if TYPE_CHECKING:
    import duckdb

    from troly.plugin.services import Services


# Keeps one locked-down database open for each owner's sheets, so that a question does not wait for files.


# Owners whose files stay open.
KEPT = 8
_THREADS = max(1, min(4, os.cpu_count() or 1))
# The same locks as on every published file; sheets are larger than what other stores hold.
_LIMITS: dict[str, str | bool | int | float | list[str]] = {
    **{
        name: value
        for name, value in HARDENED.items()
        if name not in {"lock_configuration", "enable_external_access"}
    },
    "memory_limit": "2GB",
    "threads": str(_THREADS),
}
Part = tuple[str, Path]


class _OwnerDatabase:
    """A database with the sheets of one owner, and how many cursors are out."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = tuple(parts)
        self.users = 0
        self.retired = False
        self._folder = TemporaryDirectory(prefix="troly-sheets-", ignore_cleanup_errors=True)
        try:
            self.connection = _open_database(Path(self._folder.name) / "front.duckdb", self.parts)
        except BaseException:
            self._folder.cleanup()
            raise

    def close_if_idle(self) -> None:
        """Close it once it was replaced and nobody reads."""
        if self.retired and self.users == 0:
            self.connection.close()
            self._folder.cleanup()


class WarmSheets:
    """Databases by owner, the least recently used closed first; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, _OwnerDatabase] = OrderedDict()

    @contextmanager
    def cursor(self, owner: str, parts: Sequence[Part]) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of its own to a database that holds exactly `parts` (table name, file), read-only.

        Raises duckdb.Error when a file cannot be opened.
        """
        opened = self._lease(owner, tuple(parts))
        try:
            cursor = opened.connection.cursor()
            try:
                yield cursor
            finally:
                cursor.close()
        finally:
            with self._lock:
                opened.users -= 1
                opened.close_if_idle()

    def close(self) -> None:
        """Let go of all files that nobody reads from just now."""
        with self._lock:
            while self._opened:
                self._retire(next(iter(self._opened)))

    def _lease(self, owner: str, parts: tuple[Part, ...]) -> _OwnerDatabase:
        with self._lock:
            opened = self._opened.get(owner)
            if opened is None or opened.parts != parts:
                fresh = _OwnerDatabase(parts)
                if opened is not None:
                    self._retire(owner)
                self._opened[owner] = opened = fresh
            self._opened.move_to_end(owner)
            while len(self._opened) > KEPT:
                self._retire(next(iter(self._opened)))
            opened.users += 1
            return opened

    def _retire(self, owner: str) -> None:
        opened = self._opened.pop(owner)
        opened.retired = True
        opened.close_if_idle()


def _open_database(front: Path, parts: Sequence[Part]) -> duckdb.DuckDBPyConnection:
    """A read-only database whose views are the tables of the files; nothing else can be reached from it.

    A database in memory cannot be read-only, so there is a small file with the views in front.
    """
    import duckdb

    with duckdb.connect(str(front), config=dict(_LIMITS)) as making:
        _attach(making, parts)
        for at, (table, _) in enumerate(parts):
            making.execute(
                f"create view main.{quoted(table)} as select * from sheet_{at}.main.{quoted(table)}"  # noqa: S608 (quoted)
            )
    connection = duckdb.connect(str(front), read_only=True, config=dict(_LIMITS))
    try:
        _attach(connection, parts)
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return connection


def _attach(connection: duckdb.DuckDBPyConnection, parts: Sequence[Part]) -> None:
    for at, (_, file) in enumerate(parts):
        connection.execute(f"attach {literal(str(file))} as sheet_{at} (read_only)")


# Versions may be published and collected while they are being opened.
_TRIES = 10


class SheetStore:
    """The published sheets (001-02, 001-38); every read names its owner and is checked here. Safe from any thread.

    Stores made for the same services share their open files.
    """

    def __init__(self, services: Services) -> None:
        self._datasets = services.datasets
        self._metrics = Metrics(services.state)
        self._warm = _warm_of(services)

    def sheets(self, owner: str) -> tuple[Sheet, ...]:
        """All sheets of `owner`, by name. Raises StoreError."""
        metrics = self._metrics.of(owner)
        found = [sheet_of(version, metrics.get(version.name, ())) for version in self._versions(owner)]
        return tuple(sorted(found, key=lambda sheet: sheet.table))

    def sheet(self, owner: str, name: str) -> Sheet:
        """The sheet of `owner` with this name or id; case and accents do not matter.

        Raises InputError `sheets.none` or `sheets.unknown`, StoreError.
        """
        sheets = self.sheets(owner)
        wanted = name.strip()
        for sheet in sheets:
            if sheet.table == key_of(wanted) or sheet.id == wanted.lower():
                return sheet
        if not sheets:
            raise InputError("sheets.none")
        names = [sheet.name for sheet in sheets]
        near = nearest(wanted, names)
        shown = near or ", ".join(names[:8])
        raise InputError("sheets.near" if near else "sheets.unknown", name=wanted, names=shown)

    def remove(self, owner: str, name: str) -> Sheet:
        """Remove a sheet with all its versions and metrics; returns what it was. Raises InputError, StoreError."""
        sheet = self.sheet(owner, name)
        dataset = dataset_of(owner, sheet.name)
        for _ in range(_TRIES):
            version = self._datasets.current(dataset)
            if version is None:
                break
            self._datasets.remove(version)
        self._metrics.clear(owner, dataset)
        return sheet

    def remove_samples(self, owner: str) -> tuple[Sheet, ...]:
        """Remove the sample sheets of `owner`; returns them. Raises StoreError."""
        return tuple(self.remove(owner, sheet.id) for sheet in self.sheets(owner) if sheet.samples)

    @contextmanager
    def connect(self, owner: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection in which exactly the sheets of `owner` are, as tables named `Sheet.table`, read-only.

        Files, settings and extensions are out of reach from it. `interrupt()` ends its statement; it is for one
        thread at a time. Raises StoreError when a sheet cannot be opened.
        """
        import duckdb

        for left in reversed(range(_TRIES)):
            parts = [(str(version.info["table"]), version.file) for version in self._versions(owner)]
            lease = self._warm.cursor(owner, parts)
            try:
                cursor = lease.__enter__()
            except duckdb.Error as error:
                # A file may have been replaced and collected since its name was read.
                if left and any(not file.exists() for _, file in parts):
                    continue
                raise StoreError("sheets.unreadable", reason=error) from error
            try:
                yield cursor
            finally:
                lease.__exit__(None, None, None)
            return

    def set_metric(self, owner: str, sheet: str, text: str) -> Metric:
        """Keep the metric that `text` defines, in place of one with its name. Raises InputError, StoreError."""
        found = self.sheet(owner, sheet)
        metric = parse_metric(text, found)
        self._metrics.put(owner, dataset_of(owner, found.name), metric)
        return metric

    def remove_metric(self, owner: str, sheet: str, name: str) -> Metric:
        """Forget a metric; returns what it was. Raises InputError `sheets.no_metric`, StoreError."""
        found = self.sheet(owner, sheet)
        for metric in found.metrics:
            if key_of(metric.name) == key_of(name):
                self._metrics.remove(owner, dataset_of(owner, found.name), metric)
                return metric
        names = ", ".join(metric.name for metric in found.metrics) or "-"
        raise InputError("sheets.no_metric", name=name, sheet=found.name, names=names)

    def close(self) -> None:
        """Let go of the open files before the services are closed; a later read opens them again."""
        self._warm.close()

    def _versions(self, owner: str) -> list[DatasetVersion]:
        """The current versions of the sheets of `owner`: by the names of their datasets, and by what they say."""
        return [
            version
            for version in self._datasets.all_current(prefix_of(owner))
            if version.info.get("owner") == owner
        ]


_lock = threading.Lock()
_all_warm: WeakKeyDictionary[Datasets, WarmSheets] = WeakKeyDictionary()


def _warm_of(services: Services) -> WarmSheets:
    """The open databases that belong to these services; they go when the services go."""
    with _lock:
        found = _all_warm.get(services.datasets)
        if found is None:
            found = _all_warm[services.datasets] = WarmSheets()
            services.datasets.when_closing(lambda: _close(services.datasets))
        return found


def _close(datasets: Datasets) -> None:
    with _lock:
        found = _all_warm.pop(datasets, None)
    if found is not None:
        found.close()
