"""Agent 3: builds LIST, TABLE or CHART and a friendly message, always in the documented form (002-20 to 002-24)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from itertools import groupby, islice
from typing import Any

from troly.errors import ModelError
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Computation, Notice, Suggestions
from troly.sandbox import SandboxError, check
from troly.text.catalogue import Lang
from troly.text.numbers import find_amounts, format_number
from troly_rental.agents.state import QueryExecution, RentalQuestion, Verdict
from troly_rental.answer import payload, sentences
from troly_rental.answer.payload import cell_texts
from troly_rental.answer.response_text import ResponseText, parse_response, render_response
from troly_rental.answer.sentences import suggestions
from troly_rental.question.types import Filter, ParsedQuestion, relaxations
from troly_rental.sql.builder import build_count
from troly_rental.sql.explanation import explain_query
from troly_rental.strings import prompts, say

# Says which condition removed everything: each is left out in turn, and what would then be found is counted.


SECONDS = 2.0
MOST = 6


async def explain_empty_result(asked: RentalQuestion, turn: TurnContext) -> str:
    """One sentence on the condition without which most is found; "" where no single one is to blame."""
    best: tuple[Filter, ...] = ()
    most = 0
    for dropped, rest in islice(relaxations(asked.reading), MOST):
        count = await _count(asked, turn, rest)
        if count > most:
            best, most = dropped, count
    if not best:
        return say("answer.nothing_helps", turn.language) if asked.reading.filters else ""
    told = sentences.filters_text(best, asked.reading.entity, turn.language)
    return say("answer.without", turn.language, condition=told, count=format_number(most, turn.language))


async def _count(asked: RentalQuestion, turn: TurnContext, reading: ParsedQuestion) -> int:
    if asked.scope is None:
        return 0
    sql = build_count(reading, asked.who.role).sql(dialect="duckdb")
    try:
        checked = check(sql, asked.scope.columns(), max_rows=1, now=turn.now)
        rows = await turn.services.sandbox.run(asked.scope, checked, seconds=SECONDS, max_rows=1)
    except SandboxError:
        return 0
    return int(rows.rows[0][0]) if rows.rows else 0


# Refuses a sentence of the model whose figures stand neither in the rows nor in the question.


# A rounded amount (`khoảng 2,3 triệu`) may be this far from the figure it stands for.
ROUNDING = 0.01
MOST_CHARS = 1500
AGAIN = 3
_SENTENCE = re.compile(r"[.!?\n]+")


def unsupported_figures(
    message: str, asked: RentalQuestion, answered: QueryExecution, lang: Lang
) -> list[str]:
    """The figures of `message`, as written, that are in no cell and not in the question."""
    known = {float(answered.found.total), float(len(answered.found.rows)), *_known(asked, answered, lang)}
    wrong = []
    for amount in find_amounts(message):
        value = float(amount.value)
        if not any(abs(value - one) <= ROUNDING * max(abs(one), abs(value)) for one in known):
            wrong.append(message[amount.start : amount.end])
    return wrong


def is_rambling(message: str) -> bool:
    """Whether a sentence is far too long, or says one thing again and again: a model that does not find its end."""
    if len(message) > MOST_CHARS:
        return True
    said = Counter(
        part for one in _SENTENCE.split(message) if len((part := " ".join(one.split())).split()) > 2
    )
    words = message.split()
    same = max((len(list(run)) for _, run in groupby(words)), default=0)
    return same >= AGAIN + 1 or max(said.values(), default=0) >= AGAIN


def _known(asked: RentalQuestion, answered: QueryExecution, lang: Lang) -> Iterator[float]:
    for row in answered.found.rows:
        for value in row:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield float(value)
    for text in (asked.question, *cell_texts(answered.found, lang)):
        yield from (float(amount.value) for amount in find_amounts(text))
    for one in asked.reading.filters:
        if isinstance(one.value, (int, float)) and not isinstance(one.value, bool):
            yield float(one.value)


State = Mapping[str, Any]
ROWS_FOR_MODEL = 8
RERUN = "/sql "


async def response_generator(state: State, turn: TurnContext, step: Step) -> State:
    """The answer of a query: the message, the typed content, how it came about (DATA, 002-33)."""
    asked: RentalQuestion = state["asked"]
    answered: QueryExecution | None = state["answered"]
    if answered is None:
        return _not_answered(state, turn, step)
    found, lang = answered.found, turn.language
    mode = asked.reading.mode
    title = say("answer.own_sql", lang) if asked.sql else sentences.title_of(asked.reading, lang)
    message = await _message(asked, answered, turn, step)
    _tell(asked, answered, state.get("verdict"), turn)
    if found.rows:
        turn.emit(payload.result_content(mode, found, title, asked.who.role, lang))
        if mode == "CHART":
            turn.emit(payload.table_content(found, title, "", lang))
    turn.emit(_computation(asked, answered, turn))
    if not asked.sql and (next_ones := suggestions(asked.reading, found, lang)):
        turn.emit(Suggestions(next_ones))
    data = payload.data_payload(mode, found, title, lang)
    text = ResponseText(message, asked.who.role, *_parts(mode, data))
    return {"kind": "DATA", "message": message, "payload": data, "response_text": render_response(text)}


async def control(state: State, turn: TurnContext, step: Step) -> State:
    """Asks for what is missing (002-12, 002 C2), or says that no data is loaded."""
    asked: RentalQuestion = state["asked"]
    lang = turn.language
    if asked.scope is None:
        text = say("control.no_data", lang)
    elif asked.reading.missing:
        text = " ".join(sentences.remark_texts(asked.reading.missing, lang))
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
    asked: RentalQuestion = state["asked"]
    lang = turn.language
    key = "content.greeting" if asked.reading.request_type == "GREETING" else "content.chat"
    if asked.reading.refused:
        text = " ".join(sentences.remark_texts(asked.reading.said, lang))
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


async def _message(asked: RentalQuestion, answered: QueryExecution, turn: TurnContext, step: Step) -> str:
    """The model's sentence where all of its figures stand in the rows, else the template's (002-31)."""
    lang = turn.language
    template = (
        say("answer.own_rows", lang, count=answered.found.total)
        if asked.sql
        else sentences.answer_text(asked.reading, answered.found, lang)
    )
    if not answered.found.rows:
        template = f"{template} {await explain_empty_result(asked, turn)}".strip()
    assumed = " ".join(sentences.remark_texts(asked.reading.said, lang))
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


async def _from_model(
    asked: RentalQuestion, answered: QueryExecution, assumed: str, turn: TurnContext
) -> tuple[str, str]:
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
    message = parse_response("".join(pieces)).message.strip()
    if is_rambling(message):
        return "", say("step.rambles", turn.language)
    wrong = unsupported_figures(message, asked, answered, turn.language)
    if not message or wrong:
        return "", say("step.refused", turn.language, figures=", ".join(wrong)) if wrong else say(
            "step.template", turn.language
        )
    return message, say("step.checked", turn.language)


def _tell(
    asked: RentalQuestion, answered: QueryExecution, verdict: Verdict | None, turn: TurnContext
) -> None:
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


def _computation(asked: RentalQuestion, answered: QueryExecution, turn: TurnContext) -> Computation:
    lang = turn.language
    tree = answered.checked.tree
    facts = [
        (say("fact.origin", lang), say(f"origin.{answered.origin}", lang)),
        (say("fact.rows", lang), str(answered.found.total)),
        (say("fact.role", lang), asked.who.role),
        (say("fact.time", lang), f"{answered.ms:.0f} ms"),
    ]
    return Computation(
        "sql", tree.sql(dialect="duckdb", pretty=True), explain_query(tree, lang), tuple(facts), RERUN
    )


def _parts(mode: str, data: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """LIST, TABLE and CHART of the response text: the one of the mode, the others None (002-21)."""
    items = data["list"]["items"] if mode == "LIST" else None
    return items, data.get("table") if mode == "TABLE" else None, data.get("chart")
