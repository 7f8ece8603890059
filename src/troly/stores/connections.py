"""One SQLite connection a thread, and a way to close them all from any thread."""

from __future__ import annotations

import errno
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from troly.errors import StoreError


class StatementResult(Protocol):
    """What a statement gave, a cursor of either database; the first of each column of `description` is its name."""

    @property
    def rowcount(self) -> int: ...

    @property
    def description(self) -> Any: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """What stores use of a connection inside a transaction: `?` or `:name` in the statement, rows as tuples."""

    def execute(self, sql: str, parameters: Any = ..., /) -> StatementResult: ...

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> object: ...


# Turns what SQLite and the file system say into errors with a remedy, in one place.


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_SQLITE = {
    sqlite3.SQLITE_FULL: "store.full",
    sqlite3.SQLITE_READONLY: "store.denied",
    sqlite3.SQLITE_PERM: "store.denied",
    sqlite3.SQLITE_AUTH: "store.denied",
    sqlite3.SQLITE_CANTOPEN: "store.denied",
    sqlite3.SQLITE_IOERR: "store.io",
    sqlite3.SQLITE_PROTOCOL: "store.io",
    sqlite3.SQLITE_CORRUPT: "store.damaged",
    sqlite3.SQLITE_NOTADB: "store.damaged",
}


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for an error that Python itself raised."""
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection held the lock: trying again helps."""
    return primary_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file's content is not, or no longer, an SQLite database."""
    return primary_code(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def sqlite_error(error: sqlite3.Error, path: Path, seconds: float) -> StoreError | None:
    """The error to show for what SQLite said of `path`; None for a fault of the program, to be seen as it is.

    `seconds` is how long a busy database was waited for.
    """
    if is_busy(error):
        return StoreError("store.busy", path=path, seconds=f"{seconds:g}")
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        return StoreError("store.closed", path=path)
    key = _SQLITE.get(primary_code(error))
    return StoreError(key, path=path, reason=error) if key else None


def os_error(error: OSError, path: Path) -> StoreError:
    """The error to show for what the file system said of `path`."""
    if error.errno in _FULL:
        return StoreError("store.full", path=path, reason=error)
    return StoreError("store.denied" if error.errno in _DENIED else "store.io", path=path, reason=error)


T = TypeVar("T")

# SQLite's own wait; short, so that the pauses between tries are ours and have jitter.
_SQLITE_WAIT = 0.25
_PAUSE, _LONGEST_PAUSE = 0.002, 0.05


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

    def retry(self, action: Callable[[], T]) -> T:
        """`action`, again with growing pauses while the database is busy, for `busy_seconds`."""
        deadline = time.monotonic() + self.busy_seconds
        pause = _PAUSE
        while True:
            try:
                return action()
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
