"""How real turns of the company assistant look: asked of the sample company without a model, painted as they came."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.modes.rag import rag_desk
from tests.support.scenes.base import scene
from tests.support.screen.screens import Scene, settle
from troly.plugin.events import (
    Conflict,
    Event,
    Plan,
    Sources,
    StepFinished,
    Suggestions,
    TurnCompleted,
)

QUESTION = "giá trị cốt lõi, muộn có ảnh hưởng đến giá trị nào không"
SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
Snap = Callable[..., bool]


@pytest.fixture(scope="module")
def turn(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """The events of one turn, its measured times made even."""

    async def asked() -> list[Event]:
        async with rag_desk(tmp_path_factory.mktemp("company")) as desk:
            return (await desk.ask(QUESTION)).events

    return [even(event) for event in asyncio.run(asked())]


def even(event: Event) -> Event:
    if isinstance(event, StepFinished | TurnCompleted):
        return replace(event, ms=120.0)
    if isinstance(event, Plan):
        tasks = (task if task.ms is None else replace(task, ms=40.0) for task in event.tasks)
        return replace(event, tasks=tuple(tasks))
    return event


def told(events: list[Event]) -> Callable[[Pilot[Any]], Any]:
    async def before(pilot: Pilot[Any]) -> None:
        app = scene(pilot)
        (await app.ask(pilot, QUESTION)).say(*events)
        await settle(app, pilot)

    return before


def test_the_turn_has_what_the_pictures_show(turn: list[Event]) -> None:
    for kind in (Plan, Conflict, Sources, Suggestions, TurnCompleted):
        assert any(isinstance(event, kind) for event in turn), kind


@SIZES
def test_an_answer_with_its_plan_evidence_and_conflict(
    snap_compare: Snap, size: tuple[int, int], turn: list[Event]
) -> None:
    assert snap_compare(Scene("vi", mode="rag"), terminal_size=size, run_before=told(turn))


@SIZES
def test_a_plan_under_way(snap_compare: Snap, size: tuple[int, int], turn: list[Event]) -> None:
    """The same turn until its plan was made, its first task done and the second at work.

    Tasks that need nothing of each other run together; which of them is done first is not the picture's business.
    """
    at = next(number for number, event in enumerate(turn) if isinstance(event, Plan))
    made = turn[at]
    assert isinstance(made, Plan)
    first, second, *rest = made.tasks
    under_way = replace(
        made, tasks=(replace(first, status="done", ms=40.0), replace(second, status="running"), *rest)
    )
    assert snap_compare(Scene("vi", mode="rag"), terminal_size=size, run_before=told([*turn[:at], under_way]))


@SIZES
def test_where_the_sources_contradict_each_other(
    snap_compare: Snap, size: tuple[int, int], turn: list[Event]
) -> None:
    """The turn until it was settled: both sides with the rule that decided."""
    at = next(number for number, event in enumerate(turn) if isinstance(event, Conflict))
    assert snap_compare(Scene("vi", mode="rag"), terminal_size=size, run_before=told(turn[: at + 1]))
