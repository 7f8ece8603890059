"""Puts together what each agent found, from the results of its tasks (004-19)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from troly_rag.execution.types import AgentOutput, QueryAnswer, ToolAnswer, ToolResult, ToolRun
from troly_rag.routing.types import LOG, RAG, AgentPart, PlanTask, Routing


def gathered(
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
            ToolAnswer(task.tool, results[task.id].answer, results[task.id].evidence)
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
        number, text, result.context, result.answer, result.evidence, result.passages, result.denied
    )


def _failed(run: ToolRun | None) -> bool:
    return run is None or run.status == "failed"
