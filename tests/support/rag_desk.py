"""The company assistant in a house of its own with the sample company: one person asks, the conversation goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.house import profile, services_at
from tests.support.modes import registry_of
from tests.support.shop import Told
from troly.conversation import TurnRequest, run_turn
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly_rag import MODE, samples


class RagDesk:
    """One person of a department; every `ask` goes on with the same conversation until `leave`."""

    def __init__(self, services: Services, registry: Registry) -> None:
        self.services = services
        self.registry = registry
        self.become("private", department="hr")
        self.conversation: str | None = None

    def become(self, *permissions: str, department: str = "") -> None:
        """Ask as somebody with these permissions, in a new conversation."""
        self.profile = replace(profile(), permissions=frozenset(permissions), department=department)
        self.conversation = None

    async def ask(self, text: str, **more: Any) -> Told:
        request = TurnRequest(MODE.id, text, conversation=self.conversation, **more)
        turn = run_turn(self.services, self.registry, self.profile, request)
        told = Told([event async for event in turn.events()])
        self.conversation = turn.conversation_id
        return told

    def leave(self) -> None:
        self.conversation = None


@asynccontextmanager
async def rag_desk(home: Path, *, loaded: bool = True, **env: str) -> AsyncIterator[RagDesk]:
    """The desk under `home`; `env` as for `services_at`."""
    registry = registry_of(rag=MODE)
    with services_at(home, registry, **env) as services:
        if loaded and not samples.loaded(services):
            samples.load(services, "vi")
        yield RagDesk(services, registry)
        await services.llm.aclose()
