"""Runs a command that a mode declares: table and text on stdout, the rest on stderr, a CSV file where asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from troly.cli.identity import Claim, profile_for
from troly.cli.invocation import Invocation
from troly.cli.lines import moment
from troly.cli.output import data, data_json, note
from troly.presentation.text import grid
from troly.text.csv_text import csv_text

if TYPE_CHECKING:
    from troly.plugin.contract import Command, CommandResult
    from troly.plugin.events import Table

SHOWN_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line said: the mode's own values, and the house's options."""

    values: Mapping[str, str | bool | None]
    as_json: bool | None = None
    csv: Path | None = None
    force: bool | None = None
    now: str | None = None
    user: str | None = None


def run_command(invocation: Invocation, command: Command, asked: Asked) -> int:
    """Run `command` and show what it says; returns the exit code. Raises what the command raises."""
    from troly.plugin.contract import CommandRequest
    from troly.plugin.samples import load_once

    now = moment(asked.now) if asked.now else None
    with invocation.open_session() as session:
        load_once(
            session.services, (mode for mode in session.registry if command in mode.commands), invocation.lang
        )
        request = CommandRequest(
            services=session.services,
            profile=profile_for(invocation, session.profile, Claim(user=asked.user)),
            now=now or session.services.clock(),
            language=invocation.lang,
            values=asked.values,
        )
        result = command.run(request)
    for problem in result.problems[:SHOWN_PROBLEMS]:
        note(problem)
    if len(result.problems) > SHOWN_PROBLEMS:
        note(invocation.say("mode_command.more", count=len(result.problems) - SHOWN_PROBLEMS))
    _show(result, as_json=bool(asked.as_json), quiet=asked.csv is not None)
    if asked.csv is not None and result.table is not None:
        from troly.conversation.export import write_export

        write_export(asked.csv, table_csv(result.table), "csv", replace=bool(asked.force))
        note(invocation.say("mode_command.written", file=asked.csv, count=len(result.table.rows)))
    if result.summary:
        note(result.summary)
    return result.exit_code


def _show(result: CommandResult, *, as_json: bool, quiet: bool) -> None:
    """Everything for stdout. A table that goes to a file is not printed as well."""
    table = result.table
    if as_json:
        for record in result.records if result.records is not None else _records(table):
            data_json(record)
        return
    if table is not None and table.rows and not quiet:
        data(grid(table.columns, table.rows, table.numeric))
    if result.text:
        data(result.text)


def _records(table: Table | None) -> list[dict[str, str]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows] if table else []


def table_csv(table: Table) -> str:
    """The table as CSV with its head."""
    return csv_text(table.columns, table.rows)
