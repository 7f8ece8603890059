"""Districts, and the tables that a role may see, as names to put into a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.plugin.contract import TalkCommand
from troly.plugin.mentioning import hint_language, ranked
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.services import Services

TALK = (
    TalkCommand(
        "sql",
        {"vi": "Chạy câu SELECT của chính mình, chỉ đọc", "en": "Run a SELECT of your own, read-only"},
        "SELECT …",
    ),
)


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Cities and districts with their city, and what the person's role may see of the data. Raises StoreError."""
    from troly_rental.data.schema import tables
    from troly_rental.data.store import RentalStore
    from troly_rental.roles import grants

    lang = hint_language(services, profile)
    store = RentalStore(services)
    places = store.places()
    names = [(place.name, say("mentions.city", lang)) for place in places.of("city")]
    names += [(place.name, places.by_id[place.city_id].name) for place in places.of("district")]
    allowed = grants()[store.role_of(profile.login).role]
    names += [
        (table.caption(lang), say("mentions.table", lang, name=name))
        for name, table in tables().items()
        if name in allowed
    ]
    return ranked(names, prefix, limit)
