"""Agent 2: reuses a confirmed query or writes one, by the model or by rules, and runs it in the sandbox (002-13 to 002-19)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field
from sqlglot import exp

from troly.plugin.context import Step, TurnContext
from troly.recording import measured, used
from troly.sandbox import SandboxError, check
from troly_rental.agents.orchestrator import hints_of
from troly_rental.agents.state import QueryExecution, QueryOrigin, RentalQuestion
from troly_rental.answer.payload import ResultSet
from troly_rental.data.schema import describe
from troly_rental.reuse.matches import QuestionReuse, ReuseMatch, reuse_key
from troly_rental.sql.builder import build_query
from troly_rental.sql.comparison import answers_differently, mismatch
from troly_rental.strings import prompts, say

if TYPE_CHECKING:
    from troly.sandbox import CheckedQuery, Scope

State = Mapping[str, Any]
# 002-18.
ATTEMPTS = 5
MAX_ROWS = 200
SECONDS = 5.0


class SqlReply(BaseModel):
    """The model's query (002-13)."""

    sql: str = Field(min_length=1, max_length=8000)


async def sql_generation(state: State, turn: TurnContext, step: Step) -> State:
    """The documented output of agent 2: sql, results, count, attempts; the last attempt is the rules' own query."""
    question: RentalQuestion = state["question"]
    if question.scope is None:
        raise ValueError("asked for SQL without data")
    match = None
    if question.reuse is not None:
        embed = turn.model.embed if turn.model.reason_unavailable is None else None
        match = await QuestionReuse(turn.services).find(question.reuse, embed=embed, now=turn.now)
    attempts = _QueryAttempts(question, question.scope, turn, state.get("businessContext") or "-", match)
    execution = await attempts.run()
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


async def count_rows(sql: str, scope: Scope, turn: TurnContext, seconds: float = SECONDS) -> int | None:
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
    business: str
    match: ReuseMatch | None
    tried: int = 0
    error: str = ""

    async def run(self) -> QueryExecution | None:
        """The first query that runs and fits the question; one that runs but does not fit where there is no better."""
        execution = None
        async for origin, sql in self._candidates():
            self.tried += 1
            try:
                execution = await self._execute(origin, sql)
            except SandboxError as failure:
                self.error = failure.render(self.turn.language).line()
                continue
            self.error = self._misfit(origin, execution.checked)
            if not self.error:
                break
        return execution

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

    def _misfit(self, origin: QueryOrigin, checked: CheckedQuery) -> str:
        """Why a query that runs is no answer; a stored one must also be of the same records, figures and order."""
        question, lang = self.question, self.turn.language
        if origin == "user":
            return ""
        if origin == "reuse" and answers_differently(question.parsed, checked, question.who.role):
            return say("step.not_reused", lang, reason=say("invalid.shape", lang))
        return mismatch(question.parsed, checked, lang)

    async def _candidates(self) -> AsyncIterator[tuple[QueryOrigin, str]]:
        """Queries to try, best first: one's own, a confirmed one, the model's, each told the last error, the rules'."""
        question, match = self.question, self.match
        if question.sql:
            yield "user", question.sql
            return
        if match is not None and match.kind == "hard" and match.entry is not None:
            yield "reuse", match.entry.sql
        for _ in range(ATTEMPTS - 1):
            written = await self._ask_model()
            if written is None:
                break
            yield "model", written
        try:
            own = build_query(question.parsed, question.who.role).sql(dialect="duckdb")
        except (KeyError, ValueError):  # what a model made of the question may not fit the records
            self.error = self.error or say("answer.no_query", self.turn.language)
            return
        yield "rules", own

    async def _ask_model(self) -> str | None:
        """The model's query; None when no model can be asked."""
        turn, match = self.turn, self.match
        if turn.model.reason_unavailable is not None:
            return None
        near = match.entry if match is not None and match.kind != "none" else None
        messages = prompts().messages(
            "sql_agent",
            turn.language,
            schema=describe(turn.language, self.scope.columns()),
            business=self.business,
            hints=hints_of(self.question.parsed),
            examples=f"{near.question} => {near.sql}" if near is not None else "-",
            error=self.error or "-",
            question=self.question.text,
            limit=MAX_ROWS,
        )
        decision = await turn.model.decide("sql_generation", SqlReply, messages, lambda: SqlReply(sql="-"))
        return decision.value.sql if decision.source == "model" else None

    async def _execute(self, origin: QueryOrigin, sql: str) -> QueryExecution:
        """Check `sql` and run it as the asker; raises SandboxError."""
        parsed = self.question.parsed
        checked = check(sql, self.scope.columns(), max_rows=MAX_ROWS, now=self.turn.now)
        rows = await self.turn.services.sandbox.run(self.scope, checked, seconds=SECONDS, max_rows=MAX_ROWS)
        total = len(rows.rows)
        if total and (origin == "user" or not parsed.limit):
            total = max(total, await self._count_without_limit(checked) or 0)
        result = ResultSet(rows.columns, rows.rows, total, parsed.entity, written=origin != "user")
        match = self.match if origin == "reuse" else None
        if match is not None and match.entry is not None:
            used(reuse_key(match.entry.number))
        return QueryExecution(origin, checked, result, self.tried, measured("rental.sql", rows.ms), match)

    async def _count_without_limit(self, checked: CheckedQuery) -> int | None:
        every = checked.tree.copy()
        for part in ("limit", "offset", "order"):
            every.set(part, None)
        counting = exp.select(exp.Count(this=exp.Star())).from_(every.subquery("every"))
        return await count_rows(counting.sql(dialect="duckdb"), self.scope, self.turn)
