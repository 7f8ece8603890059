"""What execution hands on: a record for each tool run, each agent's output, and what all of it took (004-19, 004-30)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from troly_rag.routing.plan import LOG, RAG, AgentPart, PlanTask, Routing

if TYPE_CHECKING:
    from troly_rag.answer.evidence import SourceEvidence

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
class ToolResult:
    """What a tool gave: `error` is a sentence where it could do nothing, `digest` stands for all of it.

    `passages` are `troly_rag.corpus.Passage`; `denied` is how many relevant documents the asker may not see.
    """

    answer: str = ""
    evidence: tuple[SourceEvidence, ...] = ()
    passages: tuple[Any, ...] = ()
    context: str = ""
    denied: int = 0
    error: str = ""
    digest: str = ""
    error_kind: str = ""
    covered: bool = False
    unread: tuple[str, ...] = ()
    material: tuple[SourceEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What an agent found for one of its queries; `index` counts from 1.

    `context` says where it was looked up, `answer` is "" where nothing was found. `passages` are those the answer
    rests on (`troly_rag.corpus.Passage`), `denied` how many the asker may not see. `covered` says that the answer speaks
    of everything that was asked, `unread` are the words that nothing was found for. `material` is all that a
    model is given; `looked_up` says that a search was made for it.
    """

    index: int
    query: str
    context: str = ""
    answer: str = ""
    evidence: tuple[SourceEvidence, ...] = ()
    passages: tuple[Any, ...] = ()
    denied: int = 0
    covered: bool = False
    unread: tuple[str, ...] = ()
    material: tuple[SourceEvidence, ...] = ()
    looked_up: bool = False

    def is_near(self, share: float, closeness: float) -> bool:
        """Whether the best passage holds so much of the question's words, and so many side by side."""
        best = self.passages[0] if self.passages else None
        return best is not None and (
            best.share >= _MOSTLY or (best.share >= share and best.closeness >= closeness)
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "query": self.query,
            "context": self.context,
            "answer": self.answer,
            "evidence": [one.as_dict() for one in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool other than rag said about the findings of an agent: a sum, a summary, lines of a log; `covered`
    where that is an answer and not only what is missing for one."""

    tool: str
    answer: str
    evidence: tuple[SourceEvidence, ...] = ()
    covered: bool = False


@dataclass(frozen=True, slots=True)
class AgentOutput:
    """Everything one agent did (004-19): `status` is failed when none of its queries could be looked up (004-35)."""

    agent: str
    queries: tuple[QueryAnswer, ...]
    runs: tuple[ToolRun, ...]
    extras: tuple[ToolAnswer, ...] = ()
    status: Literal["success", "failed"] = "success"

    @property
    def failed(self) -> tuple[ToolRun, ...]:
        """The runs that did not end well, in order."""
        return tuple(run for run in self.runs if run.status != "done")

    @property
    def denied(self) -> int:
        """How many passages the asker may not see."""
        return sum(query.denied for query in self.queries)

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
            lines += [f"   {line}" for line in query.answer.splitlines()]
            lines += [f"   [{one.url}]" for one in query.evidence]
        lines += [f"{extra.tool}: {extra.answer}" for extra in self.extras]
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
            ToolAnswer(
                task.tool, results[task.id].answer, results[task.id].evidence, results[task.id].covered
            )
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
    if result is None:
        return QueryAnswer(number, text)
    return QueryAnswer(
        number,
        text,
        result.context,
        result.answer,
        result.evidence,
        result.passages,
        result.denied,
        result.covered,
        result.unread,
        result.material,
        looked_up=True,
    )


def _failed(run: ToolRun | None) -> bool:
    return run is None or run.status == "failed"
