"""What a turn records of itself comes back as it was, is cut where it is too large, and says where two runs part."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.stores.services import profile, services_at
from troly import recording
from troly.conversation.recorder import (
    EVENTS,
    PROMPTS,
    Recorder,
    TraceSources,
    build_trace,
    event_lines,
    json_line,
    limit_trace,
)
from troly.conversation.replay import differences, recorded_turn, replay, temporary_copy
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.errors import InputError
from troly.llm.types import CallRecord
from troly.plugin.events import (
    Event,
    Notice,
    Progress,
    Say,
    StepFinished,
    StepStarted,
    Task,
    Token,
    TurnCompleted,
    to_json,
)
from troly.plugin.events import (
    Plan as PlanEvent,
)
from troly.recording import TurnRecording
from troly.stores.records import dump

TEXTS = st.text(max_size=12).map(lambda text: text.replace("\x00", ""))
EVENT = st.one_of(
    TEXTS.map(Token),
    st.builds(StepStarted, TEXTS),
    st.builds(StepFinished, TEXTS, st.floats(0, 9), st.none(), TEXTS),
    st.builds(Notice, st.just("info"), TEXTS),
    st.builds(Say, TEXTS, TEXTS),
    st.builds(Progress, TEXTS, st.none()),
    st.builds(lambda purpose: PlanEvent((Task(1, "a", "b", purpose),)), TEXTS),
)


@given(events=st.lists(EVENT, max_size=30), state=st.dictionaries(TEXTS, st.integers(), max_size=3))
def test_the_events_come_back_as_they_were_told(events: list[Event], state: dict[str, int]) -> None:
    told: list[Event] = []
    recorder = Recorder(told.append)
    for event in events:
        recorder.take(event)
    end = TurnCompleted(recorder.text, state, "rules", 0, 1.5)
    trace = build_trace(recorder, TraceSources((), (), TurnRecording(), None), to_json(end), state)
    saved = json.loads(dump(trace))
    lines = event_lines(saved, json.loads(dump(state)))
    assert lines is not None
    assert [json_line(line) for line in lines] == [json_line(to_json(one)) for one in (*told, end)]


def _call(size: int) -> CallRecord:
    return CallRecord("t", "stream", prompt=[{"role": "user", "content": "x" * size}], reply="y" * 50)


def test_a_prompt_that_is_too_long_is_cut_and_said() -> None:
    recorder = Recorder(lambda _event: None)
    sources = TraceSources([_call(70_000), _call(10)], (), TurnRecording(), None)
    trace = build_trace(recorder, sources, {"event": "TurnFailed", "text": ""}, {})
    assert trace["cut"] == [PROMPTS]
    assert [call["cut"] for call in trace["calls"]] == [10_000, 0]
    assert trace["calls"][0]["reply"] == "y" * 50
    assert sources.calls[0].prompt[0]["content"] == "x" * 70_000


def test_a_trace_that_is_too_large_keeps_its_steps_and_says_what_it_lost() -> None:
    calls = [{"prompt": [{"role": "user", "content": "x" * 5_000}], "cut": 0} for _ in range(3)]
    events = [["e", {"event": "Progress", "message": "z" * 9_000}]]
    trace = limit_trace(
        {"steps": [{"node": "n"}], "calls": calls, "recording": {"values": {}}, "events": events}, 6_000
    )
    assert trace["cut"] == [PROMPTS, "recording", EVENTS]
    assert trace["steps"] == [{"node": "n"}]
    assert len(dump(trace)) < 6_000
    assert event_lines(trace, {}) is None


async def test_a_recording_gives_what_it_took(tmp_path: Path) -> None:
    asked = []

    async def work() -> int:
        asked.append(1)
        return len(asked)

    async def take() -> Sequence[Any]:
        given_now = await recording.recorded_call("net", work, str, int)
        return (
            recording.duration("ms", 1.23456),
            recording.current_time("at"),
            given_now,
            recording.recorded("who", lambda: "a"),
        )

    with recording.running(TurnRecording()) as live:
        first = await take()
    with recording.running(TurnRecording(json.loads(json.dumps(live.to_json())))) as again:
        second = await take()
        assert await recording.recorded_call("net", work, str, int, lambda: 9) == 9
    assert first == second
    assert first[0] == 1.235
    assert (asked, again.missed) == ([1], ["net"])


async def test_side_by_side_work_ends_in_the_recorded_order() -> None:
    ended: list[str] = []

    async def branch(name: str, pauses: int) -> None:
        for _ in range(pauses):
            await asyncio.sleep(0)
        await recording.in_order("branches", name)
        ended.append(name)

    with recording.running(TurnRecording({"orders": {"branches": ["c", "a", "b"]}})):
        await asyncio.gather(branch("a", 1), branch("b", 0), branch("c", 5), branch("new", 2))
    assert [name for name in ended if name != "new"] == ["c", "a", "b"]


def test_a_difference_names_the_field() -> None:
    def told(last: int) -> list[dict[str, Any]]:
        return [
            {"event": "Token", "text": "a"},
            {"event": "Notice", "state": {"rows": [{"n": 1}, {"n": last}]}},
        ]

    [found] = differences(told(2), told(3))
    assert (found.number, found.event, found.changes) == (2, "Notice", [("state.rows.1.n", 2, 3)])


@given(was=st.lists(st.integers(0, 3), max_size=8), now=st.lists(st.integers(0, 3), max_size=8))
def test_two_runs_differ_exactly_when_their_lines_do(was: list[int], now: list[int]) -> None:
    lines: list[list[dict[str, Any]]] = [
        [{"event": "Token", "text": str(n)} for n in run] for run in (was, now)
    ]
    assert bool(list(differences(*lines))) == (was != now)


async def test_a_failed_turn_is_replayed_and_an_unfinished_or_old_one_is_refused(own_home: Path) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say", "raise"])))
    with services_at(own_home, registry) as services:
        turn = run_turn(
            Session(services, registry, profile()), TurnRequest("planned", "xin chào", offline=True)
        )
        async for _ in turn.events():
            pass
        with temporary_copy(services.paths, services.settings, registry) as copy:
            assert (await replay(copy, registry, "an", turn.turn_id)).same
        running = services.conversations.begin_turn("an", turn.conversation_id, "x")
        with pytest.raises(InputError, match="running"):
            recorded_turn(services, "an", running)
        old = services.conversations.finish_turn("an", running.id, status="completed", trace={"steps": []})
        with pytest.raises(InputError, match="did not record enough"):
            recorded_turn(services, "an", old)


async def test_a_replay_changes_nothing_in_the_house(own_home: Path) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    with services_at(own_home, registry) as services:
        turn = run_turn(
            Session(services, registry, profile()), TurnRequest("planned", "xin chào", offline=True)
        )
        async for _ in turn.events():
            pass
        before = services.conversations.export("an", turn.conversation_id)
        with temporary_copy(services.paths, services.settings, registry) as copy:
            await replay(copy, registry, "an", turn.turn_id)
        assert services.conversations.export("an", turn.conversation_id) == before
