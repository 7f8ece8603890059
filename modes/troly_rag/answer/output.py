"""The final output as documented (004-26 to 004-37): answer, evidence, flow, metadata, metrics, and the error envelope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.conflicts.contradictions import ConflictReport, reasons
from troly_rag.conflicts.scoring import age_of
from troly_rag.corpus.search import interpolated
from troly_rag.strings import say

if TYPE_CHECKING:
    from datetime import datetime

    from troly_rag.config import RagConfig
    from troly_rag.corpus.access import UserContext
    from troly_rag.execution.engine import AgentOutput, Execution, ToolRun
    from troly_rag.routing.plan import Routing


FAILED = "AGENT_EXECUTION_FAILED"
# A tie leaves the reader to judge: the answer is worth less.
TIE_SHARE = 0.8
GENERAL = "general_knowledge"
# The coverage of a page that is only shown: one that holds every word, and one that does not.
PERHAPS, NEAREST = 0.5, 0.25
# Coverage, and the share of answers that were right: measured on 195 questions, 80 of them without a page; held against
# 114 others, half of them without a page, by `test_confidence.py`.
_RIGHT = ((0.0, 0.1), (NEAREST, 0.35), (PERHAPS, 0.75), (1.0, 0.96))


@dataclass(frozen=True, slots=True)
class Span:
    """When a step of the flow began and ended; both aware and measured (004 C6)."""

    began: datetime
    ended: datetime

    @property
    def ms(self) -> int:
        return round((self.ended - self.began).total_seconds() * 1000)

    def as_dict(self) -> dict[str, str]:
        return {"started_at": _instant(self.began), "ended_at": _instant(self.ended)}


@dataclass(frozen=True, slots=True)
class Times:
    """How long the steps took that are no tool; `permission` is None for small talk, which searches nothing.

    `total_ms` is the whole turn until the answer was formatted.
    """

    router: Span
    permission: Span | None
    formatter_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True)
class AnswerContent:
    """What is said to the person, and `coverage`: the share of the question's words that its sources hold (0 to 1);
    what was `computed` without a source is as sure as the sum."""

    answer: str
    evidence: tuple[SourceEvidence, ...] = ()
    follow_ups: tuple[str, ...] = ()
    coverage: float = 0.0
    computed: bool = False


def final_output(
    content: AnswerContent,
    *,
    routing: Routing,
    execution: Execution,
    user: UserContext,
    conflicts: ConflictReport,
    times: Times,
    config: RagConfig,
    now: datetime,
    lang: Lang,
) -> dict[str, Any]:
    """The whole documented output; with `error` and what belongs to it when an agent failed (004-34)."""
    outputs = execution.outputs
    found: dict[str, Any] = {
        "answer": content.answer,
        "evidence": [one.as_dict() for one in best_by_agent(content.evidence)],
        "reasoning": reasoning(content, outputs, conflicts, lang),
        "confidence_score": 1.0 if routing.is_chitchat else confidence(content, conflicts),
        "follow_up_questions": list(content.follow_ups),
        "flow_action": flow(routing, execution, user, conflicts, times),
        "execution_metadata": {
            "total_duration_ms": round(times.total_ms),
            "agents_invoked": [output.agent for output in outputs],
            "tools_executed": list(dict.fromkeys(run.tool for run in execution.runs if run.status == "done")),
            "total_queries": sum(len(output.queries) for output in outputs),
            "conflict_resolution_applied": bool(conflicts.conflicts),
            "department_permission_filtering": times.permission is not None,
            "accessible_departments": sorted(user.accessible_departments),
        },
        "performance_metrics": metrics(execution, conflicts, times, config, now),
    }
    failed = [output for output in outputs if output.status == "failed"]
    return found | (error_envelope(failed, outputs, content.answer) if failed else {"error": False})


def best_by_agent(evidence: Sequence[SourceEvidence]) -> list[SourceEvidence]:
    """The most relevant source of each agent, in the order the agents appear (004-26)."""
    best = sorted(evidence, key=lambda one: -one.relevance_score)
    agents = dict.fromkeys(one.agent for one in evidence)
    return [next(one for one in best if one.agent == agent) for agent in agents]


def reasoning(
    content: AnswerContent, outputs: Sequence[AgentOutput], conflicts: ConflictReport, lang: Lang
) -> str:
    """Why the answer is what it is (004-27), what is missing of it, and how much was not shown."""
    decided = next((found for found in conflicts.conflicts if not found.tie), None)
    conflict = decided or next(iter(conflicts.conflicts), None)
    if not content.evidence:
        parts = [say("reasoning.none" if outputs else "reasoning.talk", lang)]
    elif conflict is not None:
        text = reasons(conflict, lang)
        parts = [text[:1].upper() + text[1:]]
    else:
        key = "one" if len(content.evidence) == 1 else "single"
        parts = [say(f"reasoning.{key}", lang, count=len(content.evidence))]
    missing = [output.agent for output in outputs if output.status == "failed"]
    if missing:
        parts.append(say("reasoning.failed", lang, agents=", ".join(missing)))
    if denied := sum(output.denied for output in outputs):
        parts.append(say("reasoning.denied", lang, count=denied))
    return " ".join(parts)


def confidence(content: AnswerContent, conflicts: ConflictReport) -> float:
    """From 0 to 1: how many answers of this coverage were measured to be right; less where sources contradict each other."""
    tied = any(found.tie for found in conflicts.conflicts)
    share = interpolated(_RIGHT, content.coverage) * (TIE_SHARE if tied else 1.0)
    return round(share, 2) if content.evidence or content.computed else 0.0


def follow_ups(
    titles: Sequence[str], used: Sequence[str], question: str, config: RagConfig, lang: Lang
) -> tuple[str, ...]:
    """Questions about what was found near the answer and not told in it, at most as configured (004-42).

    Nothing is asked that was just answered (004 C5): titles in `used` and in the question are left out.
    """
    if not config.limits.enable_follow_up_questions:
        return ()
    known = {fold(title).strip() for title in used}
    asked = fold(question)
    fresh = [
        t
        for t in dict.fromkeys(titles)
        if t.strip() and fold(t).strip() not in known and fold(t) not in asked
    ]
    most = config.limits.max_follow_up_questions
    return tuple(say("follow.section", lang, title=title) for title in fresh[:most])


def flow(
    routing: Routing, execution: Execution, user: UserContext, conflicts: ConflictReport, times: Times
) -> list[dict[str, Any]]:
    """`flow_action` (004-28 to 004-31), numbered by the plan: tools that ran side by side keep its order."""
    names = {"complex": "reflection_needed", "simple": "direct_execution", "chitchat": "chitchat"}
    done: dict[str, Any] = {"agent": None, "tool": None, "status": "done"}
    decision = {"metadata": {"decision": names[routing.complexity]}}
    steps = [{"node_id": "Router", "type": "router", **done, **times.router.as_dict(), **decision}]
    if times.permission is not None:
        details = {"scope": list(user.scopes), "departments": sorted(user.accessible_departments)}
        permission = {
            "node_id": "PermissionCheck",
            "type": "permission",
            **done,
            **times.permission.as_dict(),
        }
        resolver = {
            "node_id": "ConflictResolver",
            "type": "resolver",
            "status": "done",
            "policy": conflicts.policy,
            "duration_ms": round(conflicts.duration_ms),
            "resolved_conflicts": conflicts.decided,
        }
        place = {task.id: at for at, task in enumerate(routing.tasks)}
        runs = sorted(execution.runs, key=lambda run: place.get(run.node_id, len(place)))
        steps += [{**permission, "details": details}, *map(_run_step, runs), resolver]
    formatter = {"node_id": "AnswerFormatter", "type": "formatter", "status": "done"}
    steps.append({**formatter, "duration_ms": round(times.formatter_ms)})
    steps += [_handled(run) for output in execution.outputs for run in output.failed]
    return [{"order": order, **step} for order, step in enumerate(steps, 1)]


def metrics(
    execution: Execution, conflicts: ConflictReport, times: Times, config: RagConfig, now: datetime
) -> dict[str, Any]:
    """`performance_metrics` (004-36, 004-37); every time is measured."""
    tools: dict[str, list[float]] = {}
    for run in execution.runs:
        tools.setdefault(run.tool, []).append(run.duration_ms)
    return {
        "query_processing_time_ms": round(times.total_ms),
        "agent_execution_times": {output.agent: round(output.duration_ms) for output in execution.outputs},
        "tool_usage_stats": {
            tool: {"calls": len(spent), "avg_time_ms": round(sum(spent) / len(spent))}
            for tool, spent in tools.items()
        },
        "conflict_resolution_time_ms": round(conflicts.duration_ms),
        "cache_hit_ratio": execution.cache_hit_ratio,
        "content_quality_metrics": {
            f"{output.agent}_agent": _quality(output, config, now) for output in execution.outputs
        },
    }


def error_envelope(
    failed: Sequence[AgentOutput], outputs: Sequence[AgentOutput], answer: str
) -> dict[str, Any]:
    """What is added when an agent failed (004-34): the others' answers stay, and what is missing is named."""
    run = next(iter(failed[0].failed), None)
    return {
        "error": True,
        "error_code": FAILED,
        "error_message": f"{failed[0].agent.upper()} agent failed to execute {run.tool if run else ''}".rstrip(),
        "partial_results": {output.agent: _partial(output) for output in outputs},
        "fallback_answer": answer,
    }


def _partial(output: AgentOutput) -> dict[str, str]:
    if output.status == "failed":
        why = next((run.error or run.error_type for run in output.failed), "")
        return {"status": "failed", "error": why}
    answers = (query.found.answer for query in output.queries)
    return {"status": "success", "answer": " ".join(filter(None, answers))}


def _run_step(run: ToolRun) -> dict[str, Any]:
    step = {"node_id": run.node_id, "type": "agent_tool", "agent": run.agent, "tool": run.tool}
    hashes = {
        "input_hash": run.input_hash,
        "output_hash": run.output_hash,
        "depends_on": list(run.depends_on),
    }
    index = {} if run.query_index is None else {"query_index": run.query_index}
    ended = {"status": run.status, "duration_ms": round(run.duration_ms)}
    return {**step, **index, **ended, **{name: value for name, value in hashes.items() if value}}


def _handled(run: ToolRun) -> dict[str, Any]:
    details = {"failed_agent": run.agent, "failed_tool": run.tool, "error_type": run.error_type or run.status}
    return {"node_id": "ErrorHandler", "type": "error_handler", "status": "handled", "error_details": details}


def _quality(output: AgentOutput, config: RagConfig, now: datetime) -> Mapping[str, str]:
    answered = [query for query in output.queries if query.found.answer]
    moments = [one.created_at for query in output.queries for one in query.found.evidence if one.created_at]
    agent = config.agents.get(output.agent)
    return {
        "completeness": "comprehensive"
        if answered and len(answered) == len(output.queries)
        else "partial_with_context",
        "recency": age_of(max(moments, default=None), now),
        "domain_match": "general" if agent is None or agent.domain in ("", GENERAL) else "perfect",
    }


def _instant(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
