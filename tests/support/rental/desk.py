"""The rental assistant in a house of its own with the sample data: one person asks, the conversation goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.modes.desk import Desk
from tests.support.modes.made import registry_of
from tests.support.stores.prepared import prepared_services
from tests.support.stores.services import profile, services_at
from troly_rental import MODE
from troly_rental.data import samples

# One for all tests: its graph is built once a run.
_REGISTRY = registry_of(rental=MODE)


class RentalDesk(Desk):
    """One person; `become` is somebody else."""

    mode = MODE

    def become(self, login: str) -> None:
        """Ask as somebody else, in a new conversation."""
        self.profile = profile(login)
        self.leave()


@asynccontextmanager
async def rental_desk(home: Path, *, loaded: bool = True, **env: str) -> AsyncIterator[RentalDesk]:
    """The desk under `home`; `env` as for `services_at`."""
    house = (
        prepared_services(
            home, _REGISTRY, ("rental-samples",), lambda services: samples.load(services, "vi"), **env
        )
        if loaded
        else services_at(home, _REGISTRY, **env)
    )
    with house as services:
        yield RentalDesk(services, _REGISTRY, "nobody")
        await services.llm.aclose()
