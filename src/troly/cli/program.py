"""Puts the command tree together; the bodies of the commands import what they need when they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Annotated, Any

import typer
from typer import Abort

from troly.cli import output
from troly.cli.command import HELP_NAMES, TrolyCommand, TrolyGroup, known_modes, localise
from troly.cli.commands import (
    ask,
    config,
    conversations,
    data,
    doctor,
    evaluate,
    ingest,
    models,
    modes,
    replay,
    wrong,
)
from troly.cli.commands.mode_commands import build_mode_command, by_first_word
from troly.cli.failures import UsageError
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
EXIT_CODES = ("0", "1", "2", "3", "4", "5", "6", "7", "70", "130", "141")
ORDER = (
    "ask", "ingest", "data", "conversations", "modes", "models", "config", "wrong", "eval", "replay", "doctor",
)  # fmt: skip


class RootGroup(TrolyGroup):
    """`app` itself: its commands in the order of a first day, and what its exit codes mean."""

    order: Sequence[str] = ()

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Read the command line; see `said_stopped`."""
        with interrupt_as_abort():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; see `said_stopped`."""
        with interrupt_as_abort():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (typer's signature)
        """The names in the order of the help, those of the modes last."""
        return [*self.order, *self._of_modes]

    def shown(self, ctx: Any) -> Sequence[str]:  # noqa: ARG002 (as in the group)
        """The house's own names: finding the modes would double the time of `app --help`; `app modes` lists theirs."""
        return self.order

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, or None; modes are loaded only for a name that the house does not have."""
        found = super().get_command(ctx, cmd_name)
        if found is not None or not (commands := self._of_modes.get(cmd_name)):
            return found
        return build_mode_command(cmd_name, commands, self.invocation)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As in a group; a name of the house's own needs no list of all names."""
        if args[0] in self.commands:
            return args[0], self.commands[args[0]], args[1:]
        return super().resolve_command(ctx, args)

    @cached_property
    def _of_modes(self) -> dict[str, Any]:
        """The commands of the modes by their first word, found once: the modes are imported for it."""
        from troly.plugin.registry import Registry

        return by_first_word(Registry(), self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help of a group, then the exit codes."""
        super().format_help(ctx, formatter)
        say = self.invocation.say
        formatter.write_paragraph()
        formatter.write_text(say("help.of_modes"))
        with formatter.section(say("help.exit_codes")):
            formatter.write_dl([(code, say(f"exit.{code}")) for code in EXIT_CODES])


@contextmanager
def interrupt_as_abort() -> Iterator[None]:
    """A Ctrl-C leaves as Abort, which is reported in a sentence; typer would turn it into a bare exit code."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise Abort from error


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
            app.add_typer(_group(TrolyGroup, GROUPS[name], name), name=name)
    command: Any = typer.main.get_command(app)
    command.order = ORDER
    localise(command, invocation)
    return command


def add(app: typer.Typer, name: str, body: Body, key: str) -> None:
    """Register `body` as the command `name`; its sentences are `<key>.help` and `<key>.example`."""
    app.command(
        name, cls=TrolyCommand, help=f"{key}.help", epilog=f"{key}.example", context_settings=HELP_NAMES
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

        output.data(f"troly {installed('troly')}")
        raise typer.Exit
    if ctx.invoked_subcommand is None and plain:
        from troly.cli.plain.chat import run_plain

        raise typer.Exit(run_plain(invocation, mode))
    if ctx.invoked_subcommand is None:
        raise typer.Exit(invocation.open_screen(mode))
    if plain:
        raise UsageError("usage.plain_place", command=ctx.invoked_subcommand, app=invocation.program)
    if mode is not None:
        raise UsageError(
            "usage.mode_place", mode=mode, command=ctx.invoked_subcommand, app=invocation.program
        )


def _typer(cls: type[TrolyGroup]) -> typer.Typer:
    return typer.Typer(
        cls=cls,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=HELP_NAMES,
        add_completion=cls is RootGroup,
    )


def _group(cls: type[TrolyGroup], bodies: dict[str, Body], key: str) -> typer.Typer:
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
