"""`app ingest`: files into the stores, one command for every kind that a mode declares, and documents for search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troly.cli.commands import HELP_NAMES, HouseCommand, HouseGroup, localise
from troly.cli.invocation import Invocation

if TYPE_CHECKING:
    from troly.plugin.contract import Ingest

DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="ingest.dry_run")]
Errors = Annotated[Path | None, typer.Option("--errors", metavar="FILE", help="ingest.errors")]
Json = Annotated[bool, typer.Option("--json", help="common.json")]


class IngestGroup(HouseGroup):
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
        from troly.plugin.registry import Registry

        kinds: dict[str, Ingest] = {}
        for mode in Registry():
            for ingest in mode.ingests:
                taken = ingest.name in kinds or ingest.name in self.commands
                kinds[f"{mode.id}-{ingest.name}" if taken else ingest.name] = ingest
        return kinds


def file_command(name: str, ingest: Ingest, invocation: Invocation) -> Any:
    """The command that loads one file with `ingest`."""

    def load(
        ctx: typer.Context,
        file: Annotated[Path, typer.Argument(metavar="FILE", help="ingest.file", show_default=False)],
        *,
        dry_run: DryRun = False,
        errors: Errors = None,
        replace: Annotated[bool, typer.Option("--replace", help="ingest.replace")] = False,
        as_json: Json = False,
    ) -> None:
        from troly.cli.ingesting import FileLoad, load_file

        raise typer.Exit(load_file(ctx.obj, ingest, FileLoad(file, dry_run, replace, errors, as_json)))

    app = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    app.command(name, cls=HouseCommand, help="ingest.help", context_settings=HELP_NAMES)(load)
    command = typer.main.get_command(app)
    localise(command, invocation)
    command.help, command.epilog = ingest.help[invocation.lang], ingest.example
    return command


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
