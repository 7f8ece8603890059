"""Runs a plan: tools called by name, groups in order, tasks side by side, each with its own failures; tells what it does.

Rows 004-09, 004-15, 004-19, 004-30, 004-39, 004-45 to 004-49.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from troly.errors import AccessError, ConfigError, InputError, TrolyError
from troly.plugin.events import Event, Plan, Progress, StepFinished, StepStarted, Task
from troly.recording import current_time, duration, in_order
from troly.text.catalogue import Lang
from troly_rag.config import Agent, Limits
from troly_rag.execution.cache import Cache, digest
from troly_rag.routing.plan import LOG, MATH, ORCHESTRATOR, RAG, SUMMARY, AgentPart, PlanTask, Routing
from troly_rag.routing.questions import spaced
from troly_rag.strings import say
from troly_rag.tools.calculator import run_calculation
from troly_rag.tools.documents import run_search, run_summary
from troly_rag.tools.interface import ToolError, ToolInputs, ToolResult
from troly_rag.tools.logs import run_log

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly_rag.config import RagConfig
    from troly_rag.corpus.access import UserContext
    from troly_rag.corpus.search import CorpusSearch, Passage

# --- What execution hands on

# An agent's output as it is given out: a JSON record, or text where the settings say so (004-43).
AgentRecord = dict[str, Any] | str
# What holds so much of a question's words is near it, however they stand.
_MOSTLY = 0.65
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

    def is_near(self, share: float, closeness: float) -> bool:
        """Whether the best passage holds so much of the question's words, and so many side by side."""
        best = self.found.passages[0] if self.found.passages else None
        return best is not None and (
            best.share >= _MOSTLY or (best.share >= share and best.closeness >= closeness)
        )

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

    `stream` are the documented events (004-45), `records` the outputs in the configured format (004-43).
    """

    outputs: tuple[AgentOutput, ...] = ()
    runs: tuple[ToolRun, ...] = ()
    cache_hits: int = 0
    cache_lookups: int = 0
    duration_ms: float = 0.0
    stream: tuple[dict[str, Any], ...] = ()
    records: tuple[AgentRecord, ...] = ()

    @property
    def cache_hit_ratio(self) -> float:
        """Hits by look-ups, two decimals (004-36); 0 where nothing was looked up."""
        return round(self.cache_hits / self.cache_lookups, 2) if self.cache_lookups else 0.0


def agent_outputs(
    routing: Routing, results: Mapping[str, ToolResult], runs: Sequence[ToolRun]
) -> tuple[AgentOutput, ...]:
    """One output an agent, in the order of the routing."""
    return tuple(_output(part, routing.tasks, results, runs) for part in routing.parts)


def _output(
    part: AgentPart, tasks: Sequence[PlanTask], results: Mapping[str, ToolResult], runs: Sequence[ToolRun]
) -> AgentOutput:
    mine = [task for task in tasks if task.agent == part.agent]
    by_id = {run.node_id: run for run in runs if run.agent == part.agent}
    ordered = tuple(by_id[task.id] for task in mine if task.id in by_id)
    searches = [task for task in mine if task.tool in (RAG, LOG)]
    lost = bool(searches) and all(_failed(by_id.get(task.id)) for task in searches)
    alone = not searches and all(run.status == "failed" for run in ordered)
    return AgentOutput(
        agent=part.agent,
        queries=tuple(_answer(number, text, mine, results) for number, text in enumerate(part.queries, 1)),
        runs=ordered,
        extras=tuple(
            (task.tool, results[task.id])
            for task in mine
            if task.tool != RAG and task.id in results and results[task.id].answer
        ),
        status="failed" if lost or alone else "success",
    )


def _answer(
    number: int, text: str, tasks: Sequence[PlanTask], results: Mapping[str, ToolResult]
) -> QueryAnswer:
    """What the search of one query found; a query that no search was made for has no answer of its own."""
    task = next((task for task in tasks if task.tool == RAG and task.query_index == number), None)
    result = results.get(task.id) if task is not None else None
    return QueryAnswer(number, text, result or ToolResult(), looked_up=result is not None)


def _failed(run: ToolRun | None) -> bool:
    return run is None or run.status == "failed"


# --- Telling what is done: the documents' stream, the live plan, the steps

NODE = "execute_planning"
# Before the plan 75 % are spread over routing and permission (004 C7); the tasks fill what is left to 95 (004-48).
BEGUN, TASKS = 75.0, 20.0
Status = Literal["waiting", "running", "done", "failed", "denied"]


class Reporter:
    """Emits events for the tasks of one plan and keeps the documented stream in `stream`.

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
        self.stream: list[dict[str, Any]] = []

    @property
    def percent(self) -> float:
        """75 at the plan, 95 when all tasks are done, one decimal (004-48)."""
        return round(BEGUN + (TASKS * self._done / len(self._tasks) if self._tasks else TASKS), 1)

    def plan_ready(self) -> None:
        """The plan stands (004-47)."""
        listed = [
            {
                "step_number": number,
                "agent": task.agent,
                "tool": task.tool,
                "purpose": task.purpose,
                "message": task.message,
            }
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
        self.stream.append({"node": NODE, "output": output})
        self._emit(Progress(message, percent))

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

    async def __call__(
        self, agent: Agent, task: PlanTask, query: str, before: tuple[ToolResult, ...]
    ) -> ToolResult:
        """The tool's result; one with `error` where the tool says that it cannot. Raises what the tool raises."""
        text = spaced(query) if task.tool == MATH else query
        inputs = ToolInputs(
            self.turn, agent, text, self.user, self.config, self.corpora, passages_of(before), self.before
        )
        try:
            return _with_digest(await TOOLS[task.tool](inputs))
        except ToolError as error:
            return ToolResult(error=error.message, error_kind=error.kind)


def passages_of(results: Sequence[ToolResult]) -> tuple[Passage, ...]:
    """The passages of several results, each once, best first."""
    found: dict[tuple[str, str], Passage] = {}
    for result in results:
        for passage in result.passages:
            found.setdefault((passage.document, passage.text), passage)
    return tuple(sorted(found.values(), key=lambda passage: -passage.relevance))


def log_state(agent: Agent, task: PlanTask) -> list[tuple[str, int, int]]:
    """Names, times and sizes of the agent's log files, for tasks that read them."""
    if task.tool != LOG:
        return []
    files = [Path(name) for pattern in agent.log_files for name in sorted(glob(pattern))]  # noqa: PTH207 (absolute patterns)
    return [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files if file.is_file()]


def _with_digest(found: ToolResult) -> ToolResult:
    evidence = [one.as_dict() for one in found.evidence]
    passages = [(passage.document, passage.text) for passage in found.passages]
    parts = (found.answer, evidence, passages, found.denied, found.covered, found.unread)
    return replace(found, digest=digest(*parts))


# --- Running a plan

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
        duration("rag.execution", (time.perf_counter() - began) * 1000),
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
        began, clock = current_time(f"rag.began:{task.id}"), time.perf_counter()
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
