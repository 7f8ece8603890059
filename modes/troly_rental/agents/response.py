"""Agent 3: builds LIST, TABLE or CHART and a friendly message, always in the documented form (002-20 to 002-24)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

from troly.errors import ModelError
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Computation, Notice, Suggestions
from troly_rental import payload, wording
from troly_rental.agents.emptiness import why_empty
from troly_rental.agents.grounded import rambles, ungrounded
from troly_rental.agents.working import Answered, Asked, Verdict
from troly_rental.ask import explain
from troly_rental.following import suggestions
from troly_rental.strings import prompts, say
from troly_rental.text_format import ResponseText, emit, parse

State = Mapping[str, Any]
ROWS_FOR_MODEL = 8
RERUN = "/sql "


async def response_generator(state: State, turn: TurnContext, step: Step) -> State:
    """The answer of a query: the message, the typed content, how it came about (DATA, 002-33)."""
    asked: Asked = state["asked"]
    answered: Answered | None = state["answered"]
    if answered is None:
        return _not_answered(state, turn, step)
    found, lang = answered.found, turn.language
    mode = asked.reading.mode
    title = say("answer.own_sql", lang) if asked.sql else wording.title_of(asked.reading, lang)
    message = await _message(asked, answered, turn, step)
    _tell(asked, answered, state.get("verdict"), turn)
    if found.rows:
        turn.emit(payload.shown(mode, found, title, asked.who.role, lang))
        if mode == "CHART":
            turn.emit(payload.table_of(found, title, "", lang))
    turn.emit(_computation(asked, answered, turn))
    if not asked.sql and (next_ones := suggestions(asked.reading, found, lang)):
        turn.emit(Suggestions(next_ones))
    data = payload.payload_of(mode, found, title, lang)
    text = ResponseText(message, asked.who.role, *_parts(mode, data))
    return {"kind": "DATA", "message": message, "payload": data, "response_text": emit(text)}


async def control(state: State, turn: TurnContext, step: Step) -> State:
    """Asks for what is missing (002-12, 002 C2), or says that no data is loaded."""
    asked: Asked = state["asked"]
    lang = turn.language
    if asked.scope is None:
        text = say("control.no_data", lang)
    elif asked.reading.missing:
        text = " ".join(wording.remarks(asked.reading.missing, lang))
    else:
        text = state.get("message") or say("control.ask", lang)
    turn.say(text)
    step.note(say("step.control", lang), "rules")
    return {
        "kind": "CONTROL",
        "message": text,
        "payload": {"missing": [one.key for one in asked.reading.missing]},
    }


async def content(state: State, turn: TurnContext, step: Step) -> State:
    """Ordinary talk (002-12): a greeting or a remark, and what can be asked here."""
    asked: Asked = state["asked"]
    lang = turn.language
    key = "content.greeting" if asked.reading.request_type == "GREETING" else "content.chat"
    if asked.reading.refused:
        text = " ".join(wording.remarks(asked.reading.said, lang))
    else:
        text = state.get("message") or say(key, lang)
    turn.say(text)
    step.note(say("step.content", lang), "rules")
    return {"kind": "CONTENT", "message": text, "payload": {"text": text}}


def _not_answered(state: State, turn: TurnContext, step: Step) -> State:
    """No query could be run: why, in one sentence, and what to do."""
    text = say("answer.failed", turn.language, reason=state.get("error") or "").strip()
    turn.say(text)
    step.note(state.get("error") or "", "rules")
    return {"kind": "CONTROL", "message": text, "payload": {"missing": []}}


async def _message(asked: Asked, answered: Answered, turn: TurnContext, step: Step) -> str:
    """The model's sentence where all of its figures stand in the rows, else the template's (002-31)."""
    lang = turn.language
    template = (
        say("answer.own_rows", lang, count=answered.found.total)
        if asked.sql
        else wording.found_words(asked.reading, answered.found, lang)
    )
    if not answered.found.rows:
        template = f"{template} {await why_empty(asked, turn)}".strip()
    assumed = " ".join(wording.remarks(asked.reading.said, lang))
    template = f"{template} {assumed}".strip()
    said, reason = (
        ("", "")
        if asked.sql or not answered.found.rows
        else await _from_model(asked, answered, assumed, turn)
    )
    step.note(reason or say("step.template", lang), "model" if said else "rules")
    message = said or template
    turn.say(message)
    return message


async def _from_model(asked: Asked, answered: Answered, assumed: str, turn: TurnContext) -> tuple[str, str]:
    """A checked sentence and a note for the trace; the sentence is "" where the template answers."""
    if turn.model.reason_unavailable is not None:
        return "", say("step.template", turn.language)
    shown = answered.found.records()[:ROWS_FOR_MODEL]
    messages = prompts().messages(
        "response_generator",
        turn.language,
        role=asked.who.role,
        question=asked.question,
        said=assumed or "-",
        total=answered.found.total,
        rows=json.dumps(shown, ensure_ascii=False, default=str),
    )
    pieces: list[str] = []
    try:
        async with aclosing(turn.model.stream("response_generator", messages)) as stream:
            pieces = [piece async for piece in stream]
    except ModelError as error:
        return "", str(error.key)
    message = parse("".join(pieces)).message.strip()
    if rambles(message):
        return "", say("step.rambles", turn.language)
    wrong = ungrounded(message, asked, answered, turn.language)
    if not message or wrong:
        return "", say("step.refused", turn.language, figures=", ".join(wrong)) if wrong else say(
            "step.template", turn.language
        )
    return message, say("step.checked", turn.language)


def _tell(asked: Asked, answered: Answered, verdict: Verdict | None, turn: TurnContext) -> None:
    """What the reader must know of the answer: that it was reused, or that it may not fit."""
    lang = turn.language
    match = answered.match
    if match is not None and match.entry is not None:
        turn.emit(
            Notice(
                "info",
                say("notice.reused", lang, number=match.entry.number, age=match.entry.age(turn.now, lang)),
            )
        )
    if verdict is not None and verdict.state == "invalid":
        turn.emit(
            Notice("warning", say("notice.invalid", lang), verdict.reason, say("notice.invalid_remedy", lang))
        )
    if answered.found.total > len(answered.found.rows) and asked.reading.mode != "LIST":
        turn.emit(
            Notice(
                "info", say("notice.more", lang, shown=len(answered.found.rows), total=answered.found.total)
            )
        )


def _computation(asked: Asked, answered: Answered, turn: TurnContext) -> Computation:
    lang = turn.language
    tree = answered.checked.tree
    facts = [
        (say("fact.origin", lang), say(f"origin.{answered.origin}", lang)),
        (say("fact.rows", lang), str(answered.found.total)),
        (say("fact.role", lang), asked.who.role),
        (say("fact.time", lang), f"{answered.ms:.0f} ms"),
    ]
    return Computation(
        "sql", tree.sql(dialect="duckdb", pretty=True), explain(tree, lang), tuple(facts), RERUN
    )


def _parts(mode: str, data: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """LIST, TABLE and CHART of the response text: the one of the mode, the others None (002-21)."""
    items = data["list"]["items"] if mode == "LIST" else None
    return items, data.get("table") if mode == "TABLE" else None, data.get("chart")
