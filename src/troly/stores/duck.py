"""Opens published DuckDB files read-only and locked down, and says what DuckDB's errors mean for a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from troly.errors import StoreError

if TYPE_CHECKING:
    import duckdb

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
