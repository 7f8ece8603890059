"""The first nodes of a turn: language, red flags, the guard, and the two ways a turn ends before memory (003-05 to 003-11)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Suggestions
from troly_dental import guard as gate
from troly_dental.lookup import follows, look, wants_web
from troly_dental.steps_log import StepLog
from troly_dental.strings import say
from troly_dental.working import KEPT, Before

State = Mapping[str, Any]
_EARLIER = 2


async def listen(_state: State, turn: TurnContext, step: Step) -> State:
    """Take the last user message (003-05) and its language, once for all that follows (003-06)."""
    log = StepLog(turn)
    log.flow("1.2", f"Extracted user message: {turn.text}")
    log.flow("1.5", f"Language: {turn.language}")
    step.note(say("step.language", turn.language, lang=turn.language), "rules")
    return {
        "user_message": turn.text,
        "question": turn.text,
        "language": turn.language,
    }


async def red_flags(state: State, turn: TurnContext, step: Step) -> State:
    """Emergency signs come before everything: what to do now and where to go is said first, by rules alone."""
    earlier = [message.text for message in turn.history if message.sender == "user"][-_EARLIER:]
    flag = await asyncio.to_thread(gate.red_flag, state["question"], earlier)
    if flag is None:
        step.note(say("step.no_flag", turn.language), "rules")
        return {"route": "guardrail"}
    StepLog(turn).flow("1.6", f"Red flag: {flag.name}")
    text = gate.advice(flag.name, turn.language).strip()
    turn.say(text)
    step.note(say("step.flag", turn.language, name=flag.name), "rules")
    _keep(turn, state["question"], dental=True, topic=state["question"])
    verdict = {"dental": True, "source": "rules", "score": 1.0}
    return {"red_flag": flag.name, "guardrail": verdict, "said": text, "route": "memory"}


async def guardrail(state: State, turn: TurnContext, step: Step) -> State:
    """Whether this is about teeth (003-07): rules where they are sure, the small model between, the search beside it."""
    before = Before.of(turn.conversation_metadata)
    question = state["question"]
    query = await asyncio.to_thread(follows, question, before)
    ruled = await asyncio.to_thread(gate.judge, question, before.question or None, before.dental)
    searching = None
    if ruled.dental is None and turn.model.reason_unavailable is None and wants_web(turn):
        searching = asyncio.create_task(look(turn, query))
    try:
        previous = [before.question] if before.question else []
        verdict = await gate.guard(turn, question, previous, previous_dental=before.dental)
        web = await searching if searching is not None and verdict.dental else None
    finally:
        if searching is not None:
            searching.cancel()
            await asyncio.gather(searching, return_exceptions=True)
    result = "PASSED" if verdict.dental else "REJECTED"
    StepLog(turn).flow("2.1", f"Guardrail result: {result}")
    detail = say(
        "step.guard",
        turn.language,
        result=say("step.passed" if verdict.dental else "step.rejected", turn.language),
        score=f"{verdict.score:.2f}",
        reason=verdict.reason,
    )
    if web is not None:
        detail = say("step.side_by_side", turn.language, detail=detail, ms=round(web.ms))
    step.note(detail, verdict.source)
    stands_alone = verdict.dental and query == question
    _keep(turn, question, dental=verdict.dental, topic=question if stands_alone else before.topic)
    return {
        "guardrail": {"dental": verdict.dental, "source": verdict.source, "score": round(verdict.score, 3)},
        "verdict": verdict,
        "web": web,
        "query": query,
        "route": "memory" if verdict.dental else "rejected",
    }


async def rejected(state: State, turn: TurnContext, step: Step) -> State:
    """A friendly refusal that names who can help; nothing goes to memory (003-11)."""
    verdict: gate.Verdict = state["verdict"]
    text = gate.rejection(verdict.mode, turn.language, social=verdict.social)
    turn.say(text)
    turn.emit(Suggestions(turn.mode.first_questions[turn.language]))
    StepLog(turn).flow("2.3", "Question rejected - NOT saved to memory")
    step.note(say("step.not_saved", turn.language), "rules")
    return {"formatted_response": text, "message_type": "talk" if verdict.social else "rejected"}


def _keep(turn: TurnContext, question: str, *, dental: bool, topic: str) -> None:
    turn.conversation_metadata[KEPT] = Before(question, dental, topic).kept()
