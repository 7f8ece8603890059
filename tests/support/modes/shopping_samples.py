"""The shop desk with the sample data of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.modes.made import registry_of
from tests.support.modes.shopping import Shop
from tests.support.stores.prepared import prepared_services
from troly.plugin.samples import load_once
from troly_shopping import MODE

# One for all tests: its graph is built once a run.
_REGISTRY = registry_of(shopping=MODE)


@contextmanager
def stocked_shop(home: Path, **env: str) -> Iterator[Shop]:
    """A shop with the sample catalogue, warranty list and pages."""
    with prepared_services(
        home, _REGISTRY, ("shop-samples",), lambda services: load_once(services, [MODE], "vi"), **env
    ) as services:
        yield Shop(services, _REGISTRY)


def told_lines(answer: str) -> list[str]:
    """The lines of an answer that tell goods, without their numbers."""
    return [found[1] for line in answer.splitlines() if (found := re.match(r"(?:-|\d+\.) (.+)", line))]
