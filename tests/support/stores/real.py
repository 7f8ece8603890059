"""Opens real stores in a folder, and runs worker processes on them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from troly.stores.conversations import Conversations
from troly.stores.postgres import PostgresDb
from troly.stores.published import Datasets, DatasetVersion
from troly.stores.quarantine import QuarantinedFile
from troly.stores.state import StateDb

ROOT = Path(__file__).parents[3]
ROWS = 3000
# A file beside a data directory that says where its database is.
ADDRESS = "database.url"


def utc_now() -> datetime:
    """The time of day, aware."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Stores:
    """All stores of one data directory."""

    db: StateDb
    set_aside: list[QuarantinedFile]
    conversations: Conversations
    datasets: Datasets

    def close(self) -> None:
        """Close them."""
        self.datasets.close()
        self.db.close()


def open_db(home: Path) -> tuple[StateDb, list[QuarantinedFile]]:
    """The database of a data directory."""
    address = home.parent / ADDRESS
    if address.exists():
        return PostgresDb.at(address.read_text(encoding="utf-8")), []
    return StateDb.open(home / "state.db", home / "set-aside")


def open_stores(home: Path, clock: Callable[[], datetime] = utc_now) -> Stores:
    """As the program opens them at start, without recovering turns."""
    db, moved = open_db(home)
    db.migrate()
    return Stores(db, moved, Conversations(db, clock), Datasets(db, home / "datasets", home / "set-aside"))


def write_version(datasets: Datasets, name: str, rows: int = ROWS) -> DatasetVersion:
    """Publish a version of `name` whose rows all carry its number, written in several statements."""
    import duckdb

    with datasets.build(name, wait=10) as build:
        connection = duckdb.connect(str(build.path), config={"threads": "1"})
        try:
            connection.execute("CREATE TABLE records (id BIGINT, v BIGINT, text VARCHAR)")
            for part in range(3):
                connection.execute(
                    "INSERT INTO records SELECT i * 3 + ?, ?, md5(i::VARCHAR) FROM range(?) AS r(i)",
                    [part, build.version, rows // 3],
                )
        finally:
            connection.close()
        return build.publish({"rows": rows})


class Worker:
    """One process of tests.support.stores.worker.py: starting when made, working after `go`."""

    def __init__(self, home: Path, task: str, count: int = 0) -> None:
        command = [sys.executable, "-m", "tests.support.stores.worker", str(home), task, str(count)]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def ready(self) -> Worker:
        """Wait until all it needs is imported."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith(b"ready"), self.process.communicate()
        return self

    def go(self) -> Worker:
        """Let it work."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()
        return self

    def killed_after(self, seconds: float) -> list[list[str]]:
        """For an `each-` task: begin a process, `kill -9` it after `seconds`, and give what it had said until then."""
        assert self.process.stdout is not None
        self.go()
        _, pid = self.process.stdout.readline().split()
        threading.Event().wait(seconds)
        os.kill(int(pid), signal.SIGKILL)
        told = []
        while (line := self.process.stdout.readline().decode().split()) != ["ended"]:
            assert line, self.process.communicate()
            told.append(line)
        return told

    def end(self) -> None:
        """Make sure that it is gone, whatever became of the test."""
        self.process.kill()
        self.process.communicate()

    def told(self) -> list[list[str]]:
        """What it said until it ended, line by line in words; waits for its end."""
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err.decode()
        return [line.split() for line in out.decode().splitlines()]


@contextmanager
def unprivileged() -> Iterator[None]:
    """Run as a user without rights on root's files: permissions mean nothing to root, as tests often run."""
    if os.name != "posix" or os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
