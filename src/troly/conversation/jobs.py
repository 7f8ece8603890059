"""Long work beside the chat: downloading a model, loading files; it reports as it goes on and can be stopped."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from troly.config.users import Profile
from troly.errors import InputError, ModelError, StoppedError, TrolyError
from troly.plugin.ingest_arguments import DRY_RUN, ERRORS, REPLACE
from troly.text.catalogue import Lang, tr

if TYPE_CHECKING:
    from troly.conversation.session import Session
    from troly.plugin.contract import IngestOutcome
    from troly.plugin.services import Services
    from troly.retrieval.documents.ingest import IngestReport
    from troly.stores.jobs import JobRecord


class PullModel(NamedTuple):
    model: str


class LoadFiles(NamedTuple):
    """Load files or folders with an ingest of a mode (`mode` "" for the documents of all); `values` by key."""

    mode: str
    ingest: str
    files: tuple[str, ...]
    language: Lang
    values: Mapping[str, str | bool | None] = MappingProxyType({})


Job: TypeAlias = "PullModel | LoadFiles"
Report: TypeAlias = "Callable[[int, int | None, str], None]"


class JobProgress(NamedTuple):
    """How far a job is: `total` is None while unknown, `unit` is `bytes` or what is counted."""

    done: int
    total: int | None
    unit: str


class JobResult(NamedTuple):
    """The end of a job: what was said of it, and problems as ready lines; or why it failed.

    `changed` is False where nothing was put in force: a dry run, or nothing that could be used.
    """

    summary: str = ""
    problems: tuple[str, ...] = ()
    error: Exception | None = None
    changed: bool = True


class MissingModel(NamedTuple):
    """A model that the settings name and that is not there."""

    model: str
    help: Mapping[Lang, str]


async def run_job(session: Session, job: Job, report: Report, stop: threading.Event) -> JobResult:
    """Do `job` to its end; `stop` ends a load between two batches. Raises as `pull_model` and `load_files`."""
    if isinstance(job, PullModel):
        return await pull_model(session, job, report)
    return await load_files(session, job, report, stop)


async def pull_model(session: Session, job: PullModel, report: Report) -> JobResult:
    """Download a model. Raises ModelError."""
    async for step in session.services.llm.pull(job.model):
        report(step.completed, step.total or None, "bytes")
    return JobResult(job.model)


async def load_files(session: Session, job: LoadFiles, report: Report, stop: threading.Event) -> JobResult:
    """Load files; `stop` ends it between two batches. Raises InputError, StoreError, StoppedError."""
    shared = await asyncio.to_thread(share_files, session.services, job)
    with recorded(session.services, session.profile, job, shared) as running:
        return await _load(session, job, both(report, running), stop)


def share_files(services: Services, job: LoadFiles) -> list[str]:
    """Put the tables of a load where another machine can do it again; their SHA-256, none without such a place.

    Documents are known by their path, so theirs stay where they are, and so does a folder (""). Blocking; raises InputError,
    StoreError.
    """
    files = services.datasets.files
    if files is None or not job.mode or job.values.get(DRY_RUN):
        return []
    return [files.put(path) if path.is_file() else "" for path in map(_there, job.files)]


@contextmanager
def recorded(
    services: Services, profile: Profile, job: LoadFiles, shared: Sequence[str] = ()
) -> Iterator[JobRecord | None]:
    """The row of a load for all who share the database (`app jobs`); None for a dry run, which has none.

    `shared` are its files in the shared place. Raises StoreError.
    """
    if job.values.get(DRY_RUN):
        yield None
        return
    request = {
        "mode": job.mode,
        "ingest": job.ingest,
        "files": [os.path.abspath(os.path.expanduser(file)) for file in job.files],  # noqa: PTH100, PTH111
        "shared": list(shared),
        "language": job.language,
        "values": {key: value for key, value in job.values.items() if value is not None},
        "profile": {**asdict(profile), "permissions": sorted(profile.permissions)},
    }
    name = f"{job.mode}/{job.ingest}" if job.mode else "knowledge"
    with services.jobs.begin(name, profile.login, request) as running:
        yield running


def both(report: Report, running: JobRecord | None) -> Report:
    """Progress for the person and for the load's row."""

    def tell(done: int, total: int | None, unit: str) -> None:
        report(done, total, unit)
        if running is not None:
            running.report(done, total, unit)

    return tell


async def take_up(session: Session, stop: threading.Event) -> list[str]:
    """Do again the loads whose process died and whose files are on this machine; the names of those that were done.

    Raises StoreError where the loads cannot be read; what goes wrong in one stands in its row.
    """
    found = []
    for job in await asyncio.to_thread(session.services.jobs.died):
        asked = job.request
        with tempfile.TemporaryDirectory(prefix="troly-load-") as folder, suppress(TrolyError):
            files = await asyncio.to_thread(_files_of, session.services, asked, Path(folder))
            if stop.is_set() or files is None:
                continue
            profile = Profile(
                **{**asked["profile"], "permissions": frozenset(asked["profile"]["permissions"])}
            )
            load = LoadFiles(asked["mode"], asked["ingest"], files, asked["language"], asked["values"])
            with session.services.jobs.take_up(job) as running:
                if running is not None:
                    await _load(replace(session, profile=profile), load, running.report, stop)
                    found.append(job.name)
    return found


def _files_of(services: Services, asked: Mapping[str, Any], folder: Path) -> tuple[str, ...] | None:
    """The files of a load: where they were, or copied to `folder` from the shared place; None where one is missing."""
    found = []
    for file, sha in zip_longest(map(Path, asked["files"]), asked["shared"], fillvalue=""):
        copy, shared = folder / Path(file).name, services.datasets.files
        if Path(file).exists():
            found.append(str(file))
        elif sha and shared is not None and shared.get(sha, copy):
            found.append(str(copy))
        else:
            return None
    return tuple(found)


async def _load(session: Session, job: LoadFiles, report: Report, stop: threading.Event) -> JobResult:
    paths = [await asyncio.to_thread(_there, file) for file in job.files]
    if not job.mode:
        return await _documents(session, job, paths, report, stop)
    outcome = await asyncio.to_thread(ingest_file, session, job, paths[0], report, stop)
    if stop.is_set() and not outcome.published:
        raise StoppedError("work.stopped")
    counts = ", ".join(f"{name} {count}" for name, count in outcome.counts.items())
    said = [outcome.summary or counts]
    if job.values.get(DRY_RUN):
        said.append(tr("cli.ingest.dry", job.language))
    return JobResult("\n".join(said), outcome.problems, changed=outcome.published)


def _there(typed: str) -> Path:
    """The path that was typed; raises InputError `work.no_file`."""
    path = Path(os.path.expanduser(typed))  # noqa: PTH111 (the other one raises where there is no home)
    if not path.exists():
        raise InputError("work.no_file", file=path)
    return path


def ingest_file(
    session: Session, job: LoadFiles, path: Path, report: Report, stop: threading.Event
) -> IngestOutcome:
    """Load one file with the ingest of a mode that `job` names; raises what that raises."""
    from troly.plugin.contract import IngestRequest

    found = next(one for one in session.registry.get(job.mode).ingests if one.name == job.ingest)
    errors = job.values.get(ERRORS)
    return found.run(
        IngestRequest(
            services=session.services,
            file=path,
            now=session.services.clock(),
            language=job.language,
            dry_run=bool(job.values.get(DRY_RUN)),
            replace=bool(job.values.get(REPLACE)),
            errors=Path(str(errors)) if errors else None,
            progress=report,
            cancelled=stop.is_set,
            values=job.values,
            profile=session.profile,
        )
    )


async def ingest_documents(
    session: Session,
    job: LoadFiles,
    paths: Sequence[Path],
    report: Report,
    stop: threading.Event,
    *,
    without_vectors: Callable[[], object],
) -> IngestReport:
    """Load documents for the search of all; `report` gets the stage as unit. Raises StoreError.

    `without_vectors` is called where the embedder is not there: words alone are searched until it is.
    """
    from troly.retrieval.documents.ingest import ingest_paths

    services, name, embed = session.services, session.services.settings.models.embed, None
    try:
        embed = await services.llm.embedder(name)
    except ModelError:
        without_vectors()
    return await ingest_paths(
        services.knowledge,
        paths,
        collection=str(job.values.get("collection") or services.settings.chroma.collection),
        embed=embed,
        embedder=name,
        progress=lambda step: report(step.done, step.total, step.stage),
        cancel=stop.is_set,
        clock=services.clock,
    )


async def _documents(
    session: Session, job: LoadFiles, paths: list[Path], report: Report, stop: threading.Event
) -> JobResult:
    name, noted = session.services.settings.models.embed, list[str]()
    told = tr("cli.ingest.no_embedder", job.language, name=name, app="app")
    result = await ingest_documents(
        session, job, paths, report, stop, without_vectors=lambda: noted.append(told)
    )
    if result.stopped:
        raise StoppedError("work.stopped")
    if result.vectors is not None:
        noted.append(result.vectors.render(job.language).line())
    if result.samples:
        noted.append(tr("cli.ingest.samples_gone", job.language, count=len(result.samples)))
    counts = [
        tr(f"ui.work.count_{kind}", job.language, count=len(getattr(result, kind)))
        for kind in ("added", "updated", "unchanged", "removed", "failed", "skipped")
        if getattr(result, kind)
    ]
    problems = tuple(one.error.render(job.language).line() for one in (*result.failed, *result.noted))
    return JobResult("\n".join([", ".join(counts), *noted]), problems)
