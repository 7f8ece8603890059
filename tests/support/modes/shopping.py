"""The shop desk on a data directory of its own: services, the mode alone in a registry, a few warranty records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.modes.desk import Desk
from tests.support.modes.made import registry_of
from tests.support.modes.warranty_files import load
from tests.support.stores.prepared import prepared_services
from tests.support.stores.services import services_at
from troly_shopping import MODE

# One for all tests: its graph is built once a run.
_REGISTRY = registry_of(shopping=MODE)

SAMPLE = Path(__file__).parents[3] / "data" / "warranty.csv"


class Shop(Desk):
    """One person at the shop's desk."""

    mode = MODE

    def history(self) -> list[tuple[str, str]]:
        """Type and text of the messages, oldest first."""
        assert self.conversation
        found = self.services.conversations.messages(self.profile.login, self.conversation)
        return [(message.type, message.text) for message in found]


@contextmanager
def shop_at(home: Path, *, warranties: Path | None = SAMPLE, **env: str) -> Iterator[Shop]:
    """A shop under `home` with the warranty list `warranties`, or with nothing; `env` as for `services_at`."""
    if warranties is None:
        with services_at(home, _REGISTRY, **env) as services:
            yield Shop(services, _REGISTRY)
        return
    content = ("shop", warranties.read_text(encoding="utf-8"))
    with prepared_services(
        home, _REGISTRY, content, lambda services: load(services, warranties), **env
    ) as services:
        yield Shop(services, _REGISTRY)
