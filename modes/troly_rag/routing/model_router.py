"""Asks the model once what is asked of whom; the code builds plan, ids and tools from its choices (004-07, 004-08).

What does not hold against the configuration is dropped and said. The model is given facts, never the rules' guesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field

from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly.text.catalogue import Lang
from troly_rag.answer.written import asked_by
from troly_rag.config import RagConfig
from troly_rag.routing.plan import LOG, MATH, RAG, SUMMARY, AgentPart, Routing, plan
from troly_rag.routing.router import with_calculator
from troly_rag.strings import prompts, say

_LONGEST = 400
_SHOWN = 60
_MOST = 6


class RoutedQuestion(BaseModel):
    """One question for one agent, and what it takes beside the documents."""

    agent: str = Field(max_length=80)
    query: str = Field(max_length=_LONGEST)
    tool: Literal["documents", "calculation", "logs"] = "documents"


class RouterReply(BaseModel):
    """What the message is and who is asked: `small_talk` needs no document and is answered by `reply`."""

    small_talk: bool = False
    reply: str = Field(default="", max_length=_LONGEST)
    refined_query: str = Field(default="", max_length=800)
    questions: list[RoutedQuestion] = Field(default_factory=list, max_length=_MOST)


async def route_with_model(
    turn: TurnContext, draft: Routing, config: RagConfig
) -> tuple[Routing, Source, str]:
    """The model's routing where it can be used, else the rules' draft, with who decided and why not the model."""
    messages = prompts().messages("router", turn.language, agents=describe_agents(config), **asked_by(turn))
    decision = await turn.model.decide("reflection_router", RouterReply, messages, RouterReply)
    if decision.source == "rules":
        return draft, "rules", decision.reason
    found = merge_reply(draft, decision.value, config, turn.language)
    return (found, "model", "") if found is not None else (_unusable(draft, turn.language), "rules", "")


def merge_reply(draft: Routing, reply: RouterReply, config: RagConfig, lang: Lang) -> Routing | None:
    """The routing as the model wants it; None where nothing of the reply can be used."""
    if reply.small_talk and not reply.questions:
        said = " ".join(reply.reply.split()) or say("chitchat.greeting", lang)
        return Routing(draft.original_query, complexity="chitchat", response=said)
    remarks: list[str] = []
    parts = tuple(_parts(reply.questions, config, lang, remarks))
    if not parts:
        return None
    if computed := [one.query for one in reply.questions if one.tool == "calculation"]:
        parts = with_calculator(parts, computed, config)
    refined = " ".join(reply.refined_query.split())[:_LONGEST] or parts[0].queries[0]
    return replace(
        draft,
        refined_query=refined,
        parts=parts,
        tasks=plan(parts, lang, draft.original_query),
        complexity="complex",
        response="",
        certain=False,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _unusable(draft: Routing, lang: Lang) -> Routing:
    return replace(draft, remarks=(*draft.remarks, say("remark.nothing", lang)))


def _parts(
    questions: Sequence[RoutedQuestion], config: RagConfig, lang: Lang, remarks: list[str]
) -> Iterator[AgentPart]:
    """The questions by agent, each with the tools that its questions call for."""
    tools = {"calculation": MATH, "logs": LOG}
    queries: dict[str, list[str]] = {}
    wanted: dict[str, set[str]] = {}
    for question in questions:
        text = " ".join(question.query.split())
        name = question.agent.strip().lower()
        if name not in config.agents:
            known = ", ".join(config.agents)
            remarks.append(say("remark.agent", lang, agent=question.agent[:_SHOWN], known=known))
        elif text and text not in queries.setdefault(name, []):
            queries[name].append(text)
            wanted.setdefault(name, set()).update({tools[question.tool]} if question.tool in tools else ())
    every = config.limits.tool_selection_strategy == "all"
    for name, texts in queries.items():
        agent = config.agents[name]
        asked = {RAG, *wanted.get(name, ()), *((SUMMARY,) if len(texts) > 1 else ())}
        kept = tuple(tool for tool in agent.tools if every or tool in asked)
        if texts:
            yield AgentPart(name, tuple(texts[: agent.max_queries]), kept or agent.tools[:1])


def describe_agents(config: RagConfig) -> str:
    """The agents with what they are for and what they can do beside looking into documents, one line each.

    A sum over what one agent finds is worked out by another where it has no calculator of its own.
    """
    computes = any(MATH in agent.tools for agent in config.agents.values())
    can = {
        name: ["documents", *["calculation"] * computes, *["logs"] * (LOG in agent.tools)]
        for name, agent in config.agents.items()
    }
    return "\n".join(
        f"- {name}: {agent.description['en']}. Tools: {', '.join(can[name])}"
        for name, agent in config.agents.items()
    )
