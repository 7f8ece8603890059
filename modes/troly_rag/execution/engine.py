"""Runs a plan: tools called by name, groups in order, tasks side by side, each with its own failures; tells what it does.

Rows 004-09, 004-15, 004-19, 004-30, 004-39, 004-45 to 004-49.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from troly.errors import AccessError, ConfigError, InputError, TrolyError
from troly.plugin.events import Event, Plan, Progress, StepFinished, StepStarted, Task
from troly.recording import current_time, duration, in_order
from troly.text.catalogue import Lang
from troly_rag.config import Agent, Limits
from troly_rag.execution.cache import Cache, digest
from troly_rag.routing.plan import LOG, MATH, ORCHESTRATOR, RAG, SUMMARY, AgentPart, PlanTask, Routing
from troly_rag.strings import say
from troly_rag.tools.calculator import run_calculation
from troly_rag.tools.documents import run_search, run_summary
from troly_rag.tools.interface import ToolError, ToolInputs, ToolResult
from troly_rag.tools.logs import is_for_log, log_files, run_log

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly_rag.config import RagConfig
    from troly_rag.corpus.access import UserContext
    from troly_rag.corpus.search import CorpusSearch, Passage

# --- What execution hands on

# An agent's output as it is given out: a JSON record, or text where the settings say so (004-43).
AgentRecord = dict[str, Any] | str
RunStatus = Literal["done", "failed", "denied"]
# Each place of the documents has a word of its own for the same thing (004 C7).
TRACE_STATUS: Mapping[RunStatus, str] = {"done": "ok", "failed": "failed", "denied": "denied"}


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One tool that was run for one agent; times are measured (004 C6), hashes are of what went in and came out.

    `node_id` is that of the plan (`hr#rag:1`). `error_type` is "" where it went well, else timeout, killed, dependency_failed,
    tool_error, or the name of the error; `cached` says that nothing was run because the same had been asked.
    """

    node_id: str
    agent: str
    tool: str
    query_index: int | None
    status: RunStatus
    started_at: datetime
    ended_at: datetime
    duration_ms: float
    input_hash: str = ""
    output_hash: str = ""
    depends_on: tuple[str, ...] = ()
    cached: bool = False
    attempts: int = 1
    error_type: str = ""
    error: str = ""

    def trace(self) -> dict[str, Any]:
        """The entry of `tool_trace` (004-19)."""
        return {
            "tool": self.tool,
            "status": TRACE_STATUS[self.status],
            "duration_ms": round(self.duration_ms),
        }


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What an agent found for one of its queries; `index` counts from 1, `looked_up` says that a search was made for it."""

    index: int
    query: str
    found: ToolResult = field(default_factory=ToolResult)
    looked_up: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "query": self.query,
            "context": self.found.context,
            "answer": self.found.answer,
            "evidence": [one.as_dict() for one in self.found.evidence],
        }


@dataclass(frozen=True, slots=True)
class AgentOutput:
    """Everything one agent did (004-19): `extras` are what its other tools said, by tool; `status` is failed when none of its queries could be looked up (004-35)."""

    agent: str
    queries: tuple[QueryAnswer, ...]
    runs: tuple[ToolRun, ...]
    extras: tuple[tuple[str, ToolResult], ...] = ()
    status: Literal["success", "failed"] = "success"

    @property
    def failed(self) -> tuple[ToolRun, ...]:
        """The runs that did not end well, in order."""
        return tuple(run for run in self.runs if run.status != "done")

    @property
    def denied(self) -> int:
        """How many passages the asker may not see."""
        return sum(query.found.denied for query in self.queries)

    @property
    def duration_ms(self) -> float:
        """The sum of its tools' times (004-38)."""
        return sum(run.duration_ms for run in self.runs)

    def as_dict(self) -> dict[str, Any]:
        """The documented output of an agent (004-19)."""
        return {
            "agent": self.agent,
            "queries": [query.as_dict() for query in self.queries],
            "tool_trace": [run.trace() for run in self.runs],
        }

    def as_text(self) -> str:
        """The same for people: its name, then each query with its answer and the addresses of its sources."""
        lines = [self.agent]
        for query in self.queries:
            lines.append(f"{query.index}. {query.query}")
            lines += [f"   {line}" for line in query.found.answer.splitlines()]
            lines += [f"   [{one.url}]" for one in query.found.evidence]
        lines += [f"{tool}: {found.answer}" for tool, found in self.extras]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Execution:
    """All agents' outputs by the plan's order, the runs in the order they ended, and the cache's counts.

    `records` are the outputs in the configured format (004-43).
    """

    outputs: tuple[AgentOutput, ...] = ()
    runs: tuple[ToolRun, ...] = ()
    cache_hits: int = 0
    cache_lookups: int = 0
    duration_ms: float = 0.0
    records: tuple[AgentRecord, ...] = ()

    @property
    def cache_hit_ratio(self) -> float:
        """Hits by look-ups, two decimals (004-36); 0 where nothing was looked up."""
        return round(self.cache_hits / self.cache_lookups, 2) if self.cache_lookups else 0.0


def _output(
    part: AgentPart, tasks: Sequence[PlanTask], results: Mapping[str, ToolResult], runs: Sequence[ToolRun]
) -> AgentOutput:
    """What one agent did; a query that no search was made for has no answer of its own."""
    mine = [task for task in tasks if task.agent == part.agent]
    by_id = {run.node_id: run for run in runs if run.agent == part.agent}
    found = {task.query_index: results[task.id] for task in mine if task.tool == RAG and task.id in results}
    # Lost when no search went well; for an agent that only computes, when that failed.
    judged = [by_id.get(task.id) for task in mine if task.tool in (RAG, LOG)] or list(by_id.values())
    return AgentOutput(
        agent=part.agent,
        queries=tuple(
            QueryAnswer(number, text, found.get(number, ToolResult()), looked_up=number in found)
            for number, text in enumerate(part.queries, 1)
        ),
        runs=tuple(by_id[task.id] for task in mine if task.id in by_id),
        extras=tuple(
            (task.tool, results[task.id])
            for task in mine
            if task.tool != RAG and task.id in results and results[task.id].answer
        ),
        status="failed" if all(run is None or run.status == "failed" for run in judged) else "success",
    )


# --- Telling what is done: the documents' stream, the live plan, the steps

NODE = "execute_planning"
# Before the plan 75 % are spread over routing and permission (004 C7); the tasks fill what is left to 95 (004-48).
BEGUN, TASKS = 75.0, 20.0
Status = Literal["waiting", "running", "done", "failed", "denied"]


class Reporter:
    """Emits events for the tasks of one plan, with the records of the documented stream (004-45).

    The orchestrator's closing step is part of the live plan, but no task that is run: it is what follows.
    """

    def __init__(self, tasks: Sequence[PlanTask], emit: Callable[[Event], None], lang: Lang) -> None:
        self._emit = emit
        self._lang = lang
        self._tasks = [task for task in tasks if task.agent != ORCHESTRATOR]
        self._closing = next((task for task in tasks if task.agent == ORCHESTRATOR), None)
        self._numbers = {task.id: number for number, task in enumerate(self._tasks, 1)}
        shown = [*self._tasks, *([self._closing] if self._closing else [])]
        self._shown = {
            task.id: Task(number, task.agent, task.tool, task.purpose) for number, task in enumerate(shown, 1)
        }
        self._done = 0

    @property
    def percent(self) -> float:
        """75 at the plan, 95 when all tasks are done, one decimal (004-48)."""
        return round(BEGUN + (TASKS * self._done / len(self._tasks) if self._tasks else TASKS), 1)

    def plan_ready(self) -> None:
        """The plan stands (004-47)."""
        shown = ("agent", "tool", "purpose", "message")
        listed = [
            {"step_number": number, **{name: getattr(task, name) for name in shown}}
            for number, task in enumerate(self._tasks, 1)
        ]
        self._say(
            "plan_ready",
            say("stream.ready", self._lang),
            BEGUN,
            plan_summary={"total_tasks": len(listed), "tasks": listed},
        )
        self._show()

    def started(self, task: PlanTask) -> None:
        """A task begins; the percentage is still the one before (004-48)."""
        self._set(task.id, "running")
        self._emit(StepStarted(task.id, task.agent, task.tool))
        self._say("executing_task", self._line("executing", task), self.percent, current_task=_named(task))

    def finished(self, task: PlanTask, run: ToolRun, detail: str) -> None:
        """A task ended, well or not; a failed one is done with as well."""
        self._done += 1
        failed = run.status == "failed"
        self._emit(StepFinished(task.id, run.duration_ms, "rules", detail, task.agent, task.tool, failed))
        status = "completed" if run.status == "done" else run.status
        self._say(
            "task_completed",
            self._line("completed", task),
            self.percent,
            completed_task={**_named(task), "status": status},
        )
        self._set(task.id, run.status, run.duration_ms)

    def all_done(self, outputs: Sequence[AgentRecord]) -> None:
        """Everything is run; the answers go on to be held against each other (004-46)."""
        self._say(
            "ready_for_resolution",
            say("stream.all_done", self._lang),
            BEGUN + TASKS,
            agent_responses=list(outputs),
        )

    def closing(self, status: Status, ms: float | None = None) -> None:
        """The orchestrator's own step, where the plan has one."""
        if self._closing is not None:
            self._set(self._closing.id, status, ms)

    def _line(self, key: str, task: PlanTask) -> str:
        number = self._numbers[task.id]
        return say(f"stream.{key}", self._lang, step=number, total=len(self._tasks), purpose=task.purpose)

    def _say(self, status: str, message: str, percent: float, **more: Any) -> None:
        whole = int(percent) if percent == int(percent) else percent
        output = {
            "processing_status": status,
            "progress_percentage": whole,
            "progress_message": message,
            **more,
        }
        self._emit(Progress(message, percent, NODE, output))

    def _set(self, task: str, status: Status, ms: float | None = None) -> None:
        self._shown[task] = replace(self._shown[task], status=status, ms=ms)
        self._show()

    def _show(self) -> None:
        self._emit(Plan(tuple(self._shown.values())))


def _named(task: PlanTask) -> dict[str, str]:
    return {"agent": task.agent, "tool": task.tool, "purpose": task.purpose}


# --- Calling the tools; the code picks them by name, never a text (004-05, 004-06)

TOOLS: dict[str, Callable[[ToolInputs], Awaitable[ToolResult]]] = {
    RAG: run_search,
    SUMMARY: run_summary,
    MATH: run_calculation,
    LOG: run_log,
}


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """Runs tools for one turn and one asker."""

    turn: TurnContext
    user: UserContext
    config: RagConfig
    corpora: CorpusSearch
    before: str = ""
    computed: tuple[str, ...] = ()

    async def __call__(
        self, agent: Agent, task: PlanTask, query: str, before: tuple[ToolResult, ...]
    ) -> ToolResult:
        """The tool's result; one with `error` where the tool says that it cannot. Raises what the tool raises."""
        passages: dict[tuple[str, str], Passage] = {}
        for one in (one for result in before for one in result.passages):
            passages.setdefault((one.document, one.text), one)
        best = tuple(sorted(passages.values(), key=lambda one: -one.relevance))
        must = set(query.split("\n")) <= set(self.computed)
        rest = (self.user, self.config, self.corpora, best, self.before, must)
        inputs = ToolInputs(self.turn, agent, query, *rest)
        try:
            found = await TOOLS[task.tool](inputs)
        except ToolError as error:
            return ToolResult(error=error.message, error_kind=error.kind)
        evidence = [one.as_dict() for one in found.evidence]
        held = [(one.document, one.text) for one in found.passages]
        parts = (found.answer, evidence, held, found.denied, found.covered, found.unread)
        return replace(found, digest=digest(*parts))


def log_state(turn: TurnContext, agent: Agent, task: PlanTask) -> list[tuple[str, int, int, str]]:
    """Names, times and sizes of the agent's log files and the minute it is, for tasks that read them."""
    files, minute = log_files(agent.log_files) if task.tool == LOG else [], turn.now.isoformat("T", "minutes")
    return [(str(file), file.stat().st_mtime_ns, file.stat().st_size, minute) for file in files]


# --- Running a plan

TIMEOUT, KILLED, DEPENDENCY = "timeout", "killed", "dependency_failed"
# Trying again does not help against these.
_FINAL = (InputError, ConfigError, AccessError)
_PAUSE = 0.02
Call = Callable[[Agent, PlanTask, str, tuple[ToolResult, ...]], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class ExecutionSetup:
    """What a plan is run with. `scope` is everything beside the task that a result depends on: who asks, of what, in which words;
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
        agents = dict.fromkeys(task.agent for task in group if task.agent != ORCHESTRATOR)
        await asyncio.gather(*(plan.run_agent([t for t in group if t.agent == name]) for name in agents))
    outputs = tuple(_output(part, routing.tasks, plan.results, plan.runs) for part in routing.parts)
    as_text = setup.limits.output_format == "text"
    records = tuple(output.as_text() if as_text else output.as_dict() for output in outputs)
    reporter.all_done(records)
    spent = duration("rag.execution", (time.perf_counter() - began) * 1000)
    return Execution(outputs, tuple(plan.runs), plan.hits, plan.lookups, spent, records)


class _PlanRun:
    """The tasks of one plan on their way: `results` by id, `runs` in the order they ended."""

    def __init__(self, routing: Routing, setup: ExecutionSetup, reporter: Reporter) -> None:
        self._routing, self._setup, self._reporter = routing, setup, reporter
        self.results: dict[str, ToolResult] = {}
        self.runs: list[ToolRun] = []
        self.hits = self.lookups = 0
        limits = setup.limits
        self._slots = asyncio.Semaphore(
            limits.max_concurrent_agents if limits.enable_parallel_execution else 1
        )
        self._ended = {task.id: asyncio.Event() for task in routing.tasks if task.agent != ORCHESTRATOR}
        self._spent: defaultdict[str, float] = defaultdict(float)

    async def run_agent(self, tasks: Sequence[PlanTask]) -> None:
        """Run the tasks of one agent in one group side by side, when there is a place for the agent (004-39)."""
        async with self._slots:
            await asyncio.gather(*map(self._run, tasks))

    async def _run(self, task: PlanTask) -> None:
        """Wait for what the task needs, run it, and report how it went."""
        for needed in task.depends_on:
            await self._ended[needed].wait()
        try:
            self._reporter.started(task)
            began, clock = current_time(f"rag.began:{task.id}"), time.perf_counter()
            query = self._query(task)
            before = tuple(self.results[needed] for needed in task.depends_on if needed in self.results)
            input_hash = digest(task.agent, task.tool, query, [result.digest for result in before])
            result, attempts, cached = await self._result(task, query, before, input_hash)
            if not result.error:
                self.results[task.id] = result
            spent = duration(f"rag.run:{task.id}", (time.perf_counter() - clock) * 1000)
            self._spent[task.agent] += spent
            run = ToolRun(
                node_id=task.id,
                agent=task.agent,
                tool=task.tool,
                query_index=task.query_index,
                status=_status(result),
                started_at=began,
                ended_at=current_time(f"rag.ended:{task.id}"),
                duration_ms=round(spent, 3),
                input_hash=input_hash,
                output_hash=result.digest,
                depends_on=task.depends_on,
                cached=cached,
                attempts=attempts,
                error_type=result.error_kind,
                error=result.error,
            )
            await in_order("rag.tasks", task.id)
            self.runs.append(run)
            self._reporter.finished(task, run, self._detail(run, result))
        finally:
            self._ended[task.id].set()

    async def _result(
        self, task: PlanTask, query: str, before: tuple[ToolResult, ...], input_hash: str
    ) -> tuple[ToolResult, int, bool]:
        """The result of the task, how often the tool was called, and whether somebody who may see the same asked before."""
        limits, cache, agent = self._setup.limits, self._setup.cache, self._setup.agents[task.agent]
        if task.depends_on and not before:
            return ToolResult(error=say("run.dependency", self._setup.lang), error_kind=DEPENDENCY), 0, False
        key = digest(input_hash, self._setup.scope, self._setup.state(agent, task))
        if limits.enable_caching:
            self.lookups += 1
            kept = cache.get(key, limits.cache_ttl_seconds)
            if kept is not None:
                self.hits += 1
                return kept, 0, True
        left = agent.timeout_ms - self._spent[agent.name]
        result, attempts = await _attempt(
            lambda: self._setup.call(agent, task, query, before),
            seconds=max(0.0, min(agent.call_timeout_ms, left) / 1000),
            retries=limits.max_retries,
            lang=self._setup.lang,
        )
        if limits.enable_caching and not result.error:
            cache.put(key, result)
        return result, attempts, False

    def _query(self, task: PlanTask) -> str:
        """The query of a search; for what follows on searches, all that the agent is asked."""
        part = self._routing.part(task.agent)
        queries = part.queries if part is not None else (self._routing.refined_query,)
        if task.tool == LOG:
            # "Bao nhiêu lỗi 691, bao nhiêu lỗi 809" is one question of the same lines, but not what is beside it.
            return ", ".join([query for query in queries if is_for_log(query)] or queries[:1])
        if task.query_index is not None and task.query_index <= len(queries):
            return queries[task.query_index - 1]
        return "\n".join([one for one in queries if one in self._routing.computed] or queries)

    def _detail(self, run: ToolRun, result: ToolResult) -> str:
        if result.error:
            return say("run.failed", self._setup.lang, why=result.error)
        key = "run.cached" if run.cached else "run.found"
        return say(key, self._setup.lang, passages=len(result.passages), denied=result.denied)


def _status(result: ToolResult) -> RunStatus:
    if result.error:
        return "failed"
    return "denied" if result.denied and not result.passages and not result.answer else "done"


async def _attempt(
    work: Callable[[], Awaitable[ToolResult]], *, seconds: float, retries: int, lang: Lang
) -> tuple[ToolResult, int]:
    """What `work` gives, called at most `retries` more times and for `seconds` in all, and how often it was called.

    What gives nothing is a result with an error: timeout, killed, or the error's name. Only the cancelling of the caller
    itself is raised.
    """
    loop = asyncio.get_running_loop()
    until, number = loop.time() + seconds, 0
    timeout = failed = ToolResult(error=say("run.timeout", lang), error_kind=TIMEOUT)
    while number <= retries and (left := until - loop.time()) > 0:
        number += 1
        task = asyncio.ensure_future(work())
        try:
            done, _ = await asyncio.wait({task}, timeout=left)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not done:
            # It ends by itself; its result or error is ignored.
            task.add_done_callback(lambda ended: None if ended.cancelled() else ended.exception())
            task.cancel()
            return timeout, number
        if task.cancelled():
            return ToolResult(error=say("run.killed", lang), error_kind=KILLED), number
        error = task.exception()
        if error is None:
            return task.result(), number
        told = (
            error.render(lang).line() if isinstance(error, TrolyError) else " ".join(str(error).split())[:200]
        )
        failed = ToolResult(error=told or type(error).__name__, error_kind=type(error).__name__)
        if isinstance(error, _FINAL) or not isinstance(error, Exception):
            break
        await asyncio.sleep(min(_PAUSE * 2 ** (number - 1), max(0.0, until - loop.time())))
    return failed, number
