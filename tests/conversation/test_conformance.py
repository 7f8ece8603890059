"""Every built-in mode keeps the contract, and the suite finds what a bad mode does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.modes.made import BUILT_IN, Plan, planned_mode, registry_of
from tests.support.stores.services import profile, services_at
from troly.conversation.conformance import check_mode
from troly.conversation.session import Session
from troly.plugin.contract import Mode, Outcome
from troly.plugin.registry import Registry


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    registry = Registry()
    with services_at(tmp_path / "home", registry) as services:
        yield Session(services, registry, profile())


@pytest.mark.parametrize("name", BUILT_IN)
async def test_built_in_modes_conform(session: Session, name: str) -> None:
    assert await check_mode(session.registry.get(name), session) == []


def _state(**state: Any) -> Mode:
    def finish(_final: Mapping[str, Any]) -> Outcome:
        return Outcome(state=state)

    return replace(planned_mode(Plan(["say"])), finish=finish)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (planned_mode(Plan(["raise"])), "fails without a model"),
        (planned_mode(Plan(["yield"])), "its answer is empty"),
        (_state(), "its state has []"),
        (_state(done=object()), "its state is not JSON"),
    ],
)
async def test_what_a_bad_mode_does_is_found(session: Session, mode: Mode, said: str) -> None:
    problems = await check_mode(mode, Session(session.services, registry_of(planned=mode), session.profile))
    assert any(said in problem for problem in problems)
