"""The screen on real services and a real HTTP server: answers, faults, two screens at once, quitting in the middle."""

from __future__ import annotations

import asyncio
import gc
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypedDict

import anyio
import pytest
from textual.pilot import Pilot

from tests.support.modes.made import registry_of
from tests.support.ollama.double import Fault, OllamaDouble, Reply
from tests.support.process.waiting import until, wait_until
from tests.support.screen.screens import NOW, text_of
from tests.support.stores.services import profile
from troly.config.load import load_settings
from troly.conversation.session import Session
from troly.errors import StoreError
from troly.paths import Paths
from troly.plugin.context import Step, TurnContext, traced
from troly.plugin.contract import DataStatus, Graph, Mode, Outcome
from troly.plugin.services import open_services
from troly.text.dates import fixed_clock
from troly.tui.app import TrolyApp
from troly.tui.backend import SessionBackend, end_tasks

LONG = "Chào bạn, đây là câu trả lời rất dài. " * 20
PATIENCE = 20.0


class State(TypedDict, total=False):
    """The graph keeps nothing."""


def graph() -> Graph:
    from langgraph.graph import END, START, StateGraph

    async def respond(_state: Mapping[str, Any], turn: TurnContext, step: Step) -> Mapping[str, Any]:
        step.note("asked the model", "model")
        async for piece in turn.model.stream("respond", turn.chat_history()):
            turn.say(piece)
        return {}

    builder = StateGraph(State, context_schema=TurnContext)
    builder.add_node("respond", traced("respond", respond))
    builder.add_edge(START, "respond")
    builder.add_edge("respond", END)
    return builder.compile()


PLAIN = Mode(
    id="plain", names={"vi": "Nói chuyện", "en": "Talk"}, summaries={"vi": "Hỏi model.", "en": "Asks the model."},
    persona="shopping", accent="#4aa3df", first_questions={"vi": ("Chào?",), "en": ("Hi?",)}, graph=graph,
    start=lambda _turn: {}, finish=lambda _state: Outcome(state={}), state_fields=(), opening=lambda _services, _lang: None,
    data_status=lambda _services, _lang: DataStatus("3 phiếu", enough=False, command="app ingest x FILE"),
)  # fmt: skip


def opener(home: Path, url: str) -> Callable[[], Session]:
    """What opens a session under `home`."""

    def opened() -> Session:
        paths = Paths.resolve({"TROLY_HOME": str(home)})
        settings = load_settings(paths, {"OLLAMA_HOST": url})
        services = open_services(paths, settings, (), fixed_clock(NOW.isoformat()))
        registry = registry_of(plain=PLAIN, broken=RuntimeError("no such module"))
        return Session(services, registry, profile())

    return opened


class Real(TrolyApp):
    """The app with services under `home`."""

    def __init__(self, home: Path, url: str, loaded: Callable[[], object] = lambda: None) -> None:
        super().__init__(
            lambda deliver: SessionBackend(opener(home, url), deliver, loaded),
            mode="plain",
            language="vi",
            theme="dark",
            now=lambda: NOW,
        )

    @property
    def shown(self) -> str:
        return text_of(self.chat.transcript)

    async def ask(self, pilot: Pilot[Any], text: str) -> None:
        self.chat.prompt.put(text)
        await pilot.press("enter")
        await until(lambda: text in self.shown, PATIENCE)


@asynccontextmanager
async def running(app: Real) -> AsyncIterator[Pilot[Any]]:
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(lambda: app.controller.opened or app.controller.trouble, PATIENCE)
            yield pilot
    finally:
        await asyncio.to_thread(app.close_backend)


@pytest.fixture
def ollama() -> Iterator[OllamaDouble]:
    with OllamaDouble() as server:
        yield server


async def test_an_answer_streams_is_saved_and_opens_again(tmp_path: Path, ollama: OllamaDouble) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        await until(lambda: "3 phiếu" in app.shown, PATIENCE)
        assert "app ingest x FILE" in app.shown
        assert "broken ×" in text_of(app.chat.modes)
        ollama.script("Dạ **có** ạ.")
        await app.ask(pilot, "còn hàng không?")
        await until(lambda: "Dạ có ạ." in app.shown and "model · 1 lượt" in app.shown, PATIENCE)
        await until(lambda: "● gpt-oss" in text_of(app.chat.modes), PATIENCE)
        await until(lambda: "còn hàng không?" in text_of(app.chat.list), PATIENCE)
    again = Real(tmp_path, ollama.url)
    async with running(again) as pilot:
        await until(lambda: "còn hàng không?" in text_of(again.chat.list), PATIENCE)
        again.controller.open(again.controller.listed[0].id)
        await until(lambda: "Dạ có ạ." in again.shown, PATIENCE)
        assert "model · 1 lượt" in again.shown
        await pilot.press("f3")
        await until(lambda: "asked the model" in text_of(again.chat.evidence))


async def test_another_model_than_the_one_set_is_told_on_the_screen(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    del ollama.models["gpt-oss:latest"]
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        ollama.script("Dạ có ạ.")
        await app.ask(pilot, "còn hàng không?")
        await until(lambda: "Dạ có ạ." in app.shown and not app.controller.pane.running, PATIENCE)
    assert "gpt-oss chưa được cài; qwen2.5:7b-instruct trả lời thay." in " ".join(app.shown.split())
    assert "app models pull gpt-oss" in app.shown


async def test_it_is_told_once_that_an_assistant_has_loaded_what_it_needs(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    told: list[None] = []
    app = Real(tmp_path, ollama.url, lambda: told.append(None))
    async with running(app) as pilot:
        for text in ("một", "hai"):
            ollama.script(f"Có {text}.")
            await app.ask(pilot, text)
            await until(lambda text=text: f"Có {text}." in app.shown and not app.controller.pane.running)  # type: ignore[misc]
            await until(lambda: told)
    assert len(told) == 1


@pytest.mark.parametrize("fault", ["server_error", "not_found", "error_line", "junk", "cut", "no_done"])
async def test_on_every_fault_question_and_partial_stay_and_the_next_message_works(
    tmp_path: Path, ollama: OllamaDouble, fault: Fault
) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        ollama.script(Reply(LONG, fault=fault, after=5))
        await app.ask(pilot, "câu hỏi một")
        await until(lambda: not app.controller.pane.running and "câu hỏi một" in app.shown, PATIENCE)
        answer = app.controller.pane.messages[-1]
        await until(lambda: answer.trouble is None or "hỏi lại" in app.shown, PATIENCE)
        assert answer.finished
        if fault in ("error_line", "junk", "cut", "no_done"):
            assert "Chào bạn" in app.shown
        ollama.script("Lần này được.")
        await app.ask(pilot, "câu hỏi hai")
        await until(lambda: "Lần này được." in app.shown, PATIENCE)
        assert "câu hỏi một" in app.shown


@pytest.mark.parametrize("reply", [Reply(fault="hang"), Reply(LONG, gap=0.05)], ids=["hang", "slow"])
async def test_escape_reaches_the_server_at_once(tmp_path: Path, ollama: OllamaDouble, reply: Reply) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        ollama.script(reply)
        await app.ask(pilot, "hỏi")
        await until(lambda: ollama.chats, PATIENCE)
        if reply.text:
            await until(lambda: "Chào bạn" in app.shown, PATIENCE)
        await pilot.press("escape")
        await until(lambda: ollama.chats[0].disconnected)
        await until(lambda: app.controller.pane.messages[-1].state == "stopped", PATIENCE)
        await until(lambda: "■" in app.shown)
        assert "hỏi" in app.shown


async def test_quitting_in_the_middle_of_an_answer_saves_what_was_said(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        ollama.script(Reply(LONG, gap=0.05))
        await app.ask(pilot, "hỏi dở")
        await until(lambda: "Chào bạn" in app.shown, PATIENCE)
        await pilot.press("ctrl+q")
    again = Real(tmp_path, ollama.url)
    async with running(again):
        await until(lambda: again.controller.listed, PATIENCE)
        again.controller.open(again.controller.listed[0].id)
        await until(lambda: "Chào bạn" in again.shown and "■" in again.shown, PATIENCE)


async def test_two_screens_on_one_data_directory(tmp_path: Path, ollama: OllamaDouble) -> None:
    one, two = Real(tmp_path, ollama.url), Real(tmp_path, ollama.url)
    async with running(one) as first:
        ollama.script("của một")
        await one.ask(first, "câu một")
        await until(lambda: "của một" in one.shown, PATIENCE)
        async with running(two) as second:
            await until(lambda: "câu một" in text_of(two.chat.list), PATIENCE)
            ollama.script("của hai")
            await two.ask(second, "câu hai")
            await until(lambda: "của hai" in two.shown, PATIENCE)


async def test_without_ollama_the_header_says_rules_and_it_is_noticed_when_it_comes(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    ollama.down()
    app = Real(tmp_path, ollama.url)
    async with running(app):
        await until(lambda: "○ quy tắc" in text_of(app.chat.modes), PATIENCE)
        assert "Chưa có model" in app.shown
        ollama.up()
        await until(lambda: "● gpt-oss" in text_of(app.chat.modes), PATIENCE)


def test_whoever_quits_in_the_moment_of_opening_leaves_nothing_begun(tmp_path: Path) -> None:
    """What is asked for just before the end is cancelled, not dropped before its first step; the services are closed."""
    for moment in range(4):
        shown: list[object] = []
        backend = SessionBackend(opener(tmp_path, "http://127.0.0.1:1"), lambda show: show())
        backend.start(shown.append)
        if moment % 2:
            wait_until(lambda: shown)  # noqa: B023
            backend.watch_health(lambda: "plain", lambda: "vi", shown.append)
        backend.close()
        assert backend._thread is not None
        backend._thread.join(60)
        assert backend._loop.is_closed()
        assert not asyncio.all_tasks(backend._loop)
        if backend._session is not None:
            with pytest.raises(StoreError):
                backend._session.services.conversations.list("u")


def test_closing_twice_ends_what_runs_as_once_does(tmp_path: Path) -> None:
    """A hang-up closes, then the exit does: what runs is ended whole, and the services are closed."""
    shown: list[object] = []
    ended: list[str] = []
    backend = SessionBackend(opener(tmp_path, "http://127.0.0.1:1"), lambda show: show())
    backend.start(shown.append)
    wait_until(lambda: shown)
    ending = threading.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ending.set()
            await asyncio.to_thread(backend.close)
            ended.append("whole")

    backend._submit(work())
    wait_until(lambda: asyncio.all_tasks(backend._loop))
    backend.close()
    assert ending.wait(60)
    assert backend._thread is not None
    backend._thread.join(60)
    assert ended == ["whole"]
    assert backend._session is not None
    with pytest.raises(StoreError):
        backend._session.services.conversations.list("u")


def test_a_connection_that_begins_in_the_moment_of_closing_prints_nothing() -> None:
    async def connect() -> None:
        await asyncio.sleep(PATIENCE)

    async def ask() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(connect)

    async def close() -> None:
        asking = asyncio.create_task(ask())
        await asyncio.sleep(0)
        await end_tasks()
        assert asking.cancelled()

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        asyncio.run(close())
        gc.collect()
    assert not [str(each.message) for each in said]


async def test_a_data_directory_that_is_a_file_is_told_on_a_card(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    (tmp_path / "data").write_text("not a folder")
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        await until(lambda: "Chưa mở được Troly" in app.shown, PATIENCE)
        await pilot.press("ctrl+q")
        await until(lambda: not app.is_running)


async def test_ollama_that_goes_and_comes_back_is_noticed_and_asked_again(
    tmp_path: Path, ollama: OllamaDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("troly.tui.backend.HEALTH_EVERY", 0.05)
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        await until(lambda: "● gpt-oss" in text_of(app.chat.modes), PATIENCE)
        ollama.down()
        await until(lambda: "○ quy tắc" in text_of(app.chat.modes), PATIENCE)
        ollama.up()
        await until(lambda: "● gpt-oss" in text_of(app.chat.modes), PATIENCE)
        ollama.script("Dạ lại có ạ.")
        await app.ask(pilot, "còn đó không?")
        await until(lambda: "Dạ lại có ạ." in app.shown, PATIENCE)
        await until(lambda: "token" in text_of(app.chat.status), PATIENCE)


async def test_the_prompt_behind_an_answer_is_read_from_the_store_and_a_mark_stays(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        ollama.script("Dạ **có** ạ.")
        await app.ask(pilot, "còn hàng không?")
        await until(lambda: "model · 1 lượt" in app.shown, PATIENCE)
        await pilot.press("f3")
        # What the store has of the answer is more than the step that was seen while it ran.
        await until(lambda: text_of(app.chat.evidence).count("▸") > 1, PATIENCE)
        await pilot.press("enter", "down", "enter", "down", "enter")
        await until(lambda: "còn hàng không?" in text_of(app.chat.evidence), PATIENCE)
        await pilot.press("w")
        await until(lambda: app.screen is not app.chat, PATIENCE)
        await pilot.press("enter")
        await until(lambda: "× đã đánh dấu sai" in app.shown, PATIENCE)
    again = Real(tmp_path, ollama.url)
    async with running(again):
        await until(lambda: bool(again.controller.listed), PATIENCE)
        again.controller.open(again.controller.listed[0].id)
        await until(lambda: "× đã đánh dấu sai" in again.shown, PATIENCE)
