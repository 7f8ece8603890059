"""Keeps one locked-down database open for each owner's sheets, so that a question does not wait for files."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from troly.stores.published import HARDENED
from troly.tables.columns import literal, quoted

if TYPE_CHECKING:
    import duckdb

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


class _Opened:
    """A database with the sheets of one owner, and how many cursors are out."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = tuple(parts)
        self.users = 0
        self.retired = False
        self._folder = TemporaryDirectory(prefix="troly-sheets-", ignore_cleanup_errors=True)
        try:
            self.connection = _open(Path(self._folder.name) / "front.duckdb", self.parts)
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
        self._opened: OrderedDict[str, _Opened] = OrderedDict()

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

    def _lease(self, owner: str, parts: tuple[Part, ...]) -> _Opened:
        with self._lock:
            opened = self._opened.get(owner)
            if opened is None or opened.parts != parts:
                fresh = _Opened(parts)
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


def _open(front: Path, parts: Sequence[Part]) -> duckdb.DuckDBPyConnection:
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
