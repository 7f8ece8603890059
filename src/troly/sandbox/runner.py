"""Runs checked queries in warm worker processes, one a scope, and ends each at its deadline."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from troly.sandbox.guard import CheckedQuery
from troly.sandbox.protocol import read_frame, write_frame
from troly.sandbox.types import Limits, QueryRows, SandboxError, Scope, shown

if TYPE_CHECKING:
    import asyncio

# Bytes that a query may use above the loaded data; the app and its worker together stay under 300 MB more.
MEMORY = 192 * 1024 * 1024
# What a Python needs to start; the app's other variables are nobody's business in there.
_KEPT = (
    "PATH", "SYSTEMROOT", "TEMP", "TMP", "HOME", "USERPROFILE", "LD_LIBRARY_PATH", "PYTHONPATH",
    "VIRTUAL_ENV",
)  # fmt: skip
_REAP_SECONDS = 5.0
_WARM = 3
_BUILD_SECONDS = 60.0
# The worker stops a query itself at the deadline and stays warm; one that does not is killed this much later.
_GRACE = 0.4
_PING: dict[str, Any] = {"sql": "SELECT 1", "max_rows": 1, "seconds": 1.0}


class WorkerDiedError(Exception):
    """The process ended while it owed an answer; `code` is its exit code, None when it is not known yet."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class Worker:
    """A process that answers one frame for each frame; its answers are read by a thread of its own."""

    def __init__(self, command: Sequence[str]) -> None:
        # One arena: what other threads of the worker reserve would count against its address space.
        env = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**env, "MALLOC_ARENA_MAX": "1", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0) if sys.platform == "win32" else 0,
        )
        self._lock = threading.Lock()
        self._owed: Future[dict[str, Any]] | None = None
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="sandbox-reader", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        """Whether it can still be asked."""
        # In this order: while the reader waits for the end, `poll` does not know of it.
        return self._process.poll() is None and not self._ended

    async def ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to `message`. Raises TimeoutError after `seconds`, WorkerDiedError.

        After an exception, cancellation too, the worker must be killed: an answer may still be on its way.
        """
        import asyncio

        future: Future[dict[str, Any]] = Future()
        with self._lock:
            ended, self._owed = self._ended, future
        try:
            if ended:
                raise BrokenPipeError
            assert self._process.stdin is not None  # noqa: S101  opened as a pipe above
            write_frame(self._process.stdin, message)
        except (OSError, ValueError):
            # The code it ended with is known once its reader has waited for it.
            await asyncio.to_thread(self._reader.join, _REAP_SECONDS)
            raise WorkerDiedError(self._process.poll()) from None
        async with asyncio.timeout(seconds):
            return await asyncio.wrap_future(future)

    def kill(self) -> None:
        """End the process now; harmless when it is gone. Its reader lets the system forget it."""
        with suppress(OSError):
            self._process.kill()

    def wait(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None  # noqa: S101  opened as a pipe above
        with stream:
            while (reply := read_frame(stream)) is not None:
                self._settle(reply)
        with self._lock:
            self._ended = True
        # Its output is closed: it has ended, or it talks nonsense and is of no use any more.
        self.kill()
        self.wait()
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._settle(None)

    def _settle(self, reply: dict[str, Any] | None) -> None:
        with self._lock:
            future, self._owed = self._owed, None
        if future is None or not future.set_running_or_notify_cancel():
            return
        if reply is None:
            future.set_exception(WorkerDiedError(self._process.poll()))
        else:
            future.set_result(reply)


class Sandbox:
    """Worker processes by scope key; nothing is started before the first query. Safe from any thread and loop.

    At most `warm` idle workers are kept, the least recently used ends first. A worker that ran out of memory, missed
    its deadline by `grace` seconds or whose caller was cancelled is killed; the next query of its scope starts a new one.
    """

    def __init__(self, *, warm: int = _WARM, memory: int = MEMORY, grace: float = _GRACE) -> None:
        self._warm = warm
        self._grace = grace
        self._memory = memory
        self._lock = threading.Lock()
        self._idle: OrderedDict[str, list[Worker]] = OrderedDict()
        self._all: set[Worker] = set()
        self._closed = False
        self._limits: Limits | None = None
        self._ahead: dict[str, asyncio.Task[None]] = {}

    @property
    def limits(self) -> Limits | None:
        """What the operating system holds for a worker; None before the first one is up."""
        return self._limits

    def pids(self) -> tuple[int, ...]:
        """The processes that are up, idle or not."""
        with self._lock:
            return tuple(sorted(worker.pid for worker in self._all))

    async def warm(self, scope: Scope) -> None:
        """Have a worker ready for `scope`, so that its first query does not wait. Raises as `run`."""
        self._give_back(scope.key, await self._take(scope))

    def warm_ahead(self, scope: Scope) -> None:
        """Begin to warm a worker for `scope` in the running loop and return at once; `run` waits for it.

        Nothing is begun where a worker of the scope is idle or on its way. What goes wrong is told by `run`.
        """
        import asyncio

        with self._lock:
            if self._closed or self._idle.get(scope.key) or scope.key in self._ahead:
                return
            task = asyncio.get_running_loop().create_task(self.warm(scope))
            self._ahead[scope.key] = task
        task.add_done_callback(lambda done: self._warmed(scope.key, done))

    def _warmed(self, key: str, done: asyncio.Task[None]) -> None:
        with self._lock:
            self._ahead.pop(key, None)
        if not done.cancelled():
            done.exception()

    async def _wait_for_warm(self, key: str) -> None:
        """Until the worker that is on its way is there, where the same loop has sent for it."""
        import asyncio

        with self._lock:
            task = self._ahead.get(key)
        if task is not None and task.get_loop() is asyncio.get_running_loop():
            await asyncio.wait({task})

    async def run(
        self, scope: Scope, checked: CheckedQuery, *, seconds: float = 5, max_rows: int = 1000
    ) -> QueryRows:
        """The rows of `checked` over the relations of `scope`, at most `max_rows`.

        Raises SandboxError `sandbox.timeout` (ended within a second of `seconds`), `sandbox.memory`, `sandbox.query`
        (`params["reason"]` is DuckDB's sentence), `sandbox.died`, `sandbox.relations`, `sandbox.closed`.
        """
        await self._wait_for_warm(scope.key)
        worker = await self._take(scope)
        request = {"sql": checked.sql, "max_rows": max_rows, "seconds": seconds}
        reply = await self._asked(worker, request, seconds, seconds + self._grace)
        if reply.get("error") == "memory":
            self._end(worker)
        else:
            self._give_back(scope.key, worker)
        if "error" in reply:
            raise _refused(reply, seconds)
        return QueryRows(
            columns=tuple(reply["columns"]),
            types=tuple(reply["types"]),
            rows=tuple(tuple(row) for row in reply["rows"]),
            truncated=reply["truncated"],
            ms=reply["ms"],
        )

    def close(self) -> None:
        """End every worker that this object started, by its process number; later queries are refused."""
        with self._lock:
            self._closed = True
            workers, self._all = self._all, set()
            self._idle.clear()
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.wait()

    async def _take(self, scope: Scope) -> Worker:
        """An idle worker of the scope, or a new one that has built its relations."""
        import asyncio

        with self._lock:
            if self._closed:
                raise SandboxError("sandbox.closed")
            waiting = self._idle.get(scope.key)
            worker = waiting.pop() if waiting else None
        if worker is not None:
            if await self._answers(worker):
                return worker
            self._end(worker)
        starting = asyncio.ensure_future(asyncio.to_thread(self._start))
        try:
            worker = await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(lambda done: self._end(done.result()))
            raise
        return await self._built(worker, scope)

    async def _answers(self, worker: Worker) -> bool:
        """Whether an idle worker is still there; the system tells of one that was just killed only when all of it is gone."""
        if not worker.alive():
            return False
        try:
            await worker.ask(_PING, _PING["seconds"] + self._grace)
        except (TimeoutError, WorkerDiedError):
            return False
        except BaseException:
            self._end(worker)
            raise
        return True

    async def _built(self, worker: Worker, scope: Scope) -> Worker:
        relations = [
            {"name": each.name, "columns": dict(each.columns), "select": each.select}
            for each in scope.relations
        ]
        first = {"database": str(scope.database or ""), "relations": relations, "memory": self._memory}
        reply = await self._asked(worker, first, _BUILD_SECONDS, _BUILD_SECONDS)
        if "error" in reply:
            self._end(worker)
            raise _refused(reply, _BUILD_SECONDS)
        self._limits = Limits(reply["address_space"], reply["cpu"], reply["files"])
        return worker

    async def _asked(
        self, worker: Worker, message: dict[str, Any], seconds: float, deadline: float
    ) -> dict[str, Any]:
        """The worker's answer; without one, for whatever reason, the worker is ended."""
        answered = False
        try:
            reply = await worker.ask(message, deadline)
            answered = True
        except TimeoutError:
            raise SandboxError("sandbox.timeout", seconds=f"{seconds:g}") from None
        except WorkerDiedError as error:
            raise SandboxError("sandbox.died", code=error.code) from None
        finally:
            if not answered:
                self._end(worker)
        return reply

    def _start(self) -> Worker:
        worker = Worker([sys.executable, "-P", "-m", "troly.sandbox.worker"])
        with self._lock:
            closed = self._closed
            if not closed:
                self._all.add(worker)
        if closed:
            worker.kill()
        return worker

    def _give_back(self, key: str, worker: Worker) -> None:
        """Keep `worker` warm; the least recently used one above the number ends."""
        surplus: list[Worker] = []
        with self._lock:
            if self._closed:
                surplus.append(worker)
            else:
                self._idle.setdefault(key, []).append(worker)
                self._idle.move_to_end(key)
                while sum(len(each) for each in self._idle.values()) > self._warm:
                    oldest = next(name for name, each in self._idle.items() if each)
                    surplus.append(self._idle[oldest].pop(0))
            for name in [name for name, each in self._idle.items() if not each]:
                del self._idle[name]
        for each in surplus:
            self._end(each)

    def _end(self, worker: Worker) -> None:
        with self._lock:
            self._all.discard(worker)
        worker.kill()


def _refused(reply: dict[str, Any], seconds: float) -> SandboxError:
    kind, reason = reply["error"], reply.get("reason", "")
    if kind == "timeout":
        return SandboxError("sandbox.timeout", seconds=f"{seconds:g}")
    if kind == "memory":
        return SandboxError("sandbox.memory")
    return SandboxError(f"sandbox.{kind}", reason=reason.strip(), part=shown(reason))
