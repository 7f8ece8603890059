"""Before the agents: the session (002-02 to 002-05), who asks (002-06), and the one parse of the question."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from troly.errors import StoreError
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly.recording import recorded
from troly_rental import sessions
from troly_rental.agents.state import RentalQuestion
from troly_rental.data.store import RentalStore
from troly_rental.question.parser import parse_question
from troly_rental.question.types import ParsedQuestion
from troly_rental.roles import scope_for
from troly_rental.settings import RentalSettings
from troly_rental.strings import say

State = Mapping[str, Any]
# A message that begins so is a query of the person's own.
SQL_COMMAND = "/sql"


async def session(_state: State, turn: TurnContext, step: Step) -> State:
    """Enter the session, find the role in the data, and parse the question against what was shown before it."""
    question = await asyncio.to_thread(_open_question, turn)
    who = question.who
    idle = timedelta(minutes=turn.services.settings.of(RentalSettings).idle_minutes)
    if question.session.renewed and turn.history and turn.now - turn.history[-1].created_at >= idle:
        turn.emit(Notice("info", say("session.renewed", turn.language)))
    if question.scope is not None and not question.parsed.refused:
        turn.services.sandbox.warm_ahead(question.scope)
    step.note(say("step.session", turn.language, session=question.session.id, role=who.role), "rules")
    return {
        "question": question,
        "sessionId": question.session.id,
        "userRole": who.role,
        "userId": None if who.user_id is None else str(who.user_id),
    }


def _open_question(turn: TurnContext) -> RentalQuestion:
    store = RentalStore(turn.services)
    who = store.role_of(turn.profile.login)
    name = sessions.session_id(None if who.user_id is None else who.login)
    limits = turn.services.settings.of(RentalSettings)

    def enter() -> dict[str, Any]:
        prompt = turn.persona().text
        entered = sessions.enter_session(
            turn.services.state,
            turn.conversation.id,
            name,
            turn.services.clock(),
            limits=limits,
            prompt=prompt,
        )  # by the clock that the messages are saved by
        return sessions.session_to_json(entered)

    entered = sessions.session_from_json(recorded("rental.session", enter))
    try:
        scope = scope_for(store, who.login)
    except StoreError as error:
        if error.key != "store.dataset_missing":
            raise
        scope = None
    command, _, rest = turn.text.strip().partition(" ")
    sql = rest.strip().rstrip(";").strip() if command.lower() == SQL_COMMAND else ""
    if sql:
        return RentalQuestion(turn.text, who, entered, scope, ParsedQuestion(mode="TABLE"), sql)
    history = sessions.within(turn.history, entered, limits.history_messages)
    parsed = parse_question(
        turn.text,
        turn.language,
        turn.now,
        turn.focus,
        store.places(),
        role=who.role,
        names=store.names(who),
        goes_on=any(one.sender == "user" for one in history),
    )
    return RentalQuestion(turn.text, who, entered, scope, parsed, read=parsed)
