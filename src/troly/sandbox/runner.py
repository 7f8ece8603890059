"""Runs checked queries in warm worker processes, one a scope, and ends each at its deadline."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from troly.sandbox.guard import CheckedQuery
from troly.sandbox.process import Worker, WorkerDiedError
from troly.sandbox.types import Limits, QueryRows, SandboxError, Scope, shown

if TYPE_CHECKING:
    import asyncio

# Bytes that a query may use above the loaded data; the app and its worker together stay under 300 MB more.
MEMORY = 192 * 1024 * 1024
_WARM = 3
_BUILD_SECONDS = 60.0
# The worker stops a query itself at the deadline and stays warm; one that does not is killed this much later.
_GRACE = 0.4
_PING: dict[str, Any] = {"sql": "SELECT 1", "max_rows": 1, "seconds": 1.0}


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
