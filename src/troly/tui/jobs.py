"""Long work beside the chat, on the house's own thread: pulling a model, loading a file; told of as it goes on."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from troly.errors import InputError, StoppedError
from troly.plugin.ingest_arguments import DRY_RUN, ERRORS, REPLACE
from troly.text.catalogue import Lang, tr

if TYPE_CHECKING:
    from troly.config import Profile
    from troly.plugin.contract import IngestOutcome
    from troly.plugin.registry import Registry
    from troly.plugin.services import Services
    from troly.tui.opened import OpenedHouse
    from troly.tui.port import Deliver

# Progress is handed over this often at most, in seconds.
OFTEN = 0.2


class Pull(NamedTuple):
    """Download a model of this name."""

    model: str


class Load(NamedTuple):
    """Load files or folders with an ingest of a mode (`mode` "" for the documents of all); `values` by key."""

    mode: str
    ingest: str
    files: tuple[str, ...]
    language: Lang
    values: Mapping[str, str | bool | None] = MappingProxyType({})


Job: TypeAlias = "Pull | Load"
Report: TypeAlias = "Callable[[int, int | None, str], None]"


class Works(Protocol):
    """What a job needs of the opened house."""

    @property
    def services(self) -> Services: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def profile(self) -> Profile: ...


class Step(NamedTuple):
    """How far a job is: `total` is None while unknown, `unit` is `bytes` or what is counted."""

    done: int
    total: int | None
    unit: str


class Done(NamedTuple):
    """The end of a job: what was said of it, and problems as ready lines; or why it failed.

    `changed` is False where nothing was put in force: a dry run, or nothing that could be used.
    """

    summary: str = ""
    problems: tuple[str, ...] = ()
    error: Exception | None = None
    changed: bool = True


class Offer(NamedTuple):
    """A model that the settings name and that is not there."""

    model: str
    help: Mapping[Lang, str]


def begin(
    loop: asyncio.AbstractEventLoop,
    house: OpenedHouse,
    deliver: Deliver,
    job: Job,
    heard: Callable[[Step | Done], None],
) -> Callable[[], None]:
    """Run `job` on `loop`; `heard` is called on the screen's loop, last with a `Done`. Returns what cancels it."""
    stop = threading.Event()
    last = 0.0

    def report(done: int, total: int | None, unit: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= OFTEN:
            last = now
            deliver(partial(heard, Step(done, total, unit)))

    async def run() -> None:
        end: Done
        try:
            end = await (
                pull(house, job, report) if isinstance(job, Pull) else load(house, job, report, stop)
            )
        except asyncio.CancelledError:
            end = Done(error=StoppedError("work.stopped"))
        except Exception as error:  # noqa: BLE001 (the screen shows it as a card)
            end = Done(error=error)
        deliver(partial(heard, end))

    task = asyncio.run_coroutine_threadsafe(run(), loop)

    def cancel() -> None:
        stop.set()
        # A load ends between two batches and leaves the old data whole; it must not be left behind in its thread.
        if isinstance(job, Pull):
            task.cancel()

    return cancel


async def pull(house: Works, job: Pull, report: Report) -> Done:
    """Download a model. Raises ModelError."""
    async for step in house.services.llm.pull(job.model):
        report(step.completed, step.total or None, "bytes")
    return Done(job.model)


async def load(house: Works, job: Load, report: Report, stop: threading.Event) -> Done:
    """Load files; `stop` ends it between two batches. Raises InputError, StoreError, StoppedError."""
    paths = [await asyncio.to_thread(_there, file) for file in job.files]
    if not job.mode:
        return await _documents(house, job, paths, report, stop)
    outcome = await asyncio.to_thread(_ingest, house, job, paths[0], report, stop)
    if stop.is_set() and not outcome.published:
        raise StoppedError("work.stopped")
    counts = ", ".join(f"{name} {count}" for name, count in outcome.counts.items())
    said = [outcome.summary or counts]
    if job.values.get(DRY_RUN):
        said.append(tr("cli.ingest.dry", job.language))
    return Done("\n".join(said), outcome.problems, changed=outcome.published)


def _there(typed: str) -> Path:
    """The path that was typed; raises InputError `work.no_file`."""
    path = Path(os.path.expanduser(typed))  # noqa: PTH111 (the other one raises where there is no home)
    if not path.exists():
        raise InputError("work.no_file", file=path)
    return path


def _ingest(house: Works, job: Load, path: Path, report: Report, stop: threading.Event) -> IngestOutcome:
    from troly.plugin.contract import IngestRequest

    found = next(one for one in house.registry.get(job.mode).ingests if one.name == job.ingest)
    errors = job.values.get(ERRORS)
    return found.run(
        IngestRequest(
            services=house.services,
            file=path,
            now=house.services.clock(),
            language=job.language,
            dry_run=bool(job.values.get(DRY_RUN)),
            replace=bool(job.values.get(REPLACE)),
            errors=Path(str(errors)) if errors else None,
            progress=report,
            cancelled=stop.is_set,
            values=job.values,
            profile=house.profile,
        )
    )


async def _documents(
    house: Works, job: Load, paths: list[Path], report: Report, stop: threading.Event
) -> Done:
    from troly.errors import ModelError
    from troly.retrieval.ingest import ingest_paths

    services, name = house.services, house.services.settings.models.embed
    embed, noted = None, []
    try:
        found = await services.llm.resolve(name, need="embedding")
        embed = partial(services.llm.embed, found.name)
    except ModelError:  # words alone are searched until an embedder is there
        noted.append(tr("cli.ingest.no_embedder", job.language, name=name, app="app"))
    result = await ingest_paths(
        services.knowledge,
        paths,
        collection=str(job.values.get("collection") or services.settings.chroma.collection),
        embed=embed,
        embedder=name,
        progress=lambda step: report(step.done, step.total, step.stage),
        cancel=stop.is_set,
        clock=services.clock,
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
    return Done("\n".join([", ".join(counts), *noted]), problems)
