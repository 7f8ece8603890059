"""Before the agents: the session (002-02 to 002-05), who asks (002-06), and a change of language."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from troly.errors import StoreError
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly.recording import noted
from troly.text.language import switch_request
from troly_rental import sessions
from troly_rental.agents.state import RentalQuestion
from troly_rental.ask import read
from troly_rental.data.store import RentalStore
from troly_rental.question.types import ParsedQuestion, ShownRows
from troly_rental.roles import scope_for
from troly_rental.strings import say

State = Mapping[str, Any]
# A message that begins so is a query of the person's own.
SQL_COMMAND = "/sql"


async def session(_state: State, turn: TurnContext, step: Step) -> State:
    """Enter the session, find the role in the data, and read the question against the query before it."""
    question = _switch(turn)
    asked = await asyncio.to_thread(_ask, turn, question)
    if asked.session.renewed and any(one.sender == "user" for one in turn.history):
        turn.emit(Notice("info", say("session.renewed", turn.language)))
    if asked.scope is not None and not asked.reading.refused:
        turn.services.sandbox.warm_ahead(asked.scope)
    who = asked.who
    step.note(say("step.session", turn.language, session=asked.session.id, role=who.role), "rules")
    return {
        "asked": asked,
        "sessionId": asked.session.id,
        "userRole": who.role,
        "userId": None if who.user_id is None else str(who.user_id),
    }


def _ask(turn: TurnContext, question: str) -> RentalQuestion:
    store = RentalStore(turn.services)
    who = store.role_of(turn.profile.login)
    name = sessions.session_id(None if who.user_id is None else who.login)
    entered = sessions.session_from_json(
        noted(
            "rental.session",
            lambda: sessions.session_to_json(
                sessions.enter_session(turn.services.state, turn.conversation.id, name, turn.now)
            ),
        )
    )
    sql = _own_sql(question)
    if sql:
        reading = ParsedQuestion(mode="TABLE")
    else:
        previous, shown = _previous(entered)
        reading = read(
            question, turn.language, turn.now, previous, store.places(), role=who.role, shown=shown
        )
    return RentalQuestion(question, who, entered, _scope(store, who.login), reading, sql)


def _scope(store: RentalStore, login: str) -> Any:
    try:
        return scope_for(store, login)
    except StoreError as error:
        if error.key != "store.dataset_missing":
            raise
        return None


def _own_sql(question: str) -> str:
    command, _, rest = question.strip().partition(" ")
    return rest.strip().rstrip(";").strip() if command.lower() == SQL_COMMAND else ""


def _previous(entered: sessions.Session) -> tuple[ParsedQuestion | None, ShownRows | None]:
    """The last query and the rows that it showed."""
    if entered.previous is None:
        return None, None
    try:
        shown = entered.previous.get("shown")
        return ParsedQuestion.from_dict(entered.previous), None if shown is None else ShownRows.from_dict(
            shown
        )
    except (AttributeError, KeyError, TypeError, ValueError):  # written by another version
        return None, None


def _switch(turn: TurnContext) -> str:
    """The message without a request for another language, which is granted here; the whole where nothing else is said."""
    request = switch_request(turn.text)
    if request is None:
        return turn.text
    turn.switch_language(request.target)
    return request.rest.strip() or turn.text
