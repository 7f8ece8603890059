"""The sample company that ships, what documents there are, and their titles to put into a message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from troly.plugin.contract import DataStatus
from troly.plugin.mentioning import ranked
from troly.plugin.samples import shipped
from troly.plugin.services import Services
from troly.retrieval.documents.files import kind_of
from troly.text.catalogue import Lang
from troly.text.numbers import format_number
from troly_rag.config import load as load_config
from troly_rag.corpus.access import may_see, user_context
from troly_rag.corpus.cards import Card, Cards
from troly_rag.corpus.ingest import SAMPLE, IngestJob, IngestOptions, load_one, take_away
from troly_rag.strings import say

if TYPE_CHECKING:
    from troly.config.users import Profile


INGEST_COMMAND = "app ingest policies PATH"


def load(services: Services, lang: Lang) -> tuple[str, ...]:
    """Load the sample documents unless there are own ones; returns a sentence. Raises InputError, StoreError."""
    cards = Cards(services.index).all()
    if any(not _is_sample(card) for card in cards):
        return (say("documents.samples_kept", lang),)
    folder, there = shipped("rag"), {card.source for card in cards}
    files = [
        path for path in sorted(folder.rglob("*")) if path.is_file() and kind_of(path) not in (None, "csv")
    ]
    # A load that was cut off left some of them.
    sources = {f"{SAMPLE}{path.relative_to(folder).as_posix()}": path for path in files}
    missing = {source: path for source, path in sources.items() if source not in there}
    if not missing:
        return (say("documents.samples_already", lang),)
    job = _job(services)
    for source, path in missing.items():
        load_one(job, source, path)
    return (say("documents.samples_loaded", lang, count=job.counts["added"]),)


def remove(services: Services, lang: Lang) -> tuple[str, ...]:
    """Take the sample documents away; returns a sentence. Raises StoreError."""
    job = _job(services)
    gone = [card for card in job.known.values() if _is_sample(card)]
    for card in gone:
        take_away(job, card)
    key = "samples_removed" if gone else "samples_none"
    return (say(f"documents.{key}", lang, count=len(gone)),)


def loaded(services: Services) -> bool:
    """Whether any sample document is there."""
    return any(map(_is_sample, Cards(services.index).all()))


def data_status(services: Services, lang: Lang) -> DataStatus:
    """What documents there are, by agent, for the empty pane."""
    cards = Cards(services.index).all()
    if not cards:
        return DataStatus(say("documents.holdings_none", lang), enough=False, command=INGEST_COMMAND)
    key = "holdings_samples" if all(map(_is_sample, cards)) else "holdings_loaded"
    parts = ", ".join(f"{name} {count}" for name, count in counted(services, cards))
    line = say(f"documents.{key}", lang, count=format_number(len(cards), lang), parts=parts)
    return DataStatus(line, enough=True, command=INGEST_COMMAND)


def counted(services: Services, cards: Iterable[Card]) -> list[tuple[str, int]]:
    """How many documents each agent has, in the order of the configuration."""
    by_collection = Counter(card.collection for card in cards)
    agents = load_config(services.paths).agents.values()
    return [(agent.name, by_collection[agent.collection]) for agent in agents]


def _job(services: Services) -> IngestJob:
    return IngestJob(services, load_config(services.paths), IngestOptions(), services.clock().isoformat())


def _is_sample(card: Card) -> bool:
    return card.source.startswith(SAMPLE)


# --- Titles that may be put into a message


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Titles of documents with the name of the agent that keeps them; a document that is denied is not among them.

    Raises StoreError, SettingsError.
    """
    config = load_config(services.paths)
    user = user_context(profile, config)
    agents = {agent.collection: agent.name for agent in config.agents.values()}
    names = [
        (card.title, agents[card.collection])
        for card in Cards(services.index).all()
        if card.collection in agents
        and may_see(user, card.scope, tuple(one for one in card.departments.split("+") if one))
    ]
    return ranked(sorted(names), prefix, limit)
