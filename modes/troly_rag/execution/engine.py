"""Runs the tasks of a plan: groups in order, tasks of a group side by side, each with its own failures (004-09, 004-15)."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from troly.errors import AccessError, ConfigError, InputError, TrolyError
from troly.recording import in_order, measured, moment
from troly.text.catalogue import Lang
from troly_rag.config import Agent, Limits
from troly_rag.execution.cache import Cache, digest
from troly_rag.execution.outputs import Execution, RunStatus, ToolResult, ToolRun, agent_outputs
from troly_rag.execution.progress import Reporter
from troly_rag.routing.plan import ORCHESTRATOR, PlanTask, Routing
from troly_rag.strings import say

T = TypeVar("T")
TIMEOUT, KILLED = "timeout", "killed"
# Trying again does not help against these.
_FINAL = (InputError, ConfigError, AccessError)
_PAUSE = 0.02
DEPENDENCY = "dependency_failed"
Call = Callable[[Agent, PlanTask, str, tuple[ToolResult, ...]], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class ExecutionSetup:
    """What a plan is run with. `scope` is everything beside the task that a result depends on: who asks and of what;
    `state` gives what one task depends on besides, as the log files it reads."""

    agents: Mapping[str, Agent]
    limits: Limits
    call: Call
    cache: Cache
    scope: tuple[Any, ...]
    lang: Lang
    state: Callable[[Agent, PlanTask], Any] = lambda _agent, _task: ()


async def execute(routing: Routing, setup: ExecutionSetup, reporter: Reporter) -> Execution:
    """Run every task of the plan; never raises for what a tool does. Cancelling it stops what runs."""
    plan = _PlanRun(routing, setup, reporter)
    began = time.perf_counter()
    reporter.plan_ready()
    for group in routing.groups:
        await asyncio.gather(*(plan.run(task) for task in group if task.agent != ORCHESTRATOR))
    outputs = agent_outputs(routing, plan.results, plan.runs)
    as_text = setup.limits.output_format == "text"
    records = tuple(output.as_text() if as_text else output.as_dict() for output in outputs)
    reporter.all_done(records)
    return Execution(
        outputs,
        tuple(plan.runs),
        plan.hits,
        plan.lookups,
        measured("rag.execution", (time.perf_counter() - began) * 1000),
        tuple(reporter.stream),
        records,
    )


class _PlanRun:
    """The tasks of one plan on their way: `results` by id, `runs` in the order they ended."""

    def __init__(self, routing: Routing, setup: ExecutionSetup, reporter: Reporter) -> None:
        self._routing = routing
        self._setup = setup
        self._reporter = reporter
        self.results: dict[str, ToolResult] = {}
        self.runs: list[ToolRun] = []
        self.hits = 0
        self.lookups = 0
        limits = setup.limits
        self._slots = Slots(limits.max_concurrent_agents if limits.enable_parallel_execution else 1)
        self._ended = {task.id: asyncio.Event() for task in routing.tasks if task.agent != ORCHESTRATOR}
        self._spent: defaultdict[str, float] = defaultdict(float)

    async def run(self, task: PlanTask) -> None:
        """Wait for what the task needs, run it, and report how it went."""
        for needed in task.depends_on:
            await self._ended[needed].wait()
        try:
            async with self._slots.of(task.agent):
                self._reporter.started(task)
                run, detail = await self._run(task)
                await in_order("rag.tasks", task.id)
            self.runs.append(run)
            self._reporter.finished(task, run, detail)
        finally:
            self._ended[task.id].set()

    async def _run(self, task: PlanTask) -> tuple[ToolRun, str]:
        began, clock = moment(f"rag.began:{task.id}"), time.perf_counter()
        query = self._query(task)
        before = tuple(self.results[needed] for needed in task.depends_on if needed in self.results)
        input_hash = digest(task.agent, task.tool, query, [result.digest for result in before])
        cached = False
        if task.depends_on and not before:
            attempted: AttemptResult[ToolResult] = AttemptResult(
                None, 0, DEPENDENCY, say("run.dependency", self._setup.lang)
            )
        else:
            attempted, cached = await self._result(task, query, before, input_hash)
        result = attempted.value
        if result is not None and not result.error:
            self.results[task.id] = result
        spent = measured(f"rag.run:{task.id}", (time.perf_counter() - clock) * 1000)
        self._spent[task.agent] += spent
        run = ToolRun(
            node_id=task.id,
            agent=task.agent,
            tool=task.tool,
            query_index=task.query_index,
            status=_status(result),
            started_at=began,
            ended_at=moment(f"rag.ended:{task.id}"),
            duration_ms=round(spent, 3),
            input_hash=input_hash,
            output_hash=result.digest if result is not None else "",
            depends_on=task.depends_on,
            cached=cached,
            attempts=attempted.attempts,
            error_type=attempted.error_type or (result.error_kind if result is not None else ""),
            error=attempted.error or (result.error if result is not None else ""),
        )
        return run, self._detail(run, result)

    async def _result(
        self, task: PlanTask, query: str, before: tuple[ToolResult, ...], input_hash: str
    ) -> tuple[AttemptResult[ToolResult], bool]:
        """The result of the task, and whether it is from the cache: asked before by somebody who may see the same."""
        limits, cache, agent = self._setup.limits, self._setup.cache, self._setup.agents[task.agent]
        key = digest(input_hash, self._setup.scope, self._setup.state(agent, task))
        if limits.enable_caching:
            self.lookups += 1
            kept = cache.get(key, limits.cache_ttl_seconds)
            if kept is not None:
                self.hits += 1
                return AttemptResult(kept, 0), True
        left = agent.timeout_ms - self._spent[agent.name]
        attempted = await attempt(
            lambda: self._setup.call(agent, task, query, before),
            seconds=max(0.0, min(agent.call_timeout_ms, left) / 1000),
            retries=limits.max_retries,
            lang=self._setup.lang,
        )
        if limits.enable_caching and attempted.value is not None and not attempted.value.error:
            cache.put(key, attempted.value)
        return attempted, False

    def _query(self, task: PlanTask) -> str:
        """The query of a search; for what follows on searches, all that the agent is asked."""
        part = self._routing.part(task.agent)
        queries = part.queries if part is not None else (self._routing.refined_query,)
        if task.query_index is not None and task.query_index <= len(queries):
            return queries[task.query_index - 1]
        return "\n".join(queries)

    def _detail(self, run: ToolRun, result: ToolResult | None) -> str:
        lang = self._setup.lang
        if result is None or result.error:
            return say("run.failed", lang, why=run.error or run.error_type)
        key = "run.cached" if run.cached else "run.found"
        return say(key, lang, passages=len(result.passages), denied=result.denied)


def _status(result: ToolResult | None) -> RunStatus:
    if result is None or result.error:
        return "failed"
    return "denied" if result.denied and not result.passages and not result.answer else "done"


@dataclass(frozen=True, slots=True)
class AttemptResult(Generic[T]):
    """The value, or why there is none: `error_type` (timeout, killed, or the error's name) and `error` in words."""

    value: T | None
    attempts: int
    error_type: str = ""
    error: str = ""


async def attempt(
    work: Callable[[], Awaitable[T]], *, seconds: float, retries: int, lang: Lang
) -> AttemptResult[T]:
    """Call `work` until it gives a value, at most `retries` more times and `seconds` in all.

    Only the cancelling of the caller itself is raised.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    failed: AttemptResult[T] = AttemptResult(None, 0, TIMEOUT, say("run.timeout", lang))
    for number in range(1, retries + 2):
        left = until - loop.time()
        if left <= 0:
            return AttemptResult(None, number - 1, failed.error_type, failed.error)
        task = asyncio.ensure_future(work())
        try:
            done, _ = await asyncio.wait({task}, timeout=left)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not done:
            _abandon(task)
            return AttemptResult(None, number, TIMEOUT, say("run.timeout", lang))
        if task.cancelled():
            return AttemptResult(None, number, KILLED, say("run.killed", lang))
        error = task.exception()
        if error is None:
            return AttemptResult(task.result(), number)
        failed = AttemptResult(None, number, type(error).__name__, _words(error, lang))
        if isinstance(error, _FINAL) or not isinstance(error, Exception):
            break
        await asyncio.sleep(min(_PAUSE * 2 ** (number - 1), max(0.0, until - loop.time())))
    return failed


def _abandon(task: asyncio.Future[T]) -> None:
    """Cancel it and let it end by itself; its result or error is ignored."""
    task.add_done_callback(lambda ended: None if ended.cancelled() else ended.exception())
    task.cancel()


def _words(error: BaseException, lang: Lang) -> str:
    if isinstance(error, TrolyError):
        return error.render(lang).line()
    return " ".join(str(error).split())[:200] or type(error).__name__


class Slots:
    """At most `agents` different agents inside `of` at any moment (004-39); one that works already may do several tasks."""

    def __init__(self, agents: int) -> None:
        self._most = max(1, agents)
        self._busy: Counter[str] = Counter()
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def of(self, agent: str) -> AsyncIterator[None]:
        """Wait for a place for `agent`, and give it back."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._busy[agent] or len(+self._busy) < self._most)
            self._busy[agent] += 1
        try:
            yield
        finally:
            self._busy[agent] -= 1
            async with self._changed:
                self._changed.notify_all()
