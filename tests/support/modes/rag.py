"""The company assistant on a data directory of its own with the sample company: one person asks, the conversation goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.support.modes.desk import Desk
from tests.support.modes.made import registry_of
from tests.support.stores.prepared import prepared_services
from tests.support.stores.services import profile, services_at
from troly.text.catalogue import Lang
from troly_rag import MODE, samples
from troly_rag.config import RagConfig
from troly_rag.routing.follow_up import complete_question
from troly_rag.routing.lexicons import spelt_out
from troly_rag.routing.plan import Routing
from troly_rag.routing.router import ParsedMessage, check_small_talk, parse_questions, route


class RagDesk(Desk):
    """One person of a department."""

    mode = MODE

    def become(self, *permissions: str, department: str = "") -> None:
        """Ask as somebody with these permissions, in a new conversation."""
        self.profile = replace(profile(), permissions=frozenset(permissions), department=department)
        self.leave()


@asynccontextmanager
async def rag_desk(home: Path, *, loaded: bool = True, **env: str) -> AsyncIterator[RagDesk]:
    """The desk under `home`; `env` as for `services_at`."""
    registry = registry_of(rag=MODE)
    opened = (
        prepared_services(
            home, registry, ("company-samples",), lambda services: samples.load(services, "vi"), **env
        )
        if loaded
        else services_at(home, registry, **env)
    )
    with opened as services:
        desk = RagDesk(services, registry)
        desk.become("private", department="hr")
        yield desk
        await services.llm.aclose()


def routed(config: RagConfig, text: str, before: str = "", lang: Lang = "vi") -> Routing:
    """How the rules route a message after the question `before`, without looking into documents."""
    talk = check_small_talk(spelt_out(text, lang))
    message = (
        ParsedMessage(text, kind=talk.kind)
        if talk.kind
        else parse_questions(text, complete_question(talk.rest, before, lang), before, config, lang)
    )
    return route(message, config, ("public", "private"), lang, datetime(2026, 11, 22, tzinfo=UTC))
