"""Takes over a model's routing where it holds against the configuration; what does not is dropped and said (004-08)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang
from troly_rag.config import RagConfig
from troly_rag.routing.ordering import ordered
from troly_rag.routing.planning import node_id, plan
from troly_rag.routing.types import ORCHESTRATOR, RAG, SUMMARY, AgentPart, PlanTask, Routing
from troly_rag.strings import say

if TYPE_CHECKING:
    from troly_rag.schemas import PartReply, RouterReply, TaskReply

_LONGEST = 400
_SHOWN = 60


def merged(draft: Routing, reply: RouterReply, config: RagConfig, lang: Lang) -> Routing:
    """The routing as the model wants it; `draft` by rules where nothing of the reply can be used."""
    remarks: list[str] = []
    parts = tuple(_parts(reply, config, lang, remarks))
    if not parts:
        return replace(draft, remarks=(*remarks, say("remark.nothing", lang)))
    refined = " ".join(reply.refined_query.split())[:_LONGEST] or draft.refined_query
    tasks = _tasks(reply, parts, lang, remarks)
    standard = plan(parts, lang, draft.original_query)
    wanted = _completed(tasks, standard) if tasks else standard
    placed, cut = ordered(wanted)
    remarks += [say("remark.cycle", lang, task=task, need=need[:_SHOWN]) for task, need in cut]
    return replace(
        draft,
        refined_query=refined,
        parts=parts,
        tasks=placed,
        policy=reply.execution_flow.conflict_resolution.strip() or draft.policy,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _parts(reply: RouterReply, config: RagConfig, lang: Lang, remarks: list[str]) -> Iterator[AgentPart]:
    for name, wanted in reply.agents.items():
        agent = config.agents.get(name)
        if agent is None:
            remarks.append(say("remark.agent", lang, agent=name[:_SHOWN], known=", ".join(config.agents)))
            continue
        queries = tuple(dict.fromkeys(_queries(wanted)))[: agent.max_queries]
        if not queries:
            continue
        used = {task.tool for task in _listed(reply) if task.agent == name}
        asked = dict.fromkeys([*wanted.tools, *sorted(used)])
        strange = [tool for tool in asked if tool not in agent.tools]
        remarks += [say("remark.tool", lang, tool=tool[:_SHOWN], agent=name) for tool in strange]
        yield AgentPart(name, queries, tuple(tool for tool in agent.tools if tool in asked or tool == RAG))


def _queries(part: PartReply) -> Iterator[str]:
    for query in part.queries:
        texts: Iterable[str] = [query] if isinstance(query, str) else query.values()
        yield from (text for each in texts if (text := " ".join(each.split())[:_LONGEST]))


def _listed(reply: RouterReply) -> Iterator[TaskReply]:
    for groups in reply.execution_flow.planning.tasks:
        for tasks in groups.values():
            yield from tasks


def _numbered(reply: RouterReply) -> Iterator[tuple[int, TaskReply]]:
    """The tasks with their group's number, in both forms; a name that is no number counts on."""
    last = 0
    for groups in reply.execution_flow.planning.tasks:
        for name, tasks in groups.items():
            last = int(name) if name.isascii() and name.isdigit() and len(name) < 4 else last + 1
            for task in tasks:
                yield last, task


def _tasks(reply: RouterReply, parts: Sequence[AgentPart], lang: Lang, remarks: list[str]) -> list[PlanTask]:
    """The model's tasks under the documents' ids; each search is given the next query of its agent."""
    by_agent = {part.agent: part for part in parts}
    searched: dict[str, int] = {}
    found: dict[str, PlanTask] = {}
    names: dict[str, str] = {}
    for group, task in _numbered(reply):
        part = by_agent.get(task.agent)
        if part is None or task.tool not in part.tools:
            if task.agent != ORCHESTRATOR:
                remarks.append(say("remark.task", lang, agent=task.agent[:_SHOWN], tool=task.tool[:_SHOWN]))
            continue
        index = None
        if task.tool == RAG:
            index = searched[task.agent] = searched.get(task.agent, 0) + 1
            if index > len(part.queries):
                continue
        several = index is not None and len(part.queries) > 1
        ident = node_id(task.agent, task.tool, index if several else None)
        if ident in found:
            continue
        names[task.id or ident] = ident
        purpose = task.purpose.strip() or task.message.strip()
        message = task.message.strip() or purpose
        needs = tuple(task.depends_on)
        query = index if task.tool == RAG else None
        found[ident] = PlanTask(ident, group, task.agent, task.tool, purpose, message, query, needs)
    return [
        replace(task, depends_on=tuple(names.get(need, need) for need in task.depends_on))
        for task in found.values()
    ]


def _completed(tasks: Sequence[PlanTask], standard: Sequence[PlanTask]) -> list[PlanTask]:
    """The model's tasks, with those of the rules' plan that it left out, words for those without, and usual needs."""
    usual = {task.id: task for task in standard}
    found = {task.id: task for task in tasks}
    merged_tasks = []
    for ident in dict.fromkeys([*found, *usual]):
        task, other = found.get(ident), usual.get(ident)
        if task is None:
            if other is not None:
                merged_tasks.append(other)
            continue
        if other is not None:
            task = replace(
                task,
                purpose=task.purpose or other.purpose,
                message=task.message or other.message,
                query_index=other.query_index,
                depends_on=task.depends_on or (other.depends_on if task.tool != RAG else ()),
            )
        merged_tasks.append(task)
    last = max(task.group for task in merged_tasks)
    return [
        replace(task, group=last + 1) if task.agent == ORCHESTRATOR and task.tool == SUMMARY else task
        for task in merged_tasks
    ]
