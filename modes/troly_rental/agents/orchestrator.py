"""Agent 1: labels the role, sorts the request, reads the business context, decides whether SQL can be written (002-06 to 002-12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from troly.plugin.context import Step, TurnContext
from troly_rental import context
from troly_rental.agents.state import RentalQuestion
from troly_rental.question.types import ParsedQuestion
from troly_rental.strings import prompts, say

if TYPE_CHECKING:
    from troly_rental.schemas import OrchestratorReply

State = Mapping[str, Any]
CONTEXT_CHARS = 1200


async def orchestrator(state: State, turn: TurnContext, step: Step) -> State:
    """The documented output of agent 1, and the route: sql, control or content (002 C1, C2)."""
    asked: RentalQuestion = state["asked"]
    business = "" if asked.sql else await context.business(turn, asked.question)
    if asked.sql:
        reading, message = asked.reading, ""
        step.note(say("step.own_sql", turn.language), "rules")
    else:
        reading, message = await _sort(asked, turn, business, step)
    asked = replace(asked, reading=reading)
    return {
        "asked": asked,
        "message": message,
        "requestType": reading.request_type,
        "businessContext": business,
        "readyForSql": reading.ready,
        "intentModeHint": reading.mode_hint,
        "entityHint": reading.entity_hint,
        "filtersHint": "; ".join(f"{f.field} {f.op} {f.value}" for f in reading.filters) or None,
        "filters": reading.state_filters(),
        "route": _route(reading, asked),
    }


def _route(reading: ParsedQuestion, asked: RentalQuestion) -> str:
    if reading.request_type == "QUERY" and reading.ready and asked.scope is not None:
        return "sql_generation"
    if reading.request_type in ("QUERY", "CLARIFICATION"):
        return "control"
    return "content"


async def _sort(
    asked: RentalQuestion, turn: TurnContext, business: str, step: Step
) -> tuple[ParsedQuestion, str]:
    """The reading as the model sees it; the rules keep what they read in so many words, and decide without a model."""
    from troly_rental.schemas import OrchestratorReply

    reading = asked.reading
    messages = prompts().messages(
        "orchestrator",
        turn.language,
        hints=hints_of(reading),
        context=business[:CONTEXT_CHARS] or "-",
        message=asked.question,
    )
    decision = await turn.model.decide(
        "orchestrator", OrchestratorReply, messages, lambda: _by_rules(reading), role="small"
    )
    reply = decision.value
    sure = reading.request_type == "QUERY" and bool(reading.filters or reading.measures or reading.edited)
    merged = reading if sure or decision.source == "rules" or reading.refused else _merged(reading, reply)
    detail = say(
        "step.sorted",
        turn.language,
        kind=merged.request_type,
        mode=merged.mode_hint or "-",
        why=decision.reason,
    )
    step.note(detail.strip(" ·"), decision.source)
    return (
        merged,
        reply.message if decision.source == "model" and merged.request_type == reply.requestType else "",
    )


def _merged(reading: ParsedQuestion, reply: OrchestratorReply) -> ParsedQuestion:
    if reply.requestType == "QUERY" and not reply.readyForSql and not reading.ready:
        return replace(reading, request_type="CLARIFICATION")
    changes: dict[str, Any] = {"request_type": reply.requestType}
    if reply.requestType == "QUERY" and reading.request_type != "QUERY":
        changes |= {
            "mode": reply.intentModeHint or reading.mode,
            "entity": reply.entityHint or reading.entity,
            "missing": (),
        }
    return replace(reading, **changes)


def _by_rules(reading: ParsedQuestion) -> OrchestratorReply:
    from troly_rental.schemas import OrchestratorReply

    return OrchestratorReply(
        requestType=reading.request_type,
        readyForSql=reading.ready,
        intentModeHint=reading.mode_hint,
        entityHint=reading.entity_hint,  # type: ignore[arg-type]
    )


def hints_of(reading: ParsedQuestion) -> str:
    """The rules' findings in a line for a prompt."""
    parts = [reading.request_type, reading.mode_hint or "", reading.entity_hint or ""]
    parts += [f"{f.field} {f.op} {f.value}" for f in reading.filters]
    parts += [f"order by {o.field} {'desc' if o.descending else 'asc'}" for o in reading.order]
    parts += [f"{m.kind} {m.field}".strip() for m in reading.measures]
    parts += [f"group by {name}" for name in reading.group]
    return " ; ".join(part for part in parts if part)
