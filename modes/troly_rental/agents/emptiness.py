"""Says which condition removed everything: each is left out in turn, and what would then be found is counted."""

from __future__ import annotations

from itertools import islice

from troly.plugin.context import TurnContext
from troly.sandbox import SandboxError, check
from troly.text.numbers import format_number
from troly_rental import wording
from troly_rental.agents.working import Asked
from troly_rental.ask import Filter, Reading, count_of, relaxations
from troly_rental.strings import say

SECONDS = 2.0
MOST = 6


async def why_empty(asked: Asked, turn: TurnContext) -> str:
    """One sentence on the condition without which most is found; "" where no single one is to blame."""
    best: tuple[Filter, ...] = ()
    most = 0
    for dropped, rest in islice(relaxations(asked.reading), MOST):
        count = await _count(asked, turn, rest)
        if count > most:
            best, most = dropped, count
    if not best:
        return say("answer.nothing_helps", turn.language) if asked.reading.filters else ""
    told = wording.filters_in_words(best, asked.reading.entity, turn.language)
    return say("answer.without", turn.language, condition=told, count=format_number(most, turn.language))


async def _count(asked: Asked, turn: TurnContext, reading: Reading) -> int:
    if asked.scope is None:
        return 0
    sql = count_of(reading, asked.who.role).sql(dialect="duckdb")
    try:
        checked = check(sql, asked.scope.columns(), max_rows=1, now=turn.now)
        rows = await turn.services.sandbox.run(asked.scope, checked, seconds=SECONDS, max_rows=1)
    except SandboxError:
        return 0
    return int(rows.rows[0][0]) if rows.rows else 0
