"""The dental notes, as names to put into a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.plugin.mentioning import hint_language, ranked
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly.config import Profile
    from troly.plugin.services import Services


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Titles of the shared notes, those in the person's language first; what was remembered of people is not among them.

    Raises StoreError.
    """
    from troly_dental.samples import COLLECTION, note_files

    lang = hint_language(services, profile)
    shipped = {note.key: note for note in note_files()}
    names = []
    for document in services.knowledge.list_documents(COLLECTION):
        note = shipped.get(document.path)
        title, other = (note.title, note.lang != lang) if note else (document.title, False)
        if document.permission is None:
            names.append((other, title, say("mentions.note", lang)))
    return ranked([(title, hint) for _, title, hint in sorted(names)], prefix, limit)
