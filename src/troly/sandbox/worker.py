"""The process that runs the queries: an in-memory database with one scope's rows and no way to anything else.

Started as `python -m troly.sandbox.worker`; speaks frames (`troly.sandbox.protocol`) over its standard streams. The
first message builds the relations, every later one is a query. It ends when its input ends, so it never outlives
the app.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from troly.sandbox.protocol import plain, read_frame, write_frame

# A reply is cut where it grows past this many characters, a single text past `_CELL`.
_REPLY_CHARS = 4_000_000
_CELL = 20_000
_BATCH = 200
# Statements of a passed query are stopped by the worker's own clock; this one stops whatever that clock misses.
_LONGEST_MS = 60_000

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "threads": "1",
}
_LOCK = (
    "SET TimeZone = 'Asia/Ho_Chi_Minh'",
    "SET temp_directory = ''",
    "SET max_temp_directory_size = '0MB'",
    f"SET max_execution_time = {_LONGEST_MS}",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


def build(database: str, relations: list[dict[str, Any]], memory: int) -> Any:
    """A connection whose database holds the relations as tables and knows nothing of the file they came from.

    Raises duckdb.Error: no such file, a `select` that does not fit.
    """
    import duckdb

    connection = duckdb.connect(":memory:", config=_CONFIG)
    if database:
        connection.execute(f"ATTACH {_quoted(database, chr(39))} AS base (READ_ONLY)")
    for relation in relations:
        columns = relation["columns"]
        names = ", ".join(_quoted(name) for name in columns)
        declared = ", ".join(f"{_quoted(name)} {kind}" for name, kind in columns.items())
        table = f"memory.main.{_quoted(relation['name'])}"
        connection.execute(f"CREATE TABLE {table} ({declared})")
        # The `select` is the mode's own; everything else is quoted.
        connection.execute(f"INSERT INTO {table} SELECT {names} FROM ({relation['select']})")  # noqa: S608
    if database:
        connection.execute("DETACH base")
    used = connection.execute("SELECT coalesce(sum(memory_usage_bytes), 0) FROM duckdb_memory()").fetchall()
    # Below the address limit: DuckDB then refuses by itself, where the other way may end in a crash.
    connection.execute(f"SET memory_limit = '{(int(used[0][0]) + memory * 5 // 8) // 1024}KiB'")
    for statement in _LOCK:
        connection.execute(statement)
    return connection


def _quoted(name: str, mark: str = '"') -> str:
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"


class Watch:
    """A thread that interrupts the connection at the deadline of the query under way."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._changed = threading.Condition()
        self._deadline: float | None = None
        threading.Thread(target=self._run, daemon=True).start()

    def set(self, deadline: float | None) -> None:
        """Interrupt at `deadline` (time.monotonic); None: not at all."""
        with self._changed:
            self._deadline = deadline
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while True:
                left = None if self._deadline is None else self._deadline - time.monotonic()
                if left is not None and left <= 0:
                    self._deadline = left = None
                    self._connection.interrupt()
                self._changed.wait(left)


def answer(connection: Any, sql: str, max_rows: int) -> dict[str, Any]:
    """The rows of one query as a reply; anything but a single SELECT is refused here too."""
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        return {"error": "query", "reason": "not a single SELECT"}
    connection.execute("BEGIN TRANSACTION READ ONLY")
    connection.execute(statements[0])
    return _rows(connection, max_rows)


def clean(connection: Any) -> None:
    """End the transaction of the last query, whatever became of it; the watch must not be set."""
    import duckdb

    with suppress(duckdb.TransactionException):
        connection.execute("ROLLBACK")


def _rows(connection: Any, max_rows: int) -> dict[str, Any]:
    columns = [item[0] for item in connection.description]
    types = [str(item[1]) for item in connection.description]
    rows: list[list[Any]] = []
    size, cut = 0, False
    while len(rows) <= max_rows and size < _REPLY_CHARS:
        batch = connection.fetchmany(min(_BATCH, max_rows + 1 - len(rows)))
        if not batch:
            break
        for row in batch:
            values = [plain(value, _CELL) for value in row]
            size += sum(len(value) if isinstance(value, str) else 8 for value in values)
            cut = cut or any(isinstance(value, str) and len(value) > _CELL for value in values)
            rows.append(values)
    truncated = cut or len(rows) > max_rows or size >= _REPLY_CHARS
    return {"columns": columns, "types": types, "rows": rows[:max_rows], "truncated": truncated}


def refusal(error: BaseException) -> dict[str, Any]:
    """The reply for what went wrong: `timeout`, `memory` or `query` with DuckDB's own sentence."""
    import duckdb

    if isinstance(error, duckdb.InterruptException):
        return {"error": "timeout", "reason": ""}
    if isinstance(error, (MemoryError, duckdb.OutOfMemoryException)) or "bad_alloc" in str(error):
        return {"error": "memory", "reason": ""}
    return {"error": "query", "reason": str(error)[:2_000]}


def serve(connection: Any, requests: queue.SimpleQueue[dict[str, Any]], output: Any) -> None:
    watch = Watch(connection)
    while True:
        request = requests.get()
        began = time.perf_counter()
        allow_cpu(float(request["seconds"]))
        watch.set(time.monotonic() + float(request["seconds"]))
        try:
            reply = answer(connection, str(request["sql"]), int(request["max_rows"]))
        except Exception as error:  # noqa: BLE001  whatever it is, the app is told and decides
            reply = refusal(error)
        finally:
            watch.set(None)
        clean(connection)
        reply["ms"] = round((time.perf_counter() - began) * 1000, 3)
        write_frame(output, reply)


def _listen(stream: Any, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    while (message := read_frame(stream)) is not None:
        requests.put(message)
    # The app is gone or wants no more: at once, also in the middle of a query.
    os._exit(0)


def main() -> None:
    """Build what the first message asks for, then confine the process and answer."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    forbid_files()
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    first = requests.get()
    try:
        connection = build(first["database"], first["relations"], int(first["memory"]))
    except Exception as error:  # noqa: BLE001  the app tells the person
        write_frame(output, {"error": "relations", "reason": str(error)[:2_000]})
        return
    limits = confine(int(first["memory"]))
    write_frame(output, {"ready": True, **limits})
    serve(connection, requests, output)


# Limits that the operating system holds for the worker, as far as this system has them.

# Seconds above a query's own deadline; the app has killed the worker long before.
_CPU_SPARE = 5


def forbid_files() -> None:
    """No core files, no writing of files: from the start, also while the relations are built."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def confine(memory: int) -> dict[str, object]:
    """Limit the address space to what is in use now plus `memory` bytes, and open nothing from now on.

    Returns the fields of `Limits`: what this system really holds. Windows has none of them; macOS takes the address
    limit and ignores it, so it is not claimed there.
    """
    if sys.platform == "win32":
        return {"address_space": 0, "cpu": False, "files": False}
    import resource

    held = 0
    used = _address_space()
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
        held = memory
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    return {"address_space": held, "cpu": True, "files": True}


def allow_cpu(seconds: float) -> None:
    """Let the process use `seconds` of processor time from now on, and a little more."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + _CPU_SPARE
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _address_space() -> int:
    """Bytes of address space in use; 0 where the system does not say (all but Linux)."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return 0
    import resource

    return pages * resource.getpagesize()


if __name__ == "__main__":
    main()
