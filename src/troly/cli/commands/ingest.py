"""`app ingest`: files into the stores, one command for every kind that a mode declares, and documents for search."""

from __future__ import annotations

import dataclasses
import inspect
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troly.cli.command import Json, TrolyGroup
from troly.cli.commands.mode_commands import build_command, option, own_parameter
from troly.cli.failures import STOPPED, say_error
from troly.cli.invocation import IdentityClaim, Invocation, profile_for
from troly.cli.output import data, data_json, note, note_problems, progress
from troly.cli.turns import model_loop, on_interrupt
from troly.conversation.jobs import LoadFiles, both, ingest_documents, ingest_file, recorded, share_files
from troly.conversation.session import Session
from troly.errors import InputError
from troly.plugin.contract import IngestOutcome
from troly.plugin.ingest_arguments import DRY_RUN, ERRORS, REPLACE, ingests_by_name
from troly.presentation.text import GAP, cells, grid
from troly.retrieval.documents.ingest import IngestReport

if TYPE_CHECKING:
    from troly.plugin.contract import Ingest
    from troly.stores.jobs import JobRecord


class IngestGroup(TrolyGroup):
    """`knowledge`, and one command for every ingest of every mode that loads; a broken mode hides nobody else's."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, those of the modes first."""
        return [*self._kinds(), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        kind = self._kinds().get(cmd_name)
        return file_command(cmd_name, *kind, self.invocation) if kind else super().get_command(ctx, cmd_name)

    def _kinds(self) -> dict[str, tuple[str, Ingest]]:
        """The modes' ingests by name; a name that is taken already is written `<mode>-<name>`."""
        from troly.plugin.registry import Registry

        found = ingests_by_name(Registry(), self.commands)
        return {name: (mode.id, one) for name, (mode, one) in found.items()}


# See `troly.cli.program`.
GROUP = IngestGroup


def file_command(name: str, mode: str, ingest: Ingest, invocation: Invocation) -> Any:
    """The command that loads one file with `ingest` of `mode`: its own options beside those of every load."""

    def load(**given: Any) -> None:
        raise typer.Exit(load_file(invocation, mode, ingest, **given))

    command = build_command(name, load, _ingest_parameters(ingest, invocation), invocation)
    command.help, command.epilog = ingest.help[invocation.lang], ingest.example
    return command


def _ingest_parameters(ingest: Ingest, invocation: Invocation) -> list[inspect.Parameter]:
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

    raise typer.Exit(load_documents(ctx.obj, paths, collection, as_json=as_json))


WAKE_SECONDS = 0.2


def load_file(
    invocation: Invocation,
    mode: str,
    ingest: Ingest,
    /,
    *,
    file: Path,
    dry_run: bool,
    errors: Path | None,
    replace: bool = False,
    user: str | None = None,
    as_json: bool,
    **own: str | bool | None,
) -> int:
    """Load one file with a mode's own ingest and its `own` parameters; returns the exit code. Raises what the ingest raises."""
    stop = threading.Event()
    values = {**own, DRY_RUN: dry_run, REPLACE: replace, ERRORS: str(errors) if errors else None}
    job = LoadFiles(mode, ingest.name, (str(file),), invocation.lang, values)
    with invocation.open_session() as session, progress(file.name) as update:
        profile = profile_for(invocation, session, IdentityClaim(user=user))
        person = dataclasses.replace(session, profile=profile)
        with recorded(session.services, profile, job, share_files(session.services, job)) as running:
            report = both(update, running)
            outcome = _in_thread(
                lambda: ingest_file(person, job, file, report, stop),
                lambda: announce_stop(invocation, stop),
                running,
            )
            if stop.is_set() and not outcome.published and running is not None:
                running.end("stopped")
    note_problems(outcome.problems, lambda more: invocation.say("ingest.more", count=more))
    if outcome.summary:
        note(outcome.summary)
    if dry_run:
        note(invocation.say("ingest.dry"))
    if as_json and outcome.records:
        counts = dict(outcome.counts)
        data_json({"published": outcome.published, "counts": counts, "records": list(outcome.records)})
    else:
        for table in () if as_json else outcome.tables:
            data(table.title)
            data(grid(table.columns, table.rows, table.numeric))
            data()
        print_counts(outcome.counts, as_json=as_json, published=outcome.published)
    if stop.is_set() and not outcome.published:
        return STOPPED
    return InputError.exit_code if outcome.problems and not (outcome.published or dry_run) else 0


def print_counts(counts: Mapping[str, int], *, as_json: bool, published: bool) -> None:
    """The counts on stdout, one a line, or as one JSON object."""
    if as_json:
        data_json({"published": published, "counts": dict(counts)})
        return
    width = max((cells(name) for name in counts), default=0)
    for name, count in counts.items():
        data(f"{name}{' ' * (width - cells(name))}{GAP}{count}")


def announce_stop(invocation: Invocation, stop: threading.Event) -> None:
    """Runs inside the signal handler, where a buffered stream may be in the middle of a write."""
    stop.set()
    with suppress(OSError):
        os.write(2, f"\n{invocation.say('ingest.stopping')}\n".encode())


def _in_thread(
    work: Callable[[], IngestOutcome], stop: Callable[[], None], running: JobRecord | None
) -> IngestOutcome:
    """Run `work` in a thread, so that Ctrl-C is noticed while a library is busy; a second one leaves at once.

    Leaving at once is safe: a load that is killed at any point keeps the old data whole.
    """
    with ThreadPoolExecutor(1) as pool, on_interrupt(stop):
        # In the load's context: documents are published at the end of it.
        future = pool.submit(copy_context().run, work)
        try:
            while not wait([future], timeout=WAKE_SECONDS).done:
                pass
        except KeyboardInterrupt:
            if running is not None:
                running.abandon()
            os._exit(STOPPED)
        return future.result()


UNITS = {"read": "files", "embed": "chunks"}


def load_documents(
    invocation: Invocation, paths: Sequence[Path], collection: str | None, *, as_json: bool
) -> int:
    """Load `paths` into `collection` (the setting `chroma.collection` by default) and tell what became of each file.

    Returns the exit code; raises StoreError.
    """
    stop = threading.Event()
    with (
        invocation.open_session() as session,
        on_interrupt(lambda: announce_stop(invocation, stop)),
        model_loop(session) as runner,
    ):
        report = runner.run(
            _load_paths(invocation, session, paths, collection or invocation.settings.chroma.collection, stop)
        )
    _print_report(invocation, report, as_json=as_json)
    if report.stopped:
        return STOPPED
    loaded = report.added or report.updated or report.unchanged or report.removed
    return 0 if loaded or not (report.failed or report.skipped) else InputError.exit_code


async def _load_paths(
    invocation: Invocation, session: Session, paths: Sequence[Path], collection: str, stop: threading.Event
) -> IngestReport:
    missing = invocation.say("ingest.no_embedder", name=invocation.settings.models.embed)
    job = LoadFiles("", "", tuple(map(str, paths)), invocation.lang, {"collection": collection})
    with progress(collection) as update, recorded(session.services, session.profile, job) as running:
        report = both(lambda done, total, stage: update(done, total, UNITS[stage]), running)
        found = await ingest_documents(
            session, job, paths, report, stop, without_vectors=lambda: note(missing)
        )
        if found.stopped and running is not None:
            running.end("stopped")
        return found


def _print_report(invocation: Invocation, report: IngestReport, *, as_json: bool) -> None:
    problems = [problem.error.render(invocation.lang).line() for problem in (*report.failed, *report.noted)]
    note_problems(problems, lambda more: invocation.say("ingest.more_documents", count=more))
    if report.samples:
        note(invocation.say("ingest.samples_gone", count=len(report.samples)))
    if report.vectors is not None:
        say_error(report.vectors.render(invocation.lang))
    counts = {
        "added": len(report.added),
        "updated": len(report.updated),
        "unchanged": len(report.unchanged),
        "removed": len(report.removed),
        "failed": len(report.failed),
        "skipped": len(report.skipped),
        "chunks": report.chunks,
        "embedded": report.embedded,
        "unembedded": report.unembedded,
    }
    print_counts(counts, as_json=as_json, published=bool(report.added or report.updated or report.removed))
