"""The documents' five nodes (000-06): each reads the state, speaks through the turn, and returns what changed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Say
from troly.text.dates import HCM
from troly_shopping.handoffs import ASKED, HANDOFF, hand_over
from troly_shopping.intent import decide_intent
from troly_shopping.message import UPSET, apply_decision, parse_message
from troly_shopping.reply import clarification, product_answer, recall, warranty
from troly_shopping.settings import GreetingSettings, IntentSettings
from troly_shopping.strings import say
from troly_shopping.wordlists import lexicon

State = Mapping[str, Any]

_GREETED, _ATTEMPTS = "cute_greeting", "clarify_attempts"


async def classify(_state: State, turn: TurnContext, step: Step) -> State:
    """Find what is wanted (000-19 to 000-24), greet once (000-16)."""
    question = turn.text
    message = await asyncio.to_thread(parse_message, turn, question)
    route = message.certain_route(turn)
    if route:
        decision = message.certain_intent(turn.language)
    else:
        decision = await decide_intent(turn, question, message)
    if decision.source == "model":
        message = await asyncio.to_thread(apply_decision, turn, message, decision)
    step.note(decision.note(turn.language), decision.source)
    threshold = turn.services.settings.of(IntentSettings).confidence_threshold
    clear = (bool(route) and not message.courtesy) or (
        decision.intent != "unknown" and decision.confidence >= threshold and not decision.clarify_needed
    )
    answered = clear or bool(message.courtesy)
    troubled = message.complaint or bool(lexicon("complaints", *UPSET).find(question))
    today = turn.now.astimezone(HCM).date()
    ends = [record.end >= today for record in message.records.values() if record]
    # No cheer in a conversation that began with a complaint, or with a warranty that is over.
    if troubled or (ends and not any(ends)):
        turn.conversation_metadata[_GREETED] = True
    elif clear and route != "handoff_stream" and message.act.act != "cancel":
        _greet(turn)
    routes = {"warranty": "warranty_stream", "shopping": "retrieve"}
    # A fault is of one machine; its rules are read in the pages all the same.
    retrieves = route == "retrieve" or (decision.intent == "shopping" and decision.need_retrieval)
    questions = [question for question in decision.clarify_questions[:1] if question.strip()]
    return {
        "preferred_language": turn.language,
        "question": question,
        "message": message,
        "intent": decision.intent,
        "intent_confidence": round(decision.confidence, 3),
        "need_retrieval_hint": clear and retrieves,
        "clarify_needed": not answered,
        "clarify_questions": [] if answered else questions or [say("clarify.standard", turn.language)],
        "clarify_attempts": _attempts(turn, clear=answered),
        "route": route or (routes[decision.intent] if clear else "clarify_stream"),
    }


async def warranty_stream(state: State, turn: TurnContext, step: Step) -> State:
    """Answer from the warranty records alone (000-02), or ask for a serial; then END."""
    return await warranty.answer_warranty(state["message"], turn, step)


async def handoff_stream(_state: State, turn: TurnContext, step: Step) -> State:
    """Hand the conversation to a person who was asked for; then END."""
    text = hand_over(turn, ASKED)
    turn.say(text)
    step.note(say("step.handoff", turn.language, code=ASKED), "rules")
    return {"response": text, "message_type": HANDOFF}


async def clarify_stream(state: State, turn: TurnContext, step: Step) -> State:
    """Answer a social remark and lead back, or ask one normalised question (000-25 to 000-37); then END."""
    text = await clarification.stream_clarification(turn, state, step)
    return {"response": text, "message_type": "clarify"}


async def retrieve(state: State, turn: TurnContext, step: Step) -> State:
    """Search the catalogue and the shared documents (000-53 to 000-55, C9)."""
    message = state["message"]
    context, offer = await product_answer.retrieve_context(
        turn, message.request, step, needed=state["need_retrieval_hint"]
    )
    if turn.model.reason_unavailable is None:
        product_answer.show_sources(turn, context)
    context = await recall.with_earlier_messages(
        turn, state["question"], context, step, shown=product_answer.MESSAGES
    )
    return {"retrieved_context": context, "offer": offer}


async def respond_stream(state: State, turn: TurnContext, step: Step) -> State:
    """Stream the answer, then the persona's follow-up (000-57 to 000-60)."""
    return {"response": await product_answer.stream_answer(turn, state, step), "message_type": "answer"}


def _greet(turn: TurnContext) -> None:
    """The cute greeting, as often as the settings say (000-16 to 000-18, C12)."""
    how = turn.services.settings.of(GreetingSettings).cute
    if how == "never" or (how == "once" and turn.conversation_metadata.get(_GREETED)):
        return
    turn.conversation_metadata[_GREETED] = True
    turn.emit(Say(say("greeting.cute", turn.language), "cute_greeting"))


def _attempts(turn: TurnContext, *, clear: bool) -> int:
    """How many times in a row the assistant had to ask back (000-28)."""
    before = int(turn.conversation_metadata.get(_ATTEMPTS, 0))
    turn.conversation_metadata[_ATTEMPTS] = 0 if clear else before + 1
    return int(turn.conversation_metadata[_ATTEMPTS])
