"""Looks how well each agent's corpus fits a question, where its wording alone does not say which agent it is for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from troly.errors import StoreError
from troly.plugin.context import TurnContext
from troly_rag.access import UserContext
from troly_rag.config import RagConfig
from troly_rag.corpus import search
from troly_rag.execution.cache import Cache, digest
from troly_rag.execution.calling import depends_on
from troly_rag.routing.rules import Question

# From this share, distance and nearness on the wording is enough.
SURE, FAR, KNOWN = 0.95, 0.9, 0.8


async def probe(
    turn: TurnContext, questions: Sequence[Question], config: RagConfig, user: UserContext, cache: Cache
) -> list[Mapping[str, float]]:
    """For each question the relevance of the best passage of each agent that `user` may see; {} where none is needed.

    Of what is closed only what the answer tells anyway counts: that there is a relevant document, not how relevant.
    Else a question about pay would go to whoever has any open page with its words, and never be told of as closed.
    """
    open_ones = [question for question in questions if not _is_sure(question, config)]
    if not open_ones:
        return [{} for _ in questions]
    scope = await asyncio.to_thread(depends_on, turn, user, config)
    limits = config.limits
    found: list[Mapping[str, float]] = []
    for question in questions:
        key = digest("probe", question.text, scope)
        kept = cache.get(key, limits.cache_ttl_seconds) if limits.enable_caching else None
        if question not in open_ones:
            kept = {}
        elif kept is None:
            kept = await _fits(turn, question, config, user)
            cache.put(key, kept)
        found.append(kept)
    return found


def _is_sure(question: Question, config: RagConfig) -> bool:
    picked = question.picked
    told = picked.confidence >= SURE and picked.margin >= FAR and picked.known >= KNOWN
    return len(config.agents) < 2 or told


async def _fits(
    turn: TurnContext, question: Question, config: RagConfig, user: UserContext
) -> Mapping[str, float]:
    try:
        found = await asyncio.gather(
            *(search(turn, agent, question.text, user, 1) for agent in config.agents.values())
        )
    except StoreError:
        return {}
    closed = config.limits.min_relevance_score
    return {
        name: max([closed if each.denied else 0.0, *(passage.relevance for passage in each.passages)])
        for name, each in zip(config.agents, found, strict=True)
    }
