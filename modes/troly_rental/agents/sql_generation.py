"""Agent 2: reuses a confirmed query or writes one, by the model or by rules, and runs it in the sandbox (002-13 to 002-19)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from troly.plugin.context import Step, TurnContext
from troly.recording import measured, used
from troly.sandbox import SandboxError, check
from troly_rental import context
from troly_rental.agents.orchestrator import hints_of
from troly_rental.agents.shape import differs
from troly_rental.agents.validator import mismatch
from troly_rental.agents.working import Answered, Asked, Origin
from troly_rental.ask import sql_of
from troly_rental.payload import Found
from troly_rental.reuse import Match, Reuse, reuse_key
from troly_rental.schema import schema_version
from troly_rental.strings import prompts, say

if TYPE_CHECKING:
    from troly.sandbox import CheckedQuery, Scope

State = Mapping[str, Any]
# 002-18.
ATTEMPTS = 5
MAX_ROWS = 200
SECONDS = 5.0


async def sql_generation(state: State, turn: TurnContext, step: Step) -> State:
    """The documented output of agent 2: sql, results, count, attempts; the last attempt is the rules' own query."""
    asked: Asked = state["asked"]
    if asked.scope is None:
        raise ValueError("asked for SQL without data")
    match = None if asked.sql else await _look_up(asked, turn)
    work = _Work(asked, asked.scope, turn, state.get("businessContext") or "-", match)
    answered = await work.answer()
    step.note(
        _note(work, answered), "model" if answered is not None and answered.origin == "model" else "rules"
    )
    return {
        "answered": answered,
        "sql": answered.checked.sql if answered else asked.sql,
        "results": answered.found.records() if answered else [],
        "count": answered.found.total if answered else 0,
        "attempts": work.tried,
        "error": work.error,
    }


@dataclass(slots=True)
class _Work:
    """One question on its way to rows: `error` is why the last attempt did not do, "" when it did."""

    asked: Asked
    scope: Scope
    turn: TurnContext
    business: str
    match: Match | None
    tried: int = 0
    error: str = ""

    async def answer(self) -> Answered | None:
        """The first query that runs and fits the question; one that runs but does not fit where there is no better."""
        answered = None
        async for origin, sql in self._candidates():
            self.tried += 1
            try:
                answered = await self._run(origin, sql)
            except SandboxError as failure:
                self.error = failure.render(self.turn.language).line()
                continue
            self.error = self._misfit(origin, answered.checked)
            if not self.error:
                break
        return answered

    def _misfit(self, origin: Origin, checked: CheckedQuery) -> str:
        """Why a query that runs is no answer; a stored one must also be of the same records, figures and order."""
        asked, lang = self.asked, self.turn.language
        if origin == "user":
            return ""
        if origin == "reuse" and differs(asked.reading, checked, asked.who.role):
            return say("step.not_reused", lang, reason=say("invalid.shape", lang))
        return mismatch(asked.reading, checked, lang)

    async def _candidates(self) -> AsyncIterator[tuple[Origin, str]]:
        """Queries to try, best first: one's own, a confirmed one, the model's, each told the last error, the rules'."""
        asked, match = self.asked, self.match
        if asked.sql:
            yield "user", asked.sql
            return
        if match is not None and match.kind == "hard" and match.entry is not None:
            yield "reuse", match.entry.sql
        for _ in range(ATTEMPTS - 1):
            written = await self._written()
            if written is None:
                break
            yield "model", written
        try:
            own = sql_of(asked.reading, asked.who.role).sql(dialect="duckdb")
        except (KeyError, ValueError):  # what a model made of the question may not fit the records
            self.error = self.error or say("answer.no_query", self.turn.language)
            return
        yield "rules", own

    async def _written(self) -> str | None:
        """The model's query; None when no model can be asked."""
        from troly_rental.schemas import SqlReply

        turn, match = self.turn, self.match
        if turn.model.reason_unavailable is not None:
            return None
        near = match.entry if match is not None and match.kind != "none" else None
        messages = prompts().messages(
            "sql_agent",
            turn.language,
            schema=context.schema(turn, self.scope),
            business=self.business,
            hints=hints_of(self.asked.reading),
            examples=f"{near.question} => {near.sql}" if near is not None else "-",
            error=self.error or "-",
            question=self.asked.question,
            limit=MAX_ROWS,
        )
        decision = await turn.model.decide("sql_generation", SqlReply, messages, lambda: SqlReply(sql="-"))
        return decision.value.sql if decision.source == "model" else None

    async def _run(self, origin: Origin, sql: str) -> Answered:
        """Check `sql` and run it as the asker; raises SandboxError."""
        checked = check(sql, self.scope.columns(), max_rows=MAX_ROWS, now=self.turn.now)
        rows = await self.turn.services.sandbox.run(self.scope, checked, seconds=SECONDS, max_rows=MAX_ROWS)
        total = len(rows.rows)
        if total and (origin == "user" or not self.asked.reading.limit):
            total = await self._total(checked, total)
        entity = self.asked.reading.entity
        found = Found(rows.columns, rows.rows, total, entity, written=origin != "user")
        match = self.match if origin == "reuse" else None
        if match is not None and match.entry is not None:
            used(reuse_key(match.entry.number))
        return Answered(origin, checked, found, self.tried, measured("rental.sql", rows.ms), match)

    async def _total(self, checked: CheckedQuery, held: int) -> int:
        """How many rows there are without the LIMIT."""
        from sqlglot import exp

        every = checked.tree.copy()
        for part in ("limit", "offset", "order"):
            every.set(part, None)
        counting = exp.select(exp.Count(this=exp.Star())).from_(every.subquery("every"))
        try:
            query = check(counting.sql(dialect="duckdb"), self.scope.columns(), max_rows=1)
            rows = await self.turn.services.sandbox.run(self.scope, query, seconds=SECONDS, max_rows=1)
        except SandboxError:
            return held
        return max(held, int(rows.rows[0][0]))


async def _look_up(asked: Asked, turn: TurnContext) -> Match:
    """The stored pair nearest to the question (002-14, 002-15)."""
    return await Reuse(turn.services).find(
        asked.question,
        asked.reading.state_filters(),
        asked.who.role,
        asked.reading.mode,
        schema_version(),
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        now=turn.now,
    )


def _note(work: _Work, answered: Answered | None) -> str:
    lang, match = work.turn.language, work.match
    parts = []
    if answered is not None:
        parts.append(say(f"origin.{answered.origin}", lang))
        parts.append(say("step.rows", lang, count=answered.found.total, ms=round(answered.ms)))
    if work.tried > 1:
        parts.append(say("step.attempts", lang, count=work.tried))
    if match is not None and match.kind != "hard" and match.refused_because:
        parts.append(say("step.not_reused", lang, reason=match.why(lang)))
    return " · ".join([*parts, *([work.error] if work.error else [])])
