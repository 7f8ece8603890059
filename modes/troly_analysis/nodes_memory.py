"""What a turn knows before it begins to answer: the user's sheets, and the plan of the turn before."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from troly.plugin.context import TurnContext
from troly.text.fold import fold
from troly_analysis.types import Sheet

if TYPE_CHECKING:
    from troly_analysis.planner import Plan
    from troly_analysis.service import DataQueryService

PLAN, UNCLEAR = "analysis_plan", "analysis_unclear"
HISTORY = 40


def sheets_of(turn: TurnContext) -> tuple[Sheet, ...]:
    """The sheets of the one who asks (001-38). Blocking; raises StoreError."""
    from troly_analysis.sheets_store import SheetStore

    return SheetStore(turn.services).sheets(turn.profile.login)


def service_of(turn: TurnContext) -> DataQueryService:
    """The queries of the one who asks, at the turn's own time."""
    from troly_analysis.service import DataQueryService
    from troly_analysis.sheets_store import SheetStore

    return DataQueryService(SheetStore(turn.services), turn.profile.login, clock=lambda: turn.now)


def full_history(turn: TurnContext) -> list[dict[str, str]]:
    """The whole conversation as `{role, content}`, the message being answered last (001-41). Blocking when it is long."""
    if len(turn.history) < HISTORY:
        return turn.chat_history()
    store, roles = turn.services.conversations, {"user": "user", "assistant": "assistant"}
    found = list(turn.history)
    while page := store.messages(turn.profile.login, turn.conversation.id, limit=500, before=found[0].id):
        found = [*page, *found]
    past = [{"role": roles[m.sender], "content": m.text} for m in found if m.sender in roles]
    return [*past, {"role": "user", "content": turn.text}]


# --- the plan of the turn before


def previous_plan(turn: TurnContext) -> Plan | None:
    """The plan that the conversation's last data question led to; None when there is none or it cannot be read."""
    from pydantic import ValidationError

    saved = turn.conversation_metadata.get(PLAN)
    if not saved:
        return None
    try:
        return _plans().validate_python(saved)  # type: ignore[no-any-return]
    except ValidationError:
        # Written by another version.
        return None


def keep_plan(turn: TurnContext, plan: Plan) -> None:
    """Keep `plan` for the next message of the conversation."""
    turn.conversation_metadata[PLAN] = _plans().dump_python(plan, mode="json")


def chosen_option(turn: TurnContext, previous: Plan | None) -> str:
    """What the message chooses of the options that were offered: by its number or its words; "" when it chooses none."""
    if previous is None or not previous.options or previous.question is None:
        return ""
    said = fold(turn.text).strip(" .)!")
    if said.isdecimal() and 1 <= int(said) <= len(previous.options):
        return previous.options[int(said) - 1]
    return next((option for option in previous.options if fold(option) == said), "")


@cache
def _plans() -> Any:
    from pydantic import TypeAdapter

    from troly_analysis.planner import Plan

    return TypeAdapter(Plan)
