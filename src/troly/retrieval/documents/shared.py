"""The index of documents where machines share a database and data files: one is loaded, and all have it.

Searching by words costs the same everywhere, for each machine keeps a whole index of its own (SQLite, beside its data) and makes it
like the newest published one: a file among the data files, `documents`, read in one transaction that changes only what is different.
A load takes the lock of all machines with its first write, brings its index up to date, and publishes it at its end. Until then the
index is marked as being changed: what a killed load left behind is undone by the next reader that finds the lock free.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from troly.errors import StoreError
from troly.retrieval.documents.ingest import SAMPLES
from troly.stores.connections import Connection, os_error
from troly.stores.migrations import Migration
from troly.stores.published import Build, Datasets, DatasetVersion
from troly.stores.shared_files import sha256_of
from troly.stores.state import StateDb

NAME = "documents"
# Seconds between two looks whether another machine has published.
_LOOK = 1.0
# Seconds that a load waits for another one.
_WAIT = 10.0
_MADE = re.compile(r"CREATE TABLE (\w+)")
_LEDGER = ("vectors",)
_IDENTITY = "SELECT identity FROM vector_store"
_WORDS = "accented, folded, bigrams"


class _Load:
    """A load under way; `build` is there from its first write on."""

    def __init__(self) -> None:
        self.held = ExitStack()
        self.build: Build | None = None


class SharedDocuments(StateDb):
    """The index beside the data; from `follow` on it is kept like the newest one that any machine published.

    Reading then raises what `Datasets` and `SharedFiles` do where a newer one is known and cannot be had.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._datasets: Datasets | None = None
        self._looking, self._look_at = threading.Lock(), 0.0
        self._load: ContextVar[_Load | None] = ContextVar("load", default=None)

    def follow(
        self,
        datasets: Datasets,
        migrations: Iterable[Migration],
        set_aside: Path,
        *,
        vectors: bool,
        changed: Callable[[], None],
    ) -> None:
        """Share through `datasets` all tables that `migrations` make here and not on a server.

        `vectors` says that those lie on a server too, so that which chunks have one is shared. `changed` is called after the index
        became another. Documents of before that no machine published are kept as a file in `set_aside`.
        """
        self._tables = [
            name
            for one in migrations
            if one.postgres == ()
            for sql in one.statements
            for name in _MADE.findall(sql)
        ]
        self._vectors, self._changed, self._aside = vectors, changed, set_aside
        self._datasets = datasets

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A load of documents: what is written inside is published at the end, also where it was stopped.

        Where it cannot be published, StoreError, and the index becomes again what it was. `store.ingest_running` while another
        machine loads documents.
        """
        load = _Load()
        before = self._load.set(load)
        try:
            with load.held:
                try:
                    yield
                except Exception:
                    with suppress(StoreError):
                        self._publish(load.build)
                    raise
                self._publish(load.build)
        finally:
            self._load.reset(before)
            self._look_at = 0.0

    @contextmanager
    def read(self, owner: str | None = None) -> Iterator[Connection]:
        """See `StateDb.read`."""
        if self._datasets is not None and not self._inside():
            self._catch_up(self._datasets)
        with super().read(owner) as connection:
            yield connection

    @contextmanager
    def write(self, owner: str | None = None) -> Iterator[Connection]:
        """See `StateDb.write`."""
        if self._datasets is not None and not self._inside():
            load = self._load.get()
            if load is not None and load.build is None:
                build = load.held.enter_context(self._datasets.build(NAME, wait=_WAIT, suffix=".sqlite"))
                newest, version = self._datasets.newest(NAME), self._version()
                if newest is not None and newest.version != version:
                    self._become(self._datasets, newest, version)
                self._set_version(-build.version)
                load.build = build
        with super().write(owner) as connection:
            yield connection

    def _inside(self) -> bool:
        with self._connections.using() as handle:
            return handle.connection.in_transaction

    def _version(self) -> int:
        """Which published version this index is; 0 for none, below 0 while a load changes it."""
        with super().read() as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

    def _set_version(self, version: int) -> None:
        with super().write() as connection:
            connection.execute(f"PRAGMA user_version = {version}")

    def _catch_up(self, datasets: Datasets) -> None:
        load = self._load.get()
        loading = load is not None and load.build is not None
        if loading or time.monotonic() < self._look_at or not self._looking.acquire(blocking=False):
            return
        try:
            newest, version = datasets.newest(NAME), self._version()
            if newest is not None and newest.version != version:
                with datasets.lock_of(NAME) as lock:
                    # Below 0: another process of this machine loads, or died while it did.
                    if version >= 0 or lock.acquire():
                        self._become(datasets, newest, version)
            self._look_at = time.monotonic() + _LOOK
        finally:
            self._looking.release()

    def _become(self, datasets: Datasets, newest: DatasetVersion, version: int) -> None:
        """Become `newest`, unless this index is not `version` any more: another thread or process was quicker."""
        if version in (0, -1):
            # It never was a published one; -1: the first load here did not come to its end.
            self._keep_own()
        with TemporaryDirectory(prefix="troly-") as folder:
            file = Path(folder) / NAME
            if datasets.files is None or not datasets.files.get(newest.sha, file):
                raise StoreError("files.damaged", path=newest.file.name)
            with self._beside(file) as connection:
                if connection.execute("PRAGMA user_version").fetchone() != (version,):
                    return
                self._merge(connection, newest.info)
                connection.execute(f"PRAGMA user_version = {newest.version}")
        self._changed()

    def _keep_own(self) -> None:
        """Documents that only this machine has are kept as a file before they make way for those of all."""
        with super().read() as connection:
            own = "SELECT 1 FROM documents WHERE substr(path, 1, ?) <> ? LIMIT 1"
            if connection.execute(own, (len(SAMPLES), SAMPLES)).fetchone() is None:
                return
        try:
            self._aside.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise os_error(error, self._aside) from error
        with self._beside(self._aside / f"{NAME}-{secrets.token_hex(6)}.sqlite") as connection:
            self._export(connection)

    @contextmanager
    def _beside(self, file: Path) -> Iterator[Connection]:
        """A write transaction in which the tables of `file` are there too, as `shared`."""
        with self._using() as handle:
            handle.connection.execute("ATTACH ? AS shared", (str(file),))
            try:
                with super().write() as connection:
                    yield connection
            finally:
                handle.connection.execute("DETACH shared")

    def _merge(self, connection: Connection, info: Any) -> None:
        """Make all tables as those of the attached file."""
        if connection.execute(_IDENTITY).fetchone()[0] != info["identity"]:
            # The same ids meant other texts until now.
            connection.execute("UPDATE vector_store SET identity = ?", (info["identity"],))
            connection.execute("DELETE FROM vectors")
            connection.execute("UPDATE vector_versions SET version = version + 1")
        connection.execute(
            "DELETE FROM vectors WHERE chunk_id IN (SELECT c.id FROM chunks AS c JOIN shared.chunks AS s ON s.id = c.id"
            " WHERE s.permission IS NOT c.permission)"
        )
        columns = ", ".join(self._common(connection, "documents"))
        # Their chunks and words go with them.
        changed = f"SELECT {columns} FROM documents EXCEPT SELECT {columns} FROM shared.documents"  # noqa: S608 (our tables)
        connection.execute(f"DELETE FROM documents WHERE id IN (SELECT id FROM ({changed}))")  # noqa: S608
        fresh = f"SELECT id, {_WORDS} FROM shared.words WHERE id NOT IN (SELECT id FROM chunks)"  # noqa: S608
        connection.execute(f"INSERT INTO chunks_fts (rowid, {_WORDS}) {fresh}")
        for table in self._tables:
            columns = ", ".join(self._common(connection, table))
            if not columns:
                continue
            wanted = f"SELECT {columns} FROM shared.{table}"  # noqa: S608
            if table in ("documents", "chunks"):
                wanted += f" WHERE id NOT IN (SELECT id FROM {table})"  # noqa: S608
            else:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608
            connection.execute(f"INSERT INTO {table} ({columns}) {wanted}")
        self.continue_numbers(connection, info["numbers"])
        if self._vectors and self._common(connection, "vectors"):
            connection.execute(
                "INSERT OR IGNORE INTO vectors SELECT index_name, chunk_id FROM shared.vectors"
            )

    def _common(self, connection: Connection, table: str) -> list[str]:
        """The columns of a table that both have; none where the other, of an older program, has no such table."""
        sql = "SELECT name FROM pragma_table_info(?, 'shared')"
        shared = {row[0] for row in connection.execute(sql, (table,))}
        return [name for name in self.columns(connection, table) if name in shared]

    def _publish(self, build: Build | None) -> None:
        if build is None or self._datasets is None:
            return
        with self._beside(build.path) as connection:
            self._export(connection)
            used = self.used_numbers(connection)
            info = {
                "identity": connection.execute(_IDENTITY).fetchone()[0],
                "numbers": {name: used[name] for name in ("documents", "chunks") if name in used},
            }
        newest = self._datasets.newest(NAME)
        if newest is None or sha256_of(build.path) != newest.sha:
            newest = build.publish(info, closed=True)
            # Here it would only take room: this index has all of it.
            with suppress(OSError):
                build.path.unlink()
        self._set_version(newest.version)

    def _export(self, connection: Connection) -> None:
        words = f"SELECT rowid AS id, {_WORDS} FROM chunks_fts"  # noqa: S608 (our tables)
        wanted = {name: f"SELECT * FROM {name}" for name in (*self._tables, *_LEDGER[: self._vectors])}  # noqa: S608
        for table, sql in {**wanted, "words": words}.items():
            # In one order, so that the same documents are the same file.
            columns = self.columns(connection, table) or ["id"]
            connection.execute(f"CREATE TABLE shared.{table} AS {sql} ORDER BY {', '.join(columns)}")
        for table in ("words", "chunks"):
            connection.execute(f"CREATE UNIQUE INDEX shared.{table}_by_id ON {table} (id)")
