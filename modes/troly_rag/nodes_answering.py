"""The last three nodes: agent execution, conflict resolution, final response (004-09, 004-10)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Progress, Suggestions
from troly.recording import measured, moment
from troly_rag.composing import Composed, compose
from troly_rag.evidence import Evidence20, cards
from troly_rag.execution.cache import Cache, digest
from troly_rag.execution.calling import Caller, depends_on, log_state
from troly_rag.execution.engine import Setting, execute
from troly_rag.execution.reporting import Reporter
from troly_rag.final import Span, Times, final_output
from troly_rag.settling import settle, shown
from troly_rag.state import Work
from troly_rag.strings import say

State = Mapping[str, Any]
Node = Callable[[State, TurnContext, Step], Awaitable[State]]


def execution(cache: Cache) -> Node:
    """The node that runs the plan; what it finds is kept in `cache`."""

    async def agent_execution(state: State, turn: TurnContext, step: Step) -> State:
        work: Work = state["work"]
        scope = await asyncio.to_thread(depends_on, turn, work.user, work.config)
        call = Caller(turn, work.user, work.config)
        limits = work.config.limits
        setting = Setting(work.config.agents, limits, call, cache, scope, turn.language, log_state)
        work.reporter = Reporter(work.routing.tasks, turn.emit, turn.language)
        work.execution = found = await execute(work.routing, setting, work.reporter)
        done = sum(run.status == "done" for run in found.runs)
        note = say("step.executed", turn.language, done=done, total=len(found.runs), cached=found.cache_hits)
        step.note(note, "rules")
        return {"work": work}

    return agent_execution


async def conflict_resolution(state: State, turn: TurnContext, step: Step) -> State:
    """Weighs what contradicts itself, and shows both sides with the rule that decided (004-25)."""
    work: Work = state["work"]
    found = work.execution
    if found is None:
        raise ValueError("nothing was executed")
    evidence = [one for output in found.outputs for query in output.queries for one in query.evidence]
    domain = _domain(work)
    work.settled = await asyncio.to_thread(settle, _unique(evidence), work.config, turn.now, domain)
    for conflict in work.settled.conflicts:
        turn.emit(shown(conflict, turn.now, turn.language))
    count, policy = len(work.settled.conflicts), work.settled.policy
    step.note(say("step.settled", turn.language, count=count, policy=policy), "rules")
    return {"work": work}


async def final_response(state: State, turn: TurnContext, step: Step) -> State:
    """Writes the answer, and gives the documented output (004-26 to 004-37)."""
    work: Work = state["work"]
    found, settled = work.execution, work.settled
    if found is None or settled is None:
        raise ValueError("nothing was settled")
    work.reporter.closing("running")
    clock = time.perf_counter()
    told = [(run.node_id, run.output_hash, run.error) for run in found.runs]
    composed = await work.memory.of(
        "answer",
        [work.routing.refined_query, sorted(told)],
        lambda: compose(turn, work.routing, found.outputs, settled, work.config),
        lambda one: one.source == "model" and all(run.status != "failed" for run in found.runs),
    )
    ms = measured("rag.compose", (time.perf_counter() - clock) * 1000)
    turn.say(composed.told.answer)
    if composed.told.evidence:
        turn.emit(cards(composed.told.evidence, turn.now, turn.language))
    if composed.told.follow_ups:
        turn.emit(Suggestions(composed.told.follow_ups))
    work.reporter.closing("done", round(ms, 3))
    turn.emit(Progress(say("progress.done", turn.language), 100.0))
    sources = say("step.answered", turn.language, sources=len(composed.told.evidence))
    step.note(f"{sources} · {composed.note}", composed.source)
    return {**_output(work, composed, turn, ms), "work": work}


def _output(work: Work, composed: Composed, turn: TurnContext, formatter_ms: float) -> dict[str, Any]:
    now = moment("rag.ended")
    router = Span(work.began, work.routed or work.began)
    checked = Span(*work.checked) if work.checked else Span(now, now)
    total = (now - work.began).total_seconds() * 1000
    assert work.execution is not None and work.settled is not None  # noqa: S101, PT018 (looked at by the node)
    return final_output(
        composed.told,
        routing=work.routing,
        execution=work.execution,
        user=work.user,
        settled=work.settled,
        times=Times(router, checked, formatter_ms, total),
        config=work.config,
        now=turn.now,
        lang=turn.language,
    )


def _domain(work: Work) -> str:
    """The domain of the question where all of it is for one agent."""
    agents = {part.agent for part in work.routing.parts}
    return work.config.agents[agents.pop()].domain if len(agents) == 1 else ""


def _unique(evidence: list[Evidence20]) -> list[Evidence20]:
    """Each passage once, though several queries found it."""
    return list({digest(one.url, one.section, one.agent, one.text): one for one in evidence}.values())


__all__ = ["conflict_resolution", "execution", "final_response"]
