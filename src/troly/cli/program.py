"""Puts the command tree together; a command's module is imported when the command is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

import typer
from typer import Abort

from troly.cli import output
from troly.cli.command import HELP_NAMES, TrolyCommand, TrolyGroup, first_line, known_modes, localise
from troly.cli.failures import UsageError
from troly.cli.invocation import Invocation

# In the order of the help: the function of a command as `module:name` in `troly.cli.commands`, or those of a group.
COMMANDS: Mapping[str, str | Mapping[str, str]] = {
    "ask": "ask:ask",
    "ingest": {"knowledge": "ingest:knowledge"},
    "jobs": {"list": "jobs:list_", "resume": "jobs:resume"},
    "data": {"load": "data:load", "remove": "data:remove", "move": "data:move", "publish": "data:publish"},
    "conversations": {
        "list": "conversations:list_",
        "show": "conversations:show",
        "export": "conversations:export",
        "delete": "conversations:delete",
        "restore": "conversations:restore",
    },
    "modes": "modes:modes",
    "models": {"list": "models:list_", "hosts": "models:hosts", "pull": "models:pull"},
    "config": {"show": "config:show", "path": "config:path", "check": "config:check", "init": "config:init"},
    "wrong": {"list": "wrong:list_", "mark": "wrong:mark", "undo": "wrong:undo"},
    "serve": "serve:serve",
    "mcp": {"serve": "mcp:serve"},
    "keys": {"add": "keys:add", "list": "keys:list_", "revoke": "keys:revoke"},
    "users": {"add": "users:add", "list": "users:list_", "set": "users:set_", "remove": "users:remove"},
    "eval": "evaluate:evaluate",
    "replay": "replay:replay",
    "doctor": "doctor:doctor",
    "deploy": {"check": "doctor:deploy_check", "compose": "doctor:deploy_compose"},
}
EXIT_CODES = ("0", "1", "2", "3", "4", "5", "6", "7", "70", "130", "141")


class RootGroup(TrolyGroup):
    """`app` itself: its commands in the order of a first day, and what its exit codes mean."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._built: dict[str, Any] = {}

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with interrupt_as_abort():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with interrupt_as_abort():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (typer's signature)
        """The names in the order of the help, those of the modes last."""
        return [*COMMANDS, *self._of_modes]

    def rows(self, ctx: Any) -> list[tuple[str, str]]:  # noqa: ARG002 (as in the group)
        """The program's own commands: finding the modes would double the time of `app --help`; `app modes` lists theirs."""
        return [(name, first_line(self.invocation.say(f"{name}.help"))) for name in COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 (as in the group)
        """The command of that name, or None; modes are loaded only for a name that the program itself does not have."""
        if cmd_name not in self._built:
            if cmd_name in COMMANDS:
                self._built[cmd_name] = build_command(cmd_name, COMMANDS[cmd_name], self.invocation)
            elif cmd_name in self._of_modes:
                from troly.cli.commands.mode_commands import build_mode_command

                self._built[cmd_name] = build_mode_command(
                    cmd_name, self._of_modes[cmd_name], self.invocation
                )
        return self._built.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As in a group; a name of the program's own needs no list of all names."""
        if args[0] in COMMANDS:
            return args[0], self.get_command(ctx, args[0]), args[1:]
        return super().resolve_command(ctx, args)

    @cached_property
    def _of_modes(self) -> dict[str, Any]:
        """The commands of the modes by their first word, found once: the modes are imported for it."""
        from troly.cli.commands.mode_commands import by_first_word
        from troly.plugin.registry import Registry

        own = {
            (name, part) for name, group in COMMANDS.items() if not isinstance(group, str) for part in group
        }
        return by_first_word(Registry(), COMMANDS, own)

    def format_help(self, ctx: Any, formatter: Any) -> None:
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
    app = typer.Typer(
        cls=RootGroup, rich_markup_mode=None, pretty_exceptions_enable=False, context_settings=HELP_NAMES
    )
    app.callback(invoke_without_command=True, help="root.help", epilog="root.example")(root)
    command: Any = typer.main.get_command(app)
    localise(command, invocation)
    return command


def build_command(name: str, functions: str | Mapping[str, str], invocation: Invocation) -> Any:
    """One command or group; its sentences are `<name>.help`, `<name>.example` and, in a group, `<name>.<command>.help`…"""
    app = typer.Typer(
        cls=_group_class(functions),
        rich_markup_mode=None,
        add_completion=False,
        no_args_is_help=not isinstance(functions, str),
        context_settings=HELP_NAMES,
        help=f"{name}.help",
        epilog=f"{name}.example",
    )
    if isinstance(functions, str):
        _add(app, name, functions, name)
        command: Any = typer.main.get_command(app)
    else:
        for part, function in functions.items():
            _add(app, part, function, f"{name}.{part}")
        command = typer.main.get_group(app)
        command.name = name
    localise(command, invocation)
    return command


def _group_class(functions: str | Mapping[str, str]) -> type[TrolyGroup]:
    """The class of a group: one that its module brings as `GROUP`, as `app ingest` does, or the usual one."""
    if isinstance(functions, str):
        return TrolyGroup
    module = next(iter(functions.values())).partition(":")[0]
    found: type[TrolyGroup] = getattr(_module(module), "GROUP", TrolyGroup)
    return found


def _add(app: typer.Typer, name: str, function: str, key: str) -> None:
    module, _, attribute = function.partition(":")
    app.command(
        name, cls=TrolyCommand, help=f"{key}.help", epilog=f"{key}.example", context_settings=HELP_NAMES
    )(getattr(_module(module), attribute))


def _module(name: str) -> Any:
    return import_module(f"troly.cli.commands.{name}")


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
