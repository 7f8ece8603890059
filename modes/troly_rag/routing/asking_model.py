"""Asks the model to weigh a message and to route it, with the rules' findings as hints and as its fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly_rag.config import RagConfig
from troly_rag.routing.merging import merged
from troly_rag.routing.rules import Reading
from troly_rag.routing.types import Routing
from troly_rag.strings import prompts

if TYPE_CHECKING:
    from troly_rag.schemas import OrchestratorReply

_CHARS, _MESSAGES, _MESSAGE_CHARS = 1500, 4, 300


async def weigh(turn: TurnContext, reading: Reading, draft: Routing) -> tuple[OrchestratorReply, Source, str]:
    """Whether it is small talk and how hard it is; who decided, and why not the model where the rules did."""
    from troly_rag.schemas import OrchestratorReply

    picked = "; ".join(f"{q.picked.agent} {q.picked.confidence:.2f}" for q in reading.questions)
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


async def reflect(turn: TurnContext, draft: Routing, config: RagConfig) -> tuple[Routing, Source, str]:
    """The routing of a complex question: the model's where it can be used, else the rules' draft."""
    from troly_rag.schemas import RouterReply

    messages = prompts().messages(
        "router",
        turn.language,
        agents=described(config),
        history=_history(turn),
        hints=_hints(draft),
        message=turn.text[:_CHARS],
    )
    decision = await turn.model.decide("reflection_router", RouterReply, messages, RouterReply)
    if decision.source == "rules":
        return draft, "rules", decision.reason
    return merged(draft, decision.value, config, turn.language), "model", ""


def described(config: RagConfig) -> str:
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
