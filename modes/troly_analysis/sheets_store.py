"""The sheets of the users: each a published table of its owner, which no question of anybody else can reach."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from troly.config.problems import nearest
from troly.errors import InputError, StoreError
from troly.stores.published import Datasets, DatasetVersion
from troly_analysis.metrics import Metrics, parse_metric
from troly_analysis.sheets_info import dataset_of, key_of, prefix_of, sheet_of
from troly_analysis.sheets_warm import WarmSheets
from troly_analysis.types import Metric, Sheet

if TYPE_CHECKING:
    import duckdb

    from troly.plugin.services import Services

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
