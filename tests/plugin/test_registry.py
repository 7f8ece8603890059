"""Modes enter by the plugin door; one that is broken is named with its reason and harms nobody."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.modes.made import BUILT_IN, Plan, planned_mode, registry_of
from troly.errors import ConfigError
from troly.plugin.registry import Registry


def test_built_in_modes_are_found_first_and_work() -> None:
    registry = Registry()
    assert registry.names[: len(BUILT_IN)] == BUILT_IN
    assert not set(registry.broken()) & set(BUILT_IN)
    assert [mode.id for mode in registry][: len(BUILT_IN)] == list(BUILT_IN)


def test_a_broken_mode_is_isolated() -> None:
    good = planned_mode(Plan(["say"]))
    registry = registry_of(
        planned=good, boom=RuntimeError("\x1b[31mkaput"), odd=object(), old=replace(good, contract=0)
    )
    assert [mode.id for mode in registry] == ["planned"]
    broken = registry.broken()
    assert broken["boom"] == "RuntimeError: kaput"
    assert "not a troly.plugin.contract.Mode" in broken["odd"]
    assert "contract 0" in broken["old"]
    with pytest.raises(ConfigError, match="kaput"):
        registry.get("boom")


def test_a_mode_that_ends_the_program_at_import_is_broken_too() -> None:
    registry = registry_of(leaves=SystemExit(3), stuck=KeyboardInterrupt())
    with pytest.raises(ConfigError, match="SystemExit: 3"):
        registry.get("leaves")
    with pytest.raises(KeyboardInterrupt):
        registry.get("stuck")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "other"}, "its id is 'other'"),
        ({"accent": "red"}, "not #rrggbb"),
        ({"names": {"vi": "Một"}}, "its names lack en"),
        ({"first_questions": {"vi": (), "en": ("?",)}}, "its first_questions lack vi"),
    ],
)
def test_what_a_declaration_lacks_is_said(change: dict[str, object], said: str) -> None:
    mode = replace(planned_mode(Plan(["say"])), **change)  # type: ignore[arg-type]
    assert said in registry_of(planned=mode).broken()["planned"]


def test_unknown_mode_lists_what_there_is() -> None:
    with pytest.raises(ConfigError, match="planned"):
        registry_of(planned=planned_mode(Plan(["say"]))).get("nope")
