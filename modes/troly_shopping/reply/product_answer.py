"""Answers a shopping question from the catalogue and the shared documents, by the model or word for word by rule."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from decimal import Decimal
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Evidence, Notice, Sources
from troly.retrieval.documents.store import Reader
from troly.text.fold import nfc
from troly.text.language import is_other
from troly_shopping.products.follow_up import FollowUp, remember, shown_kinds, touch
from troly_shopping.products.offers import Offer, find_again, find_offer
from troly_shopping.products.query import PriceLimits, parse_price_limits
from troly_shopping.products.rendering import product_passages, render_offer
from troly_shopping.products.store import DATASET
from troly_shopping.reply.clarification import warn_of_rules
from troly_shopping.reply.price_check import PriceCheck, amounts_in
from troly_shopping.reply.recall import memory_block, shared_entries
from troly_shopping.strings import prompts, say

PASSAGES, QUOTED = 5, 3
QUOTE_CHARS = 280
# The share of what a question's words tell that a passage must hold to be quoted as an answer.
FITTING = 0.4
CONTEXT_CHARS = 1_400
MESSAGES, MESSAGE_CHARS = 12, 1_500


async def retrieve_context(
    turn: TurnContext, question: str, step: Step, follow: FollowUp | None = None
) -> tuple[list[dict[str, Any]], Offer | None]:
    """What the catalogue has and the best passages (C9): as retrieved context, products first, and as the offer.

    Numbers and places go to the evidence view.
    """
    datasets, messages = turn.services.datasets, len(turn.history)
    if follow is not None:
        offer: Offer | None = await asyncio.to_thread(find_again, datasets, follow)
        passages: list[dict[str, Any]] = []
    else:
        kinds = shown_kinds(turn.conversation_metadata, messages)
        offer, passages = await asyncio.gather(
            asyncio.to_thread(find_offer, datasets, question, kinds), _passages(turn, question, step)
        )
    if offer is None:
        return passages, None
    _remember(turn, offer, messages)
    told = not offer.products or offer.query.terms
    fitting = [item for item in passages if told and item["coverage"] >= FITTING]
    rows = product_passages(offer, turn.language)
    step.note(say("step.goods", turn.language, count=len(rows), detail=step.detail))
    return [*rows, *fitting], offer


def _remember(turn: TurnContext, offer: Offer, messages: int) -> None:
    """What is shown now is what a later "cái thứ hai" means; a question about it changes nothing."""
    others = offer.follow is not None and offer.follow.kind == "others" and not offer.near
    if offer.products and (offer.follow is None or others):
        remember(turn.conversation_metadata, offer.products, messages)
    elif offer.follow is not None:
        touch(turn.conversation_metadata, messages)


async def _passages(turn: TurnContext, question: str, step: Step) -> list[dict[str, Any]]:
    """The best passages for `question` as plain values."""
    settings = turn.services.settings
    collection = settings.chroma.collection
    if not await asyncio.to_thread(_documents_loaded, turn):
        step.note(say("step.no_knowledge", turn.language))
        return []
    result = await turn.services.knowledge.search(
        question,
        collection=collection,
        permissions=turn.profile.permissions,
        k=PASSAGES,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        embedder=settings.models.for_mode(turn.mode.id, "embed"),
        lang=turn.language,
    )
    step.note(say("step.retrieved", turn.language, count=len(result.passages), collection=collection))
    return [
        {
            "title": found.title,
            "text": found.text,
            "where": found.where,
            "score": round(found.score, 4),
            "coverage": round(found.coverage, 3),
        }
        for found in result.passages
    ]


def show_sources(turn: TurnContext, context: Sequence[Mapping[str, Any]]) -> None:
    """Tell which passages the answer rests on; products stand in a table."""
    passages = [item for item in context if "product" not in item]
    if passages:
        turn.emit(Sources(tuple(_evidence(number, item) for number, item in enumerate(passages, 1))))


def _evidence(number: int, item: Mapping[str, Any]) -> Evidence:
    return Evidence(number, item["title"], item["text"], item["where"], item["score"])


async def stream_answer(turn: TurnContext, state: Mapping[str, Any], step: Step) -> str:
    """Say the answer and the persona's follow-up (000-60); returns it whole.

    Raises ModelError when the model fails after it has begun to speak; before that the catalogue and the passages
    answer, with a notice.
    """
    context, offer = state["retrieved_context"], state.get("offer")
    told = render_offer(offer, turn.language, turn.persona().hotline) if offer else None
    if told and told.table:
        turn.emit(told.table)
    # Figures that were worked out from the rows: the total of a computer, the difference between two prices.
    facts = [told.text] if told and offer and offer.products and told.text else []
    limits = parse_price_limits(nfc(state["question"]))
    plain = ""
    if limits.foreign:
        # A limit in other money than the catalogue's, which nothing here can convert.
        amounts = say("compare.join", turn.language).join(limits.foreign)
        plain = say("foreign.price", turn.language, amount=amounts) + "\n\n"
    turn.say(plain)
    reason = turn.model.reason_unavailable
    said = "" if reason else await _by_model(turn, state, limits, facts)
    if said:
        step.note(say("step.by_model", turn.language, count=len(context)), "model")
    else:
        said = await _by_rules(turn, context, told.text if told else "")
        turn.say(said)
        step.note(say("step.by_rules", turn.language, count=len(context), reason=reason or "-"), "rules")
    tail = f"\n\n{turn.persona().follow_up}"
    turn.say(tail)
    return plain + said + tail


async def _by_model(
    turn: TurnContext, state: Mapping[str, Any], limits: PriceLimits, facts: Sequence[str]
) -> str:
    said = ""
    check = _price_check(turn, state, limits, facts)
    try:
        async with aclosing(turn.model.stream("respond", build_messages(turn, state, facts))) as pieces:
            async for piece in pieces:
                shown = check.add(piece)
                shown = shown if said else shown.lstrip()
                said += shown
                turn.say(shown)
        rest = check.finish()
        rest = rest if said else rest.lstrip()
        said += rest
        turn.say(rest)
    except ModelError as error:
        if said:
            raise
        warn_of_rules(turn, error)
    if check.withheld:
        keys = {name: say(f"figures.{name}", turn.language) for name in ("title", "message")}
        remedy = say("figures.remedy", turn.language, hotline=turn.persona().hotline)
        turn.emit(Notice("warning", keys["title"], keys["message"], remedy))
    return said.rstrip()


def _price_check(
    turn: TurnContext, state: Mapping[str, Any], limits: PriceLimits, facts: Sequence[str]
) -> PriceCheck:
    """A check that knows every figure retrieved, and the customer's own limits."""
    offer: Offer | None = state.get("offer")
    texts = [item["text"] for item in shared_entries(state["retrieved_context"])]
    budgets = {Decimal(value) for value in (limits.low, limits.high, limits.about) if value is not None}
    budgets |= amounts_in(limits.foreign)
    retrieved, computed = amounts_in(texts), amounts_in(facts)
    known = retrieved | computed | amounts_in([turn.persona().hotline])
    products = offer.products if offer else ()
    computed -= {Decimal(product.price) for product in products}
    return PriceCheck(
        known - (budgets - retrieved),
        frozenset(budgets),
        say("figures.withheld", turn.language),
        {
            product.name: amounts_in([product.name, product.specs]) | {Decimal(product.price)} | computed
            for product in products
        },
    )


def build_messages(turn: TurnContext, state: Mapping[str, Any], facts: Sequence[str]) -> list[Message]:
    """The prompt in the documents' order (000-57): persona, context, intent (000-58), instruction, conversation."""
    found = state["retrieved_context"]
    passages = [f"[{item['title']}] {item['text'][:CONTEXT_CHARS]}" for item in shared_entries(found)]
    offer: Offer | None = state.get("offer")
    passages += facts if offer and offer.kind != "list" else []
    context = "Retrieved context:\n" + "\n---\n".join(passages) + "\n\n" if passages else ""
    context += memory_block(found)
    intent = f"Detected intent: {state['intent']}\n\n" if state["intent"] != "unknown" else ""
    lines = [
        f"{item['role'].capitalize()}: {' '.join(item['content'].split())[:MESSAGE_CHARS]}"
        for item in state["chat_history"][-MESSAGES:]
    ]
    return prompts().messages(
        "respond",
        turn.language,
        persona=turn.persona().prompt(turn.services.settings.persona.max_chars),
        context=context,
        intent=intent,
        instruction=prompts().render("grounding", turn.language),
        conversation="\n".join(lines),
    )


async def _by_rules(turn: TurnContext, context: Sequence[Mapping[str, Any]], goods: str) -> str:
    """What the catalogue has, and the passages word for word, or an honest sentence that there is nothing."""
    fitting = [
        item for item in shared_entries(context) if "product" not in item and item["coverage"] >= FITTING
    ]
    told = [goods] if goods else []
    if fitting:
        quotes = [
            say("answer.passage", turn.language, quote=_short(item["text"]), title=item["title"])
            for item in fitting[:QUOTED]
        ]
        if any(is_other(item["text"], turn.language) for item in fitting[:QUOTED]):
            quotes.append(say("answer.other_language", turn.language))
        told.append("\n".join([say("answer.passages", turn.language), *quotes]))
    if told:
        return "\n\n".join(told)
    loaded = await asyncio.to_thread(_anything_loaded, turn)
    key = "answer.nothing" if loaded else "answer.no_catalogue"
    return say(key, turn.language, hotline=turn.persona().hotline)


def _anything_loaded(turn: TurnContext) -> bool:
    return _documents_loaded(turn) or turn.services.datasets.current(DATASET) is not None


def _documents_loaded(turn: TurnContext) -> bool:
    reader = Reader(turn.services.settings.chroma.collection, None, turn.profile.permissions)
    return turn.services.knowledge.store.visible(reader) > 0


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUOTE_CHARS else f"{text[:QUOTE_CHARS].rsplit(' ', 1)[0]}…"
