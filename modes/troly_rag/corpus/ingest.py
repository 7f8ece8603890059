"""`app ingest policies PATH`: company documents into the agents' corpora, only what changed, older versions kept."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from troly.errors import InputError, ModelError, StoppedError, TrolyError
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.plugin.services import Services
from troly.retrieval.documents.files import Document, decode, load_bytes, parse_document, show
from troly.retrieval.documents.ingest import gone_files, plan_files
from troly.text.catalogue import Lang
from troly.text.csv_text import csv_text
from troly.text.numbers import format_number
from troly_rag.config import SCOPES, Agent, RagConfig, load
from troly_rag.corpus.access import label, only
from troly_rag.corpus.cards import Card, Cards, named, paths_of, place_of
from troly_rag.corpus.front_matter import Fault, Front, fields_of_html, read_day, read_front, split
from troly_rag.strings import say

# Raised when this module makes something else of the same bytes: documents are then read again.
MAKER = 2
_DEFAULT_AGENT = "general"


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """What the options of an ingest say; a document's own front matter comes before them.

    `scope` is the exception: of the two the narrower one counts, so that no option opens a document.
    """

    agent: str = ""
    scope: str = ""
    departments: tuple[str, ...] = ()
    effective: str = ""
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A file as it will be stored, with what was noticed on the way."""

    document: Document
    card: Card
    names: frozenset[str]
    supersedes: frozenset[str]
    notes: tuple[TrolyError, ...]

    @property
    def permission(self) -> str:
        """What is stored with each chunk for the search to filter by."""
        return label(self.card.scope, filter(None, self.card.departments.split("+")))


def fingerprint(data: bytes, given: IngestOptions, config: RagConfig) -> str:
    """What changes when the file, the options, the agents or this program's reading change."""
    corpora = sorted((agent.name, agent.collection) for agent in config.agents.values())
    said = json.dumps([MAKER, corpora, dataclasses.astuple(given)])
    return hashlib.sha256(said.encode() + b"\0" + data).hexdigest()


def read_document(
    path: Path, data: bytes, source: str, given: IngestOptions, config: RagConfig
) -> CorpusDocument:
    """The content of `path` with its card.

    Raises InputError for what cannot be read and for front matter that leaves open who may see the document.
    """
    front, document = _document(path, data)
    fatal = next((fault for fault in front.faults if fault.fatal), None)
    if fatal:
        raise _error(path, fatal)
    agent = agent_of(path, front, given, config)
    if front.title:
        document = replace(document, title=front.title)
    scope = _narrower(front.scope, given.scope)
    departments = tuple(map(config.access.department, front.departments or given.departments))
    if front.only:
        departments = only(map(config.access.department, front.only))
    card = Card(
        collection=agent.collection,
        path=source,
        source=source,
        fingerprint=fingerprint(data, given, config),
        family=_family(front, document, scope, departments),
        title=document.title,
        url=front.url or f"{agent.collection}/{show(Path(path.name))}",
        scope=scope,
        departments="+".join(sorted(set(departments))),
        version=front.version,
        effective=front.effective or given.effective,
        created_at=front.created_at,
    )
    notes = [_error(path, fault) for fault in front.faults]
    if document.guessed:
        notes.append(InputError("knowledge.guessed", path=show(path), encoding=document.encoding))
    names = {front.id, document.title, *paths_of(path), front.url, f"{document.title} {front.version}"}
    supersedes = {*front.supersedes, *given.supersedes}
    return CorpusDocument(
        document,
        card,
        frozenset(filter(None, map(named, names))),
        frozenset(filter(None, map(named, supersedes))),
        tuple(notes),
    )


def agent_of(path: Path, front: Front, given: IngestOptions, config: RagConfig) -> Agent:
    """Whose corpus it is: as the document says, as asked, by the name of a folder above it, else the general one."""
    if front.agent:
        name = config.access.department(front.agent.removesuffix("_agent"))
        if name not in config.agents:
            raise InputError(
                "rag_front.agent", where=show(path), found=front.agent, nearest=", ".join(config.agents)
            )
        return config.agents[name]
    if given.agent:
        return config.agents[given.agent]
    for folder in reversed(path.parts[:-1]):
        name = config.access.department(folder)
        if name in config.agents:
            return config.agents[name]
    return config.agents.get(_DEFAULT_AGENT) or next(iter(config.agents.values()))


def _document(path: Path, data: bytes) -> tuple[Front, Document]:
    """The front matter and the document without it. What the text itself claims is never looked at."""
    kind = path.suffix.lower()
    if kind in {".md", ".markdown", ".txt"}:
        text = decode(path, data).text
        front = read_front(text)
        _, body = split(text)
        if not body.strip():
            raise InputError("knowledge.empty", path=show(path))
        document = parse_document(path, data if body == text else body.encode("utf-8"))
        return front, document
    document = parse_document(path, data)
    if document.kind == "csv":
        raise InputError("rag_ingest.kind", path=show(path))
    if document.kind == "html":
        return fields_of_html(data.decode("utf-8", "replace")), document
    return Front(), document


def _narrower(first: str, second: str) -> str:
    """The narrower of two scopes; internal where neither is given."""
    given = [scope for scope in (first, second) if scope]
    return max(given, key=SCOPES.index) if given else "internal"


def _family(front: Front, document: Document, scope: str, departments: tuple[str, ...]) -> str:
    """The same for versions of one document: its id, or its title within scope and departments."""
    if front.id:
        return f"id:{named(front.id)}"
    return f"title:{label(scope, set(departments))}:{named(document.title)}"


def _error(path: Path, fault: Fault) -> InputError:
    where = f"{show(path)}:{fault.line}"
    return InputError(
        f"rag_front.{fault.code}", where=where, key=fault.key, found=fault.found, nearest=fault.nearest
    )


# --- Loading: what is new, changed or gone

MODE_ID = "rag"
SAMPLE = "sample:"


@dataclass(slots=True)
class IngestJob:
    """One load as it goes: `known` are the cards that were there, by source and path."""

    services: Services
    config: RagConfig
    given: IngestOptions
    now: str
    dry_run: bool = False
    known: dict[str, Card] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[TrolyError] = field(default_factory=list)
    cards: Cards = field(init=False)

    def __post_init__(self) -> None:
        self.cards = Cards(self.services.index)
        self.known = {card.path: card for card in self.cards.all()}


def run(request: IngestRequest) -> IngestOutcome:
    """Load a file or a folder of documents for the agents (md, html, pdf, docx, txt).

    A document that cannot be read, or whose front matter leaves open who may see it, is reported and the others go on.
    Samples leave when the first own document comes. Raises InputError (options; nothing could be loaded), StoreError,
    SettingsError, StoppedError.
    """
    config = load(request.services.paths)
    job = IngestJob(
        request.services,
        config,
        ingest_options(request, config),
        request.now.isoformat(),
        dry_run=request.dry_run,
    )
    plan = plan_files([request.file])
    job.problems += [problem.error for problem in plan.failed]
    job.counts["skipped"] = len(plan.skipped)
    for number, (key, path) in enumerate(plan.files.items(), 1):
        if request.cancelled():
            break
        load_one(job, key, path)
        request.progress(number, len(plan.files), "files")
    stopped = request.cancelled()
    if not stopped:
        remove(job, gone_files(plan, [card.source for card in job.known.values()]))
    changed = sum(job.counts[name] for name in ("added", "updated", "versions", "removed"))
    if stopped and not changed:
        raise StoppedError("rag_ingest.stopped")
    if not (changed or job.counts["unchanged"] or job.problems):
        raise InputError("rag_ingest.nothing", path=show(request.file))
    if not (request.dry_run or stopped):
        # A thread of its own: the caller may be inside a running loop.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: asyncio.run(embed(job))).result()
    return _outcome(request, job, changed)


def ingest_options(request: IngestRequest, config: RagConfig) -> IngestOptions:
    """The options, checked; raises InputError `rag_option.*`."""
    agent, scope = request.text("agent").strip(), request.text("scope").strip().casefold()
    name = config.access.department(agent)
    if agent and name not in config.agents:
        raise InputError("rag_option.agent", found=agent, known=", ".join(config.agents))
    if scope and scope not in SCOPES:
        raise InputError("rag_option.scope", found=request.text("scope"))
    effective = request.text("effective")
    day = read_day(effective) if effective else ""
    if day is None:
        raise InputError("rag_option.date", found=effective)
    return IngestOptions(
        agent=name if agent else "",
        scope=scope,
        departments=tuple(
            part.strip() for part in re.split(r"[,;+]", request.text("department")) if part.strip()
        ),
        effective=day[:10],
        supersedes=tuple(filter(None, [request.text("supersedes").strip()])),
    )


def load_one(job: IngestJob, key: str, path: Path, data: bytes | None = None) -> None:
    """Read one file, if it changed, and store it; what is wrong with it goes to the job's problems."""
    source = show(Path(key))
    old = job.known.get(source)
    try:
        data = load_bytes(path) if data is None else data
        if old and old.fingerprint == fingerprint(data, job.given, job.config):
            job.counts["unchanged"] += 1
            return
        reading = read_document(path, data, source, job.given, job.config)
        job.problems += reading.notes
        another = old is not None and _another_version(old, reading.card)
        what = "added" if old is None else "versions" if another else "updated"
        if not job.dry_run:
            store(job, old, reading, data)
        job.counts[what] += 1
    except InputError as error:
        job.counts["failed"] += 1
        job.problems.append(error)


def _another_version(old: Card, new: Card) -> bool:
    """Whether the same file now holds another version, which leaves the old one to be looked up.

    A document that had no version and no date was only completed.
    """
    before = (old.version, old.created_at, old.effective)
    return any(before) and before != (new.version, new.created_at, new.effective)


def store(job: IngestJob, old: Card | None, reading: CorpusDocument, data: bytes) -> None:
    """Store one document in one transaction, in place of `old` or beside it as the newer version."""
    knowledge, card = job.services.knowledge, reading.card
    supersedes = set(reading.supersedes)
    with job.services.index.write():
        if old is not None and _another_version(old, card):
            kept = f"{old.path}@{_mark(old)}"
            knowledge.store.remove(old.collection, None, [kept])
            knowledge.store.rename(old.collection, old.path, kept)
            job.cards.rename(old.collection, old.path, kept)
            _narrow(job, replace(old, path=kept), card)
            supersedes.add(place_of(kept))
        elif old is not None:
            knowledge.remove_document(old.collection, old.path)
            job.cards.remove(old.collection, old.path)
        job.counts["chunks"] += knowledge.put(
            reading.document,
            collection=card.collection,
            key=card.path,
            ingested_at=job.now,
            permission=reading.permission,
            data=data,
        )
        job.cards.put(card, reading.names, supersedes)
        if not card.source.startswith(SAMPLE):
            drop_samples(job)


def _narrow(job: IngestJob, old: Card, new: Card) -> None:
    """An older version is never open to more people than the document is now."""
    scope = max(old.scope, new.scope, key=SCOPES.index)
    departments = new.departments or old.departments
    if (scope, departments) != (old.scope, old.departments):
        job.cards.restrict(old, scope, departments)
        permission = label(scope, filter(None, departments.split("+")))
        job.services.knowledge.store.permit(old.collection, old.path, permission)


def _mark(old: Card) -> str:
    return named(old.version).replace(" ", ".") or old.effective or old.created_at[:10] or old.fingerprint[:8]


def remove(job: IngestJob, sources: Iterable[str]) -> None:
    """Remove the documents of `sources` with their older versions."""
    gone = set(sources)
    for card in job.known.values():
        if card.source in gone:
            if not job.dry_run:
                take_away(job, card)
            job.counts["removed"] += 1


def take_away(job: IngestJob, card: Card) -> None:
    """Remove one document and its card."""
    with job.services.index.write():
        job.services.knowledge.remove_document(card.collection, card.path)
        job.cards.remove(card.collection, card.path)


def drop_samples(job: IngestJob) -> None:
    """Take the sample company away: its answers must not mix with a company's own."""
    for card in [card for card in job.known.values() if card.source.startswith(SAMPLE)]:
        take_away(job, card)
        del job.known[card.path]
        job.counts["samples_removed"] += 1


async def embed(job: IngestJob) -> None:
    """Vectors for the chunks that have none, where an embedder answers; without one words alone find."""
    llm, name = job.services.llm, job.services.settings.models.for_mode(MODE_ID, "embed")
    try:
        vectors = await llm.embedder(name)
        for collection in sorted({agent.collection for agent in job.config.agents.values()}):
            done = await job.services.knowledge.embed_missing(collection, vectors, name)
            job.counts["embedded"] += done.done
            if done.error is not None:
                job.problems.append(done.error)
                break
    except ModelError:
        return
    finally:
        await llm.aclose()


def _write(path: Path, problems: Iterable[str], lang: Lang) -> None:
    """The problems as CSV, one a line; raises InputError `csv.errors_file`."""
    text = csv_text((say("documents.column_problem", lang),), ((problem,) for problem in problems))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError("csv.errors_file", path=show(path), reason=error.strerror or error) from error


_SHOWN = ("added", "updated", "versions", "unchanged", "removed", "failed", "skipped", "chunks", "embedded")


def _outcome(request: IngestRequest, job: IngestJob, changed: int) -> IngestOutcome:
    lang = request.language
    counts = {name: job.counts[name] for name in _SHOWN}
    told = [say("documents.done", lang, count=format_number(changed, lang))]
    if job.counts["samples_removed"]:
        told.append(say("documents.samples_gone", lang, count=job.counts["samples_removed"]))
    if not (request.dry_run or counts["embedded"]):
        told.append(say("documents.words_only", lang))
    problems = tuple(error.render(lang).line() for error in job.problems)
    if request.errors is not None:
        _write(request.errors, problems, lang)
    return IngestOutcome(
        counts,
        problems,
        published=bool((changed or job.counts["unchanged"]) and not request.dry_run),
        summary=" ".join(told),
    )
