"""A turn ends exactly once, whatever its nodes do and whenever it is stopped; what was said is kept."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.modes.replays import person_at
from tests.support.modes.slow_mode import MODE, WAIT
from tests.support.ollama.double import OllamaDouble, Reply
from tests.support.process.waiting import wait_until
from tests.support.stores.services import profile, services_at
from troly.conversation import turn as turns
from troly.conversation.replay import replay
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.errors import AccessError, StoreError
from troly.plugin.events import (
    Event,
    ModelCalled,
    ModelLoading,
    Notice,
    StepFinished,
    StepStarted,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from troly.plugin.services import Services
from troly.recording import TurnRecording, running
from troly.recording import recorded_call as from_network
from troly.stores.handovers import Handovers

ACTIONS = ("say", "event", "yield", "raise", "model_error", "late")


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with services_at(tmp_path / "home") as opened:
        yield opened


async def events_of(services: Services, plan: Plan, stop_after: int | None = None) -> list[Event]:
    registry = registry_of(planned=planned_mode(plan))
    turn = run_turn(Session(services, registry, profile()), TurnRequest("planned", "xin chào", offline=True))
    seen: list[Event] = []
    async for event in turn.events():
        seen.append(event)
        if stop_after is not None and len(seen) > stop_after:
            turn.cancel()
    return seen


@pytest.mark.parametrize("early", ["before the events are read", "before the first step"])
async def test_a_stop_that_comes_very_early_ends_the_turn(services: Services, early: str) -> None:
    turn = run_turn(
        Session(services, registry_of(planned=planned_mode(Plan(["say"]))), profile()),
        TurnRequest("planned", "xin chào"),
    )
    if early == "before the events are read":
        turn.cancel()
    else:
        asyncio.get_running_loop().call_soon(turn.cancel)
    async with asyncio.timeout(60):
        seen = [event async for event in turn.events()]
    assert isinstance(seen[-1], TurnFailed)
    assert seen[-1].code == "turn.stopped"


async def test_where_a_colleague_answers_the_assistant_is_silent_until_the_hand_over_is_closed(
    services: Services,
) -> None:
    session = Session(services, registry_of(planned=planned_mode(Plan(["say"]))), profile())
    handovers, store = Handovers(services.conversations), services.conversations

    async def asked(text: str) -> list[Event]:
        return [event async for event in run_turn(session, TurnRequest("planned", text, talk)).events()]

    talk = store.create(session.profile.login, "planned").id
    handovers.add(talk, "khách hỏi", "asked")
    (waiting,) = handovers.list("lan", staff=True)
    assert any(isinstance(event, Token) for event in await asked("chưa ai nhận"))
    handovers.answer(waiting.id, "lan", "Em Lan đây ạ", staff=True, name="Lan")
    events = await asked("máy em vẫn hỏng")
    assert not [event for event in events if isinstance(event, (Token, ModelCalled))]
    assert isinstance(events[-1], TurnCompleted)
    assert "Lan" in events[-1].text
    # The colleague reads it, and the turn is the same when it is replayed after all is closed.
    saved = store.messages(session.profile.login, talk)
    assert [one.text for one in saved if one.sender == "user"] == ["chưa ai nhận", "máy em vẫn hỏng"]
    handovers.close(waiting.id, "lan", staff=True)
    last = store.turns(session.profile.login, talk)[-1]
    assert (await replay(services, session.registry, session.profile.login, last.id)).same
    assert any(isinstance(event, Token) for event in await asked("xong rồi"))


def terminals(events: list[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, (TurnCompleted, TurnFailed))]


@settings(max_examples=60)
@given(
    actions=st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=6),
    stop_after=st.none() | st.integers(0, 14),
)
def test_exactly_one_terminal_event(
    tmp_path_factory: pytest.TempPathFactory, actions: list[str], stop_after: int | None
) -> None:
    with services_at(tmp_path_factory.mktemp("home")) as services:
        plan = Plan(actions)
        events = asyncio.run(events_of(services, plan, stop_after))
        assert len(terminals(events)) == 1
        assert events[-1] is terminals(events)[0]
        if stop_after is None:
            assert isinstance(events[-1], TurnFailed) == bool({"raise", "model_error"} & set(actions))
        started = [e.node for e in events if isinstance(e, StepStarted)]
        finished = [e.node for e in events if isinstance(e, StepFinished)]
        assert started == finished
        saved = services.conversations.list("an")
        turns = services.conversations.turns("an", saved[0].id) if saved else []
        ended = "completed" if isinstance(events[-1], TurnCompleted) else ("failed", "stopped")
        assert all(turn.status in ended for turn in turns)


async def test_a_good_turn_is_saved_with_its_trace(services: Services) -> None:
    events = await events_of(services, Plan(["say", "event", "say"]))
    end = events[-1]
    assert isinstance(events[0], TurnStarted)
    assert isinstance(end, TurnCompleted)
    assert end.text == "Dạ\n\nmột một"
    assert (end.source, end.calls, dict(end.state)) == ("rules", 0, {"done": True})
    conversation = services.conversations.list("an")[0]
    messages = services.conversations.messages("an", conversation.id)
    assert [(m.sender, m.text, m.type) for m in messages] == [
        ("user", "xin chào", ""),
        ("assistant", "Dạ", "ack"),
        ("assistant", "một một", "answer"),
    ]
    turn = services.conversations.turns("an", conversation.id)[0]
    assert turn.status == "completed"
    assert [step["node"] for step in turn.trace["steps"]] == ["n0", "n1", "n2"]
    assert "\x1b" not in str(turn.trace)


async def test_stopping_a_hung_node_keeps_what_was_said(services: Services) -> None:
    plan = Plan(["say", "hang", "say"])
    registry = registry_of(planned=planned_mode(plan))
    turn = run_turn(Session(services, registry, profile()), TurnRequest("planned", "chào", offline=True))

    async def stop_when_hung() -> None:
        await plan.reached.wait()
        turn.cancel()

    stopper = asyncio.create_task(stop_when_hung())
    events = [event async for event in turn.events()]
    await stopper
    end = events[-1]
    assert isinstance(end, TurnFailed)
    assert (end.code, end.text) == ("turn.stopped", "một")
    stored = services.conversations.turn("an", turn.turn_id)
    assert stored.status == "stopped"
    assert services.conversations.messages("an", turn.conversation_id)[-1].text == "một"


async def test_leaving_the_stream_early_ends_the_turn(services: Services) -> None:
    plan = Plan(["say", "hang"])
    registry = registry_of(planned=planned_mode(plan))
    turn = run_turn(Session(services, registry, profile()), TurnRequest("planned", "chào", offline=True))
    stream = turn.events()
    async for event in stream:
        if isinstance(event, Token):
            break
    await stream.aclose()  # type: ignore[attr-defined]
    assert services.conversations.turn("an", turn.turn_id).status == "stopped"


async def test_nothing_is_told_after_the_end(services: Services) -> None:
    plan = Plan(["late", "say"])
    events = await events_of(services, plan)
    plan.late[0].say("sau khi xong")
    assert "sau khi xong" not in str(events)


async def test_an_endless_graph_is_stopped_by_the_step_limit(services: Services) -> None:
    end = (await events_of(services, Plan(["loop", "say"])))[-1]
    assert isinstance(end, TurnFailed)
    assert end.code == "turn.steps"


@pytest.mark.parametrize(
    ("text", "code"), [("", "turn.empty"), (" \n\t", "turn.empty"), ("x" * 200_001, "turn.long")]
)
async def test_unusable_messages_say_why(services: Services, text: str, code: str) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    events = [
        e
        async for e in run_turn(Session(services, registry, profile()), TurnRequest("planned", text)).events()
    ]
    assert [getattr(e, "code", "") for e in events] == [code]


async def test_unknown_and_broken_modes_end_in_one_clear_failure(services: Services) -> None:
    registry = registry_of(broken=ImportError("no module \x1b[31mx"))
    for mode, code in (("none", "mode.unknown"), ("broken", "mode.broken")):
        events = [
            e
            async for e in run_turn(
                Session(services, registry, profile()), TurnRequest(mode, "chào")
            ).events()
        ]
        end = events[-1]
        assert isinstance(end, TurnFailed)
        assert end.code == code
        assert end.remedy
        assert "\x1b" not in end.message


async def test_a_conversation_belongs_to_its_owner(services: Services) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    first = run_turn(Session(services, registry, profile("an")), TurnRequest("planned", "chào", offline=True))
    [_ async for _ in first.events()]
    stranger = TurnRequest("planned", "cho xem", conversation=first.conversation_id, offline=True)
    end = [e async for e in run_turn(Session(services, registry, profile("binh")), stranger).events()][-1]
    assert isinstance(end, TurnFailed)
    assert end.code == "store.not_yours"
    with pytest.raises(AccessError):
        services.conversations.messages("binh", first.conversation_id)


async def test_a_conversation_is_named_after_its_first_question(services: Services) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    long = "kiểm tra \x1b[31mbảo hành\n" + "rất dài " * 40
    first = run_turn(Session(services, registry, profile()), TurnRequest("planned", long, offline=True))
    [_ async for _ in first.events()]
    again = TurnRequest("planned", "câu khác", conversation=first.conversation_id, offline=True)
    [_ async for _ in run_turn(Session(services, registry, profile()), again).events()]
    title = services.conversations.get("an", first.conversation_id).title
    assert title.startswith("kiểm tra bảo hành rất dài")
    assert len(title) <= 60


async def test_a_language_is_kept_until_a_whole_message_is_in_the_other(services: Services) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    first = run_turn(
        Session(services, registry, profile()),
        TurnRequest("planned", "hello, how are you please", offline=True),
    )
    [_ async for _ in first.events()]
    for text, language in (("bảo hành", "en"), ("máy này còn bảo hành không em?", "vi"), ("ok", "vi")):
        again = TurnRequest("planned", text, conversation=first.conversation_id, offline=True)
        events = [e async for e in run_turn(Session(services, registry, profile()), again).events()]
        assert isinstance(events[0], TurnStarted)
        assert events[0].language == language


async def test_what_never_reached_a_model_is_no_call(tmp_path: Path) -> None:
    with person_at(tmp_path, "dental", OLLAMA_HOST="http://127.0.0.1:9") as person:
        await person.ask("Nhổ răng khôn xong nên ăn gì?")
        [conversation] = person.services.conversations.list(person.profile.login)
        [turn] = person.services.conversations.turns(person.profile.login, conversation.id)
    assert turn.calls == 0


# What is kept of an answer while it is being written: one error of the store does not end the keeping.


async def test_a_busy_store_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PARTIAL_EVERY", 0.01)
    loop = asyncio.get_running_loop()
    kept, tries = asyncio.Event(), []
    with services_at(tmp_path / "home") as services:
        save = services.conversations.save_partial

        def busy_at_first(owner: str, turn_id: str, text: str) -> None:
            tries.append(text)
            if len(tries) == 1:
                raise StoreError("store.busy", path="state.db")
            save(owner, turn_id, text)
            loop.call_soon_threadsafe(kept.set)

        monkeypatch.setattr(services.conversations, "save_partial", busy_at_first)
        turn = run_turn(
            Session(services, registry_of(slow=MODE), profile()), TurnRequest(MODE.id, WAIT, offline=True)
        )
        async for event in turn.events():
            if isinstance(event, Token):
                async with asyncio.timeout(60):
                    await kept.wait()
                turn.cancel()
    assert tries[:2] == ["phần đầu", "phần đầu"]


# A turn whose process is killed is found interrupted at the next start, with its question and what was said.


ROOT = Path(__file__).parents[2]


def test_a_killed_turn_is_interrupted_and_keeps_its_words(tmp_path: Path) -> None:
    home = tmp_path / "home"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.process.hanging_turn", str(home)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        conversation, turn_id = process.stdout.readline().split()[:2]
        with services_at(home) as beside:
            assert beside.interrupted == ()
            wait_until(lambda: beside.conversations.turn("an", turn_id).partial)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    with services_at(home) as after:
        assert [turn.id for turn in after.interrupted] == [turn_id]
        messages = after.conversations.messages("an", conversation)
        assert [(m.sender, m.text) for m in messages] == [("user", "còn đó không?"), ("assistant", "một")]
        assert messages[-1].status == "interrupted"


async def _with_model(
    tmp_path: Path, server: OllamaDouble, actions: list[str], text: str = "xin chào"
) -> list[Event]:
    with services_at(tmp_path / "home", OLLAMA_HOST=server.url) as services:
        registry = registry_of(planned=planned_mode(Plan(actions)))
        turn = run_turn(Session(services, registry, profile()), TurnRequest("planned", text))
        events = [event async for event in turn.events()]
        await services.llm.aclose()
    return events


async def test_an_answer_that_reached_its_limit_is_marked_and_gone_on_with_where_it_stops(
    tmp_path: Path,
) -> None:
    with (
        OllamaDouble({"gpt-oss:latest": ["completion"]}) as server,
        services_at(tmp_path / "home", OLLAMA_HOST=server.url) as services,
    ):
        session = Session(services, registry_of(planned=planned_mode(Plan(["stream"]))), profile())
        server.script(Reply("một hai ba ", done_reason="length"), Reply("bốn năm"))
        first = run_turn(session, TurnRequest("planned", "xin chào"))
        events = [event async for event in first.events()]
        [notice] = [event for event in events if isinstance(event, Notice)]
        assert "giới hạn" in notice.message
        assert isinstance(events[-1], TurnCompleted)
        assert events[-1].metadata["cut"] is True
        again = run_turn(session, TurnRequest("planned", "xin chào", continues=first.turn_id))
        events = [event async for event in again.events()]
        result = await replay(services, session.registry, "an", first.turn_id)
        saved = services.conversations.messages("an", first.conversation_id)
        await services.llm.aclose()
    assert isinstance(events[-1], TurnCompleted)
    assert events[-1].text.split() == ["một", "hai", "ba", "bốn", "năm"]
    assert [said["role"] for said in server.chats[1].messages[-3:]] == ["user", "assistant", "user"]
    assert server.chats[1].messages[-2]["content"] == "một hai ba "
    assert (again.turn_id, again.conversation_id) == (first.turn_id, first.conversation_id)
    assert [one.sender for one in saved] == ["user", "assistant"]
    assert "năm" in saved[-1].text
    assert result.same


async def test_only_a_turn_of_ones_own_that_has_ended_is_gone_on_with(services: Services) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    conversation = services.conversations.create("an", "planned").id
    running = services.conversations.begin_turn("an", conversation, "hỏi")
    for login in ("an", "binh"):
        request = TurnRequest("planned", "hỏi", continues=running.id)
        turn = run_turn(Session(services, registry, profile(login)), request)
        end = [event async for event in turn.events()][-1]
        assert isinstance(end, TurnFailed)
        assert end.code in ("store.turn_running", "store.not_yours")


async def test_a_model_that_stands_in_and_one_that_lost_words_are_told_once(tmp_path: Path) -> None:
    with OllamaDouble({"llama3.2:3b": ["completion"], "bge-m3:latest": ["embedding"]}) as server:
        server.window, server.cuts_silently = 600, True
        server.default = lambda _request: Reply("chào")
        events = await _with_model(tmp_path, server, ["stream", "embed", "stream"], "bảo hành " * 900)
    notices = [event.message for event in events if isinstance(event, Notice)]
    assert len(notices) == 2
    assert all(name in notices[0] for name in ("gpt-oss", "llama3.2:3b"))
    assert "600" in notices[1]
    assert [event.wanted for event in events if isinstance(event, ModelCalled)] == ["gpt-oss", "", "gpt-oss"]
    assert isinstance(events[-1], TurnCompleted)
    assert events[-1].calls == 2


async def test_a_model_that_is_being_loaded_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("troly.llm.session.LOADING_AFTER", 0.05)
    kinds: list[type[Event]] = []
    with (
        OllamaDouble() as server,
        services_at(tmp_path / "home", OLLAMA_HOST=server.url) as services,
    ):
        server.loading_done = threading.Event()
        registry = registry_of(planned=planned_mode(Plan(["stream"])))
        turn = run_turn(Session(services, registry, profile()), TurnRequest("planned", "xin chào"))
        async for event in turn.events():
            kinds.append(type(event))
            if isinstance(event, ModelLoading):
                server.loading_done.set()
        await services.llm.aclose()
    assert kinds.index(ModelLoading) < kinds.index(Token)


async def test_what_the_network_gave_a_turn_is_not_asked_for_again_when_it_goes_on() -> None:
    asked: list[str] = []

    async def page(text: str) -> str:
        asked.append(text)
        return text

    first = TurnRecording()
    with running(first):
        assert await from_network("web", lambda: page("một"), str, str) == "một"
    again = TurnRecording()
    again.resume(first.to_json())
    with running(again):
        assert await from_network("web", lambda: page("hai"), str, str) == "một"
        assert await from_network("web", lambda: page("ba"), str, str) == "ba"
    assert asked == ["một", "ba"]
    assert again.to_json()["values"]["web"] == ["một", "ba"]
