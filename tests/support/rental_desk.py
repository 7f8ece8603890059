"""The rental assistant in a house of its own with the sample data: one person asks, the conversation goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.house import profile, services_at
from tests.support.modes import registry_of
from tests.support.shop import Told
from troly.conversation import TurnRequest, run_turn
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly_rental import MODE, samples


class RentalDesk:
    """One person; every `ask` goes on with the same conversation until `leave`."""

    def __init__(self, services: Services, registry: Registry) -> None:
        self.services = services
        self.registry = registry
        self.login = "nobody"
        self.conversation: str | None = None

    async def ask(self, text: str, **more: Any) -> Told:
        request = TurnRequest(MODE.id, text, conversation=self.conversation, **more)
        turn = run_turn(self.services, self.registry, profile(self.login), request)
        told = Told([event async for event in turn.events()])
        self.conversation = turn.conversation_id
        return told

    def leave(self, login: str = "") -> None:
        """Begin another conversation, as somebody else where `login` is given."""
        self.conversation = None
        self.login = login or self.login


@asynccontextmanager
async def rental_desk(home: Path, *, loaded: bool = True, **env: str) -> AsyncIterator[RentalDesk]:
    """The desk under `home`; `env` as for `services_at`."""
    registry = registry_of(rental=MODE)
    with services_at(home, registry, **env) as services:
        if loaded and not samples.loaded(services):
            samples.load(services, "vi")
        yield RentalDesk(services, registry)
        await services.llm.aclose()
