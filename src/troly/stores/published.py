"""Tables published as DuckDB files: a new file a version, made current by one row in the state database."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from troly.errors import StoreError
from troly.stores.connections import os_error
from troly.stores.processes import Lock
from troly.stores.quarantine import QuarantinedFile, quarantine
from troly.stores.records import dump, instant, when
from troly.stores.shared_files import SharedFiles, sha256_of
from troly.stores.state import StateDb

if TYPE_CHECKING:
    import duckdb


# Reads the current version of a published dataset over a warm connection, from any thread.


# Opens published DuckDB files read-only and locked down, and says what DuckDB's errors mean for a person.


Fault = Literal["missing", "damaged", "newer", "full", "denied", ""]

# Read-only alone does not stop read_csv of any file or COPY TO; this does. Every connection of one process to one
# file must have the same configuration.
HARDENED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "1GB",
    "threads": "1",
    "max_temp_directory_size": "0MB",
    "lock_configuration": "true",
}

# DuckDB has no error codes; a damaged block is even a bare `duckdb.Error`.
_SIGNS: tuple[tuple[Fault, tuple[str, ...]], ...] = (
    ("newer", ("version number", "newer version of DuckDB")),
    ("missing", ("database does not exist",)),
    ("damaged", ("not a valid DuckDB database file", "Corrupt database file", "Could not read enough bytes")),
    ("full", ("No space left", "File too large", "Disk quota", "disk is full")),
    ("denied", ("Permission denied", "Read-only file system", "Access is denied")),
)


def open_hardened(path: Path) -> duckdb.DuckDBPyConnection:
    """A read-only connection that reaches nothing outside of the file. Raises duckdb.Error."""
    import duckdb

    return duckdb.connect(str(path), read_only=True, config=dict(HARDENED))


def fault_of(error: BaseException) -> Fault:
    """What kind of trouble with the file `error` is; empty when it is about something else."""
    import duckdb

    if not isinstance(error, duckdb.Error):
        return ""
    text = str(error)
    for fault, signs in _SIGNS:
        if any(sign in text for sign in signs):
            return fault
    broken = (duckdb.SerializationException, duckdb.InternalException, duckdb.FatalException)
    return "damaged" if isinstance(error, broken) else ""


def store_error_of(error: BaseException, path: Path) -> StoreError | None:
    """The error to show for what DuckDB raised while it wrote or opened `path`; None for a fault of the program."""
    keys = {"full": "store.full", "denied": "store.denied", "newer": "store.dataset_newer"}
    key = keys.get(fault_of(error))
    return StoreError(key, path=path, reason=error) if key else None


# Versions may be published and collected while a reader opens one.
_TRIES = 20
# Parsed statements that a reader keeps.
_STATEMENTS = 64
# Results that `fetch_kept` keeps of one version, each of so many rows and characters of parameters at most.
_KEPT, _KEPT_ROWS, _KEPT_ASKED = 256, 500, 2_000


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """One published version: its DuckDB file, when it was published (UTC) and what its ingest says of it.

    `sha` is its content's SHA-256 where it lies in the shared place too.
    """

    name: str
    version: int
    file: Path
    published_at: datetime
    info: Mapping[str, Any]
    sha: str = ""


class _Opened:
    """A connection to one version's file and how many reads are using it."""

    def __init__(self, version: DatasetVersion, connection: duckdb.DuckDBPyConnection) -> None:
        self.version = version
        self.connection = connection
        self.kept: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
        self.users = 0
        self.retired = False

    def close_if_idle(self) -> None:
        # Closing a connection closes its cursors, also those that another thread reads from.
        if self.retired and self.users == 0:
            self.connection.close()


class DatasetReader:
    """Read-only access to the current version of one dataset; follows each newly published version by itself."""

    def __init__(self, source: Datasets, name: str) -> None:
        self.name = name
        self._source = source
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
        self._statements: dict[str, duckdb.Statement] = {}

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

    def fetch_kept(
        self, sql: str, params: Sequence[object] | Mapping[str, object] = ()
    ) -> list[tuple[Any, ...]]:
        """`fetch` for a statement that gives the same each time: a version never changes, so it is asked once."""
        asked = (sql, repr(params))
        with self._leased() as opened:
            found = opened.kept.get(asked)
        if found is None:
            version, found = self.fetch_with_version(sql, params)
            small = len(found) <= _KEPT_ROWS and len(asked[1]) <= _KEPT_ASKED
            if small and opened.version is version:
                if len(opened.kept) >= _KEPT:
                    opened.kept.clear()
                opened.kept[asked] = found
        return list(found)

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
                        rows: list[tuple[Any, ...]] = cursor.execute(
                            self._parsed(cursor, sql), params or None
                        ).fetchall()
                    finally:
                        cursor.close()
                    return opened.version, rows
                except duckdb.Error as error:
                    if fault_of(error) != "damaged":
                        raise
                    reason = str(error)
                    with self._lock:
                        opened.retired = True
                        if self._opened is opened:
                            self._opened = None
            self._source.withdraw(opened.version, reason)
        raise StoreError("store.dataset_missing", name=self.name)

    @property
    def file(self) -> Path | None:
        opened = self._opened
        return opened.version.file if opened else None

    def _parsed(self, cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement | str:
        """`sql` as DuckDB parsed it, which holds for any file: a short statement takes half as long again to parse."""
        found = self._statements.get(sql)
        if found is None:
            statements = cursor.extract_statements(sql)
            if len(statements) != 1:
                return sql
            if len(self._statements) >= _STATEMENTS:
                self._statements.clear()
            found = self._statements[sql] = statements[0]
        return found

    def close(self) -> None:
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

    def _swap(self, opened: _Opened | None) -> None:
        before, self._opened = self._opened, opened
        if before is not None:
            before.retired = True
            before.close_if_idle()


# One new version of a dataset while an ingest writes it: invisible until it is published, gone if it is not.


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

    def publish(self, info: Mapping[str, Any] | None = None, *, closed: bool = False) -> DatasetVersion:
        """Make the file the current version; it must be closed, which `closed` says of one that is not DuckDB's.

        From then on every reader sees it, whole.

        Raises StoreError `store.build_open` when it is missing, still open or not whole; `store.full` and others.
        """
        if self.published is not None:
            raise RuntimeError("a build is published once")
        if not closed:
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


_COLUMNS = "name, version, file, published_at, info, sha"
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")
_FILE = re.compile(r"(?P<name>.+)-\d+-[0-9a-f]+\.(?:duckdb|sqlite)")
_COMPANIONS = (".wal",)
# Cleaning takes a dataset's lock for a moment; an ingest that begins just then waits this long.
_LOCK_WAIT = 0.5


class Datasets:
    """The published datasets, their files in `folder`; safe from any thread.

    Readers never wait for an ingest, and a killed ingest leaves the version before it whole. Making this object
    removes what killed ingests left behind. With `files`, a place that machines share, each version is kept there too before
    its row is written; `folder` then holds what this machine needs of them, `most_bytes` at most.
    """

    def __init__(
        self,
        db: StateDb,
        folder: Path,
        set_aside: Path | None = None,
        files: SharedFiles | None = None,
        most_bytes: int = 0,
    ) -> None:
        self._db = db
        self.files = files
        self._most_bytes = most_bytes
        self._fetching = threading.Lock()
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
        """The newest version whose file is there, or is fetched now; None when there is none."""
        return next((version for version in self._versions(name) if self._fetch(version)), None)

    def newest(self, name: str) -> DatasetVersion | None:
        """The newest version, wherever its file is; None when there is none."""
        return next(self._versions(name), None)

    def lock_of(self, name: str) -> Lock:
        """What whoever builds `name` holds."""
        return self._db.lock(self._folder / f"{name}.lock")

    def all_current(self, prefix: str) -> tuple[DatasetVersion, ...]:
        """The newest readable version of every dataset whose name begins with `prefix`, by name."""
        sql = (
            f"SELECT {_COLUMNS} FROM datasets "  # noqa: S608 (constants)
            "WHERE substr(name, 1, ?) = ? AND withdrawn_at IS NULL ORDER BY name, version DESC"
        )
        found: dict[str, DatasetVersion] = {}
        for version in self._read(sql, (len(prefix), prefix)):
            if version.name not in found and self._fetch(version):
                found[version.name] = version
        return tuple(found.values())

    def reader(self, name: str) -> DatasetReader:
        """The reader of `name`, one a process; it may be asked for before anything was published."""
        with self._lock:
            return self._readers.setdefault(name, DatasetReader(self, name))

    @contextmanager
    def build(self, name: str, *, wait: float = _LOCK_WAIT, suffix: str = ".duckdb") -> Iterator[Build]:
        """A new version to write and publish; leaving without `publish` removes it.

        `name` is lower-case letters, digits, `_`, `.`, `-` (ValueError otherwise). While another process or thread
        builds the same dataset: StoreError `store.ingest_running` after `wait` seconds. A full disk or a missing
        permission that DuckDB meets inside becomes a StoreError.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"not a dataset name: {name!r}")
        lock = self.lock_of(name)
        with lock:
            self._acquire(lock, name, wait)
            self._sweep(held=name)
            with self._db.read() as connection:
                sql = "SELECT coalesce(max(version), 0) + 1 FROM datasets WHERE name = ?"
                version = int(connection.execute(sql, (name,)).fetchone()[0])
            path = self._folder / f"{name}-{version}-{secrets.token_hex(6)}{suffix}"
            build = Build(name, version, path, partial(self._record, lock))
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
                    self._sweep_shared(path)

    def collect_garbage(self, *, keep: int = 1) -> int:
        """Delete files of abandoned builds and of all but the newest `keep` versions; returns how many went.

        A file that something holds open (Windows) or whose dataset is being built stays for the next time.
        """
        if not self._folder.is_dir():
            return 0
        self._forget_old(keep)
        return self._sweep()

    def withdraw(self, version: DatasetVersion, reason: str) -> None:
        """Take back a version whose file is damaged and set the file aside; the version before becomes current.

        Where only this machine's copy of it is damaged, it is set aside and fetched again.
        """
        with suppress(StoreError):
            if self.files is not None and version.sha not in ("", sha256_of(version.file)):
                self._set_aside(version.file, reason)
                return
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
        with self._lock:
            readers, closing = list(self._readers.values()), self._closing
            self._closing = []
        for reader in readers:
            reader.close()
        for work in closing:
            work()

    def _versions(self, name: str) -> Iterator[DatasetVersion]:
        sql = (
            f"SELECT {_COLUMNS} FROM datasets "  # noqa: S608 (constants)
            "WHERE name = ? AND withdrawn_at IS NULL ORDER BY version DESC"
        )
        return self._read(sql, (name,))

    def _read(self, sql: str, params: tuple[object, ...]) -> Iterator[DatasetVersion]:
        """The versions that `sql` finds and whose files are there or can be fetched."""
        with self._db.read() as connection:
            rows = connection.execute(sql, params).fetchall()
        for found, version, file, published, info, sha in rows:
            path = self._folder / file
            if path.exists() or (self.files is not None and sha):
                yield DatasetVersion(found, version, path, when(published), json.loads(info), sha)

    def _fetch(self, version: DatasetVersion) -> bool:
        """Whether the file of `version` is here now; it is copied from the shared place where it was not."""
        if self.files is None or not version.sha:
            return version.file.exists()
        if not version.file.exists():
            with self._fetching:
                try:
                    self._folder.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise os_error(error, self._folder) from error
                if not version.file.exists() and not self.files.get(version.sha, version.file):
                    return False
                self._evict(version.file)
        with suppress(OSError):
            # The longest unused goes first when room is needed.
            os.utime(version.file)
        return True

    def _evict(self, kept: Path) -> None:
        """Delete copies of shared files that nobody here reads, the longest unused first, until the rest has room."""
        with self._db.read() as connection:
            shared = {row[0] for row in connection.execute("SELECT file FROM datasets WHERE sha <> ''")}
        with self._lock:
            held = {kept, *(reader.file for reader in self._readers.values())}
        found = []
        for path in self._folder.glob("*.duckdb"):
            with suppress(OSError):
                found.append((path.stat().st_mtime, path.stat().st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total > self._most_bytes and path.name in shared and path not in held and remove_files(path):
                total -= size

    def share(self) -> list[DatasetVersion]:
        """Put the files that only this machine has into the shared place; the versions that are there now."""
        done: list[DatasetVersion] = []
        if self.files is not None:
            sql = f"SELECT {_COLUMNS} FROM datasets WHERE sha = '' ORDER BY name, version"  # noqa: S608 (constants)
            for version in self._read(sql, ()):
                sha = self.files.put(version.file)
                with self._db.write() as connection:
                    connection.execute("UPDATE datasets SET sha = ? WHERE file = ?", (sha, version.file.name))
                done.append(replace(version, sha=sha))
        return done

    def _record(self, lock: Lock, build: Build, info: Mapping[str, Any]) -> DatasetVersion:
        if not lock.held():
            raise StoreError("store.lock_lost", name=build.name)
        now, sha = datetime.now(UTC), self.files.put(build.path) if self.files else ""
        with self._db.write() as connection:
            connection.execute(
                f"INSERT INTO datasets ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608 (constants)
                (build.name, build.version, build.path.name, instant(now), dump(dict(info)), sha),
            )
        return DatasetVersion(build.name, build.version, build.path, now, dict(info), sha)

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
        for path in sorted(self._folder.glob("*")):
            match = _FILE.fullmatch(path.name)
            if match and path.name not in known:
                orphans.setdefault(match["name"], []).append(path)
        gone = 0
        for name, paths in orphans.items():
            lock = self.lock_of(name)
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

    def _sweep_shared(self, built: Path) -> None:
        if self.files is not None:
            self._evict(built)
            with self._db.read() as connection:
                known = {row[0] for row in connection.execute("SELECT sha FROM datasets")}
            self.files.sweep(known)

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

    def _acquire(self, lock: Lock, name: str, wait: float) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            taken = lock.acquire(wait, named=True)
        except OSError as error:
            raise os_error(error, self._folder) from error
        if not taken:
            raise StoreError("store.ingest_running", name=name, pid=lock.holder() or "?")
