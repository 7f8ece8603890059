"""Queries that a person writes: the relations of the own role, the guard and the audit log are those of every query."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from troly.plugin.contract import CommandRequest, CommandResult, QueryTable
from troly.sandbox import check
from troly.text.numbers import format_number
from troly_rental.agents.conversation import MAX_ROWS
from troly_rental.agents.session import SQL_COMMAND
from troly_rental.answer.payload import ResultSet, table_content
from troly_rental.audit import Audit
from troly_rental.data.store import RentalStore
from troly_rental.roles import scope_for
from troly_rental.settings import RentalSettings
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly.sandbox import Scope


def own_tables(request: CommandRequest) -> tuple[QueryTable, ...]:
    """What the person's role may read. Raises StoreError."""
    return tuple(QueryTable(name, columns) for name, columns in _scope(request).columns().items())


def own_example(request: CommandRequest) -> str:
    """The first table with its first columns. Raises StoreError."""
    name, columns = next(iter(_scope(request).columns().items()))
    return f"SELECT {', '.join(list(columns)[:4])}\nFROM {name}\nLIMIT 20"


def run_own(request: CommandRequest) -> CommandResult:
    """The rows of a SELECT, at most 200. Raises SandboxError, StoreError."""
    services, login, lang = request.services, request.profile.login, request.language
    scope, sql = _scope(request), request.text("query").strip().rstrip(";")
    checked = check(sql, scope.columns(), max_rows=MAX_ROWS, now=request.now)
    seconds = services.settings.of(RentalSettings).query_seconds
    rows = asyncio.run(services.sandbox.run(scope, checked, seconds=seconds, max_rows=MAX_ROWS))
    role = RentalStore(services).role_of(login).role
    Audit(services).log(
        question=f"{SQL_COMMAND} {sql}",
        sql=checked.sql,
        rows=len(rows.rows),
        role=role,
        user=login,
        at=request.now,
    )
    found = ResultSet(rows.columns, rows.rows, len(rows.rows), written=False)
    told = say("step.rows", lang, count=format_number(len(rows.rows), lang), ms=round(rows.ms))
    return CommandResult(
        table_content(found, "", role, lang), summary=f"{told} …" if rows.truncated else told
    )


def _scope(request: CommandRequest) -> Scope:
    return scope_for(RentalStore(request.services), request.profile.login)
