"""Agent 1: sorts the request, reads the business context, decides whether SQL can be written (002-06 to 002-12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, Field

from troly.plugin.context import Step, TurnContext
from troly_rental.agents.conversation import prompt_context, shortened, without_empty
from troly_rental.agents.state import RentalQuestion
from troly_rental.data.schema import schema_version
from troly_rental.question.types import ParsedQuestion
from troly_rental.reuse.matches import ReuseQuestion
from troly_rental.strings import prompts, say

State = Mapping[str, Any]
# The corpus of this assistant; other assistants' documents are never searched.
COLLECTION = "rental"
PASSAGES = 1
PASSAGE_CHARS = 220
# What keeps a question from SQL whoever reads it: a right, or a fact of the data.
_FIRM = frozenset({"missing.login", "missing.landlord", "missing.place", "missing.number"})


class OrchestratorReply(BaseModel):
    """What the model decides (002-10)."""

    requestType: Literal["QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT"]  # noqa: N815 (the document's name)
    readyForSql: bool = False  # noqa: N815
    intentModeHint: Literal["LIST", "TABLE", "CHART"] | None = None  # noqa: N815
    entityHint: Literal["room", "post", "room_seeking_post"] | None = None  # noqa: N815
    filtersHint: str = Field(default="", max_length=600)  # noqa: N815
    message: str = Field(default="", max_length=600)


async def orchestrator(state: State, turn: TurnContext, step: Step) -> State:
    """The documented output of agent 1, and the route: sql_generation, control or content (002 C1, C2)."""
    question: RentalQuestion = state["question"]
    business, reply = "", None
    if question.sql:
        step.note(say("step.own_sql", turn.language), "rules")
    else:
        business = await _business_context(turn, question.text)
        if _is_open(question.parsed):
            reply = await _sort_request(question, turn, business, step)
        else:
            step.note(_detail(question.parsed, turn), "rules")
    filters_hint = "; ".join(f"{f.field} {f.op} {f.value}" for f in question.parsed.filters)
    if reply is not None:
        question = replace(question, parsed=_as_decided(question.parsed, reply), decided=True)
        filters_hint = reply.filtersHint
    parsed = question.parsed
    route = _route(question)
    if route == "sql_generation" and not question.sql:
        same = ReuseQuestion.of(
            question.text, parsed.state_filters(), question.who.role, parsed.mode, schema_version()
        )
        question = replace(question, reuse=same)
    return {
        "question": question,
        "message": reply.message if reply is not None else "",
        "requestType": parsed.request_type,
        "businessContext": business,
        "readyForSql": parsed.ready,
        "intentModeHint": parsed.mode_hint,
        "entityHint": reply.entityHint if reply is not None else parsed.entity_hint,
        "filtersHint": filters_hint or None,
        "filters": parsed.state_filters(),
        "route": route,
    }


def _is_open(parsed: ParsedQuestion) -> bool:
    """Whether somebody who understands has to say what is meant: not where every word was read, nor against a right."""
    if parsed.refused or any(one.key in _FIRM for one in parsed.missing):
        return False
    return bool(parsed.unread or parsed.leans) or parsed.request_type in {"CLARIFICATION", "GENERAL_CHAT"}


def _route(question: RentalQuestion) -> str:
    parsed = question.parsed
    if parsed.request_type == "QUERY" and parsed.ready and question.scope is not None:
        return "sql_generation"
    return "control" if parsed.request_type in ("QUERY", "CLARIFICATION") else "content"


async def _business_context(turn: TurnContext, question: str) -> str:
    """The best passages of the business glossary (002-08, 002-16), one a line; "" where nothing is loaded."""
    found = await turn.services.knowledge.search(
        question,
        collection=COLLECTION,
        permissions=turn.profile.permissions,
        k=PASSAGES,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        embedder=turn.services.settings.models.for_mode(turn.mode.id, "embed"),
        lang=turn.language,
    )
    return "\n".join(f"{one.title}: {shortened(one.text, PASSAGE_CHARS)}" for one in found.passages)


async def _sort_request(
    question: RentalQuestion, turn: TurnContext, business: str, step: Step
) -> OrchestratorReply | None:
    """What the model decides; None where none answers, and the rules' honest reading stands (002-30)."""
    parsed = question.parsed
    context = prompt_context(question, turn)
    messages = without_empty(
        prompts().messages("orchestrator", turn.language, business=business or "-", **context)
    )
    decision = await turn.model.decide(
        "orchestrator",
        OrchestratorReply,
        messages,
        lambda: OrchestratorReply(requestType=parsed.request_type),
    )
    if decision.source == "rules":
        step.note(_detail(parsed, turn, decision.reason), "rules")
        return None
    reply = decision.value
    step.note(say("step.sorted", turn.language, kind=reply.requestType, mode=reply.intentModeHint or "-", why=reply.filtersHint).strip(" ·"), "model")  # fmt: skip
    return reply


def _detail(parsed: ParsedQuestion, turn: TurnContext, why: str = "") -> str:
    words = ", ".join(parsed.unread)
    told = say(
        "step.sorted", turn.language, kind=parsed.request_type, mode=parsed.mode_hint or "-", why=words or why
    )
    return told.strip(" ·")


def _as_decided(parsed: ParsedQuestion, reply: OrchestratorReply) -> ParsedQuestion:
    """The question in the form that the model's decision has: what is asked is then the model's to say, in SQL."""
    kept = tuple(one for one in parsed.remarks if one.key == "said.cheap")
    return ParsedQuestion(
        reply.requestType if reply.requestType != "QUERY" or reply.readyForSql else "CLARIFICATION",
        reply.intentModeHint or parsed.mode,
        reply.entityHint or parsed.entity,
        remarks=kept,
        question=parsed.question,
    )
