"""The engine alone: order, what runs together, limits, retries, what a failure costs, the cache, and stopping."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from troly.errors import InputError, StoreError
from troly.plugin.contract import ByLang
from troly.plugin.events import Event, Plan, Progress, StepFinished, StepStarted
from troly_rag.config import Agent, Limits
from troly_rag.execution.cache import Cache
from troly_rag.execution.engine import Execution, ExecutionSetup, Reporter, execute
from troly_rag.routing.plan import AgentPart, PlanTask, Routing
from troly_rag.tools.interface import ToolResult

Call = Callable[[Agent, PlanTask, str, tuple[ToolResult, ...]], Awaitable[ToolResult]]
LIMITS = Limits(
    5, 30_000, 3, True, 3600, 0.1, 0.7, True, 5, 30_000, 10, True, "relevance_based", "structured_json"
)
NAMES = ("hr", "it", "general", "a", "b", "c", "d")


def agents(timeout_ms: int = 30_000) -> dict[str, Agent]:
    words: ByLang = {"vi": "x", "en": "x"}
    return {
        n: Agent(n, words, n, ("rag_tool", "summary_tool"), f"rag_{n}", timeout_ms, timeout_ms, 10)
        for n in NAMES
    }


def task(ident: str, group: int = 1, *needs: str) -> PlanTask:
    agent, _, tool = ident.partition("#")
    short, _, index = tool.partition(":")
    number = int(index or 1) if short == "rag" else None
    return PlanTask(ident, group, agent, f"{short}_tool", f"do {ident}", ident, number, needs)


def plan_of(*tasks: PlanTask) -> Routing:
    used = dict.fromkeys(one.agent for one in tasks if one.agent != "orchestrator")
    parts = tuple(AgentPart(name, (f"{name}?", f"{name}??"), ("rag_tool",)) for name in used)
    return Routing("q", "Q?", parts, tasks, complexity="complex")


async def found(text: str = "found") -> ToolResult:
    return ToolResult(text, digest=text)


class Run:
    """One run of a plan: its events, and what came of it."""

    def __init__(self, call: Call, limits: Limits = LIMITS, cache: Cache | None = None, **more: Any) -> None:
        self.events: list[Event] = []
        scope = more.pop("scope", ("an",))
        self.setting = ExecutionSetup(agents(**more), limits, call, cache or Cache(), scope, "vi")

    async def of(self, *tasks: PlanTask) -> Execution:
        reporter = Reporter(tasks, self.events.append, "vi")
        return await execute(plan_of(*tasks), self.setting, reporter)


async def test_groups_run_in_order_and_a_group_together() -> None:
    """004-15: the second group begins when all of the first have ended; in the first all wait for each other."""
    together, order = asyncio.Barrier(3), []

    async def call(_agent: Agent, one: PlanTask, _query: str, _before: tuple[ToolResult, ...]) -> ToolResult:
        if one.group == 1:
            await together.wait()
        order.append(one.id)
        return await found(one.id)

    first = (task("hr#rag"), task("it#rag"), task("general#rag"))
    done = await Run(call).of(*first, task("hr#summary", 2, "hr#rag"))
    assert order[-1] == "hr#summary"
    assert sorted(order[:3]) == ["general#rag", "hr#rag", "it#rag"]
    assert [output.status for output in done.outputs] == ["success"] * 3


async def test_what_depends_waits_inside_its_group_too() -> None:
    """004 C2."""
    order = []

    async def call(_agent: Agent, one: PlanTask, _query: str, before: tuple[ToolResult, ...]) -> ToolResult:
        order.append((one.id, len(before)))
        await asyncio.sleep(0)
        return await found(one.id)

    await Run(call).of(task("hr#summary", 1, "hr#rag:1", "hr#rag:2"), task("hr#rag:1"), task("hr#rag:2"))
    assert order[-1] == ("hr#summary", 2)


@pytest.mark.parametrize(("most", "parallel", "expected"), [(5, True, 5), (2, True, 2), (5, False, 1)])
async def test_no_more_agents_work_at_once_than_allowed(most: int, parallel: bool, expected: int) -> None:
    """004-39."""
    busy: Counter[str] = Counter()
    seen = 0

    async def call(agent: Agent, _one: PlanTask, _query: str, _before: tuple[ToolResult, ...]) -> ToolResult:
        nonlocal seen
        busy[agent.name] += 1
        seen = max(seen, len(+busy))
        for _ in range(5):
            await asyncio.sleep(0)
        busy[agent.name] -= 1
        return await found()

    limits = replace(LIMITS, max_concurrent_agents=most, enable_parallel_execution=parallel)
    await Run(call, limits).of(*(task(f"{name}#rag") for name in NAMES))
    assert seen == expected


@pytest.mark.parametrize(
    ("how", "error_type", "attempts"),
    [
        ("hang", "timeout", 1),
        ("kill", "killed", 1),
        ("store", "StoreError", 4),
        ("input", "InputError", 1),
        ("bug", "ZeroDivisionError", 4),
    ],
)
async def test_a_failure_costs_only_its_own_part(how: str, error_type: str, attempts: int) -> None:
    """004-35: the other agent's answer stays."""

    async def call(agent: Agent, _one: PlanTask, _query: str, _before: tuple[ToolResult, ...]) -> ToolResult:
        if agent.name == "general":
            return await found("four values")
        if how == "hang":
            await asyncio.Event().wait()
        if how == "kill":
            raise asyncio.CancelledError
        if how == "store":
            raise StoreError("store.locked")
        if how == "input":
            raise InputError("turn.long", size=1, limit=1)
        return await found(str(1 / 0))

    run = Run(call, timeout_ms=300)
    done = await run.of(task("general#rag"), task("hr#rag"), task("hr#summary", 2, "hr#rag"))
    assert [(output.agent, output.status) for output in done.outputs] == [
        ("general", "success"),
        ("hr", "failed"),
    ]
    assert done.outputs[0].queries[0].found.answer == "four values"
    lost, after = (next(one for one in done.runs if one.node_id == name) for name in ("hr#rag", "hr#summary"))
    assert (lost.error_type, lost.attempts, lost.status) == (error_type, attempts, "failed")
    assert after.error_type == "dependency_failed"
    assert [event.failed for event in run.events if isinstance(event, StepFinished)].count(True) == 2


async def test_an_error_that_passes_is_tried_again() -> None:
    calls = 0

    async def call(_agent: Agent, _one: PlanTask, _query: str, _before: tuple[ToolResult, ...]) -> ToolResult:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise StoreError("store.locked")
        return await found()

    done = await Run(call).of(task("hr#rag"))
    assert done.outputs[0].status == "success"
    assert done.runs[0].attempts == 3


async def test_the_same_question_is_answered_from_the_cache_until_it_is_too_old() -> None:
    """004-40; who may see something else gets nothing of it."""
    calls, clock, cache = 0, 0.0, Cache(lambda: clock)

    async def call(_agent: Agent, _one: PlanTask, _query: str, _before: tuple[ToolResult, ...]) -> ToolResult:
        nonlocal calls
        calls += 1
        return await found()

    first = await Run(call, cache=cache).of(task("hr#rag"))
    again = await Run(call, cache=cache).of(task("hr#rag"))
    assert (calls, first.cache_hit_ratio, again.cache_hit_ratio) == (1, 0.0, 1.0)
    assert again.runs[0].cached
    assert again.runs[0].output_hash == first.runs[0].output_hash
    await Run(call, cache=cache, scope=("binh",)).of(task("hr#rag"))
    assert calls == 2
    clock = 3600.0
    await Run(call, cache=cache).of(task("hr#rag"))
    assert calls == 3
    await Run(call, replace(LIMITS, enable_caching=False), cache=cache).of(task("hr#rag"))
    assert calls == 4


async def test_a_failure_is_never_kept() -> None:
    cache = Cache()
    results = iter(
        [ToolResult(error="division by zero", error_kind="division_by_zero"), ToolResult("4", digest="4")]
    )

    async def call(_agent: Agent, _one: PlanTask, _query: str, _before: tuple[ToolResult, ...]) -> ToolResult:
        return next(results)

    first = await Run(call, cache=cache).of(task("hr#rag"))
    again = await Run(call, cache=cache).of(task("hr#rag"))
    assert first.runs[0].error_type == "division_by_zero"
    assert again.outputs[0].queries[0].found.answer == "4"


async def test_the_stream_is_the_documents() -> None:
    """004-45 to 004-49: three tasks, 75 to 95 in the documents' steps."""
    run = Run(lambda _agent, one, _query, _before: found(one.id))
    done = await run.of(task("hr#rag"), task("hr#summary", 2, "hr#rag"), task("hr#math", 3, "hr#summary"))
    stream = [event for event in run.events if isinstance(event, Progress)]
    shown = ("processing_status", "progress_percentage", "progress_message")
    told = [tuple(event.output[name] for name in shown) for event in stream]
    assert told == [
        ("plan_ready", 75, "Execution plan is ready"),
        ("executing_task", 75, "Task 1/3: do hr#rag"),
        ("task_completed", 81.7, "Completed 1/3: do hr#rag"),
        ("executing_task", 81.7, "Task 2/3: do hr#summary"),
        ("task_completed", 88.3, "Completed 2/3: do hr#summary"),
        ("executing_task", 88.3, "Task 3/3: do hr#math"),
        ("task_completed", 95, "Completed 3/3: do hr#math"),
        ("ready_for_resolution", 95, "All tasks completed, proceeding to final response"),
    ]
    assert {event.node for event in stream} == {"execute_planning"}
    assert stream[0].output["plan_summary"]["tasks"][0]["step_number"] == 1
    assert stream[2].output["completed_task"]["status"] == "completed"
    assert stream[-1].output["agent_responses"] == list(done.records)
    assert [(event.message, event.percent) for event in stream] == [(one[2], one[1]) for one in told]
    last = [event for event in run.events if isinstance(event, Plan)][-1]
    assert [one.status for one in last.tasks] == ["done"] * 3


async def test_stopping_stops_every_tool() -> None:
    started, stopped = asyncio.Barrier(3), []

    async def call(agent: Agent, _one: PlanTask, _query: str, _before: tuple[ToolResult, ...]) -> ToolResult:
        try:
            await started.wait()
            await asyncio.Event().wait()
        finally:
            stopped.append(agent.name)
        return await found()

    run = Run(call)
    work = asyncio.create_task(run.of(task("hr#rag"), task("it#rag")))
    await started.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    while len(stopped) < 2:
        await asyncio.sleep(0)
    assert sorted(stopped) == ["hr", "it"]
    assert sum(isinstance(event, StepStarted) for event in run.events) == 2
