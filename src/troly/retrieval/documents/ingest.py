"""Loading files and folders into the knowledge: only what changed, one transaction a document, then the vectors."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from troly.errors import InputError, TrolyError
from troly.retrieval.documents.files import kind_of, load_bytes, parse_document, show
from troly.retrieval.documents.store import StoredDocument
from troly.retrieval.search.knowledge import Embed, EmbeddingResult, Knowledge
from troly.text.dates import Clock, system_clock

# How the keys of the pages begin that ship as samples.
SAMPLES = "sample:"
Outcome = Literal["added", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """`done` of `total` files read (`stage` "read") or chunks embedded ("embed"); `path` is the file just done."""

    stage: Literal["read", "embed"]
    done: int
    total: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A file, and what is to be known of it."""

    path: str
    error: TrolyError


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of each file, by path; the others of a folder are `skipped` (formats that are not read).

    `samples` are pages that shipped and made way for a person's own. `failed` files keep what was stored of them before. `noted` files were read with a doubt. `chunks` were written,
    `embedded` got a vector, `unembedded` still have none; `vectors` says what stopped that. `stopped` = cancelled.
    """

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    failed: tuple[FileProblem, ...] = ()
    noted: tuple[FileProblem, ...] = ()
    skipped: tuple[str, ...] = ()
    chunks: int = 0
    embedded: int = 0
    unembedded: int = 0
    vectors: TrolyError | None = None
    stopped: bool = False


@dataclass(slots=True)
class FilePlan:
    """`files` to read, in order; `roots` are folders that were named; `blind` are folders that could not be listed."""

    files: dict[str, Path] = field(default_factory=dict)
    roots: list[Path] = field(default_factory=list)
    blind: list[Path] = field(default_factory=list)
    failed: list[FileProblem] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Job:
    """One ingest as it goes."""

    knowledge: Knowledge
    collection: str
    owner: str | None
    permission: str | None
    clock: Clock
    done: dict[Outcome, list[str]] = field(
        default_factory=lambda: {"added": [], "updated": [], "unchanged": []}
    )
    failed: list[FileProblem] = field(default_factory=list)
    noted: list[FileProblem] = field(default_factory=list)
    chunks: int = 0


async def ingest_paths(
    knowledge: Knowledge,
    paths: Iterable[Path],
    *,
    collection: str,
    owner: str | None = None,
    permission: str | None = None,
    embed: Embed | None = None,
    embedder: str = "",
    progress: Callable[[IngestProgress], None] = lambda _progress: None,
    cancel: Callable[[], bool] = lambda: False,
    clock: Clock = system_clock,
) -> IngestReport:
    """Bring `collection` in line with `paths` (files, and folders with all that is in them but hidden files and links).

    Unchanged files are not read again; files that are gone from a named folder are removed, and so are sample pages
    once there is a page of one's own. Killed or cancelled at
    any point, every document is wholly old or wholly new, and the next run does the rest. A file that cannot be read
    is reported and the others go on. `progress` is called in other threads. Raises StoreError when the state database cannot be written.
    """
    job = _Job(knowledge, collection, owner, permission, clock)
    plan = await asyncio.to_thread(plan_files, list(paths))
    known = await asyncio.to_thread(knowledge.store.documents, collection, owner)
    for number, (key, path) in enumerate(plan.files.items(), 1):
        if cancel():
            break
        await asyncio.to_thread(_load, job, key, path, known.get(key))
        step = IngestProgress("read", number, len(plan.files), show(path))
        await asyncio.to_thread(progress, step)
    stopped = cancel()
    gone = [] if stopped else gone_files(plan, known)
    samples = [key for key in known if key.startswith(SAMPLES)] if any(job.done.values()) else []
    await asyncio.to_thread(knowledge.store.remove, collection, owner, [*gone, *samples])
    embedded = EmbeddingResult(0)
    if embed is not None and not stopped:

        def tell(done: int, total: int) -> None:
            progress(IngestProgress("embed", done, total))

        embedded = await knowledge.embed_missing(collection, embed, embedder, tell, cancel)
    return IngestReport(
        added=tuple(job.done["added"]),
        updated=tuple(job.done["updated"]),
        unchanged=tuple(job.done["unchanged"]),
        removed=tuple(gone),
        samples=tuple(samples),
        failed=(*plan.failed, *job.failed),
        noted=tuple(job.noted),
        skipped=tuple(plan.skipped),
        chunks=job.chunks,
        embedded=embedded.done,
        unembedded=embedded.left,
        vectors=embedded.error,
        stopped=stopped or cancel(),
    )


def plan_files(paths: Iterable[Path]) -> FilePlan:
    """The files that `paths` (files and folders) name, hidden ones and links inside folders passed over. Blocking."""
    plan = FilePlan()
    for given in paths:
        try:
            path = given.expanduser().resolve()
            if path.is_dir():
                plan.roots.append(path)
                _walk(plan, path)
            else:
                plan.files[_key(path)] = path
        except (OSError, ValueError, RuntimeError) as error:
            problem = InputError("knowledge.unreadable", path=show(given), reason=type(error).__name__)
            plan.failed.append(FileProblem(show(given), problem))
    return plan


def _walk(plan: FilePlan, root: Path) -> None:
    def unlisted(error: OSError) -> None:
        folder = Path(os.fsdecode(error.filename))
        plan.blind.append(folder)
        plan.failed.append(FileProblem(show(folder), InputError("knowledge.denied", path=show(folder))))

    for folder, folders, names in os.walk(root, onerror=unlisted):
        folders[:] = sorted(name for name in folders if not _passed_over(Path(folder, name)))
        for name in sorted(names):
            path = Path(folder, name)
            if _passed_over(path):
                continue
            if kind_of(path) is None:
                plan.skipped.append(show(path))
            else:
                plan.files[_key(path)] = path


def _passed_over(path: Path) -> bool:
    return path.name.startswith(".") or path.is_symlink()


def _load(job: _Job, key: str, path: Path, known: StoredDocument | None) -> None:
    try:
        status = path.stat() if path.is_file() else None
        same = known is not None and known.current and known.permission == job.permission
        if known and same and status and (status.st_size, status.st_mtime_ns) == (known.bytes, known.mtime):
            job.done["unchanged"].append(show(path))
            return
        data = load_bytes(path)
        mtime = status.st_mtime_ns if status else 0
        if known and same and hashlib.sha256(data).hexdigest() == known.sha256:
            job.knowledge.store.touch(known.id, mtime)
            job.done["unchanged"].append(show(path))
            return
        _store(job, key, path, data, mtime)
        job.done["updated" if known else "added"].append(show(path))
    except InputError as error:
        job.failed.append(FileProblem(show(path), error))
    except OSError as error:
        problem = InputError("knowledge.unreadable", path=show(path), reason=type(error).__name__)
        job.failed.append(FileProblem(show(path), problem))


def _store(job: _Job, key: str, path: Path, data: bytes, mtime: int) -> None:
    document = parse_document(path, data)
    if document.guessed:
        note = InputError("knowledge.guessed", path=show(path), encoding=document.encoding)
        job.noted.append(FileProblem(show(path), note))
    job.chunks += job.knowledge.put(
        document,
        collection=job.collection,
        key=key,
        ingested_at=job.clock().isoformat(),
        owner=job.owner,
        permission=job.permission,
        data=data,
        mtime=mtime,
    )


def gone_files(plan: FilePlan, known: Iterable[str]) -> list[str]:
    """Stored documents whose file is gone from a named folder; what cannot be seen is not taken for gone."""
    return [
        key
        for key in known
        if key not in plan.files
        and any(Path(key).is_relative_to(root) for root in plan.roots)
        and not any(Path(key).is_relative_to(folder) for folder in plan.blind)
    ]


def _key(path: Path) -> str:
    """The path as the database can hold it: bytes that are no UTF-8 are escaped."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")
