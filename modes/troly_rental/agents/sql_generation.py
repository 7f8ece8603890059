"""Agent 2: reuses a confirmed query or writes one, by the model or by rules, and runs it in the sandbox (002-13 to 002-19)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field
from sqlglot import exp

from troly.plugin.context import Step, TurnContext
from troly.recording import duration, reused
from troly.sandbox import SandboxError, check
from troly_rental.agents.conversation import MAX_ROWS, SQL_CHARS, task_messages, unused_text
from troly_rental.agents.state import QueryExecution, QueryOrigin, RentalQuestion
from troly_rental.answer.payload import ResultSet
from troly_rental.data.store import RentalStore
from troly_rental.reuse.matches import QuestionReuse, ReuseMatch, reuse_key
from troly_rental.settings import RentalSettings
from troly_rental.sql.builder import build_query
from troly_rental.sql.columns import bare_columns, full_name, main_table, outer_select, unknown_names
from troly_rental.sql.relations import entities
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly.llm.types import Message
    from troly.sandbox import CheckedQuery, Scope

State = Mapping[str, Any]


class SqlReply(BaseModel):
    """The model's query (002-13)."""

    sql: str = Field(min_length=1, max_length=SQL_CHARS)


async def sql_generation(state: State, turn: TurnContext, step: Step) -> State:
    """The documented output of agent 2: sql, results, count, attempts.

    Where the query was sent back with its rows, the model writes another one, told why.
    """
    question: RentalQuestion = state["question"]
    if question.scope is None:
        raise ValueError("asked for SQL without data")
    before: QueryExecution | None = state.get("execution")
    match = None
    if question.reuse is not None and before is None:
        match = await QuestionReuse(turn.services).find(question.reuse, now=turn.now)
    attempts = _QueryAttempts(question, question.scope, turn, state, match)
    if before is not None:
        attempts.tried = before.attempts
        attempts.refuse(before.checked.lasting, state.get("reason") or "")
    execution = await attempts.run() or before
    by_model = execution is not None and execution.origin == "model"
    step.note(attempts.note(execution), "model" if by_model else "rules")
    return {
        "execution": execution,
        "sql": execution.checked.sql if execution else question.sql,
        "results": execution.result.records() if execution else [],
        "count": execution.result.total if execution else 0,
        "attempts": attempts.tried,
        "error": attempts.error,
    }


async def count_found(tree: exp.Expr, scope: Scope, turn: TurnContext, seconds: float = 5.0) -> int | None:
    """How many rows `tree` finds without its limit; None where they cannot be counted."""
    every = tree.copy()
    for part in ("limit", "offset", "order"):
        every.set(part, None)
    counting = exp.select(exp.Count(this=exp.Star())).from_(exp.Subquery(this=every, alias="every"))
    return await count_rows(counting.sql(dialect="duckdb"), scope, turn, seconds)


async def count_rows(sql: str, scope: Scope, turn: TurnContext, seconds: float = 5.0) -> int | None:
    """The figure of a query of one row and one column; None where the sandbox refuses or stops it."""
    try:
        checked = check(sql, scope.columns(), max_rows=1, now=turn.now)
        found = await turn.services.sandbox.run(scope, checked, seconds=seconds, max_rows=1)
    except SandboxError:
        return None
    return int(found.rows[0][0]) if found.rows else 0


@dataclass(slots=True)
class _QueryAttempts:
    """One question on its way to rows: `error` is why the last attempt did not do, "" when it did."""

    question: RentalQuestion
    scope: Scope
    turn: TurnContext
    state: State
    match: ReuseMatch | None
    tried: int = 0
    error: str = ""
    _again: list[Message] = field(default_factory=list)
    _written: set[str] = field(default_factory=set)

    async def run(self) -> QueryExecution | None:
        """The first query that runs; None where none did."""
        async for origin, sql in self._candidates():
            self.tried += 1
            try:
                execution = await self._execute(origin, sql)
            except SandboxError as failure:
                self.error = failure.render(self.turn.language).line()
            else:
                self.error = self._unknown_name(origin, execution.checked)
                if not self.error:
                    return execution
            self.refuse(sql, self.error)
        return None

    def refuse(self, sql: str, reason: str) -> None:
        """Tell the model with its next attempt what it wrote and why that did not do (002-18)."""
        self._written.add(sql)
        self._again = [
            {"role": "assistant", "content": json.dumps({"sql": sql[:SQL_CHARS]}, ensure_ascii=False)},
            {"role": "user", "content": f"This query does not do: {reason}\nWrite a corrected one."},
        ]

    def note(self, execution: QueryExecution | None) -> str:
        """What happened, for the trace."""
        lang, match = self.turn.language, self.match
        parts = []
        if execution is not None:
            parts.append(say(f"origin.{execution.origin}", lang))
            parts.append(say("step.rows", lang, count=execution.result.total, ms=round(execution.ms)))
        if self.tried > 1:
            parts.append(say("step.attempts", lang, count=self.tried))
        if match is not None and match.kind != "hard" and match.refused_because:
            parts.append(say("step.not_reused", lang, reason=match.why(lang)))
        return " · ".join([*parts, *([self.error] if self.error else [])])

    def _unknown_name(self, origin: QueryOrigin, checked: CheckedQuery) -> str:
        if origin != "model":
            return ""
        return unknown_names(checked.tree, RentalStore(self.turn.services).places(), self.turn.language)

    async def _candidates(self) -> AsyncIterator[tuple[QueryOrigin, str]]:
        """Queries to try: one's own; a confirmed one of the same question; that of a certain reading; the model's."""
        question, match = self.question, self.match
        if question.sql:
            yield "user", question.sql
            return
        if match is not None and match.kind == "hard" and match.entry is not None:
            yield "reuse", match.entry.sql
        if not question.decided:
            try:
                own = build_query(question.parsed, question.who.role).sql(dialect="duckdb")
            except (KeyError, ValueError):
                self.error = say("answer.no_query", self.turn.language)
            else:
                yield "rules", own
            return
        if question.draft and not self._written:
            yield "model", question.draft
        for _ in range(self.turn.services.settings.of(RentalSettings).attempts - self.tried):
            written = await self._ask_model()
            if written is None or written in self._written:
                return  # the same again: asking once more brings nothing
            yield "model", written

    async def _ask_model(self) -> str | None:
        """The model's query; None when no model can be asked."""
        turn, match = self.turn, self.match
        if turn.model.reason_unavailable is not None:
            self.error = self.error or unused_text("failed", turn.language)
            return None
        near = match.entry if match is not None and match.kind != "none" else None
        given = {
            "Business terms": str(self.state.get("businessContext") or ""),
            "A confirmed example": f"{near.question} => {near.sql}" if near is not None else "",
            "As sorted": self.question.sorted,
        }
        messages = task_messages("SQL", self.question, turn, given)
        decision = await turn.model.decide(
            "sql_generation", SqlReply, [*messages, *self._again], lambda: SqlReply(sql="-")
        )
        if decision.source == "model":
            return decision.value.sql
        self.error = unused_text(decision.reason, turn.language)
        return None

    async def _execute(self, origin: QueryOrigin, sql: str) -> QueryExecution:
        """Check `sql` and run it as the asker; raises SandboxError."""
        parsed, turn = self.question.parsed, self.turn
        seconds = turn.services.settings.of(RentalSettings).query_seconds
        checked = check(sql, self.scope.columns(), max_rows=MAX_ROWS, now=turn.now)
        rows = await turn.services.sandbox.run(self.scope, checked, seconds=seconds, max_rows=MAX_ROWS)
        total = len(rows.rows)
        if total > 1 and (origin == "user" or not parsed.limit):
            total = max(total, await count_found(checked.tree, self.scope, turn) or 0)
        entity = parsed.entity if origin in {"rules", "reuse"} else entity_of(checked, parsed.entity)
        bare = bare_columns(checked.tree) if origin != "rules" else frozenset()
        result = ResultSet(rows.columns, rows.rows, total, entity, origin != "user", bare)
        match = self.match if origin == "reuse" else None
        if match is not None and match.entry is not None:
            reused(reuse_key(match.entry.number))
        return QueryExecution(origin, checked, result, self.tried, duration("rental.sql", rows.ms), match)


def entity_of(checked: CheckedQuery, otherwise: str) -> str:
    """What the rows of a query are, by the table of their id, or that it reads first."""
    select = outer_select(checked.tree)
    if select is None:
        return otherwise
    ids = [one for one in select.expressions if isinstance(one, exp.Column) and one.name == "id"]
    table = full_name(ids[0]).partition(".")[0] if ids else ""
    table = table or main_table(select)
    if table == "users":
        return "person"
    return next((one.name for one in entities().values() if one.table == table), otherwise)
