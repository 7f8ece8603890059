"""Long work beside the chat, on the house's own thread: pulling a model, loading a file; told of as it goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from troly.errors import InputError, StoppedError
from troly.text.catalogue import Lang

if TYPE_CHECKING:
    from troly.plugin.contract import IngestOutcome
    from troly.tui.opened import OpenedHouse
    from troly.tui.port import Deliver

# Progress is handed over this often at most, in seconds.
OFTEN = 0.2
KNOWLEDGE = "knowledge"


class Pull(NamedTuple):
    """Download a model of this name."""

    model: str


class Load(NamedTuple):
    """Load a file or folder with an ingest of a mode (`mode` "" for the documents of all); see `offers`."""

    mode: str
    ingest: str
    path: str
    language: Lang


Job: TypeAlias = "Pull | Load"


class Step(NamedTuple):
    """How far a job is: `total` is None while unknown, `unit` is `bytes` or what is counted."""

    done: int
    total: int | None
    unit: str


class Done(NamedTuple):
    """The end of a job: what was said of it, and problems as ready lines; or why it failed."""

    summary: str = ""
    problems: tuple[str, ...] = ()
    error: Exception | None = None


class Offer(NamedTuple):
    """A kind of file that can be loaded, or (`ingest` "") a model that the settings name and that is not there."""

    mode: str
    ingest: str
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
                _pull(house, job, report) if isinstance(job, Pull) else _load(house, job, report, stop)
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


async def _pull(house: OpenedHouse, job: Pull, report: Callable[[int, int | None, str], None]) -> Done:
    async for step in house.services.llm.pull(job.model):
        report(step.completed, step.total or None, "bytes")
    return Done(job.model)


async def _load(
    house: OpenedHouse, job: Load, report: Callable[[int, int | None, str], None], stop: threading.Event
) -> Done:
    path = await asyncio.to_thread(_there, job.path)
    if job.ingest == KNOWLEDGE:
        return await _documents(house, job, path, report, stop)
    outcome = await asyncio.to_thread(_ingest, house, job, path, report, stop)
    if stop.is_set() and not outcome.published:
        raise StoppedError("work.stopped")
    counts = ", ".join(f"{name} {count}" for name, count in outcome.counts.items())
    return Done(outcome.summary or counts, outcome.problems)


def _there(typed: str) -> Path:
    """The path that was typed; raises InputError `work.no_file`."""
    path = Path(typed).expanduser()
    if not path.exists():
        raise InputError("work.no_file", file=path)
    return path


def _ingest(
    house: OpenedHouse,
    job: Load,
    path: Path,
    report: Callable[[int, int | None, str], None],
    stop: threading.Event,
) -> IngestOutcome:
    from troly.plugin.contract import IngestRequest

    found = next((one for one in house.registry.get(job.mode).ingests if one.name == job.ingest), None)
    if found is None:
        raise InputError("work.no_ingest", name=job.ingest)
    return found.run(
        IngestRequest(
            services=house.services,
            file=path,
            now=house.services.clock(),
            language=job.language,
            progress=report,
            cancelled=stop.is_set,
            profile=house.profile,
        )
    )


async def _documents(
    house: OpenedHouse,
    job: Load,
    path: Path,
    report: Callable[[int, int | None, str], None],
    stop: threading.Event,
) -> Done:
    from troly.errors import ModelError
    from troly.retrieval.ingest import ingest_paths

    services, name = house.services, house.services.settings.models.embed
    embed = None
    try:
        found = await services.llm.resolve(name, need="embedding")
        embed = partial(services.llm.embed, found.name)
    except ModelError:
        pass  # words alone are searched until an embedder is there
    result = await ingest_paths(
        services.knowledge,
        [path],
        collection=services.settings.chroma.collection,
        embed=embed,
        embedder=name,
        progress=lambda step: report(step.done, step.total, step.stage),
        cancel=stop.is_set,
        clock=services.clock,
    )
    if result.stopped:
        raise StoppedError("work.stopped")
    problems = tuple(one.error.render(job.language).line() for one in (*result.failed, *result.noted))
    counts = {"added": result.added, "updated": result.updated, "unchanged": result.unchanged}
    return Done(", ".join(f"{name} {len(files)}" for name, files in counts.items()), problems)
