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
from troly_shopping.clarify import warn
from troly_shopping.figures import FigureCheck, figures
from troly_shopping.follow_up import FollowUp, remember, shown_kinds, touch
from troly_shopping.follow_words import look_again
from troly_shopping.offer_words import facts, tell
from troly_shopping.offer_words import passages as describe
from troly_shopping.offers import Offer, look
from troly_shopping.products_store import DATASET
from troly_shopping.recall import remembered, shared
from troly_shopping.strings import prompts, say
from troly_shopping.wish import read_limits

PASSAGES, QUOTED = 5, 3
QUOTE_CHARS = 280
# The share of what a question's words tell that a passage must hold to be quoted as an answer.
FITTING = 0.4
CONTEXT_CHARS = 1_400
MESSAGES, MESSAGE_CHARS = 12, 1_500


async def search(
    turn: TurnContext, question: str, step: Step, follow: FollowUp | None = None
) -> tuple[list[dict[str, Any]], Offer | None]:
    """What the catalogue has and the best passages (C9): as retrieved context, products first, and as the offer.

    Numbers and places go to the evidence view.
    """
    datasets, messages = turn.services.datasets, len(turn.history)
    if follow is not None:
        offer: Offer | None = await asyncio.to_thread(look_again, datasets, follow)
        passages: list[dict[str, Any]] = []
    else:
        kinds = shown_kinds(turn.conversation_metadata, messages)
        offer, passages = await asyncio.gather(
            asyncio.to_thread(look, datasets, question, kinds), _passages(turn, question, step)
        )
    if offer is None:
        return passages, None
    _remember(turn, offer, messages)
    told = not offer.products or offer.wish.terms
    fitting = [item for item in passages if told and item["coverage"] >= FITTING]
    rows = describe(offer, turn.language)
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


async def speak(turn: TurnContext, state: Mapping[str, Any], step: Step) -> str:
    """Say the answer and the persona's follow-up (000-60); returns it whole.

    Raises ModelError when the model fails after it has begun to speak; before that the catalogue and the passages
    answer, with a notice.
    """
    context, offer = state["retrieved_context"], state.get("offer")
    told = tell(offer, turn.language, turn.persona().hotline) if offer else None
    if told and told.table:
        turn.emit(told.table)
    plain = _plainly(turn, state["question"])
    turn.say(plain)
    reason = turn.model.reason_unavailable
    said = "" if reason else await _by_model(turn, state)
    if said:
        step.note(say("step.by_model", turn.language, count=len(context)), "model")
    else:
        said = await _by_rules(turn, context, told.text if told else "")
        turn.say(said)
        step.note(say("step.by_rules", turn.language, count=len(context), reason=reason or "-"), "rules")
    tail = f"\n\n{turn.persona().follow_up}"
    turn.say(tail)
    return plain + said + tail


def _plainly(turn: TurnContext, question: str) -> str:
    """A sentence for a limit in other money than the catalogue's, which nothing here can convert; else ""."""
    foreign = read_limits(nfc(question)).foreign
    if not foreign:
        return ""
    amounts = say("compare.join", turn.language).join(foreign)
    return say("foreign.price", turn.language, amount=amounts) + "\n\n"


async def _by_model(turn: TurnContext, state: Mapping[str, Any]) -> str:
    said = ""
    check = _check(turn, state)
    try:
        async with aclosing(turn.model.stream("respond", build_messages(turn, state))) as pieces:
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
        warn(turn, error)
    if check.withheld:
        keys = {name: say(f"figures.{name}", turn.language) for name in ("title", "message")}
        remedy = say("figures.remedy", turn.language, hotline=turn.persona().hotline)
        turn.emit(Notice("warning", keys["title"], keys["message"], remedy))
    return said.rstrip()


def _check(turn: TurnContext, state: Mapping[str, Any]) -> FigureCheck:
    """A check that knows every figure retrieved, and the customer's own limits."""
    offer: Offer | None = state.get("offer")
    texts = [item["text"] for item in shared(state["retrieved_context"])]
    limits = read_limits(nfc(state["question"]))
    budgets = {Decimal(value) for value in (limits.low, limits.high, limits.about) if value is not None}
    budgets |= figures(limits.foreign)
    known = figures([*texts, *(facts(offer, turn.language) if offer else ()), turn.persona().hotline])
    products = offer.products if offer else ()
    prices = {Decimal(product.price) for product in products}
    computed = (figures(facts(offer, turn.language)) if offer else frozenset()) - prices
    return FigureCheck(
        known - (budgets - figures(texts)),
        frozenset(budgets),
        say("figures.withheld", turn.language),
        {
            product.name: figures([product.name, product.specs]) | {Decimal(product.price)} | computed
            for product in products
        },
    )


def build_messages(turn: TurnContext, state: Mapping[str, Any]) -> list[Message]:
    """The prompt in the documents' order (000-57): persona, context, intent (000-58), instruction, conversation."""
    found = state["retrieved_context"]
    passages = [f"[{item['title']}] {item['text'][:CONTEXT_CHARS]}" for item in shared(found)]
    offer: Offer | None = state.get("offer")
    passages += facts(offer, turn.language) if offer and offer.kind != "list" else []
    context = "Retrieved context:\n" + "\n---\n".join(passages) + "\n\n" if passages else ""
    context += remembered(found)
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
    fitting = [item for item in shared(context) if "product" not in item and item["coverage"] >= FITTING]
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
