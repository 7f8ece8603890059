"""The command classes: help in the language of the interface, failures of the command line as our own sentences."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from troly.cli.failures import PipeClosed, UsageError, log_file
from troly.cli.invocation import Invocation

HELP_NAMES = {"help_option_names": ["-h", "--help"]}
Rows = Sequence[tuple[str, str]]


class TrolyCommand(TyperCommand):
    """One command; `localise` gives it its language."""

    invocation: Invocation

    # typer does not make its context and formatter classes public, hence Any in this file.
    def invoke(self, ctx: Any) -> Any:
        """Run the body; a closed stdout ends it quietly."""
        try:
            with log_file(self.invocation.paths.cache / "logs"):
                return super().invoke(ctx)
        except BrokenPipeError as error:
            raise PipeClosed from error

    def format_help(self, ctx: Any, formatter: Any) -> None:
        write_help(self, ctx, formatter, self.invocation)


class TrolyGroup(TyperGroup):
    """A command that has commands."""

    invocation: Invocation

    def format_help(self, ctx: Any, formatter: Any) -> None:
        write_help(self, ctx, formatter, self.invocation, self.rows(ctx))

    def rows(self, ctx: Any) -> list[tuple[str, str]]:
        """The commands that the help lists, with the first line of what they are for."""
        found: list[tuple[str, Any]] = [
            (name, self.get_command(ctx, name)) for name in self.list_commands(ctx)
        ]
        return [(name, first_line(command.help)) for name, command in found]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first of `args` names; raises UsageError with the nearest names."""
        known = self.list_commands(ctx)
        if args[0] not in known and not ctx.resilient_parsing:
            near = get_close_matches(args[0], known, n=1) or known
            raise UsageError("usage.command", name=args[0], near=", ".join(near), command=ctx.command_path)
        return super().resolve_command(ctx, args)


def localise(command: Any, invocation: Invocation) -> None:
    """Turn the catalogue keys that a command was declared with into sentences, its parameters and children included.

    Raises KeyError for a key without a sentence.
    """
    command.invocation = invocation
    command.help = invocation.say(command.help)
    if command.epilog:
        command.epilog = invocation.say(command.epilog)
    for param in command.params:
        key = (
            param.help
            if param.name not in ("install_completion", "show_completion")
            else f"help.{param.name}"
        )
        param.help = invocation.say(key) if key else ""
    for child in getattr(command, "commands", {}).values():
        localise(child, invocation)


def write_help(
    command: Any, ctx: Any, formatter: Any, invocation: Invocation, commands: Rows | None = None
) -> None:
    """Write usage, text, arguments, `commands`, options and examples of a command."""
    say = invocation.say
    formatter.write_usage(
        ctx.command_path, " ".join(command.collect_usage_pieces(ctx)), f"{say('help.usage')}: "
    )
    formatter.write_paragraph()
    formatter.write_text(command.help)
    kinds: dict[str, list[Any]] = {"argument": [], "option": []}
    for param in command.params:
        kinds[param.param_type_name].append(param)
    arguments = [(param.metavar or param.name, param.help) for param in kinds["argument"]]
    options = [_option_row(param) for param in kinds["option"] if not param.hidden]
    options += [("--lang [vi|en]", say("help.lang")), ("-h, --help", say("help.help"))]
    for title, rows in (("arguments", arguments), ("commands", commands or []), ("options", options)):
        if rows:
            with formatter.section(say(f"help.{title}")):
                formatter.write_dl(rows)
    if command.epilog:
        with formatter.section(say("help.examples")):
            for line in command.epilog.splitlines():
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def _option_row(param: Any) -> tuple[str, str]:
    names = ", ".join(sorted([*param.opts, *param.secondary_opts], key=len))
    value = "" if param.is_flag or not param.metavar else f" {param.metavar}"
    return names + value, param.help


def first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


def known_modes() -> Sequence[str]:
    """The names of the modes, for completion; imports none of them."""
    from troly.plugin.registry import Registry

    return Registry().names


# Options that several commands have.
Mode = Annotated[
    str | None, typer.Option("--mode", "-m", metavar="MODE", help="ask.mode", autocompletion=known_modes)
]
User = Annotated[str | None, typer.Option("--user", metavar="LOGIN", help="ask.user")]
Now = Annotated[str | None, typer.Option("--now", metavar="TIME", help="ask.now")]
Json = Annotated[bool, typer.Option("--json", help="common.json")]
