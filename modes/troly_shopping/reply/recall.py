"""Adds what was said earlier in this conversation to what was retrieved, marked as memory and kept apart (C9)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from troly import recording
from troly.errors import ModelError
from troly.plugin.context import Step, TurnContext
from troly.text.match import blank_out, spans_of
from troly_shopping.strings import say
from troly_shopping.wordlists import lexicon

Embed = Callable[[Sequence[str]], Awaitable[list[list[float]]]]
MEMORY, PRODUCT, DOCUMENT = "memory", "product", "document"
RECALLED, RECALLED_CHARS = 4, 600
# How well a message must fit: less where the customer points back ("như lúc nãy em nói").
FITTING, FITTING_WHEN_ASKED = 0.5, 0.2
# Cosine similarity; below it an embedder finds everything a little alike.
ALIKE = 0.6


async def with_earlier_messages(
    turn: TurnContext, question: str, context: Sequence[Mapping[str, Any]], step: Step, *, shown: int
) -> list[dict[str, Any]]:
    """`context` with the `kind` of each entry, then earlier messages of this conversation that `question` may mean.

    The last `shown` messages, the one being answered included, are in the prompt anyway and are not repeated.
    """
    kinds = [{"kind": PRODUCT if "product" in item else DOCUMENT, **item} for item in context]
    if len(turn.history) < shown:
        return kinds
    found = await _recorded(turn, question, shown)
    if found:
        step.note(say("step.recalled", turn.language, count=len(found), detail=step.detail))
    return [*kinds, *found]


def shared_entries(context: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The entries of the shared stores: only they may be quoted, and only their figures count as known."""
    return [item for item in context if item.get("kind") != MEMORY]


def memory_block(context: Sequence[Mapping[str, Any]]) -> str:
    """The private entries as a part of the prompt; empty when there are none."""
    lines = [
        f"{item['title'].capitalize()}: {' '.join(item['text'].split())}"
        for item in context
        if item.get("kind") == MEMORY
    ]
    return "Earlier in this conversation:\n" + "\n".join(lines) + "\n\n" if lines else ""


async def _recorded(turn: TurnContext, question: str, shown: int) -> list[dict[str, Any]]:
    """What was found, kept for a replay: the conversation has gone on since. The embedder is asked there as it was here."""
    embedded: list[str] = []

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        embedded.extend(texts)
        return await turn.model.embed(texts)

    found: list[dict[str, Any]] = await recording.recorded_call(
        "shopping.recall", lambda: _search(turn, question, shown, embed), lambda kept: kept, lambda kept: kept
    )
    asked: list[str] = recording.recorded("shopping.embedded", lambda: embedded)
    if asked and recording.replaying():
        with suppress(ModelError):
            await turn.model.embed(asked)
    return found


async def _search(turn: TurnContext, question: str, shown: int, embed: Embed) -> list[dict[str, Any]]:
    services, owner = turn.services, turn.profile.login
    asked = await asyncio.to_thread(services.conversations.turn, owner, turn.turn_id)
    recent = turn.history[-(shown - 1) :] if shown > 1 else ()
    text, pointing = _without_pointing(question)
    recall = await services.memory.search(
        owner,
        turn.conversation.id,
        text,
        k=RECALLED,
        embed=embed if turn.model.reason_unavailable is None else None,
        embedder=services.settings.models.for_mode(turn.mode.id, "embed"),
        skip=[asked.question_message_id, *(message.id for message in recent)],
    )
    least = FITTING_WHEN_ASKED if pointing else FITTING
    return [
        {
            "kind": MEMORY,
            "title": found.sender,
            "text": found.text[:RECALLED_CHARS],
            "where": found.message_id,
            "score": round(found.score, 4),
            "coverage": round(found.coverage, 3),
        }
        for found in recall.messages
        if found.coverage >= least or (found.similarity or 0.0) >= ALIKE
    ]


def _without_pointing(question: str) -> tuple[str, bool]:
    """`question` without the words that point back, unless nothing else is left; and whether there were any."""
    hits = lexicon("recall").find(question)
    text = " ".join(blank_out(question, spans_of(hits)).split())
    return text or question, bool(hits)
