"""Loads of files as rows: who loads what and how far it is, for everybody who shares the database.

A load holds a lock of its own (`StateDb.lock`: PostgreSQL's on a shared database, a file's on one machine), which goes with its
process or machine. A row that says `running` and whose lock is free is a load that died: whoever takes the lock takes it up.
"""

from __future__ import annotations

import json
import platform
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from troly.errors import StoppedError, StoreError, TrolyError
from troly.stores.connections import os_error
from troly.stores.processes import Lock
from troly.stores.records import instant, when
from troly.stores.state import StateDb

Status = Literal["running", "done", "failed", "stopped", "died"]
KEPT = 200
# Processes that a load may end before it is given up.
TRIES = 3
# Seconds between two rows of progress.
_TOLD = 1.0
_COLUMNS = "id, name, login, host, request, status, done, total, unit, said, started_at, changed_at"


@dataclass(frozen=True, slots=True)
class StoredJob:
    """One load: `request` is what its beginner keeps to do it again; `died` is running without its process."""

    id: str
    name: str
    login: str
    host: str
    request: Mapping[str, Any]
    status: Status
    done: int
    total: int | None
    unit: str
    said: str
    started_at: datetime
    changed_at: datetime


class JobRecord:
    """A load under way. Once it has ended nothing more is written of it."""

    def __init__(self, db: StateDb, job: str) -> None:
        self.id = job
        self._db = db
        self._progress: tuple[int, int | None, str] = (0, None, "")
        self._tell_at = 0.0

    def report(self, done: int, total: int | None, unit: str) -> None:
        """How far it is, which is written once a second; not for an event loop, since the database may be slow."""
        self._progress = done, total, unit
        if time.monotonic() >= self._tell_at:
            self._tell_at = time.monotonic() + _TOLD
            # What cannot be told now is told a second later.
            with suppress(StoreError):
                self._write("running", "")

    def end(self, status: Status, said: str = "") -> None:
        """Write how it ended, the first time. Raises StoreError."""
        self._write(status, said)

    def abandon(self) -> None:
        """Say that it was stopped, in a second at most: the process ends now."""
        last = threading.Thread(target=self.end, args=("stopped",), daemon=True)
        last.start()
        last.join(_TOLD)

    def _write(self, status: Status, said: str) -> None:
        with self._db.write() as connection:
            connection.execute(
                "UPDATE jobs SET status = ?, said = ?, done = ?, total = ?, unit = ?, changed_at = ?"
                " WHERE id = ? AND status = 'running'",
                (status, said, *self._progress, instant(datetime.now(UTC)), self.id),
            )


class Jobs:
    """The loads of all who share the database, each done inside of `within`; lock files lie in `folder`.

    Every method raises StoreError.
    """

    def __init__(
        self, db: StateDb, folder: Path, within: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._db = db
        self._within = within
        self._folder = folder

    @contextmanager
    def begin(self, name: str, login: str, request: Mapping[str, Any]) -> Iterator[JobRecord]:
        """A row for the load that is done inside; an exception ends it as failed or stopped."""
        job, now = secrets.token_hex(6), instant(datetime.now(UTC))
        with self._locked(job):
            with self._db.write() as connection:
                connection.execute(
                    "INSERT INTO jobs (id, name, login, host, request, status, started_at, changed_at) "
                    "VALUES (?, ?, ?, ?, ?, 'running', ?, ?)",
                    (job, name, login, platform.node(), json.dumps(dict(request)), now, now),
                )
                sql = "DELETE FROM jobs WHERE status <> 'running' AND seq <= (SELECT max(seq) FROM jobs) - ?"
                connection.execute(sql, (KEPT,))
            with _told(JobRecord(self._db, job)) as running, self._within():
                yield running
            self._forget_lock(job)

    @contextmanager
    def take_up(self, job: StoredJob) -> Iterator[JobRecord | None]:
        """The load of a process that died, to be done again inside.

        None where another process was quicker, or where it was the end of so many processes that it is given up.
        """
        with self._locked(job.id) as lock:
            if lock is None or self._row(job.id)[5] != "running":
                yield None
                return
            with self._db.write() as connection:
                sql = "UPDATE jobs SET tries = tries + 1, host = ? WHERE id = ? RETURNING tries"
                (tries,) = connection.execute(sql, (platform.node(), job.id)).fetchone()
            running = JobRecord(self._db, job.id)
            if tries > TRIES:
                running.end("failed", "jobs.given_up")
                yield None
            else:
                with _told(running), self._within():
                    yield running
            self._forget_lock(job.id)

    def _job(self, row: tuple[Any, ...]) -> StoredJob:
        job, name, login, host, request, status, done, total, unit, said, started, changed = row
        if status == "running":
            with self._locked(job) as lock:
                status = "running" if lock is None else "died"
            if status == "died" and (row := self._row(job))[5] != "running":
                # It ended after its row was read.
                return self._job(row)
        return StoredJob(
            job, name, login, host, json.loads(request), status, done, total, unit, said, when(started), when(changed)
        )  # fmt: skip

    def _row(self, job: str) -> tuple[Any, ...]:
        with self._db.read() as connection:
            row: tuple[Any, ...] = connection.execute(
                f"SELECT {_COLUMNS} FROM jobs WHERE id = ?",  # noqa: S608 (constants)
                (job,),
            ).fetchone()
        return row

    def died(self) -> list[StoredJob]:
        """The loads whose process is gone, oldest first."""
        return [job for job in reversed(self.list()) if job.status == "died"]

    def list(self) -> list[StoredJob]:
        """The newest loads, newest first."""
        with self._db.read() as connection:
            sql = f"SELECT {_COLUMNS} FROM jobs ORDER BY seq DESC LIMIT ?"  # noqa: S608 (constants)
            rows = connection.execute(sql, (KEPT,)).fetchall()
        return [self._job(row) for row in rows]

    @contextmanager
    def _locked(self, job: str) -> Iterator[Lock | None]:
        """The lock of `job`, None where its process lives."""
        file = self._folder / f"{job}.lock"
        with self._db.lock(file) as lock:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                taken = lock.acquire()
            except OSError as error:
                raise os_error(error, file) from error
            yield lock if taken else None

    def _forget_lock(self, job: str) -> None:
        # Who takes it after this finds that the load has ended.
        with suppress(OSError):
            (self._folder / f"{job}.lock").unlink(missing_ok=True)


@contextmanager
def _told(job: JobRecord) -> Iterator[JobRecord]:
    try:
        yield job
    except BaseException as error:
        with suppress(StoreError):
            stopped = isinstance(error, StoppedError) or not isinstance(error, Exception)
            said = error.key if isinstance(error, TrolyError) else type(error).__name__
            job.end("stopped" if stopped else "failed", said)
        raise
    # What was loaded is in force: where that cannot be told, the load is done again.
    with suppress(StoreError):
        job.end("done")
