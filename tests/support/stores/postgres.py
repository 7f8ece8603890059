"""A PostgreSQL server of the tests' own on a socket in a folder, which no other program can take from it, and a fresh database in it for each test that asks."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from tests.support.process.proxy import Proxy

_SOCKET = ".s.PGSQL.5432"
PASSWORD = "mật:khẩu@1"
# The server refuses to run as root, as tests often do.
_USER = 65534 if os.name == "posix" and os.geteuid() == 0 else None


def _program(name: str) -> str:
    """Where a program of the server is; Debian keeps them by version."""
    known = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(known[-1]) if known else "")


needs_postgres = pytest.mark.skipif(
    sys.platform == "win32" or not all(map(_program, ("initdb", "postgres"))),
    reason="PostgreSQL is not installed (`apt install postgresql`)",
)


@dataclass(slots=True)
class PostgresServer:
    """A running server; `process` is its own, to be killed or stopped."""

    folder: Path
    process: subprocess.Popen[bytes]
    _numbers: Iterator[int] = field(default_factory=count)

    def sql(self, *statements: str, database: str = "postgres") -> None:
        """Run statements as the superuser."""
        import psycopg

        with psycopg.connect(self._address("postgres", database), autocommit=True) as connection:
            for one in statements:
                connection.execute(one.encode())

    def _address(self, user: str, database: str) -> str:
        return f"host={self.folder} user={user} dbname={database} password='{PASSWORD}'"

    def empty(self) -> str:
        """The name of a new, empty database of the user `troly`."""
        name = f"t{next(self._numbers)}"
        self.sql(f"CREATE DATABASE {name} OWNER troly TEMPLATE template0")
        return name

    def database(self) -> str:
        """The address of one, as the setting `database.url` takes it."""
        return self.url(self.empty())

    def url(
        self, database: str, user: str = "troly", password: str = PASSWORD, through: Path | None = None
    ) -> str:
        """The address of a database, where the server listens or where a network begins (`network`)."""
        from urllib.parse import quote

        folder = quote(str(through or self.folder))
        return f"postgresql+psycopg://{user}:{quote(password)}@/{database}?host={folder}"

    @contextmanager
    def network(self) -> Iterator[tuple[Path, Proxy]]:
        """A way to the server that can be cut, and where it begins."""
        # A path of a socket is short.
        with tempfile.TemporaryDirectory(prefix="troly-net-") as name:
            proxy = Proxy(self.folder / _SOCKET, Path(name) / _SOCKET)
            try:
                yield Path(name), proxy
            finally:
                proxy.close()

    def kill(self) -> None:
        """End the server at once; it finds what was committed again from its log, as after a crash."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def start(self) -> None:
        """Start it again on its data and wait until it answers."""
        self.process = _started(self.folder)
        _answers(self)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server with the user `troly`; ended by its own process number."""
    folder = Path(tempfile.mkdtemp(prefix="troly-pg-"))
    if _USER is not None:
        os.chown(folder, _USER, _USER)
    (folder / "password").write_text(PASSWORD, encoding="utf-8")
    made = subprocess.run(
        [
            _program("initdb"), "-D", str(folder / "data"), "-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8",
            "--locale=C", "--no-sync", f"--pwfile={folder / 'password'}",
        ],
        check=False, capture_output=True, cwd=folder, user=_USER, group=_USER,
    )  # fmt: skip
    if made.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL cannot run here: {made.stderr.decode(errors='replace')[-200:]}")
    server = PostgresServer(folder, _started(folder))
    try:
        _answers(server)
        server.sql(f"CREATE ROLE troly LOGIN PASSWORD '{PASSWORD}'")
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _started(folder: Path) -> subprocess.Popen[bytes]:
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [
                _program("postgres"), "-D", str(folder / "data"), "-k", str(folder),
                "-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB",
            ],
            stdout=log, stderr=log, cwd=folder, user=_USER, group=_USER,
        )  # fmt: skip


def _answers(server: PostgresServer) -> None:
    import psycopg

    from tests.support.process.waiting import wait_until

    def there() -> bool:
        assert server.process.poll() is None, (server.folder / "log").read_text(errors="replace")[-2000:]
        try:
            server.sql("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    wait_until(there)
