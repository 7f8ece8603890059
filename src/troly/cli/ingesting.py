"""Runs one ingest for the command line: progress on stderr, counts on stdout, problems with their line numbers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from troly.cli.answering import on_interrupt
from troly.cli.faults import STOPPED
from troly.cli.identity import Claim, profile_for
from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json, note
from troly.cli.progress import progress
from troly.errors import InputError
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.presentation.text import GAP, cells, grid

if TYPE_CHECKING:
    from troly.plugin.contract import Ingest

SHOWN_PROBLEMS = 20
WAKE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class FileLoad:
    """What `app ingest <kind>` was asked to do."""

    file: Path
    dry_run: bool
    replace: bool
    errors: Path | None
    as_json: bool
    user: str | None = None
    values: Mapping[str, str | bool | None] = field(default_factory=dict)


def load_file(invocation: Invocation, ingest: Ingest, asked: FileLoad) -> int:
    """Load one file with a mode's own ingest; returns the exit code. Raises what the ingest raises."""
    stop = threading.Event()
    with invocation.open_session() as session, progress(asked.file.name) as update:
        request = IngestRequest(
            services=session.services,
            file=asked.file,
            now=session.services.clock(),
            language=invocation.lang,
            dry_run=asked.dry_run,
            replace=asked.replace,
            errors=asked.errors,
            progress=update,
            cancelled=stop.is_set,
            values=asked.values,
            profile=profile_for(invocation, session.profile, Claim(user=asked.user)),
        )
        outcome = _in_thread(lambda: ingest.run(request), lambda: announce_stop(invocation, stop))
    tell_problems(invocation, outcome.problems, "ingest.more")
    if outcome.summary:
        note(outcome.summary)
    if asked.dry_run:
        note(invocation.say("ingest.dry"))
    _tell_outcome(outcome, as_json=asked.as_json)
    if stop.is_set() and not outcome.published:
        return STOPPED
    return InputError.exit_code if outcome.problems and not (outcome.published or asked.dry_run) else 0


def _tell_outcome(outcome: IngestOutcome, *, as_json: bool) -> None:
    """What was loaded and the counts, on stdout."""
    if as_json and outcome.records:
        counts = dict(outcome.counts)
        data_json({"published": outcome.published, "counts": counts, "records": list(outcome.records)})
        return
    for table in () if as_json else outcome.tables:
        data(table.title)
        data(grid(table.columns, table.rows, table.numeric))
        data()
    tell_counts(outcome.counts, as_json=as_json, published=outcome.published)


def tell_problems(invocation: Invocation, problems: Sequence[str], more: str) -> None:
    """The first problems, one a line on stderr, and how many there are besides."""
    for problem in problems[:SHOWN_PROBLEMS]:
        note(problem)
    if len(problems) > SHOWN_PROBLEMS:
        note(invocation.say(more, count=len(problems) - SHOWN_PROBLEMS))


def tell_counts(counts: Mapping[str, int], *, as_json: bool, published: bool) -> None:
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


def _in_thread(work: Callable[[], IngestOutcome], stop: Callable[[], None]) -> IngestOutcome:
    """Run `work` in a thread, so that Ctrl-C is noticed while a library is busy; a second one leaves at once.

    Leaving at once is safe: a load that is killed at any point keeps the old data whole.
    """
    with ThreadPoolExecutor(1) as pool, on_interrupt(stop):
        future = pool.submit(work)
        try:
            while not wait([future], timeout=WAKE_SECONDS).done:
                pass
        except KeyboardInterrupt:
            os._exit(STOPPED)
        return future.result()
