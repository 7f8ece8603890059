"""Puts the command tree together; the bodies of the commands import what they need when they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from troly.cli import ask, config, conversations, data, doctor, evaluate, ingest, models, modes, replay, wrong
from troly.cli.commands import HELP_NAMES, HouseCommand, HouseGroup, RootGroup, known_modes, localise
from troly.cli.invocation import Invocation

Body = Callable[..., Any]
GROUPS: dict[str, dict[str, Body]] = {
    "conversations": {
        "list": conversations.list_,
        "show": conversations.show,
        "export": conversations.export,
        "delete": conversations.delete,
        "restore": conversations.restore,
    },
    "data": {"load": data.load, "remove": data.remove},
    "models": {"list": models.list_, "pull": models.pull},
    "wrong": {"list": wrong.list_, "mark": wrong.mark, "undo": wrong.undo},
    "config": {"show": config.show, "path": config.path, "check": config.check, "init": config.init},
}
SINGLES: dict[str, Body] = {
    "ask": ask.ask,
    "eval": evaluate.evaluate,
    "replay": replay.replay,
    "modes": modes.modes,
    "doctor": doctor.doctor,
}
ORDER = (
    "ask", "ingest", "data", "conversations", "modes", "models", "config", "wrong", "eval", "replay", "doctor",
)  # fmt: skip


def build(invocation: Invocation) -> Any:
    """The whole command line in the language of `invocation`."""
    app = _typer(RootGroup)
    app.callback(invoke_without_command=True, help="root.help", epilog="root.example")(root)
    for name in ORDER:
        if name in SINGLES:
            add(app, name, SINGLES[name], name)
        elif name == "ingest":
            app.add_typer(_group(ingest.IngestGroup, {"knowledge": ingest.knowledge}, name), name=name)
        else:
            app.add_typer(_group(HouseGroup, GROUPS[name], name), name=name)
    command: Any = typer.main.get_command(app)
    command.order = ORDER
    localise(command, invocation)
    return command


def add(app: typer.Typer, name: str, body: Body, key: str) -> None:
    """Register `body` as the command `name`; its sentences are `<key>.help` and `<key>.example`."""
    app.command(
        name, cls=HouseCommand, help=f"{key}.help", epilog=f"{key}.example", context_settings=HELP_NAMES
    )(body)


def root(
    ctx: typer.Context,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="root.mode", autocompletion=known_modes)
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="root.plain")] = False,
    version: Annotated[bool, typer.Option("--version", "-V", help="root.version")] = False,
) -> None:
    """`app` without a command opens the screen; see `cli.root.help`."""
    invocation: Invocation = ctx.obj
    if version:
        from importlib.metadata import version as installed

        from troly.cli.output import data

        data(f"troly {installed('troly')}")
        raise typer.Exit
    if ctx.invoked_subcommand is None and plain:
        from troly.cli.plain import run_plain

        raise typer.Exit(run_plain(invocation, mode))
    if ctx.invoked_subcommand is None:
        raise typer.Exit(invocation.open_screen(mode))
    if plain:
        from troly.cli.faults import UsageError

        raise UsageError("usage.plain_place", command=ctx.invoked_subcommand, app=invocation.program)
    if mode is not None:
        from troly.cli.faults import UsageError

        raise UsageError(
            "usage.mode_place", mode=mode, command=ctx.invoked_subcommand, app=invocation.program
        )


def _typer(cls: type[HouseGroup]) -> typer.Typer:
    return typer.Typer(
        cls=cls,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=HELP_NAMES,
        add_completion=cls is RootGroup,
    )


def _group(cls: type[HouseGroup], bodies: dict[str, Body], key: str) -> typer.Typer:
    group = typer.Typer(
        cls=cls,
        rich_markup_mode=None,
        no_args_is_help=True,
        context_settings=HELP_NAMES,
        help=f"{key}.help",
        epilog=f"{key}.example",
    )
    for name, body in bodies.items():
        add(group, name, body, f"{key}.{name}")
    return group
