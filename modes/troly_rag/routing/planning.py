"""Lays out the plan: numbered groups of tasks with purpose, message and what each waits for (004-14 to 004-17)."""

from __future__ import annotations

from collections.abc import Sequence

from troly.text.catalogue import Lang
from troly_rag.routing.aspects import is_computed_against_rules
from troly_rag.routing.topics import subject
from troly_rag.routing.types import LOG, MATH, ORCHESTRATOR, RAG, SUMMARY, AgentPart, PlanTask
from troly_rag.routing.words import label, tool_words
from troly_rag.strings import say

_SHORT = {RAG: "rag", SUMMARY: "summary", MATH: "math", LOG: "log"}
_WORDS = 14


def plan(parts: Sequence[AgentPart], lang: Lang, question: str) -> tuple[PlanTask, ...]:
    """The tasks in the order of their groups; with several agents the orchestrator sums up at the end (004-17)."""
    tasks: list[PlanTask] = []
    for part in parts:
        tasks += _tasks(part, lang, question)
    if len(parts) > 1:
        ends = tuple(task.id for part in parts for task in [_of(tasks, part.agent)[-1]])
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
    return bare if bare[:2].isupper() else bare[:1].lower() + bare[1:]


def _of(tasks: Sequence[PlanTask], agent: str) -> list[PlanTask]:
    return [task for task in tasks if task.agent == agent]


def _tasks(part: AgentPart, lang: Lang, question: str) -> list[PlanTask]:
    computed = MATH in part.tools and is_computed_against_rules(question)
    found = _searches(part, lang, computed=computed)
    last = max((task.group for task in found), default=0)
    before = tuple(task.id for task in found)
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
