"""One file of the company as a document with its card: front matter, options and access put together."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

from troly.errors import InputError, TrolyError
from troly.retrieval.documents import Document, parse_document, show
from troly.retrieval.encodings import decode
from troly_rag.access import label
from troly_rag.config import Agent, RagConfig
from troly_rag.config_schema import SCOPES
from troly_rag.corpus_cards import Card, named, paths_of
from troly_rag.front_matter import Fault, Front, fields_of_html, read_front, split

# Raised when this module makes something else of the same bytes: documents are then read again.
MAKER = 2
_DEFAULT_AGENT = "general"


@dataclass(frozen=True, slots=True)
class Given:
    """What the options of an ingest say; a document's own front matter comes before them.

    `scope` is the exception: of the two the narrower one counts, so that no option opens a document.
    """

    agent: str = ""
    scope: str = ""
    departments: tuple[str, ...] = ()
    effective: str = ""
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
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


def fingerprint(data: bytes, given: Given, config: RagConfig) -> str:
    """What changes when the file, the options, the agents or this program's reading change."""
    corpora = sorted((agent.name, agent.collection) for agent in config.agents.values())
    said = json.dumps([MAKER, corpora, dataclasses.astuple(given)])
    return hashlib.sha256(said.encode() + b"\0" + data).hexdigest()


def read(path: Path, data: bytes, source: str, given: Given, config: RagConfig) -> Reading:
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
    return Reading(
        document,
        card,
        frozenset(filter(None, map(named, names))),
        frozenset(filter(None, map(named, supersedes))),
        tuple(notes),
    )


def agent_of(path: Path, front: Front, given: Given, config: RagConfig) -> Agent:
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
