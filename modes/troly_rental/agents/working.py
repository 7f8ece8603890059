"""What the agents hand on to each other besides the documented fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from troly_rental.ask import Reading

if TYPE_CHECKING:
    from troly.sandbox import CheckedQuery, Scope
    from troly_rental.payload import Found
    from troly_rental.reuse import Match
    from troly_rental.sessions import Session
    from troly_rental.store import Identity

Origin = Literal["rules", "model", "reuse", "user"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and who asks it: `scope` is None while no rental data is loaded; `sql` is a query typed by hand."""

    question: str
    who: Identity
    session: Session
    scope: Scope | None
    reading: Reading
    sql: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A query that ran: who wrote it, its checked tree, its rows, and the stored pair that it came from.

    `attempts` counts the queries tried (002-18).
    """

    origin: Origin
    checked: CheckedQuery
    found: Found
    attempts: int
    ms: float
    match: Match | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the validator says (002-28): valid, invalid, or unchecked where it could not be told (002 C5)."""

    state: Literal["valid", "invalid", "unchecked"]
    reason: str = ""
