"""`app ingest`: files into the stores, one command for every kind that a mode declares, and documents for search."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troly.cli.commands import TrolyGroup
from troly.cli.invocation import Invocation

if TYPE_CHECKING:
    from troly.plugin.contract import Ingest

Json = Annotated[bool, typer.Option("--json", help="common.json")]


class IngestGroup(TrolyGroup):
    """`knowledge`, and one command for every ingest of every mode that loads; a broken mode hides nobody else's."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, those of the modes first."""
        return [*self._kinds(), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, or None."""
        kind = self._kinds().get(cmd_name)
        return file_command(cmd_name, kind, self.invocation) if kind else super().get_command(ctx, cmd_name)

    def _kinds(self) -> dict[str, Ingest]:
        """The modes' ingests by name; a name that is taken already is written `<mode>-<name>`."""
        from troly.plugin.ingest_arguments import ingests_by_name
        from troly.plugin.registry import Registry

        return {name: one for name, (_, one) in ingests_by_name(Registry(), self.commands).items()}


def file_command(name: str, ingest: Ingest, invocation: Invocation) -> Any:
    """The command that loads one file with `ingest`: its own options beside those of every load."""
    from troly.cli.mode_commands import build_command

    def load(**given: Any) -> None:
        from troly.cli.ingesting import LoadOptions, load_file

        house = {
            key: given.pop(key, None) for key in ("file", "dry_run", "errors", "replace", "user", "as_json")
        }
        asked = LoadOptions(
            file=house["file"],
            dry_run=bool(house["dry_run"]),
            replace=bool(house["replace"]),
            errors=house["errors"],
            as_json=bool(house["as_json"]),
            user=house["user"],
            values=given,
        )
        raise typer.Exit(load_file(invocation, ingest, asked))

    command = build_command(name, load, _ingest_parameters(ingest, invocation), invocation)
    command.help, command.epilog = ingest.help[invocation.lang], ingest.example
    return command


def _ingest_parameters(ingest: Ingest, invocation: Invocation) -> list[inspect.Parameter]:
    from troly.cli.mode_commands import option, own_parameter

    say = invocation.say
    file = typer.Argument(metavar="FILE", help=say("ingest.file"), show_default=False)
    wanted = [
        inspect.Parameter("file", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[Path, file]),
        *(own_parameter(parameter, invocation) for parameter in ingest.parameters),
        option("dry_run", bool, "--dry-run", say("ingest.dry_run"), short="-n"),
        option("errors", Path | None, "--errors", say("ingest.errors"), "FILE"),
    ]
    if ingest.merges:
        wanted.append(option("replace", bool, "--replace", say("ingest.replace")))
    if "user" in ingest.takes:
        wanted.append(option("user", str | None, "--user", say("ask.user"), "LOGIN"))
    return [*wanted, option("as_json", bool, "--json", say("common.json"))]


def knowledge(
    ctx: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="ingest.paths", show_default=False)],
    collection: Annotated[
        str | None, typer.Option("--collection", "-c", metavar="NAME", help="ingest.collection")
    ] = None,
    as_json: Json = False,
) -> None:
    """See `cli.ingest.knowledge.help`."""
    from troly.cli.documents import load_documents

    raise typer.Exit(load_documents(ctx.obj, paths, collection, as_json=as_json))
