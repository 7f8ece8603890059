"""The state database: one SQLite file in WAL mode that several threads and processes write at once."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar

from troly.errors import StoreError
from troly.stores import migrations
from troly.stores.connections import Connection, is_busy, is_damage, os_error, sqlite_error
from troly.stores.migrations import Migration
from troly.stores.processes import FileLock, Lock
from troly.stores.quarantine import QuarantinedFile, quarantine

T = TypeVar("T")
P = ParamSpec("P")
BUSY_SECONDS = 10.0
# SQLite's own wait; short, so that the pauses between tries are ours and have jitter.
_SQLITE_WAIT = 0.25
_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
_COMPANIONS = ("-wal", "-shm", "-journal")
# A whole check reads the whole file. Above this size it is done only after damage was met while working.
_CHECK_BYTES = 16 * 1024 * 1024


@dataclass(slots=True, eq=False)
class Handle:
    """A thread's connection; `lock` is held while it is in use, `depth` counts the uses inside each other."""

    connection: sqlite3.Connection
    lock: threading.RLock = field(default_factory=threading.RLock)
    depth: int = 0
    writing: bool = False


class Connections:
    """The connections to the database at `path`; waits `busy_seconds` where another process is in the way."""

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self.path = path
        self.busy_seconds = busy_seconds
        self._local = threading.local()
        self._lock = threading.Lock()
        self._handles: dict[threading.Thread, Handle] = {}
        self._closed = False

    @contextmanager
    def using(self) -> Iterator[Handle]:
        """This thread's connection. Raises StoreError, sqlite3.Error."""
        handle = self._handle()
        # A connection that is closed while another thread works with it takes the whole process down.
        with handle.lock:
            if self._closed and handle.depth == 0:
                raise StoreError("store.closed", path=self.path)
            handle.depth += 1
            try:
                yield handle
            finally:
                handle.depth -= 1
                if self._closed and handle.depth == 0:
                    handle.connection.close()

    def retry(self, action: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`action` with what it takes, again with growing pauses while the database is busy, for `busy_seconds`."""
        deadline = time.monotonic() + self.busy_seconds
        pause = _PAUSE
        while True:
            try:
                return action(*args, **kwargs)
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() >= deadline:
                    raise
            if self._closed:
                raise StoreError("store.closed", path=self.path)
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311 (jitter)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def close(self) -> None:
        """Close all, waiting for transactions under way; one that takes too long is closed by its own thread."""
        with self._lock:
            self._closed = True
            handles = list(self._handles.values())
            self._handles.clear()
        for handle in handles:
            if handle.lock.acquire(timeout=self.busy_seconds):
                handle.connection.close()
                handle.lock.release()

    def forget(self) -> None:
        """Close this thread's connection, so that the next use opens the file anew."""
        with self._lock:
            handle = self._handles.pop(threading.current_thread(), None)
        self._local.handle = None
        if handle is not None:
            handle.connection.close()

    def _handle(self) -> Handle:
        found: Handle | None = getattr(self._local, "handle", None)
        if found is not None:
            return found
        if self._closed:
            raise StoreError("store.closed", path=self.path)
        handle = Handle(self._connect())
        with self._lock:
            if self._closed:
                handle.connection.close()
                raise StoreError("store.closed", path=self.path)
            dead = [thread for thread in self._handles if not thread.is_alive()]
            leftover = [self._handles.pop(thread) for thread in dead]
            self._handles[threading.current_thread()] = handle
        for old in leftover:
            old.connection.close()
        self._local.handle = handle
        return handle

    def _connect(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise os_error(error, self.path) from error
        connection = sqlite3.connect(
            self.path,
            timeout=_SQLITE_WAIT,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            self.retry(lambda: _configure(connection))
        except BaseException:
            connection.close()
            raise
        return connection


def _configure(connection: sqlite3.Connection) -> None:
    with closing(connection.execute("PRAGMA journal_mode")) as cursor:
        mode = cursor.fetchone()[0]
    if mode != "wal":
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


class StateDb:
    """Connections to the state database, one a thread, opened when first needed.

    Safe from any thread. `read()` and `write()` give a connection inside a transaction; do not `await`
    in one, another task of the same thread would join it. `owner` says for whom: PostgreSQL then shows the rows of nobody
    else and lets writers of other owners go on (see `postgres`), so such a write touches that owner's rows alone; here the
    statements alone do. A commit survives the death of the process (WAL,
    synchronous=NORMAL); a power cut may lose the last ones, never a part of one.
    """

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path
        self.busy_seconds = busy_seconds
        # Which machine's processes write turns here; "" where only this one can.
        self.host = ""
        self._connections = Connections(path, busy_seconds)

    @classmethod
    def open(cls, path: Path, set_aside: Path) -> tuple[Self, list[QuarantinedFile]]:
        """Open the database at `path`; a damaged one is moved to the folder `set_aside` and a fresh one made.

        Raises StoreError: no permission, full disk, busy. Does not migrate.
        """
        db = cls(path)
        moved: list[QuarantinedFile] = []
        try:
            if db._damage():
                moved += db._replace(set_aside)
        except BaseException:
            db.close()
            raise
        return db, moved

    def migrate(self, extra: Iterable[Migration] = ()) -> list[str]:
        """Apply the core's migrations and `extra` that the database has not had; returns their names.

        All or nothing, and safe when several processes do it at once. Raises StoreError `store.newer` (nothing is
        touched), `store.migration_changed`, `store.migration_failed`.
        """
        known = migrations.combine(extra)
        with self.read() as connection:
            missing = self._pending(connection, known)
        if not missing:
            return []
        with self.write() as connection:
            return migrations.apply(connection, self._pending(connection, known))

    def _pending(self, connection: Connection, known: Sequence[Migration]) -> list[Migration]:
        applied = {}
        if "applied_at" in self.columns(connection, "migrations"):
            applied = dict(connection.execute("SELECT name, statements_sha FROM migrations").fetchall())
        return migrations.pending(applied, known, self.path)

    @contextmanager
    def read(self, owner: str | None = None) -> Iterator[Connection]:  # noqa: ARG002
        """A read transaction: every statement in it sees the same moment. Inside another one it joins that.

        Raises StoreError.
        """
        with self._using() as handle:
            connection = handle.connection
            if connection.in_transaction:
                yield connection
                return
            self._connections.retry(_begin_read, connection)
            try:
                yield connection
            finally:
                _rollback(connection)

    @contextmanager
    def write(self, owner: str | None = None) -> Iterator[Connection]:  # noqa: ARG002
        """A write transaction: committed at the end, rolled back by any exception. Inside another one it joins that.

        Waits `busy_seconds` for other writers, then raises StoreError `store.busy`. Raises StoreError. A write inside
        a `read()` is a mistake of the program (RuntimeError).
        """
        with self._using() as handle:
            connection = handle.connection
            if connection.in_transaction:
                if not handle.writing:
                    raise RuntimeError("write() inside read(): the snapshot may be old")
                yield connection
                return
            self._connections.retry(connection.execute, "BEGIN IMMEDIATE")
            handle.writing = True
            try:
                yield connection
                self._connections.retry(connection.execute, "COMMIT")
            finally:
                handle.writing = False
                _rollback(connection)

    def narrow(self, connection: Connection, owner: str) -> None:
        """Let the rest of the transaction see the rows of `owner` alone, after it was looked whose something is."""

    def lock(self, path: Path) -> Lock:
        """The lock of that name for all who share this database: here those who share the file `path`."""
        return FileLock(path)

    def probe(self) -> tuple[str, float]:
        """The database's version, and the milliseconds of a transaction that writes; it leaves nothing behind."""
        began = time.perf_counter()
        with self.write():
            pass
        return sqlite3.sqlite_version, (time.perf_counter() - began) * 1000

    def columns(self, connection: Connection, table: str) -> list[str]:
        """The columns of one of our tables; none where it is not there."""
        return [row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]

    def rows(self, connection: Connection, sql: str) -> Iterator[Any]:
        """All rows of a query, however many, one such query at a time."""
        return iter(connection.execute(sql))

    def used_numbers(self, connection: Connection) -> dict[str, int]:
        """The highest number that tables gave away and may not give again, also to rows that are gone."""
        return dict(connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall())

    def continue_numbers(self, connection: Connection, used: Mapping[str, int]) -> None:
        """Number new rows from `used` on, and after those that were copied."""
        for table, number in used.items():
            connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, table))

    def close(self) -> None:
        """Close every thread's connection, after the transactions under way; later use raises `store.closed`."""
        self._connections.close()

    @contextmanager
    def _using(self) -> Iterator[Handle]:
        """This thread's connection; what SQLite says against it becomes a StoreError."""
        try:
            with self._connections.using() as handle:
                yield handle
        except sqlite3.Error as error:
            if is_damage(error):
                # Best effort: without the mark the next start still sees damage at the file's beginning.
                with suppress(OSError):
                    self._suspect.touch()
            known = sqlite_error(error, self.path, self.busy_seconds)
            if known is None:
                raise
            raise known from error

    def _damage(self) -> str:
        """What is wrong with the file's content; empty when it is sound. Raises StoreError for anything else."""
        size = self.path.stat().st_size if self.path.exists() else 0
        try:
            with self.read() as connection:
                if not self._suspect.exists() and size > _CHECK_BYTES:
                    connection.execute("SELECT name FROM sqlite_master").fetchall()
                    return ""
                found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found == "ok":
                with suppress(OSError):
                    self._suspect.unlink(missing_ok=True)
        except StoreError as error:
            if error.key != "store.damaged":
                raise
            return str(error.params["reason"])
        return "" if found == "ok" else str(found)

    def _replace(self, set_aside: Path) -> list[QuarantinedFile]:
        """Move the damaged file away, unless another process has just done so."""
        lock = FileLock(self.path.with_name(self.path.name + ".lock"))
        with lock:
            try:
                taken = lock.acquire(self.busy_seconds)
            except OSError as error:
                raise os_error(error, lock.path) from error
            if not taken:
                raise StoreError("store.busy", path=self.path, seconds=f"{self.busy_seconds:g}")
            self._connections.forget()
            reason = self._damage()
            if not reason:
                return []
            self._connections.forget()
            moved = quarantine(self.path, set_aside, reason, _COMPANIONS)
            with suppress(OSError):
                self._suspect.unlink(missing_ok=True)
            # Made under the lock: the next process finds a sound file.
            with self.write():
                pass
        return [moved]

    @property
    def _suspect(self) -> Path:
        return self.path.with_name(self.path.name + ".suspect")


def _begin_read(connection: sqlite3.Connection) -> None:
    """Begin and take the snapshot now, so that waiting for a lock happens here."""
    connection.execute("BEGIN")
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        _rollback(connection)
        raise


def _rollback(connection: sqlite3.Connection) -> None:
    # SQLite itself has rolled back after a full disk or an I/O error.
    if connection.in_transaction:
        connection.execute("ROLLBACK")
