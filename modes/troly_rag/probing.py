"""Looks how well each agent's corpus fits a question, where its wording alone does not say which agent it is for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from troly.errors import StoreError
from troly.plugin.context import TurnContext
from troly_rag.access import UserContext
from troly_rag.config import RagConfig
from troly_rag.corpus import search
from troly_rag.routing.rules import Question

# From this share and this distance on the wording is enough.
SURE, FAR = 0.75, 0.5


async def probe(
    turn: TurnContext, questions: Sequence[Question], config: RagConfig, user: UserContext
) -> list[Mapping[str, float]]:
    """For each question the relevance of the best passage of each agent that `user` may see; {} where none is needed.

    Only what the asker may see counts: an agent cannot be found by documents that are closed.
    """
    return [await _fits(turn, question, config, user) for question in questions]


async def _fits(
    turn: TurnContext, question: Question, config: RagConfig, user: UserContext
) -> Mapping[str, float]:
    picked = question.picked
    if len(config.agents) < 2 or (picked.confidence >= SURE and picked.margin >= FAR):
        return {}
    try:
        found = await asyncio.gather(
            *(search(turn, agent, question.text, user, 1) for agent in config.agents.values())
        )
    except StoreError:
        return {}
    return {
        name: max((passage.relevance for passage in each.passages), default=0.0)
        for name, each in zip(config.agents, found, strict=True)
    }
