"""What the agents hand on to each other besides the documented fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from troly_rental.question.types import ParsedQuestion

if TYPE_CHECKING:
    from troly.sandbox import CheckedQuery, Scope
    from troly_rental.answer.payload import ChartKind, ResultSet
    from troly_rental.data.store import Identity
    from troly_rental.reuse.matches import ReuseMatch, ReuseQuestion
    from troly_rental.sessions import Session

QueryOrigin = Literal["rules", "model", "reuse", "user"]


@dataclass(frozen=True, slots=True)
class RentalQuestion:
    """One question and who asks it, parsed once for all agents.

    `scope` is None while no rental data is loaded; `sql` is a query typed by hand. `reuse` is the question as stored
    ones are compared with it, None where nothing is to be reused. `decided` says that a model decides what is asked:
    then `parsed` is no more than the form of the answer, `read` what the rules made of the message, `sorted` what agent 1 made of the question, in a line, and
    `draft` the query that it wrote with it, "" for none.
    `chart` is the kind of chart that was asked for, None for whichever fits the rows.
    """

    text: str
    who: Identity
    session: Session
    scope: Scope | None
    parsed: ParsedQuestion
    sql: str = ""
    read: ParsedQuestion = field(default_factory=ParsedQuestion)
    reuse: ReuseQuestion | None = None
    decided: bool = False
    sorted: str = ""
    draft: str = ""
    chart: ChartKind | None = None


@dataclass(frozen=True, slots=True)
class QueryExecution:
    """A query that ran: who wrote it, its checked tree, its rows, and the stored pair that it came from.

    `attempts` counts the queries tried (002-18), `ms` the time of the one that ran.
    """

    origin: QueryOrigin
    checked: CheckedQuery
    result: ResultSet
    attempts: int
    ms: float
    match: ReuseMatch | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a query (002-28): valid, invalid, or unchecked where it could not be told (002 C5)."""

    state: Literal["valid", "invalid", "unchecked"]
    reason: str = ""

    @property
    def known(self) -> bool | None:
        """isValid of the state; None for unchecked."""
        return {"valid": True, "invalid": False, "unchecked": None}[self.state]
