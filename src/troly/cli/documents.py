"""Loads documents for search: their words always, their vectors when an embedder answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from troly.cli.answering import on_interrupt
from troly.cli.asking import model_loop
from troly.cli.faults import STOPPED, say_error
from troly.cli.ingesting import announce_stop, tell_counts, tell_problems
from troly.cli.invocation import Invocation
from troly.cli.output import note
from troly.cli.progress import progress
from troly.conversation.session import Session
from troly.errors import InputError, ModelError
from troly.retrieval.documents.ingest import IngestProgress, IngestReport, ingest_paths
from troly.retrieval.search.knowledge import Embed

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
            _load(invocation, session, paths, collection or invocation.settings.chroma.collection, stop)
        )
    _tell(invocation, report, as_json=as_json)
    if report.stopped:
        return STOPPED
    loaded = report.added or report.updated or report.unchanged or report.removed
    return 0 if loaded or not (report.failed or report.skipped) else InputError.exit_code


async def _load(
    invocation: Invocation, session: Session, paths: Sequence[Path], collection: str, stop: threading.Event
) -> IngestReport:
    name = invocation.settings.models.embed
    embed = await _embedder(session, name)
    if embed is None:
        note(invocation.say("ingest.no_embedder", name=name))
    with progress(collection) as update:

        def tell(step: IngestProgress) -> None:
            update(step.done, step.total, UNITS[step.stage])

        return await ingest_paths(
            session.services.knowledge,
            paths,
            collection=collection,
            embed=embed,
            embedder=name,
            progress=tell,
            cancel=stop.is_set,
            clock=session.services.clock,
        )


async def _embedder(session: Session, name: str) -> Embed | None:
    """What turns texts into vectors, or None when Ollama or the model is not there."""
    llm = session.services.llm
    try:
        found = await llm.resolve(name, need="embedding")
    except ModelError:
        return None

    async def embed(texts: list[str]) -> list[list[float]]:
        return await llm.embed(found.name, texts)

    return embed


def _tell(invocation: Invocation, report: IngestReport, *, as_json: bool) -> None:
    problems = [problem.error.render(invocation.lang).line() for problem in (*report.failed, *report.noted)]
    tell_problems(invocation, problems, "ingest.more_documents")
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
    tell_counts(counts, as_json=as_json, published=bool(report.added or report.updated or report.removed))
