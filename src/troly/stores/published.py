"""Tables published as DuckDB files: a new file a version, made current by one row in the state database."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from troly.errors import StoreError
from troly.stores.dataset_build import Build, remove_files
from troly.stores.dataset_reader import DatasetReader, DatasetVersion
from troly.stores.duck import store_error_of
from troly.stores.faults import os_error
from troly.stores.locks import FileLock
from troly.stores.quarantine import QuarantinedFile, quarantine
from troly.stores.records import dump, instant, when
from troly.stores.state import StateDb

__all__ = ["Build", "DatasetReader", "DatasetVersion", "Datasets"]

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")
_FILE = re.compile(r"(?P<name>.+)-\d+-[0-9a-f]+\.duckdb")
_COMPANIONS = (".wal",)
# Cleaning takes a dataset's lock for a moment; an ingest that begins just then waits this long.
_LOCK_WAIT = 0.5


class Datasets:
    """The published datasets, their files in `folder`; safe from any thread.

    Readers never wait for an ingest, and a killed ingest leaves the version before it whole. Making this object
    removes what killed ingests left behind.
    """

    def __init__(self, db: StateDb, folder: Path, set_aside: Path | None = None) -> None:
        self._db = db
        self._folder = folder
        self._aside = set_aside or folder / "set-aside"
        self._lock = threading.Lock()
        self._readers: dict[str, DatasetReader] = {}
        self._damaged: list[QuarantinedFile] = []
        self._closing: list[Callable[[], None]] = []
        # A folder that cannot be cleaned now (busy, read-only) can still be read.
        with suppress(StoreError):
            self.collect_garbage(keep=2)

    @property
    def damaged(self) -> tuple[QuarantinedFile, ...]:
        """The damaged files that were set aside since this object was made."""
        return tuple(self._damaged)

    def current(self, name: str) -> DatasetVersion | None:
        """The newest version whose file is there; None when there is none."""
        return next(iter(self._versions(name)), None)

    def all_current(self, prefix: str) -> tuple[DatasetVersion, ...]:
        """The newest readable version of every dataset whose name begins with `prefix`, by name."""
        sql = (
            "SELECT name, version, file, published_at, info FROM datasets "
            "WHERE substr(name, 1, ?) = ? AND withdrawn_at IS NULL ORDER BY name, version DESC"
        )
        found: dict[str, DatasetVersion] = {}
        for version in self._read(sql, (len(prefix), prefix)):
            found.setdefault(version.name, version)
        return tuple(found.values())

    def reader(self, name: str) -> DatasetReader:
        """The reader of `name`, one a process; it may be asked for before anything was published."""
        with self._lock:
            return self._readers.setdefault(name, DatasetReader(self, name))

    @contextmanager
    def build(self, name: str, *, wait: float = _LOCK_WAIT) -> Iterator[Build]:
        """A new version to write and publish; leaving without `publish` removes it.

        `name` is lower-case letters, digits, `_`, `.`, `-` (ValueError otherwise). While another process or thread
        builds the same dataset: StoreError `store.ingest_running` after `wait` seconds. A full disk or a missing
        permission that DuckDB meets inside becomes a StoreError.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"not a dataset name: {name!r}")
        lock = self._lock_of(name)
        with lock:
            self._acquire(lock, name, wait)
            self._sweep(held=name)
            version = self._next_version(name)
            path = self._folder / f"{name}-{version}-{secrets.token_hex(6)}.duckdb"
            build = Build(name, version, path, self._record)
            try:
                yield build
            except Exception as error:
                known = store_error_of(error, path)
                if known is None:
                    raise
                raise known from error
            finally:
                if build.published is None:
                    remove_files(path)
            if build.published is not None:
                with suppress(StoreError):
                    self._forget_old(keep=2)
                    self._sweep(held=name)

    def collect_garbage(self, *, keep: int = 1) -> int:
        """Delete files of abandoned builds and of all but the newest `keep` versions; returns how many went.

        A file that something holds open (Windows) or whose dataset is being built stays for the next time.
        """
        if not self._folder.is_dir():
            return 0
        self._forget_old(keep)
        return self._sweep()

    def withdraw(self, version: DatasetVersion, reason: str) -> None:
        """Take back a version whose file is damaged and set the file aside; the version before becomes current."""
        with self._db.write() as connection:
            sql = "UPDATE datasets SET withdrawn_at = ? WHERE file = ? AND withdrawn_at IS NULL"
            mine = connection.execute(sql, (instant(datetime.now(UTC)), version.file.name)).rowcount
        if mine:
            self._set_aside(version.file, reason)

    def remove(self, version: DatasetVersion) -> None:
        """Delete one version for good; the version before becomes current, where there is one.

        While its dataset is being built the file stays until the next cleaning.
        """
        with self._db.write() as connection:
            sql = "DELETE FROM datasets WHERE name = ? AND version = ? AND file = ?"
            connection.execute(sql, (version.name, version.version, version.file.name))
        self._sweep()

    def when_closing(self, work: Callable[[], None]) -> None:
        """Call `work` when these datasets are closed: whoever opened their files himself lets go of them then."""
        with self._lock:
            self._closing.append(work)

    def close(self) -> None:
        """Let go of all files."""
        with self._lock:
            readers, closing = list(self._readers.values()), self._closing
            self._closing = []
        for reader in readers:
            reader.close()
        for work in closing:
            work()

    def _versions(self, name: str) -> Iterator[DatasetVersion]:
        sql = (
            "SELECT name, version, file, published_at, info FROM datasets "
            "WHERE name = ? AND withdrawn_at IS NULL ORDER BY version DESC"
        )
        yield from self._read(sql, (name,))

    def _read(self, sql: str, params: tuple[object, ...]) -> Iterator[DatasetVersion]:
        """The versions that `sql` finds and whose files are there."""
        with self._db.read() as connection:
            rows = connection.execute(sql, params).fetchall()
        for found, version, file, published, info in rows:
            path = self._folder / file
            if path.exists():
                yield DatasetVersion(found, version, path, when(published), json.loads(info))

    def _record(self, build: Build, info: Mapping[str, Any]) -> DatasetVersion:
        now = datetime.now(UTC)
        with self._db.write() as connection:
            connection.execute(
                "INSERT INTO datasets (name, version, file, published_at, info) VALUES (?, ?, ?, ?, ?)",
                (build.name, build.version, build.path.name, instant(now), dump(dict(info))),
            )
        return DatasetVersion(build.name, build.version, build.path, now, dict(info))

    def _next_version(self, name: str) -> int:
        with self._db.read() as connection:
            sql = "SELECT coalesce(max(version), 0) + 1 FROM datasets WHERE name = ?"
            return int(connection.execute(sql, (name,)).fetchone()[0])

    def _forget_old(self, keep: int) -> None:
        """Delete the rows of old versions; their files then belong to nobody and are swept."""
        with self._db.read() as connection:
            names = [row[0] for row in connection.execute("SELECT DISTINCT name FROM datasets")]
        for name in names:
            kept = [version.version for version in self._versions(name)][: max(1, keep)]
            if not kept:
                continue
            with self._db.write() as connection:
                sql = "DELETE FROM datasets WHERE name = ? AND version < ? AND withdrawn_at IS NULL"
                connection.execute(sql, (name, kept[-1]))

    def _sweep(self, held: str | None = None) -> int:
        """Delete the files without a row, dataset by dataset under its lock; `held` is locked by the caller."""
        orphans: dict[str, list[Path]] = {}
        known = self._known_files()
        for path in sorted(self._folder.glob("*.duckdb")):
            match = _FILE.fullmatch(path.name)
            if match and path.name not in known:
                orphans.setdefault(match["name"], []).append(path)
        gone = 0
        for name, paths in orphans.items():
            lock = self._lock_of(name)
            with lock:
                try:
                    if name != held and not lock.acquire():
                        continue
                except OSError:
                    continue
                # Read again under the lock: what was a build a moment ago may be published now.
                known = self._known_files()
                gone += sum(remove_files(path) for path in paths if path.name not in known)
        return gone

    def _known_files(self) -> set[str]:
        with self._db.read() as connection:
            return {row[0] for row in connection.execute("SELECT file FROM datasets")}

    def _set_aside(self, path: Path, reason: str) -> None:
        try:
            moved = quarantine(path, self._aside, reason, _COMPANIONS)
        except StoreError:
            # Held open elsewhere (Windows): it is withdrawn already, so nobody reads it, and it stays where it is.
            moved = QuarantinedFile(path, path, reason)
        self._damaged.append(moved)

    def _lock_of(self, name: str) -> FileLock:
        return FileLock(self._folder / f"{name}.lock")

    def _acquire(self, lock: FileLock, name: str, wait: float) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            taken = lock.acquire(wait, named=True)
        except OSError as error:
            raise os_error(error, self._folder) from error
        if not taken:
            raise StoreError("store.ingest_running", name=name, pid=lock.holder() or "?")
