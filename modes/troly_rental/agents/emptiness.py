"""Says which condition removed everything: each is left out in turn, and what would then be found is counted."""

from __future__ import annotations

from dataclasses import replace

from troly.plugin.context import TurnContext
from troly.sandbox import SandboxError, check
from troly.text.numbers import format_number
from troly_rental import wording
from troly_rental.agents.working import Asked
from troly_rental.ask import Measure, Reading, sql_of
from troly_rental.strings import say

SECONDS = 2.0
MOST = 6


async def why_empty(asked: Asked, turn: TurnContext) -> str:
    """One sentence on the condition without which most is found; "" where no single one is to blame."""
    best, most = None, 0
    for one in asked.reading.filters[:MOST]:
        rest = tuple(other for other in asked.reading.filters if other is not one)
        count = await _count(asked, turn, replace(asked.reading, filters=rest))
        if count > most:
            best, most = one, count
    if best is None:
        return say("answer.nothing_helps", turn.language) if asked.reading.filters else ""
    dropped = wording.condition(best, turn.language)
    return say("answer.without", turn.language, condition=dropped, count=format_number(most, turn.language))


async def _count(asked: Asked, turn: TurnContext, reading: Reading) -> int:
    counting = replace(
        reading, mode="TABLE", measures=(Measure("count"),), group=(), order=(), limit=None, page=0
    )
    query = sql_of(counting, asked.who.role)
    if query is None or asked.scope is None:
        return 0
    try:
        checked = check(query.sql(dialect="duckdb"), asked.scope.columns(), max_rows=1, now=turn.now)
        rows = await turn.services.sandbox.run(asked.scope, checked, seconds=SECONDS, max_rows=1)
    except SandboxError:
        return 0
    return int(rows.rows[0][0]) if rows.rows else 0
