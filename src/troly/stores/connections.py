"""What stores use of a connection, and what SQLite and the file system say as errors with a remedy."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

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
