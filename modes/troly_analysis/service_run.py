"""Runs one statement against a deadline and says what DuckDB's refusals mean."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import duckdb

from troly.errors import InputError, TrolyError

MAX_ROWS = 1000


class Deadline:
    """Stops whatever runs on a connection when its seconds are over or somebody calls `stop` from another thread.

    A statement already running ends at once; a statement that begins later is refused too.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._ends = time.monotonic() + seconds
        self.stopped = False

    def stop(self) -> None:
        """End the running statement and refuse later ones."""
        with self._lock:
            self.stopped = True
            if self._connection is not None:
                self._connection.interrupt()

    @contextmanager
    def watching(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """While inside, `connection` is the one to stop. Raises InputError `query.slow` when it is too late."""
        left = self._ends - time.monotonic()
        if self.stopped or left <= 0:
            raise InputError("query.slow", seconds=round(self.seconds, 1))
        with self._lock:
            self._connection = connection
        timer = threading.Timer(left, self.stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self._lock:
                self._connection = None


def fetch(connection: duckdb.DuckDBPyConnection, sql: str, deadline: Deadline) -> list[tuple[Any, ...]]:
    """All rows of one statement; InputError `query.slow`, `query.memory` or `query.failed`."""
    with deadline.watching(connection):
        try:
            rows: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
        except duckdb.Error as error:
            raise meaning(error, deadline) from error
        return rows


def meaning(error: duckdb.Error, deadline: Deadline) -> TrolyError:
    """The error to show for one of DuckDB's."""
    if isinstance(error, duckdb.InterruptException):
        return InputError("query.slow", seconds=round(deadline.seconds, 1))
    if isinstance(error, duckdb.OutOfMemoryException):
        return InputError("query.memory")
    return InputError("query.failed", reason=str(error).partition("\n")[0][:200])


def plain(value: Any) -> Any:
    """A cell as Python has it: whole decimals as int, others as float; no number that is not finite."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
