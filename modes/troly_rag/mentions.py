"""The company's documents that the person who asks may see, as names to put into a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.plugin.mentioning import ranked

if TYPE_CHECKING:
    from troly.config import Profile
    from troly.plugin.services import Services


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Titles of documents with the name of the agent that keeps them; a document that is denied is not among them.

    Raises StoreError, SettingsError.
    """
    from troly_rag.access import may_see, user_context
    from troly_rag.config import load
    from troly_rag.corpus_cards import Cards

    config = load(services.paths)
    user = user_context(profile, config)
    agents = {agent.collection: agent.name for agent in config.agents.values()}
    names = [
        (card.title, agents[card.collection])
        for card in Cards(services.state).all()
        if card.collection in agents
        and may_see(user, card.scope, tuple(one for one in card.departments.split("+") if one))
    ]
    return ranked(sorted(names), prefix, limit)
