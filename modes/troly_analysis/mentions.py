"""The sheets of the person who asks, as names to put into a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.plugin.contract import TalkCommand
from troly.plugin.mentioning import hint_language, ranked
from troly.text.numbers import format_number
from troly_analysis.strings import catalogue, say

if TYPE_CHECKING:
    from troly.config import Profile
    from troly.plugin.services import Services

TALK = (
    TalkCommand(
        "pipeline",
        catalogue().entry("strings.mentions.pipeline"),  # type: ignore[arg-type]
        "[{…}]",
    ),
)


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """The person's own sheets; nobody else's are looked at. Raises StoreError."""
    from troly_analysis.sheets_store import SheetStore

    lang = hint_language(services, profile)
    sheets = SheetStore(services).sheets(profile.login)
    names = [
        (sheet.name, say("mentions.sheet", lang, rows=format_number(sheet.rows, lang))) for sheet in sheets
    ]
    return ranked(names, prefix, limit)
