"""The company assistant on a data directory of its own with the sample company: one person asks, the conversation goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from tests.support.modes.desk import Desk
from tests.support.modes.made import registry_of
from tests.support.stores.prepared import prepared_services
from tests.support.stores.services import profile, services_at
from troly_rag import MODE, samples


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
