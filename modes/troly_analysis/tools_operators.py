"""`app sheets operators`: everything that a pipeline may hold."""

from __future__ import annotations

from troly.plugin.contract import CommandRequest, CommandResult
from troly.plugin.events import Table
from troly_analysis.strings import say


def operators(request: CommandRequest) -> CommandResult:
    """The stages, conditions, accumulators and expressions of the allow-lists, by group (001-17)."""
    from troly_analysis.pipeline.operators import table

    groups = table()
    rows = tuple(
        (say(f"query.group_{name}", request.language), ", ".join(found)) for name, found in groups.items()
    )
    columns = (say("query.group", request.language), say("query.operators", request.language))
    records = tuple({"group": name, "operators": list(found)} for name, found in groups.items())
    return CommandResult(Table(columns=columns, rows=rows), records=records)
