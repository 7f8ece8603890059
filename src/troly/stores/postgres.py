"""The state database on a PostgreSQL server: the same stores, statements and migrations.

Why it is built so. The stores write plain SQL that both databases understand: `?` and `:name` for values, `ON CONFLICT`,
`RETURNING`. SQLite takes it as it is, so one machine pays nothing for the other way: importing a layer that builds statements
(SQLAlchemy) costs 0.2 s of CPU at each start, an eighth of a whole `app ask`. Here a statement's placeholders are rewritten once
(`statement`), a migration's types too (`definition`); a migration says what PostgreSQL gets instead only where SQLite has its
own words (`Migration.postgres`). Searching by words is the only place that knows the database (`message_search`).

Writers queue, as SQLite's do (one advisory lock a transaction): what a transaction has read is still so when it writes, and
`seq` is the order of commits. Those of different owners do not wait for each other: neither sees a row of the other. Readers
see one moment and wait for nobody. A connection that was lost while it lay idle is
replaced before a transaction begins, for as long as a busy SQLite file would be waited for; one that is lost inside a
transaction ends it, and nothing of it was acknowledged.

Owners are checked by the stores' statements. Behind them stands row-level security: a transaction that was begun for an owner
(`read(owner)`, `write(owner)`) sees no row of anybody else, whatever its statement says. A table is walled by its column
`user_id` or `owner`, else by the row that it must name (its first foreign key), by the same code for those of every assistant.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING, Any

from troly.errors import StoreError
from troly.stores import migrations
from troly.stores.connections import Connection, StatementResult
from troly.stores.migrations import Migration
from troly.stores.processes import Lock
from troly.stores.state import StateDb

if TYPE_CHECKING:
    import psycopg

SCHEMES = ("postgresql://", "postgres://", "postgresql+psycopg://")
OLDEST = 13
# Connections of a process at once, and those that are kept while they lie idle.
_MOST, _KEPT = 16, 8
_STATEMENT_SECONDS = 60
_FETCHED = 1_000
_PAUSE, _LONGEST_PAUSE = 0.02, 0.5
# Any number that other programs are unlikely to lock in our database.
_WRITERS = 7_240_118
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
_EVERYBODY = "SELECT set_config('troly.everybody', 'yes', true)"
_OWNER = "SELECT set_config('troly.owner', %(owner)s, true)"
# By whether it writes and whether it has an owner.
_BEGIN = {
    (False, False): _READ + _EVERYBODY,
    (False, True): _READ + _OWNER,
    (True, False): f"BEGIN; SELECT pg_advisory_xact_lock({_WRITERS}); {_EVERYBODY}",
    (True, True): f"BEGIN; SELECT pg_advisory_xact_lock_shared({_WRITERS}); "
    f"SELECT pg_advisory_xact_lock(hashtextextended(%(owner)s, {_WRITERS})); {_OWNER}",
}
_NARROW = "SELECT set_config('troly.everybody', '', true), set_config('troly.owner', ?, true)"
_MAY = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_OWNERS = frozenset({"user_id", "owner"})
_COLUMNS = (
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
)
# A row belongs to whom the row that it must name belongs to: that one's own policy answers.
_PARENTS = """
SELECT c.conrelid::regclass::text, a.attname, c.confrelid::regclass::text, f.attname FROM pg_constraint AS c
JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
JOIN pg_attribute AS f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1]
WHERE c.contype = 'f' AND a.attnotnull AND c.connamespace = current_schema()::regnamespace
"""
_NUMBERED = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema() AND is_identity = 'YES'
"""
_USED = """
SELECT c.table_name, s.last_value FROM information_schema.columns AS c
JOIN pg_sequences AS s ON s.schemaname = c.table_schema AND s.sequencename = c.table_name || '_' || c.column_name || '_seq'
WHERE c.table_schema = current_schema() AND c.is_identity = 'YES' AND s.last_value IS NOT NULL
"""
# The server notices within half a minute that the machine of a lock is gone.
_LOCK_CONNECTION = (
    "SELECT set_config('application_name', %s, false), set_config('tcp_keepalives_idle', '10', false), "
    "set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '4', false)"
)
_HOLDER = """
SELECT a.application_name FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
JOIN pg_database AS d ON d.oid = l.database AND d.datname = current_database()
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND (l.classid::bigint << 32 | l.objid::bigint) = %s
"""
_WALLED = "SELECT tablename FROM pg_policies WHERE schemaname = current_schema()"
# SQLSTATE classes and codes; what is not here is a fault of the program and is seen as it is.
_STATES = {"53100": "store.full", "42501": "store.denied", "25006": "store.denied", "58030": "store.io"}
# No such table, no such column.
_MISSING = {"42P01", "42703"}
_BUSY = {"55P03", "57014", "40001", "40P01", "53300"}


class PostgresDb(StateDb):
    """The database at `url`, whose password is never shown. Safe from any thread; see `StateDb` for the transactions."""

    def __init__(self, url: str) -> None:
        self._url, self._password, name = _address(url)
        super().__init__(Path(name))
        self.host = platform.node()
        self._free = threading.BoundedSemaphore(_MOST)
        self._idle: LifoQueue[psycopg.Connection[Any]] = LifoQueue()
        self._open = threading.local()
        self._closed = self._answered = False
        self._known: list[Migration] = []

    @classmethod
    def at(cls, url: str) -> PostgresDb:
        """Open the database and look whether it can be ours. Does not migrate.

        Raises StoreError `store.server_*`: wrong address, no driver, no answer, wrong password, too old, a user whom row-level
        security does not bind, another program's tables.
        """
        db = cls(url)
        try:
            with db.read() as connection:
                db.check(connection)
        except BaseException:
            db.close()
            raise
        return db

    def check(self, connection: Connection) -> None:
        """Whether this is a server and a database for Troly. Raises as `at`."""
        version = int(connection.execute("SHOW server_version_num").fetchone()[0]) // 10_000
        if version < OLDEST:
            raise StoreError("store.server_old", path=self.path, version=version, oldest=OLDEST)
        if connection.execute(_MAY).fetchone()[0]:
            raise StoreError("store.server_superuser", path=self.path)
        found = self.tables(connection)
        if found and not {"name", "statements_sha"} <= found.get("migrations", set()):
            raise StoreError("store.server_foreign", path=self.path, names=", ".join(sorted(found)[:5]))

    def tables(self, connection: Connection) -> dict[str, set[str]]:
        """The columns of all tables, by table."""
        found: dict[str, set[str]] = {}
        for table, column in connection.execute(_COLUMNS):
            found.setdefault(table, set()).add(column)
        return found

    def narrow(self, connection: Connection, owner: str) -> None:
        connection.execute(_NARROW, (owner,))

    def lock(self, path: Path) -> Lock:
        """See `StateDb.lock`: the name of `path` is locked for all machines."""
        return AdvisoryLock(self._lock_connection, path.name)

    @contextmanager
    def _lock_connection(self, *, named: bool) -> Iterator[psycopg.Connection[Any]]:
        """A connection of its own, closed where what it is for fails."""
        with self._translated():
            driver = self._connect()
            try:
                holder = f"troly {self.host}:{os.getpid()}" if named else "troly"
                driver.execute(_LOCK_CONNECTION, (holder,))
                yield driver
            except BaseException:
                driver.close()
                raise

    def probe(self) -> tuple[str, float]:
        """The server's version, and the milliseconds of a transaction that writes and reads; it leaves nothing behind."""
        began = time.perf_counter()
        with self.write() as connection:
            connection.execute("CREATE TEMPORARY TABLE troly_probe (text TEXT) ON COMMIT DROP")
            connection.execute("INSERT INTO troly_probe VALUES ('x')")
            (version,) = connection.execute(
                "SELECT current_setting('server_version') FROM troly_probe"
            ).fetchone()
        return version.split()[0], (time.perf_counter() - began) * 1000

    def columns(self, connection: Connection, table: str) -> list[str]:
        return sorted(self.tables(connection).get(table, ()))

    def rows(self, connection: Connection, sql: str) -> Iterator[Any]:
        connection.execute(f"DECLARE each_row NO SCROLL CURSOR FOR {sql}")
        while found := connection.execute(f"FETCH {_FETCHED} FROM each_row").fetchall():
            yield from found
        connection.execute("CLOSE each_row")

    def used_numbers(self, connection: Connection) -> dict[str, int]:
        return dict(connection.execute(_USED).fetchall())

    def continue_numbers(self, connection: Connection, used: Mapping[str, int]) -> None:
        for table, column in connection.execute(_NUMBERED).fetchall():
            (most,) = connection.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").fetchone()  # noqa: S608 (our tables)
            sql = "SELECT setval(pg_get_serial_sequence(?, ?), CAST(? AS BIGINT), true)"
            connection.execute(sql, (table, column, max(most, used.get(table, 0), 1)))

    def migrate(self, extra: Iterable[Migration] = (), *, moving: bool = False) -> list[str]:
        """As `StateDb.migrate`; StoreError `store.server_half` where tables of applied migrations are not there.

        `moving` allows a database that is half filled by `move`; otherwise StoreError `store.server_moving`.
        """
        import psycopg

        known = self._known = migrations.combine(extra)
        with self.read() as connection:
            missing = self._pending(connection, known)
            if not missing:
                self._complete(connection, known)
                half = "SELECT 1 FROM moves WHERE finished_at IS NULL"
                if not moving and connection.execute(half).fetchone():
                    raise StoreError("store.server_moving", path=self.path)
                return []
        with self.write() as connection:
            missing = self._pending(connection, known)
            connection.execute(definition(migrations.LEDGER))
            for migration in missing:
                try:
                    for sql in migration.statements if migration.postgres is None else migration.postgres:
                        connection.execute(definition(sql))
                except psycopg.ProgrammingError as error:
                    raise StoreError("store.migration_failed", name=migration.name, reason=error) from error
                migrations.record(connection, migration)
            self._complete(connection, known)
            self._wall(connection)
        return [migration.name for migration in missing]

    @contextmanager
    def read(self, owner: str | None = None) -> Iterator[Connection]:
        with self._transaction(owner, writing=False) as connection:
            yield connection

    @contextmanager
    def write(self, owner: str | None = None) -> Iterator[Connection]:
        with self._transaction(owner, writing=True) as connection:
            yield connection

    def close(self) -> None:
        """Close the idle connections; those in use are closed when their transaction ends."""
        self._closed = True
        self._drain()

    @contextmanager
    def _transaction(self, owner: str | None, *, writing: bool) -> Iterator[Connection]:
        outer: _Connection | None = getattr(self._open, "connection", None)
        if outer is not None:
            if writing and not outer.writing:
                raise RuntimeError("write() inside read(): the snapshot may be old")
            yield outer
            return
        if not self._free.acquire(timeout=self.busy_seconds):
            raise StoreError("store.busy", path=self.path, seconds=f"{self.busy_seconds:g}")
        try:
            with self._translated():
                driver = self._begin(owner, writing=writing)
                self._open.connection = _Connection(driver, writing)
                try:
                    yield self._open.connection
                    said = driver.execute("COMMIT" if writing else "ROLLBACK").statusmessage
                    if said == "ROLLBACK" and writing:
                        raise RuntimeError("a statement failed inside write() and was not told")
                finally:
                    self._open.connection = None
                    self._give_back(driver)
        finally:
            self._free.release()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            if error.sqlstate in _MISSING and self._known:
                # A newer program took away what this one needs: `store.newer` says which.
                self._known, known = [], self._known
                with self.read() as connection:
                    self._pending(connection, known)
            known_error = self._error(error)
            if known_error is None:
                raise
            raise known_error from error

    def _begin(self, owner: str | None, *, writing: bool) -> psycopg.Connection[Any]:
        """A connection in a transaction; lost ones are replaced until `busy_seconds` are over: nothing was said yet."""
        import psycopg

        deadline, pause = time.monotonic() + self.busy_seconds, _PAUSE
        begin = _BEGIN[writing, owner is not None].encode()
        named = None if owner is None else {"owner": _clean(owner)}
        while True:
            if self._closed:
                raise StoreError("store.closed", path=self.path)
            driver: psycopg.Connection[Any] | None = None
            try:
                try:
                    driver = self._idle.get_nowait()
                except Empty:
                    driver = self._connect()
                driver.execute(begin, named)
                self._answered = True
                return driver
            except psycopg.OperationalError as error:
                lost = driver is None or driver.closed
                if driver is not None:
                    self._give_back(driver)
                # Who was never answered is told at once: the address may be wrong.
                if not self._answered or not lost or not _passing(error) or time.monotonic() >= deadline:
                    raise
                self._drain()
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _connect(self) -> psycopg.Connection[Any]:
        import psycopg

        driver = psycopg.connect(
            self._url,
            autocommit=True,
            # Values are written into the text: PostgreSQL then guesses their types as SQLite does.
            cursor_factory=psycopg.ClientCursor,
            prepare_threshold=None,
            application_name="troly",
            connect_timeout=max(2, int(self.busy_seconds)),
            # A machine or network that is gone is noticed within half a minute, not after hours.
            keepalives_idle=10,
            keepalives_interval=5,
            keepalives_count=4,
            tcp_user_timeout=30_000,
        )
        waits = f"SET lock_timeout = {int(self.busy_seconds * 1000)}; SET statement_timeout = {_STATEMENT_SECONDS * 1000}"
        driver.execute(f"SET client_encoding = 'UTF8'; {waits}".encode())
        return driver

    def _give_back(self, driver: psycopg.Connection[Any]) -> None:
        """Keep it for the next transaction, unless it is lost, or there are enough."""
        import psycopg

        with suppress(psycopg.Error):
            if driver.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                driver.execute("ROLLBACK")
        if driver.closed or self._closed or self._idle.qsize() >= _KEPT:
            driver.close()
        else:
            self._idle.put(driver)

    def _drain(self) -> None:
        with suppress(Empty):
            while True:
                self._idle.get_nowait().close()

    def _error(self, error: psycopg.Error) -> StoreError | None:
        import psycopg

        state = error.sqlstate or ""
        if state in _BUSY:
            return StoreError("store.busy", path=self.path, seconds=f"{self.busy_seconds:g}")
        reason = " ".join(str(error).split())
        if self._password:
            reason = reason.replace(self._password, "…")
        if state in _STATES:
            return StoreError(_STATES[state], path=self.path, reason=reason)
        lost = isinstance(error, psycopg.OperationalError) and state[:2] in ("", "08", "28", "3D", "57")
        return StoreError("store.server_lost", path=self.path, reason=reason) if lost else None

    def _complete(self, connection: Connection, known: Iterable[Migration]) -> None:
        gone = migrations.tables_of(known).keys() - self.tables(connection).keys()
        if gone:
            raise StoreError("store.server_half", path=self.path, names=", ".join(sorted(gone)))

    def _wall(self, connection: Connection) -> None:
        """Row-level security for each table that has none yet and whose rows belong to somebody."""
        mine = {
            table: f"EXISTS (SELECT 1 FROM {parent} AS owned WHERE owned.{key} = {table}.{column})"  # noqa: S608 (our tables)
            for table, column, parent, key in connection.execute(_PARENTS)
        }
        for table, columns in self.tables(connection).items():
            for column in columns & _OWNERS:
                mine[table] = f"{column} = current_setting('troly.owner', true)"
        for (table,) in connection.execute(_WALLED).fetchall():
            mine.pop(table, None)
        for table, condition in mine.items():
            for sql in (
                f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
                f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
                f"CREATE POLICY owners ON {table} USING (current_setting('troly.everybody', true) = 'yes' OR {condition})",
            ):
                connection.execute(sql)


class AdvisoryLock(Lock):
    """A lock of the server's on a connection of its own: the server gives it back when that connection or its machine dies.

    Its methods raise StoreError `store.server_lost`, but `held` and `release`, which never do.
    """

    def __init__(
        self, connection: Callable[..., AbstractContextManager[psycopg.Connection[Any]]], name: str
    ) -> None:
        self._connection = connection
        self._key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
        self._driver: psycopg.Connection[Any] | None = None

    def acquire(self, wait: float = 0.0, *, named: bool = False) -> bool:
        deadline = time.monotonic() + wait
        with self._connection(named=named) as driver:
            while driver.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone() != (True,):
                if time.monotonic() >= deadline:
                    driver.close()
                    return False
                time.sleep(_PAUSE)
            self._driver = driver
        return True

    def held(self) -> bool:
        import psycopg

        try:
            return self._driver is not None and self._driver.execute("SELECT true").fetchone() is not None
        except psycopg.Error:
            return False

    def holder(self) -> str:
        with self._connection(named=False) as driver:
            row = driver.execute(_HOLDER, (self._key,)).fetchone()
            driver.close()
        return row[0].removeprefix("troly").strip() if row else ""

    def release(self) -> None:
        """See `Lock`. It is free when this returns: the server notices a closed connection only a moment later."""
        import psycopg

        if self._driver is not None:
            with suppress(psycopg.Error):
                self._driver.execute("SELECT pg_advisory_unlock(%s)", (self._key,))
            self._driver.close()
            self._driver = None


class _Connection:
    """What the stores use of an `sqlite3.Connection`, on a PostgreSQL connection inside a transaction."""

    def __init__(self, driver: psycopg.Connection[Any], writing: bool) -> None:
        self._driver = driver
        self.writing = writing

    def execute(self, sql: str, parameters: Any = (), /) -> StatementResult:
        return self._driver.execute(statement(sql).encode(), _values(parameters))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> None:
        with self._driver.cursor() as cursor:
            cursor.executemany(statement(sql).encode(), [_values(one) for one in parameters])


_QUOTED = re.compile(r"('(?:[^']|'')*')")
_SAME = re.compile(r"\bIS (?=\?|:\w)")
_NAMED = re.compile(r"(?<!:):([a-z]\w*)")


@lru_cache(maxsize=1024)
def statement(sql: str) -> str:
    """A statement of the stores as psycopg takes it: `?` and `:name` as `%s` and `%(name)s`, outside of quoted text."""
    parts = _QUOTED.split(sql.replace("%", "%%"))
    for at in range(0, len(parts), 2):
        plain = _SAME.sub("IS NOT DISTINCT FROM ", parts[at]).replace("?", "%s")
        parts[at] = _NAMED.sub(r"%(\1)s", plain)
    return "".join(parts)


_TYPES = (
    (r"\bINTEGER PRIMARY KEY( AUTOINCREMENT)?", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
    (r"\bINTEGER\b", "BIGINT"),
    (r"\bREAL\b", "DOUBLE PRECISION"),
    (r"\bBLOB\b", "BYTEA"),
    # Order and comparison by code point, as in SQLite.
    (r"(?<=\w )TEXT\b", 'TEXT COLLATE "C"'),
    (r"\) WITHOUT ROWID", ")"),
)


def definition(sql: str) -> str:
    """A statement of a migration with PostgreSQL's types."""
    if sql.lstrip().startswith(("CREATE TABLE", "ALTER TABLE")):
        for pattern, own in _TYPES:
            sql = re.sub(pattern, own, sql)
    return sql


def _values(parameters: Mapping[str, Any] | Sequence[Any]) -> Any:
    if isinstance(parameters, Mapping):
        return {name: _clean(value) for name, value in parameters.items()}
    return [_clean(value) for value in parameters]


def _clean(value: Any) -> Any:
    """PostgreSQL keeps no NUL in a text; nobody sees one either."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value


def _passing(error: psycopg.OperationalError) -> bool:
    """Whether trying again may help: no answer, starting up, shutting down; not a wrong password or name."""
    said = str(error)
    return not ("FATAL" in said and "the database system is" not in said and "terminating" not in said)


def _address(url: str) -> tuple[str, str, str]:
    """What psycopg takes, the password, and what people are shown. Raises StoreError `store.server_url`, `store.server_driver`."""
    scheme = next((one for one in SCHEMES if url.startswith(one)), None)
    if scheme is None:
        raise StoreError("store.server_url", reason="postgresql+psycopg://…")
    try:
        from psycopg import Error
        from psycopg.conninfo import conninfo_to_dict, make_conninfo
    except ImportError as error:
        raise StoreError("store.server_driver", reason=error) from error
    try:
        address = make_conninfo(f"postgresql://{url.removeprefix(scheme)}")
        parts = conninfo_to_dict(address)
        name = f"{parts.get('host') or 'localhost'}:{parts.get('port') or 5432}/{parts.get('dbname') or ''}"
        return address, str(parts.get("password") or ""), name
    except Error as error:
        # What the library says of it may hold the password.
        raise StoreError("store.server_url", reason=type(error).__name__) from None
