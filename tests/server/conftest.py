"""Stores and assistants for the server's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.stores.services import services_at
from troly.plugin.registry import Registry
from troly.plugin.services import Services


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with services_at(tmp_path / "house") as opened:
        yield opened


@pytest.fixture
def plan() -> Plan:
    """What the assistant `planned` does; a test may change its actions before the first question."""
    return Plan(["say", "event", "say"])


@pytest.fixture
def registry(plan: Plan) -> Registry:
    return registry_of(planned=planned_mode(plan), other=planned_mode(Plan(["say"]), "other"))
