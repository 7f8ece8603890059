"""The documents' five nodes (001-03): each reads the state, speaks through the turn, and returns what changed (001-05)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Suggestions
from troly_analysis import nodes_data, nodes_format, nodes_talk
from troly_analysis.agent_pipeline import is_typed
from troly_analysis.answer_data import connections_json, result_json
from troly_analysis.answer_names import Asked
from troly_analysis.answer_numbers import house_numbers
from troly_analysis.nodes_memory import (
    UNCLEAR,
    chosen_option,
    full_history,
    previous_plan,
    sheets_of,
)
from troly_analysis.strings import prompts, say
from troly_analysis.suggest import first_questions

if TYPE_CHECKING:
    from troly_analysis.planner import Intent

State = Mapping[str, Any]
EARLIER_CHARS = 300


async def intent_classifier(_state: State, turn: TurnContext, step: Step) -> State:
    """Load the sheets and the whole conversation, then decide between the three intents (001-06, 001-37)."""
    from troly_analysis import planner

    sheets = await asyncio.to_thread(sheets_of, turn)
    messages = await asyncio.to_thread(full_history, turn)
    known = {"sheets": sheets, "messages": messages, "user_connections": connections_json(sheets)}
    question = turn.text
    previous = await asyncio.to_thread(previous_plan, turn)
    option = chosen_option(turn, previous)
    if option or is_typed(question):
        step.note(say("step.intent", turn.language, intent="data_query", reason="-"), "rules")
        intent = "data_query"
    else:
        hint = await asyncio.to_thread(planner.classify, question, messages[:-1], sheets, previous)
        intent = await _classify(turn, question, messages, hint, step)
    if intent != "unclear":
        turn.conversation_metadata[UNCLEAR] = 0
    return {**known, "question": option or question, "previous": previous, "intent": intent}


async def _classify(
    turn: TurnContext, question: str, messages: list[dict[str, str]], hint: Intent, step: Step
) -> str:
    """Exactly one of the three values; what a model says besides is repaired or replaced by the rules' (001-45)."""
    from troly_analysis.schemas import Classification

    earlier = next((item["content"] for item in reversed(messages[:-1]) if item["role"] == "assistant"), "-")
    asked = prompts().messages(
        "intent_classifier",
        turn.language,
        hint=f"{hint.label} {hint.score:.2f}",
        earlier=" ".join(earlier.split())[:EARLIER_CHARS],
        message=question,
    )
    found = await turn.model.decide(
        "intent_classifier", Classification, asked, lambda: Classification(intent=hint.label)
    )
    reason = found.reason or "-"
    note = say("step.intent", turn.language, intent=found.value.intent, reason=f"{hint.score:.2f}, {reason}")
    step.note(note, found.source)
    return found.value.intent


def route_by_intent(state: State) -> str:
    """The value the edges are chosen by; whatever is none of the three is unclear (001-37, 001-45)."""
    intent = state.get("intent")
    return intent if intent in {"chat", "data_query"} else "unclear"


async def chat_node(state: State, turn: TurnContext, step: Step) -> State:
    """Small talk, what the assistant can do, and how to ask (001-28, 001-29)."""
    text, spoken = await nodes_talk.chat(turn, state["messages"], state["sheets"], step)
    return nodes_talk.state_of(text, spoken=spoken)


async def data_agent_node(state: State, turn: TurnContext, step: Step) -> State:
    """Figures, by the model's tool calls or the rules' plan (001-09 to 001-26)."""
    asked = Asked.of(state["question"], turn.language, turn.now)
    job = nodes_data.Job(turn, state["sheets"], asked, step)
    told = await nodes_data.answer(job, state.get("previous"))
    return told.state()


async def clarify_node(state: State, turn: TurnContext, step: Step) -> State:
    """One question back, with examples from the person's own sheets."""
    text = await asyncio.to_thread(nodes_talk.clarify, turn, state["sheets"])
    step.note(say("step.intent", turn.language, intent="unclear", reason="-"), "rules")
    return nodes_talk.state_of(text)


async def response_formatter(state: State, turn: TurnContext, step: Step) -> State:
    """The answer as it is shown (001-30 to 001-36); where all three ways meet (001-01)."""
    told = nodes_data.answered_in(state)
    if told is None or not told.findings:
        text = state["agent_response"] if state.get("spoken") else None
        if text is None:
            text = nodes_format.plain_words(state["agent_response"], turn, step)
            turn.say(text)
        else:
            step.note(say("step.passed", turn.language))
        _offer(state, turn, told)
        return {"final_response": text}
    asked = Asked.of(state["question"], turn.language, turn.now)
    if told.prose:
        text = await nodes_format.checked(turn, told, state["sheets"], asked, step)
        text = house_numbers(text, turn.language)
    else:
        text = told.text
        step.note(say("step.template", turn.language), "rules")
    if told.plan is not None and not told.prose:
        asked = nodes_data.asked_by(told.plan, asked)
    text = nodes_format.with_notes(text, told, asked)
    turn.say(text)
    nodes_format.show_cards(turn, told, asked)
    return {"final_response": text, "result": result_json(told.findings[-1].result)}


def _offer(state: State, turn: TurnContext, told: nodes_data.Answered | None) -> None:
    """What to ask next where nothing was computed: the options of a question, else first questions."""
    if told is not None:
        if told.options:
            turn.emit(Suggestions(told.options))
        return
    if state["sheets"]:
        turn.emit(Suggestions(first_questions(state["sheets"], turn.language)))
