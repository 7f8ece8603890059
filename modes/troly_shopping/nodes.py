"""The documents' five nodes (000-06): each reads the state, speaks through the turn, and returns what changed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Say
from troly_shopping import clarify, intent, look_up, recall, respond
from troly_shopping.handoffs import ASKED, HANDOFF, hand_over
from troly_shopping.hearing import hear
from troly_shopping.strings import say

State = Mapping[str, Any]

_GREETED, _ATTEMPTS = "cute_greeting", "clarify_attempts"


async def classify(_state: State, turn: TurnContext, step: Step) -> State:
    """Find what is wanted (000-19 to 000-24), greet once (000-16)."""
    question = turn.text
    heard = await asyncio.to_thread(hear, turn, question)
    if heard.route:
        found = heard.found(turn.language)
    else:
        found = await intent.find(turn, question, heard.reading, awaiting=heard.spot.awaiting)
    step.note(found.note(turn.language), found.source)
    clear = (
        found.intent != "unknown" and found.confidence >= turn.services.settings.intent.confidence_threshold
    )
    clear = clear or bool(heard.route)
    if clear and heard.route != "handoff_stream" and heard.move.act != "cancel":
        _greet(turn)
    routes = {"warranty": "warranty_stream", "shopping": "retrieve"}
    return {
        "preferred_language": turn.language,
        "question": question,
        "heard": heard,
        "intent": found.intent,
        "intent_confidence": round(found.confidence, 3),
        "need_retrieval_hint": clear and found.intent == "shopping",
        "clarify_questions": [] if clear else [say("clarify.standard", turn.language)],
        "clarify_attempts": _attempts(turn, clear=clear),
        "route": heard.route or (routes[found.intent] if clear else "clarify_stream"),
    }


async def warranty_stream(state: State, turn: TurnContext, step: Step) -> State:
    """Answer from the warranty records alone (000-02), or ask for a serial; then END."""
    return await look_up.answer(state["heard"], turn, step)


async def handoff_stream(_state: State, turn: TurnContext, step: Step) -> State:
    """Hand the conversation to a person who was asked for; then END."""
    text = await hand_over(turn, ASKED)
    turn.say(text)
    step.note(say("step.handoff", turn.language, code=ASKED), "rules")
    return {"response": text, "message_type": HANDOFF}


async def clarify_stream(state: State, turn: TurnContext, step: Step) -> State:
    """Answer a social remark and lead back, or ask one normalised question (000-25 to 000-37); then END."""
    text = await clarify.speak(turn, state["question"], step)
    return {"response": text, "message_type": "clarify"}


async def retrieve(state: State, turn: TurnContext, step: Step) -> State:
    """Search the catalogue and the shared documents (000-53 to 000-55, C9)."""
    context, offer = await respond.search(turn, state["question"], step, state["heard"].follow)
    respond.show_sources(turn, context)
    context = await recall.extend(turn, state["question"], context, step, shown=respond.MESSAGES)
    return {"retrieved_context": context, "offer": offer}


async def respond_stream(state: State, turn: TurnContext, step: Step) -> State:
    """Stream the answer, then the persona's follow-up (000-57 to 000-60)."""
    return {"response": await respond.speak(turn, state, step), "message_type": "answer"}


def _greet(turn: TurnContext) -> None:
    """The cute greeting, as often as the settings say (000-16 to 000-18, C12)."""
    how = turn.services.settings.greeting.cute
    if how == "never" or (how == "once" and turn.conversation_metadata.get(_GREETED)):
        return
    turn.conversation_metadata[_GREETED] = True
    turn.emit(Say(say("greeting.cute", turn.language), "cute_greeting"))


def _attempts(turn: TurnContext, *, clear: bool) -> int:
    """How many times in a row the assistant had to ask back (000-28)."""
    before = int(turn.conversation_metadata.get(_ATTEMPTS, 0))
    turn.conversation_metadata[_ATTEMPTS] = 0 if clear else before + 1
    return int(turn.conversation_metadata[_ATTEMPTS])
