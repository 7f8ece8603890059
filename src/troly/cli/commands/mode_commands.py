"""The commands that modes declare, as commands of the house: parameters, help with example, `--json`, `--csv`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troly.cli.command import HELP_NAMES, TrolyCommand, TrolyGroup
from troly.cli.invocation import IdentityClaim, Invocation, parse_moment, profile_for
from troly.cli.output import data, data_json, note, note_problems
from troly.presentation.text import grid
from troly.text.csv_text import csv_text

if TYPE_CHECKING:
    from troly.plugin.contract import Command, Mode, Parameter


Found = Mapping[str, "list[tuple[Mode, Command]]"]


def by_first_word(
    modes: Iterable[Mode], taken: Iterable[str], own: Container[tuple[str, ...]] = ()
) -> dict[str, list[tuple[Mode, Command]]]:
    """The modes' commands by the word after `app`; one of `taken`, or of another mode, becomes `<mode>-<word>`.

    A command whose whole path is in `own` is left out: the program's own command runs it (`app mcp serve`).
    """
    taken = set(taken)
    found: dict[str, list[tuple[Mode, Command]]] = {}
    for mode in modes:
        for command in mode.commands:
            if command.path in own:
                continue
            word = command.path[0]
            theirs = word in found and found[word][0][0] is not mode
            found.setdefault(f"{mode.id}-{word}" if theirs or word in taken else word, []).append(
                (mode, command)
            )
    return found


def build_mode_command(word: str, commands: list[tuple[Mode, Command]], invocation: Invocation) -> Any:
    """The command or the group that `word` stands for."""
    mode, first = commands[0]
    if len(first.path) == 1:
        return _build_one(word, first, invocation)
    app = typer.Typer(add_completion=False)
    app.callback()(lambda: None)
    group: Any = typer.main.get_group(app)
    made = TrolyGroup(
        name=word,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings=HELP_NAMES,
        params=group.params,
    )
    made.invocation = invocation
    made.help = invocation.say("mode_command.group", name=mode.names[invocation.lang])
    made.epilog = "\n".join(command.example for _, command in commands)
    for _, command in commands:
        made.add_command(_build_one(command.path[1], command, invocation), command.path[1])
    return made


def _build_one(name: str, command: Command, invocation: Invocation) -> Any:
    """One command; its words come from the mode, those of the house's options from the catalogue."""
    wanted = _command_parameters(command, invocation)

    def body(**given: Any) -> None:
        raise typer.Exit(run_command(invocation, command, **given))

    made = build_command(name, body, wanted, invocation)
    made.help, made.epilog = command.help[invocation.lang], command.example
    return made


def build_command(
    name: str, body: Callable[..., None], wanted: list[inspect.Parameter], invocation: Invocation
) -> Any:
    """The command `name` that calls `body` with the parameters `wanted`, by keyword."""
    body.__signature__ = inspect.Signature(wanted)  # type: ignore[attr-defined]
    body.__annotations__ = {parameter.name: parameter.annotation for parameter in wanted}
    app = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    app.command(name, cls=TrolyCommand, context_settings=HELP_NAMES)(body)
    made: Any = typer.main.get_command(app)
    made.invocation = invocation
    return made


def _command_parameters(command: Command, invocation: Invocation) -> list[inspect.Parameter]:
    say = invocation.say
    wanted = [own_parameter(parameter, invocation) for parameter in command.parameters]
    if "csv" in command.takes:
        wanted += [
            option("csv", Path | None, "--csv", say("mode_command.csv"), "FILE"),
            option("force", bool, "--force", say("mode_command.force")),
        ]
    if "now" in command.takes:
        wanted.append(option("now", str | None, "--now", say("ask.now"), "TIME"))
    if "user" in command.takes:
        wanted.append(option("user", str | None, "--user", say("ask.user"), "LOGIN"))
    wanted.append(option("as_json", bool, "--json", say("common.json")))
    return sorted(wanted, key=lambda parameter: parameter.default is not inspect.Parameter.empty)


def own_parameter(parameter: Parameter, invocation: Invocation) -> inspect.Parameter:
    """What a mode's own parameter is on the command line."""
    text = parameter.help[invocation.lang]
    if parameter.name.startswith("-"):
        kind = str | None if parameter.metavar else bool
        return option(parameter.key, kind, parameter.name, text, parameter.metavar)
    info = typer.Argument(metavar=parameter.metavar or parameter.name.upper(), help=text, show_default=False)
    kind = str if parameter.required else str | None
    default = inspect.Parameter.empty if parameter.required else None
    return inspect.Parameter(
        parameter.key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def option(
    key: str, kind: Any, name: str, text: str, metavar: str = "", *, short: str = ""
) -> inspect.Parameter:
    """An option, a flag where `kind` is bool; `text` is its help."""
    info = typer.Option(name, *([short] if short else []), help=text, metavar=metavar or None)
    default = False if kind is bool else None
    return inspect.Parameter(
        key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def run_command(
    invocation: Invocation,
    command: Command,
    /,
    *,
    as_json: bool = False,
    csv: Path | None = None,
    force: bool = False,
    now: str | None = None,
    user: str | None = None,
    **own: str | bool | None,
) -> int:
    """Run `command` with its `own` parameters and show what it says; returns the exit code. Raises what the command raises."""
    from troly.plugin.contract import CommandRequest
    from troly.plugin.samples import load_once

    moment = parse_moment(now) if now else None
    with invocation.open_session() as session:
        load_once(
            session.services, (mode for mode in session.registry if command in mode.commands), invocation.lang
        )
        request = CommandRequest(
            services=session.services,
            profile=profile_for(invocation, session, IdentityClaim(user=user)),
            now=moment or session.services.clock(),
            language=invocation.lang,
            values=own,
        )
        result = command.run(request)
    note_problems(result.problems, lambda more: invocation.say("mode_command.more", count=more))
    table = result.table
    if as_json:
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows] if table else []
        for record in rows if result.records is None else result.records:
            data_json(record)
    else:
        if table is not None and table.rows and csv is None:
            data(grid(table.columns, table.rows, table.numeric))
        if result.text:
            data(result.text)
    if csv is not None and table is not None:
        from troly.conversation.export import write_export

        write_export(csv, csv_text(table.columns, table.rows), "csv", replace=force)
        note(invocation.say("mode_command.written", file=csv, count=len(table.rows)))
    if result.summary:
        note(result.summary)
    return result.exit_code
