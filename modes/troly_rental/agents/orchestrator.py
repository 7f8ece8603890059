"""Agent 1: sorts the request, reads the business context, decides whether SQL can be written (002-06 to 002-12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, Field

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly_rental.agents.conversation import SQL_CHARS, task_messages, unused_text
from troly_rental.agents.glossary import Explanation, asks_meaning, explain
from troly_rental.agents.state import RentalQuestion
from troly_rental.answer.payload import ChartKind
from troly_rental.data.schema import schema_version
from troly_rental.question.types import ParsedQuestion
from troly_rental.question.vocabulary import Vocabulary
from troly_rental.reuse.matches import ReuseQuestion
from troly_rental.strings import say

State = Mapping[str, Any]
# What keeps a question from SQL whoever reads it: a right, or a fact of the data. Whether own papers are meant, or a place
# misspelt, where a word was not read, a model decides; what a role may not see, it is not shown.
_FIRM = frozenset({"missing.landlord", "missing.number"})


class OrchestratorReply(BaseModel):
    """What the model decides (002-10)."""

    requestType: Literal["QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT"]  # noqa: N815 (the document's name)
    readyForSql: bool = False  # noqa: N815
    intentModeHint: Literal["LIST", "TABLE", "CHART"] | None = None  # noqa: N815
    chartKind: ChartKind | None = None  # noqa: N815
    entityHint: Literal["room", "post", "room_seeking_post"] | None = None  # noqa: N815
    filtersHint: str = Field(default="", max_length=600)  # noqa: N815
    sql: str = Field(default="", max_length=SQL_CHARS)
    message: str = Field(default="", max_length=600)


async def orchestrator(state: State, turn: TurnContext, step: Step) -> State:
    """The documented output of agent 1, and the route: sql_generation, control or content (002 C1, C2)."""
    question: RentalQuestion = state["question"]
    explained, reply, message = Explanation(), None, ""
    if not question.sql and (asks_meaning(question) or not is_certain(question.parsed)):
        explained = await explain(question, turn)
        unread = bool(question.parsed.unread)
        unknown = asks_meaning(question) and unread and not question.parsed.edited
        if (explained.answer and (explained.sure or unread)) or unknown:  # no rooms that are as the term says
            question = replace(question, parsed=ParsedQuestion("GENERAL_CHAT", question=question.text))
            message = say("control.no_term", turn.language)
    if question.sql:
        step.note(say("step.own_sql", turn.language), "rules")
    elif is_certain(question.parsed):
        step.note(_detail(question.parsed, turn), "rules")
    else:
        reply, failure = await _sort_request(question, turn, explained.term, step)
        if failure and turn.model.reason_unavailable is None:
            # A model is there, and what it said is no answer.
            turn.emit(Notice("info", unused_text(failure, turn.language)))
            if question.parsed.request_type == "GENERAL_CHAT" and not question.parsed.remarks:
                # That words which the rules do not know are not about rooms is known to nobody.
                question = replace(question, parsed=question.parsed.as_form("CLARIFICATION"))
                message = (
                    f"{say('control.not_sorted', turn.language)} {say('answer.rephrase', turn.language)}"
                )
    filters_hint = "; ".join(f"{f.field} {f.op} {f.value}" for f in question.parsed.filters)
    if reply is not None:
        hints = (reply.intentModeHint, reply.entityHint, reply.filtersHint)
        line = " ; ".join(one for one in hints if one)
        kind = reply.requestType if reply.requestType != "QUERY" or reply.readyForSql else "CLARIFICATION"
        form = question.parsed.as_form(kind, reply.intentModeHint, reply.entityHint or "")
        question = replace(
            question, parsed=form, decided=True, sorted=line, draft=reply.sql, chart=reply.chartKind
        )
        message = reply.message
        filters_hint = reply.filtersHint
    if named := named_chart(question.text):
        question = replace(question, chart=named)
    parsed = question.parsed
    route = _route(question)
    # What goes on from a conversation means something else in another one: nothing is reused for it, nor kept of it.
    goes_on = parsed.edited or (question.decided and any(one.sender == "user" for one in turn.history))
    if route == "sql_generation" and not question.sql and not goes_on:
        of = {"field": "entity", "op": "=", "value": parsed.entity}
        slots = [*parsed.state_filters(), of]
        same = ReuseQuestion.of(question.text, slots, question.who.role, parsed.mode, schema_version())
        question = replace(question, reuse=same)
    return {
        "question": question,
        "message": message,
        "requestType": parsed.request_type,
        "businessContext": explained.term,
        "explanation": "" if question.decided else explained.answer,
        "readyForSql": parsed.ready,
        "intentModeHint": parsed.mode_hint,
        "entityHint": reply.entityHint if reply is not None else parsed.entity_hint,
        "filtersHint": filters_hint or None,
        "filters": parsed.state_filters(),
        "route": route,
    }


def named_chart(text: str) -> ChartKind | None:
    """The kind of chart that a message names."""
    kinds = Vocabulary().find(text, "asks", *(f"chart {kind}" for kind in get_args(ChartKind)))
    return cast("ChartKind", kinds[0].label.removeprefix("chart ")) if kinds else None


def is_certain(parsed: ParsedQuestion) -> bool:
    """Whether code answers alone, also where a model is connected: a right or a fact of the data is against the question, or
    every word of a message that stands on its own was read (`ParsedQuestion.leans`, `unread`), or it is no more than a
    greeting. The only place that decides this.
    """
    firm = _FIRM if parsed.unread or parsed.leans else {*_FIRM, "missing.login", "missing.place"}
    if parsed.refused or parsed.request_type == "GREETING" or any(one.key in firm for one in parsed.missing):
        return True
    return parsed.request_type == "QUERY" and not (parsed.unread or parsed.leans)


def _route(question: RentalQuestion) -> str:
    parsed = question.parsed
    if parsed.request_type == "QUERY" and parsed.ready and question.scope is not None:
        return "sql_generation"
    return "control" if parsed.request_type in ("QUERY", "CLARIFICATION") else "content"


async def _sort_request(
    question: RentalQuestion, turn: TurnContext, business: str, step: Step
) -> tuple[OrchestratorReply | None, str]:
    """What the model decides; None and why where none does, and the rules' honest reading stands (002-30)."""
    parsed = question.parsed
    messages = task_messages("SORT", question, turn, {"Business terms": business})
    decision = await turn.model.decide(
        "orchestrator",
        OrchestratorReply,
        messages,
        lambda: OrchestratorReply(requestType=parsed.request_type),
    )
    if decision.source == "rules":
        step.note(_detail(parsed, turn, decision.reason), "rules")
        return None, decision.reason
    reply = decision.value
    step.note(say("step.sorted", turn.language, kind=reply.requestType, mode=reply.intentModeHint or "-", why=reply.filtersHint).strip(" ·"), "model")  # fmt: skip
    return reply, ""


def _detail(parsed: ParsedQuestion, turn: TurnContext, why: str = "") -> str:
    words = ", ".join(parsed.unread)
    told = say(
        "step.sorted", turn.language, kind=parsed.request_type, mode=parsed.mode_hint or "-", why=words or why
    )
    return told.strip(" ·")
