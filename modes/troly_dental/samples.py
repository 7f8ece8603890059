"""The dental notes that ship: read once from their files, kept as a knowledge corpus of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from troly.plugin.contract import DataStatus
from troly.plugin.mentioning import hint_language, ranked
from troly.plugin.samples import shipped
from troly.text.catalogue import LANGS, Lang
from troly_dental.settings import DentalSettings
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.services import Services

FOLDER = "dental"
COLLECTION = "dental"
"""The corpus of this assistant; the documents of other assistants are never searched."""
PREFIX = "sample:"
_FRONT = re.compile(r"\A---\n(.*?)\n---\n+(?:#[^\n]*\n+)?(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NoteFile:
    """One note that ships: `also` are other words for its subject, `sources` public ones by their plain names.

    `person`: about who asks (pregnancy, an illness), which changes what holds for everything else.
    `date` is when it was last looked through (YYYY-MM-DD); paragraphs of `text` are lines.
    """

    key: str
    path: Path
    lang: Lang
    topic: str
    title: str
    date: str
    also: tuple[str, ...]
    sources: tuple[str, ...]
    text: str
    person: bool = False


@cache
def note_files() -> tuple[NoteFile, ...]:
    """All notes that ship, by name; raises InputError `samples.missing`, ValueError for a file that is none."""
    return tuple(_read(path) for path in sorted(shipped(FOLDER).glob("*.md")))


def load(services: Services, lang: Lang) -> tuple[str, ...]:
    """Load the notes where the corpus is empty; returns a sentence. Raises InputError, StoreError."""
    from troly.retrieval.documents.files import load_bytes, parse_document

    what = say("samples.notes", lang, count=len(note_files()))
    there = {document.path for document in services.knowledge.list_documents(COLLECTION)}
    # A load that was cut off left some of them.
    missing = [note for note in note_files() if note.key not in there]
    if any(not key.startswith(PREFIX) for key in there):
        return (say("samples.kept", lang, what=what),)
    if not missing:
        return (say("samples.already", lang, what=what),)
    for note in missing:
        data = load_bytes(note.path)
        # Other words for the subject belong to the title: they are searched, and not read out in an answer.
        title = ", ".join([note.title, *note.also])
        services.knowledge.put(
            replace(parse_document(note.path, data), title=title),
            collection=COLLECTION,
            key=note.key,
            ingested_at=services.clock().isoformat(),
            data=data,
        )
    return (say("samples.loaded", lang, what=what),)


def remove(services: Services, lang: Lang) -> tuple[str, ...]:
    """Remove the notes that shipped; returns a sentence. Raises StoreError."""
    keys = _loaded_keys(services)
    for key in keys:
        services.knowledge.remove_document(COLLECTION, key)
    if not keys:
        return (say("samples.none", lang),)
    return (say("samples.removed", lang, what=say("samples.notes", lang, count=len(keys))),)


def loaded(services: Services) -> bool:
    """Whether any of the notes that ship is there."""
    return bool(_loaded_keys(services))


def _loaded_keys(services: Services) -> list[str]:
    documents = services.knowledge.list_documents(COLLECTION)
    return [document.path for document in documents if document.path.startswith(PREFIX)]


def _read(path: Path) -> NoteFile:
    """The note at `path`, whose name ends in its language: `sau-rang.vi.md`."""
    found = _FRONT.match(path.read_text(encoding="utf-8"))
    lang = next((each for each in LANGS if path.name.endswith(f".{each}.md")), None)
    if found is None or lang is None:
        raise ValueError(f"{path.name}: no note with front matter and a language in its name")
    lines = (line.partition(":") for line in found[1].splitlines())
    front = {name.strip(): value.strip() for name, _, value in lines}
    return NoteFile(
        key=f"{PREFIX}{path.name}",
        path=path,
        lang=lang,
        topic=front["topic"],
        title=front["title"],
        date=front["date"],
        also=_listed(front.get("also", "").split(",")),
        sources=_listed(front["sources"].split(";")),
        text="\n".join(_listed(found[2].splitlines())),
        person=front.get("about") == "person",
    )


def _listed(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(value.strip() for value in values if value.strip())


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Titles of the shared notes, those in the person's language first; what was remembered of people is not among them.

    Raises StoreError.
    """
    lang = hint_language(services, profile)
    shipped = {note.key: note for note in note_files()}
    names = []
    for document in services.knowledge.list_documents(COLLECTION):
        note = shipped.get(document.path)
        title, other = (note.title, note.lang != lang) if note else (document.title, False)
        if document.permission is None:
            names.append((other, title, say("mentions.note", lang)))
    return ranked([(title, hint) for _, title, hint in sorted(names)], prefix, limit)


def data_status(services: Services, lang: Lang) -> DataStatus:
    """How many notes there are, and whether the web is searched beside them."""
    count = len(services.knowledge.list_documents(COLLECTION))
    line = say("holdings.loaded" if count else "holdings.none", lang, count=count)
    settings = services.settings.of(DentalSettings)
    if settings.search == "off":
        return DataStatus(say("holdings.no_web", lang, line=line), enough=count > 0)
    engine = "SearXNG" if settings.searxng else "DuckDuckGo"
    return DataStatus(say("holdings.online", lang, line=line, engine=engine), enough=True)
