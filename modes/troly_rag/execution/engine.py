"""Runs the tasks of a plan: groups in order, tasks of a group side by side, each with its own failures (004-09, 004-15)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from troly.recording import in_order, measured, moment
from troly.text.catalogue import Lang
from troly_rag.config import Agent, Limits
from troly_rag.execution.attempts import Attempted, attempt
from troly_rag.execution.cache import Cache, digest
from troly_rag.execution.outputs import gathered
from troly_rag.execution.reporting import Reporter
from troly_rag.execution.slots import Slots
from troly_rag.execution.types import Execution, RunStatus, ToolResult, ToolRun
from troly_rag.routing.types import ORCHESTRATOR, PlanTask, Routing
from troly_rag.strings import say

DEPENDENCY = "dependency_failed"
Call = Callable[[Agent, PlanTask, str, tuple[ToolResult, ...]], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a plan is run with. `scope` is everything beside the task that a result depends on: who asks and of what;
    `state` gives what one task depends on besides, as the log files it reads."""

    agents: Mapping[str, Agent]
    limits: Limits
    call: Call
    cache: Cache
    scope: tuple[Any, ...]
    lang: Lang
    state: Callable[[Agent, PlanTask], Any] = lambda _agent, _task: ()


async def execute(routing: Routing, setting: Setting, reporter: Reporter) -> Execution:
    """Run every task of the plan; never raises for what a tool does. Cancelling it stops what runs."""
    work = _Work(routing, setting, reporter)
    began = time.perf_counter()
    reporter.plan_ready()
    for group in routing.groups:
        tasks = [task for task in group if task.agent != ORCHESTRATOR]
        await asyncio.gather(*(work.run(task) for task in tasks))
    outputs = gathered(routing, work.results, work.runs)
    reporter.all_done(outputs)
    return Execution(
        outputs,
        tuple(work.runs),
        work.hits,
        work.lookups,
        measured("rag.execution", (time.perf_counter() - began) * 1000),
        tuple(reporter.stream),
    )


@dataclass(slots=True)
class _Work:
    """The tasks of one plan on their way: `results` by id, `runs` in the order they ended."""

    routing: Routing
    setting: Setting
    reporter: Reporter
    results: dict[str, ToolResult] = field(default_factory=dict)
    runs: list[ToolRun] = field(default_factory=list)
    hits: int = 0
    lookups: int = 0
    _ended: dict[str, asyncio.Event] = field(default_factory=dict)
    _spent: dict[str, float] = field(default_factory=dict)
    _slots: Slots | None = None

    def __post_init__(self) -> None:
        limits = self.setting.limits
        self._slots = Slots(limits.max_concurrent_agents if limits.enable_parallel_execution else 1)
        self._ended = {task.id: asyncio.Event() for task in self.routing.tasks if task.agent != ORCHESTRATOR}

    async def run(self, task: PlanTask) -> None:
        """Wait for what the task needs, run it, and tell how it went."""
        for needed in task.depends_on:
            await self._ended[needed].wait()
        try:
            assert self._slots is not None  # noqa: S101 (set when the work is made)
            async with self._slots.of(task.agent):
                self.reporter.started(task)
                run, detail = await self._run(task)
                await in_order("rag.tasks", task.id)
            self.runs.append(run)
            self.reporter.finished(task, run, detail)
        finally:
            self._ended[task.id].set()

    async def _run(self, task: PlanTask) -> tuple[ToolRun, str]:
        began, clock = moment(f"rag.began:{task.id}"), time.perf_counter()
        agent, query = self.setting.agents[task.agent], self._query(task)
        before = tuple(self.results[needed] for needed in task.depends_on if needed in self.results)
        fed = digest(task.agent, task.tool, query, [result.digest for result in before])
        if task.depends_on and not before:
            found: Attempted[ToolResult] = Attempted(
                None, 0, DEPENDENCY, say("run.dependency", self.setting.lang)
            )
            cached = False
        else:
            found, cached = await self._found(agent, task, query, before, fed)
        result = found.value
        if result is not None and not result.error:
            self.results[task.id] = result
        spent = measured(f"rag.run:{task.id}", (time.perf_counter() - clock) * 1000)
        self._spent[task.agent] = self._spent.get(task.agent, 0.0) + spent / 1000
        run = ToolRun(
            node_id=task.id,
            agent=task.agent,
            tool=task.tool,
            query_index=task.query_index,
            status=_status(result),
            started_at=began,
            ended_at=moment(f"rag.ended:{task.id}"),
            duration_ms=round(spent, 3),
            input_hash=fed,
            output_hash=result.digest if result is not None else "",
            depends_on=task.depends_on,
            cached=cached,
            attempts=found.attempts,
            error_type=found.error_type or (result.error_kind if result is not None else ""),
            error=found.error or (result.error if result is not None else ""),
        )
        return run, self._detail(run, result)

    async def _found(
        self, agent: Agent, task: PlanTask, query: str, before: tuple[ToolResult, ...], fed: str
    ) -> tuple[Attempted[ToolResult], bool]:
        """The result of the task, from the cache where the same was asked by somebody who may see the same."""
        limits, cache = self.setting.limits, self.setting.cache
        key = digest(fed, self.setting.scope, self.setting.state(agent, task))
        if limits.enable_caching:
            self.lookups += 1
            kept = cache.get(key, limits.cache_ttl_seconds)
            if kept is not None:
                self.hits += 1
                return Attempted(kept, 0), True
        seconds = max(0.0, agent.timeout_ms / 1000 - self._spent.get(agent.name, 0.0))
        found = await attempt(
            lambda: self.setting.call(agent, task, query, before),
            seconds=seconds,
            retries=limits.max_retries,
            lang=self.setting.lang,
        )
        if limits.enable_caching and found.value is not None and not found.value.error:
            cache.put(key, found.value)
        return found, False

    def _query(self, task: PlanTask) -> str:
        """The query of a search; for what follows on searches, all that the agent is asked."""
        part = self.routing.part(task.agent)
        queries = part.queries if part is not None else (self.routing.refined_query,)
        if task.query_index is not None and task.query_index <= len(queries):
            return queries[task.query_index - 1]
        return "\n".join(queries)

    def _detail(self, run: ToolRun, result: ToolResult | None) -> str:
        lang = self.setting.lang
        if result is None or result.error:
            return say("run.failed", lang, why=run.error or run.error_type)
        key = "run.cached" if run.cached else "run.found"
        return say(key, lang, passages=len(result.passages), denied=result.denied)


def _status(result: ToolResult | None) -> RunStatus:
    if result is None or result.error:
        return "failed"
    return "denied" if result.denied and not result.passages and not result.answer else "done"
