"""The routing structure (who is asked what with which tools) and the plan of its tasks, in an order that can be run: what a task needs stands before it.

Rows 004-11 to 004-18.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from troly.text.catalogue import Lang
from troly_rag.routing.lexicons import label, tool_words
from troly_rag.routing.questions import is_computed_against_rules, lowered, subject
from troly_rag.strings import say

PENDING = "pending"
ORCHESTRATOR = "orchestrator"
RAG, SUMMARY, MATH, LOG = "rag_tool", "summary_tool", "math_tool", "log_tool"
Complexity = Literal["chitchat", "simple", "complex"]


@dataclass(frozen=True, slots=True)
class AgentPart:
    """What one agent is asked: its queries in order, and its tools in the order they are used."""

    agent: str
    queries: tuple[str, ...]
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanTask:
    """One step of the plan. `id` is its node (`hr#rag:1`), `group` counts from 1; groups run one after another.

    `depends_on` are ids that must have ended before, in whatever group they stand (004 C2).
    """

    id: str
    group: int
    agent: str
    tool: str
    purpose: str
    message: str
    query_index: int | None = None
    depends_on: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "agent": self.agent,
            "tool": self.tool,
            "purpose": self.purpose,
            "message": self.message,
            "status": PENDING,
        }
        return found | ({"depends_on": list(self.depends_on)} if self.depends_on else {})


@dataclass(frozen=True, slots=True)
class Routing:
    """The decision of the router; `response` answers small talk at once (004-18).

    `access` are the scopes the asker may see, `policy` says in plain words how conflicts are settled (004-16),
    `remarks` are what was dropped or mended in a model's plan, ready to be shown. `certain` says that one passage speaks of
    everything that is asked, so that no model need be asked; `computed` are the queries that must be worked out; `goes_on_with_sum` that the answer before was a sum that this question changes,
    `points_back` that the question leaves what it is about to what was said before; `left` are the queries that an agent was
    not asked, being given no more (004-43).
    """

    original_query: str
    refined_query: str = ""
    parts: tuple[AgentPart, ...] = ()
    tasks: tuple[PlanTask, ...] = ()
    access: tuple[str, ...] = ()
    policy: str = ""
    complexity: Complexity = "simple"
    response: str = ""
    remarks: tuple[str, ...] = ()
    certain: bool = False
    computed: tuple[str, ...] = ()
    goes_on_with_sum: bool = False
    points_back: bool = False
    left: tuple[str, ...] = ()

    @property
    def is_chitchat(self) -> bool:
        return self.complexity == "chitchat"

    @property
    def groups(self) -> tuple[tuple[PlanTask, ...], ...]:
        """The tasks by group, groups in order."""
        numbers = sorted({task.group for task in self.tasks})
        return tuple(tuple(task for task in self.tasks if task.group == number) for number in numbers)

    def part(self, agent: str) -> AgentPart | None:
        """What `agent` is asked; None for one that is not."""
        return next((part for part in self.parts if part.agent == agent), None)

    def as_dict(self) -> dict[str, Any]:
        """The structure as documented: three fields for small talk, else 004-11 to 004-17."""
        if self.is_chitchat:
            return {"refined_query": "", "is_chitchat": True, "chitchat_response": self.response}
        return {
            "original_query": self.original_query,
            "refined_query": self.refined_query,
            "is_chitchat": False,
            "agents": {
                part.agent: _part(part, self.tasks, alone=len(self.parts) == 1) for part in self.parts
            },
            "permission": {"user_access": list(self.access)},
            "execution_flow": {
                "planning": {
                    "tasks": [
                        {str(group[0].group): [task.as_dict() for task in group]} for group in self.groups
                    ],
                    "aggregate_status": PENDING,
                },
                "conflict_resolution": self.policy,
            },
        }


def _part(part: AgentPart, tasks: tuple[PlanTask, ...], *, alone: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "queries": [{str(number): text} for number, text in enumerate(part.queries, 1)],
        "tools": list(part.tools),
    }
    mine = [task for task in tasks if task.agent == part.agent]
    in_turn = alone and len(mine) > 1 and len({task.group for task in mine}) == len(mine)
    return found | ({"sequential_tools": [task.tool for task in mine]} if in_turn else {})


# --- The plan: numbered groups of tasks with purpose, message and what each waits for (004-14 to 004-17)

_SHORT = {RAG: "rag", SUMMARY: "summary", MATH: "math", LOG: "log"}
_WORDS = 14


def plan(parts: Sequence[AgentPart], lang: Lang, question: str) -> tuple[PlanTask, ...]:
    """The tasks in the order of their groups; with several agents the orchestrator sums up at the end (004-17)."""
    tasks: list[PlanTask] = []
    for part in sorted(parts, key=lambda part: part.tools == (MATH,)):
        tasks += _tasks(part, lang, question, tasks)
    if len(parts) > 1:
        ends = tuple([task.id for task in tasks if task.agent == part.agent][-1] for part in parts)
        text = say("plan.combine", lang)
        group = max((task.group for task in tasks), default=0) + 1
        tasks.append(
            PlanTask(
                node_id(ORCHESTRATOR, SUMMARY), group, ORCHESTRATOR, SUMMARY, text, text, depends_on=ends
            )
        )
    return tuple(sorted(tasks, key=lambda task: task.group))


def node_id(agent: str, tool: str, index: int | None = None) -> str:
    """The documents' name of a task: `general#rag`, `hr#rag:1`, `hr#summary` (004-30)."""
    short = _SHORT.get(tool, tool)
    return f"{agent}#{short}" if index is None else f"{agent}#{short}:{index}"


def short_topic(query: str, lang: Lang) -> str:
    """What a query is about, for a line of the plan."""
    bare = query.strip(" ?.!")
    requests = [hit for hit in label("request").find(bare) if hit.start == 0]
    if requests:
        bare = bare[requests[0].end :].strip()
    for ending in (say("plan.of_company", lang), say("plan.is_what", lang)):
        bare = bare.removesuffix(ending).strip()
    words = bare.split()
    if len(words) > _WORDS:
        bare = subject(query, lang) or " ".join(words[:_WORDS])
    return lowered(bare)


def _tasks(part: AgentPart, lang: Lang, question: str, others: Sequence[PlanTask]) -> list[PlanTask]:
    """The tasks of one agent; one that only computes takes what the others find."""
    computed = MATH in part.tools and is_computed_against_rules(question)
    found = _searches(part, lang, computed=computed)
    used = found or others
    last = max((task.group for task in used), default=0)
    before = tuple(task.id for task in used)
    for tool in part.tools:
        if tool in (RAG, LOG):
            continue
        # As in 2.1 a summary of several searches stands in the group of the last one: depends_on decides (C2).
        shared = tool == SUMMARY and len(found) > 1
        last += 0 if shared else 1
        topic = short_topic(part.queries[0], lang)
        purpose, message = _words(tool, topic, part, lang)
        task = PlanTask(
            node_id(part.agent, tool), last, part.agent, tool, purpose, message, depends_on=before
        )
        found.append(task)
        before = (task.id,) if computed else (*before, task.id)
    return found


def _searches(part: AgentPart, lang: Lang, *, computed: bool) -> list[PlanTask]:
    """One search a query, the n-th of each agent in group n; a sum held against rules needs the rules alone (9.1)."""
    queries = part.queries[:1] if computed else part.queries
    found = []
    for tool in (RAG, LOG):
        if tool not in part.tools:
            continue
        for number, query in enumerate(queries if tool == RAG else queries[:1], 1):
            topic = short_topic(query, lang)
            key = "rules" if tool == RAG and _is_about_rules(topic) else _SHORT[tool]
            purpose = say(f"plan.{_SHORT[tool]}.purpose", lang, topic=topic)
            message = say(f"plan.{key}.message", lang, topic=topic)
            index = number if tool == RAG and len(queries) > 1 else None
            ident = node_id(part.agent, tool, index)
            found.append(PlanTask(ident, number, part.agent, tool, purpose, message, query_index=number))
    return found


def _is_about_rules(query: str) -> bool:
    return bool(tool_words("rules").find(query))


def _words(tool: str, topic: str, part: AgentPart, lang: Lang) -> tuple[str, str]:
    """Purpose and message of a summary or a computation."""
    if tool == SUMMARY:
        key = "summary_rules" if _is_about_rules(topic) else "summary"
        return say(f"plan.{key}.purpose", lang, topic=topic), say(f"plan.{key}.message", lang, topic=topic)
    computed = short_topic(part.queries[-1], lang)
    about = subject(part.queries[-1], lang) or computed
    if tool == MATH and tool_words("leave").find(computed) and len(part.queries) > 1:
        topic = about.split(f" {say('plan.based_on', lang)} ")[0]
        return say("plan.math_leave.purpose", lang, topic=topic), say(
            "plan.math_leave.message", lang, topic=topic
        )
    return say("plan.math.purpose", lang, topic=computed), say("plan.math.message", lang, topic=computed)
