"""What a model is told of the conversation: who asks, the day, what was said and shown, and the facts of the message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.context import TurnContext
from troly.plugin.focus import FocusRow
from troly.text.dates import find_ranges
from troly_rental.agents.state import RentalQuestion
from troly_rental.data.places import Places
from troly_rental.data.store import RentalStore
from troly_rental.sessions import within
from troly_rental.settings import RentalSettings

if TYPE_CHECKING:
    from troly.llm.types import Message

_EMPTY = re.compile(r"^[A-Z][^:\n]*:[ \n]-\n", re.MULTILINE)
MESSAGE_CHARS, HISTORY_CHARS = 200, 1_200
SHOWN_ROWS, SHOWN_CHARS, SQL_CHARS = 10, 45, 360
_ROLES = {
    "GUEST": "GUEST (not logged in)",
    "TENANT": "TENANT (rents a room)",
    "LANDLORD": "LANDLORD (lets rooms)",
}
_SENDERS = {"user": "user", "assistant": "assistant"}


def prompt_context(question: RentalQuestion, turn: TurnContext) -> dict[str, str]:
    """The parts that all prompts of this assistant end with (002-05, 002-11, 002-13)."""
    return {
        "today": f"{turn.now.date().isoformat()} ({turn.now:%A})",
        "role": _ROLES[question.who.role],
        "history": _history(question, turn) or "-",
        "shown": _shown(turn) or "-",
        "facts": facts_of(question.text, turn, RentalStore(turn.services).places()) or "-",
        "question": question.text,
    }


def without_empty(messages: list[Message]) -> list[Message]:
    """The messages, the last one without the parts that hold nothing ("Conversation: -")."""
    *before, last = messages
    return [*before, {**last, "content": _EMPTY.sub("", str(last["content"]))}]


def shortened(text: str, most: int) -> str:
    """`text` on one line, cut between two words."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    whole = line[:most].rpartition(" ")[0] or line[:most]
    return f"{whole}…"


def _history(question: RentalQuestion, turn: TurnContext) -> str:
    most = turn.services.settings.of(RentalSettings).history_messages
    lines: list[str] = []
    room = HISTORY_CHARS
    for one in reversed(within(turn.history, question.session, most)):
        if one.sender not in _SENDERS:
            continue
        line = f"{_SENDERS[one.sender]}: {shortened(one.text, MESSAGE_CHARS)}"
        room -= len(line)
        if room < 0:
            break
        lines.insert(0, line)
    return "\n".join(lines)


def _shown(turn: TurnContext) -> str:
    """The rows of the last answer, numbered as they were shown, and the query that found them."""
    focus = turn.focus
    if focus is None:
        return ""
    rows = [
        f"{number}. {_name_of(row)}{_figures(row.values)}"
        for number, row in enumerate(focus.rows[:SHOWN_ROWS], 1)
    ]
    total = focus.query.get("total", len(focus.rows))
    sql = shortened(str(focus.query.get("sql", "")), SQL_CHARS)
    return "\n".join(
        [f"{focus.kind}, {len(focus.rows)} of {total} rows shown", *rows, *([f"by: {sql}"] if sql else [])]
    )


def _name_of(row: FocusRow) -> str:
    """A thing by its id and title; a row of figures by its group."""
    title = shortened(row.title, SHOWN_CHARS)
    return f"id {row.id}: {title}" if row.id.isdigit() else title


def _figures(values: Mapping[str, Any]) -> str:
    told = [f"{name} {value:.12g}" for name, value in values.items() if isinstance(value, int | float)]
    return f" ({', '.join(told[:2])})" if told else ""


def facts_of(text: str, turn: TurnContext, places: Places) -> str:
    """What can be looked up of the words: names of places as the data has them, days, the cities that there are."""
    told = [
        f"«{one.typed}» = {' or '.join(f'{p.kind} {p.name}' for p in one.places[:3])}{' (landmark near there)' if one.near else ''}"
        for one in places.find(text)
        if not one.short and (len(one.places) == 1 or one.places[0].kind != "ward")
    ]
    told += [
        f"«{text[slice(*one.span)]}» = {one.start} to {one.end}" for one in find_ranges(text, turn.now.date())
    ]
    told.append(f"the data holds only: {', '.join(place.name for place in places.of('city'))}")
    return "; ".join(told)
