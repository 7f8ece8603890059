"""Agent 1: sorts the request, reads the business context, decides whether SQL can be written (002-06 to 002-12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, Field

from troly.plugin.context import Step, TurnContext
from troly_rental.agents.state import RentalQuestion
from troly_rental.data.schema import schema_version
from troly_rental.question.types import ParsedQuestion
from troly_rental.reuse.matches import ReuseQuestion
from troly_rental.strings import prompts, say

State = Mapping[str, Any]
# The corpus of this assistant; other assistants' documents are never searched.
COLLECTION = "rental"
PASSAGES = 3
BUSINESS_CHARS, PROMPT_CHARS = 1600, 1200


class OrchestratorReply(BaseModel):
    """What the model decides (002-10)."""

    requestType: Literal["QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT"]  # noqa: N815 (the document's name)
    readyForSql: bool = False  # noqa: N815
    intentModeHint: Literal["LIST", "TABLE", "CHART"] | None = None  # noqa: N815
    entityHint: Literal["room", "post", "room_seeking_post"] | None = None  # noqa: N815
    filtersHint: str = Field(default="", max_length=500)  # noqa: N815
    message: str = Field(default="", max_length=600)


async def orchestrator(state: State, turn: TurnContext, step: Step) -> State:
    """The documented output of agent 1, and the route: sql_generation, control or content (002 C1, C2)."""
    question: RentalQuestion = state["question"]
    business, message = "", ""
    if question.sql:
        step.note(say("step.own_sql", turn.language), "rules")
    else:
        business = await _business_context(turn, question.text)
        parsed, message = await _sort_request(question, turn, business, step)
        question = replace(question, parsed=parsed)
    route = _route(question)
    parsed = question.parsed
    if route == "sql_generation" and not question.sql:
        role = question.who.role
        same = ReuseQuestion.of(question.text, parsed.state_filters(), role, parsed.mode, schema_version())
        question = replace(question, reuse=same)
    return {
        "question": question,
        "message": message,
        "requestType": parsed.request_type,
        "businessContext": business,
        "readyForSql": parsed.ready,
        "intentModeHint": parsed.mode_hint,
        "entityHint": parsed.entity_hint,
        "filtersHint": "; ".join(f"{f.field} {f.op} {f.value}" for f in parsed.filters) or None,
        "filters": parsed.state_filters(),
        "route": route,
    }


def _route(question: RentalQuestion) -> str:
    parsed = question.parsed
    if parsed.request_type == "QUERY" and parsed.ready and question.scope is not None:
        return "sql_generation"
    return "control" if parsed.request_type in ("QUERY", "CLARIFICATION") else "content"


async def _business_context(turn: TurnContext, question: str) -> str:
    """The best passages of the business glossary (002-08, 002-16), one after another; "" where nothing is loaded."""
    found = await turn.services.knowledge.search(
        question,
        collection=COLLECTION,
        permissions=turn.profile.permissions,
        k=PASSAGES,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        embedder=turn.services.settings.models.for_mode(turn.mode.id, "embed"),
        lang=turn.language,
    )
    return "\n\n".join(f"{passage.title}: {passage.text}" for passage in found.passages)[:BUSINESS_CHARS]


async def _sort_request(
    question: RentalQuestion, turn: TurnContext, business: str, step: Step
) -> tuple[ParsedQuestion, str]:
    """The question as the model sees it; what the rules read in so many words stands, and they decide without a model."""
    parsed = question.parsed
    messages = prompts().messages(
        "orchestrator",
        turn.language,
        hints=hints_of(parsed),
        context=business[:PROMPT_CHARS] or "-",
        message=question.text,
    )

    def by_rules() -> OrchestratorReply:
        return OrchestratorReply(
            requestType=parsed.request_type,
            readyForSql=parsed.ready,
            intentModeHint=parsed.mode_hint,
            entityHint=parsed.entity_hint,  # type: ignore[arg-type]
        )

    decision = await turn.model.decide("orchestrator", OrchestratorReply, messages, by_rules, role="small")
    reply = decision.value
    sure = parsed.request_type == "QUERY" and bool(parsed.filters or parsed.measures or parsed.edited)
    if not (sure or decision.source == "rules" or parsed.refused):
        parsed = _merge_reply(parsed, reply)
    kind, mode = parsed.request_type, parsed.mode_hint or "-"
    detail = say("step.sorted", turn.language, kind=kind, mode=mode, why=decision.reason)
    step.note(detail.strip(" ·"), decision.source)
    agreed = decision.source == "model" and parsed.request_type == reply.requestType
    return parsed, reply.message if agreed else ""


def _merge_reply(parsed: ParsedQuestion, reply: OrchestratorReply) -> ParsedQuestion:
    if reply.requestType == "QUERY" and not reply.readyForSql and not parsed.ready:
        return replace(parsed, request_type="CLARIFICATION")
    changes: dict[str, Any] = {"request_type": reply.requestType}
    if reply.requestType == "QUERY" and parsed.request_type != "QUERY":
        changes |= {
            "mode": reply.intentModeHint or parsed.mode,
            "entity": reply.entityHint or parsed.entity,
            "missing": (),
        }
    return replace(parsed, **changes)


def hints_of(parsed: ParsedQuestion) -> str:
    """The rules' findings in a line for a prompt."""
    parts = [parsed.request_type, parsed.mode_hint or "", parsed.entity_hint or ""]
    parts += [f"{f.field} {f.op} {f.value}" for f in parsed.filters]
    parts += [f"order by {o.field} {'desc' if o.descending else 'asc'}" for o in parsed.order]
    parts += [f"{m.kind} {m.field}".strip() for m in parsed.measures]
    parts += [f"group by {name}" for name in parsed.group]
    return " ; ".join(part for part in parts if part)
