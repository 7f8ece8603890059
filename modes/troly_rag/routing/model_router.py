"""Asks the model to weigh a message and to route it; what does not hold against the configuration is dropped and said.

The rules' findings are its hints and its fallback (004-07, 004-08).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field

from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly.text.catalogue import Lang
from troly_rag.config import RagConfig
from troly_rag.routing.plan import (
    ORCHESTRATOR,
    RAG,
    SUMMARY,
    AgentPart,
    PlanTask,
    Routing,
    node_id,
    order_plan,
    plan,
)
from troly_rag.routing.router import ParsedMessage
from troly_rag.strings import prompts, say


class OrchestratorReply(BaseModel):
    """Node 1 (004-07)."""

    is_chitchat: bool
    complexity: Literal["simple", "complex"] = "simple"


class TaskReply(BaseModel):
    """One task of the plan; `purpose` falls back to `message` (004 C1)."""

    agent: str = Field(max_length=80)
    tool: str = Field(max_length=80)
    purpose: str = Field(default="", max_length=300)
    message: str = Field(default="", max_length=300)
    id: str = Field(default="", max_length=80)
    depends_on: list[str] = Field(default_factory=list, max_length=40)


class PartReply(BaseModel):
    """What one agent is asked (004-11); a query may come as text or as `{"1": text}`."""

    queries: list[dict[str, str] | str] = Field(default_factory=list, max_length=40)
    tools: list[str] = Field(default_factory=list, max_length=20)


class PlanningReply(BaseModel):
    """One object with all groups, or one object a group: both forms of the documents (004 C1)."""

    tasks: list[dict[str, list[TaskReply]]] = Field(default_factory=list, max_length=40)


class FlowReply(BaseModel):
    """The plan and how conflicts are to be settled."""

    planning: PlanningReply = Field(default_factory=PlanningReply)
    conflict_resolution: str = Field(default="", max_length=300)


class RouterReply(BaseModel):
    """Node 2 (004-11 to 004-16)."""

    refined_query: str = Field(default="", max_length=800)
    agents: dict[str, PartReply] = Field(default_factory=dict)
    execution_flow: FlowReply = Field(default_factory=FlowReply)


# --- A reply held against the configuration (004-08)

_LONGEST = 400
_SHOWN = 60


def merge_reply(draft: Routing, reply: RouterReply, config: RagConfig, lang: Lang) -> Routing:
    """The routing as the model wants it; `draft` by rules where nothing of the reply can be used."""
    remarks: list[str] = []
    parts = tuple(_parts(reply, config, lang, remarks))
    if not parts:
        return replace(draft, remarks=(*remarks, say("remark.nothing", lang)))
    refined = " ".join(reply.refined_query.split())[:_LONGEST] or draft.refined_query
    tasks = _tasks(reply, parts, lang, remarks)
    standard = plan(parts, lang, draft.original_query)
    wanted = _completed(tasks, standard) if tasks else standard
    placed, cut = order_plan(wanted)
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
        every = config.limits.tool_selection_strategy == "all"
        tools = tuple(tool for tool in agent.tools if every or tool in asked or tool == RAG)
        yield AgentPart(name, queries, tools)


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


# --- Asking

_CHARS, _MESSAGES, _MESSAGE_CHARS = 1500, 4, 300


async def classify_with_model(
    turn: TurnContext, reading: ParsedMessage, draft: Routing
) -> tuple[OrchestratorReply, Source, str]:
    """Whether it is small talk and how hard it is; who decided, and why not the model where the rules did."""

    picked = "; ".join(f"{q.choice.agent} {q.choice.confidence:.2f}" for q in reading.questions)
    messages = prompts().messages(
        "orchestrator",
        turn.language,
        hints=f"{draft.complexity}; {picked}".strip("; "),
        message=turn.text[:_CHARS],
    )
    decision = await turn.model.decide(
        "orchestrator",
        OrchestratorReply,
        messages,
        lambda: OrchestratorReply(is_chitchat=bool(reading.kind)),
        role="small",
    )
    return decision.value, decision.source, decision.reason


async def route_with_model(
    turn: TurnContext, draft: Routing, config: RagConfig
) -> tuple[Routing, Source, str]:
    """The routing of a complex question: the model's where it can be used, else the rules' draft."""

    messages = prompts().messages(
        "router",
        turn.language,
        agents=describe_agents(config),
        history=_history(turn),
        hints=_hints(draft),
        message=turn.text[:_CHARS],
    )
    decision = await turn.model.decide("reflection_router", RouterReply, messages, RouterReply)
    if decision.source == "rules":
        return draft, "rules", decision.reason
    return merge_reply(draft, decision.value, config, turn.language), "model", ""


def describe_agents(config: RagConfig) -> str:
    """The agents with what they are for and their tools, one line each."""
    return "\n".join(
        f"- {name}: {agent.description['vi']} ({agent.description['en']}). Tools: {', '.join(agent.tools)}"
        for name, agent in config.agents.items()
    )


def _hints(draft: Routing) -> str:
    lines = [f"{part.agent}: {'; '.join(part.queries)} [{', '.join(part.tools)}]" for part in draft.parts]
    return " | ".join([draft.refined_query, *lines])[:_CHARS] or "-"


def _history(turn: TurnContext) -> str:
    said = [m for m in turn.history if m.sender in ("user", "assistant")][-_MESSAGES:]
    return "\n".join(f"{m.sender}: {' '.join(m.text.split())[:_MESSAGE_CHARS]}" for m in said) or "-"
