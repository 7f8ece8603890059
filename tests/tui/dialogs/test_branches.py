"""Branches: a conversation goes on elsewhere with its history, leads back, and a question is asked of another model too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.ollama.double import OllamaDouble
from tests.support.process.waiting import until
from tests.support.screen.screens import settle, text_of
from tests.support.stores.services import profile, services_at
from tests.tui.test_backend import PATIENCE, Real, running
from troly.conversation.session import Session
from troly.errors import AccessError, StoreError
from troly.plugin.registry import Registry
from troly.stores.records import NewMessage
from troly.tui import operations
from troly.tui.dialogs.choose import ChooseScreen
from troly.tui.dialogs.compare import CompareScreen, own_words


@pytest.fixture
def ollama() -> Iterator[OllamaDouble]:
    with OllamaDouble() as server:
        yield server


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with services_at(tmp_path) as services:
        yield Session(services, Registry(), profile("an"))


def asked(session: Session, conversation: str, text: str) -> str:
    """A turn with its answer; returns its id."""
    store = session.services.conversations
    turn = store.begin_turn("an", conversation, text)
    answer = [NewMessage("assistant", f"đáp {text}")]
    store.finish_turn(
        "an", turn.id, status="completed", messages=answer, trace={"steps": []}, recording={"calls": [1]}
    )
    return turn.id


def texts(session: Session, conversation: str) -> list[str]:
    return [one.text for one in session.services.conversations.messages("an", conversation)]


def test_a_branch_has_what_was_said_before_and_its_own_turns(session: Session) -> None:
    store = session.services.conversations
    one = store.create("an", "shopping", title="Máy in {x}", language="vi")
    store.add_message("an", one.id, "assistant", "Chào", type="greeting")
    first, second = asked(session, one.id, "một"), asked(session, one.id, "hai")
    made = operations.branch_conversation(session, one.id, second, "{title} (nhánh)", after=False)
    assert made.title == "Máy in {x} (nhánh)"
    assert texts(session, made.conversation) == ["Chào", "một", "đáp một"]
    (turn,) = store.turns("an", made.conversation)
    assert turn.id != first
    assert store.recording("an", turn.id)["calls"] == [1]
    asked(session, made.conversation, "ba")
    assert texts(session, one.id) == ["Chào", "một", "đáp một", "hai", "đáp hai"], (
        "the other one is as it was"
    )
    whole = operations.branch_conversation(session, one.id, second, "x", after=True)
    assert texts(session, whole.conversation)[-1] == "đáp hai"
    store.delete("an", one.id)
    assert texts(session, whole.conversation)[-1] == "đáp hai", "it does not need the other one"


def test_where_a_branch_came_from_is_known_and_nobody_branches_what_is_not_theirs(session: Session) -> None:
    store = session.services.conversations
    one = store.create("an", "shopping", title="Gốc")
    turn = asked(session, one.id, "một")
    made = operations.branch_conversation(session, one.id, turn, "x", after=True, model="m")
    origin = operations.branch_origin(session, made.conversation)
    assert origin is not None
    assert (origin.conversation, origin.turn, origin.title) == (one.id, turn, "Gốc")
    assert operations.chosen_model(session, made.conversation) == "m"
    assert operations.branch_origin(session, one.id) is None
    with pytest.raises(AccessError):
        store.branch("binh", one.id, turn, after=True, title="", metadata={})
    with pytest.raises(AccessError):
        store.branch("an", made.conversation, turn, after=True, title="", metadata={})
    runs = store.begin_turn("an", one.id, "đang")
    with pytest.raises(StoreError):
        store.branch("an", one.id, runs.id, after=True, title="", metadata={})


@given(st.text(max_size=60), st.text(max_size=60))
def test_words_of_both_are_not_marked_and_the_text_stays_whole(one: str, other: str) -> None:
    spans = own_words(one, other)
    assert "".join(span.text for span in spans) == one
    assert not any("found" in span.style for span in own_words(one, one))
    for span in own_words("giá máy này", f"giá {other} máy này"):
        assert "found" not in span.style


def test_a_word_that_only_one_has_is_marked() -> None:
    marked = [span.text for span in own_words("còn 405 ngày", "còn 12 ngày") if "found" in span.style]
    assert marked == ["405"]


async def test_a_branch_goes_on_with_the_history_and_leads_back(tmp_path: Path, ollama: OllamaDouble) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        for text in ("câu một", "câu hai"):
            ollama.script(f"đáp {text}")
            await app.ask(pilot, text)
            await until(lambda: not app.controller.pane.running, PATIENCE)
        first = app.controller.pane
        answer = next(view for view in first.messages if view.text == "đáp câu một")
        app.chat.transcript.focus()
        app.chat.transcript.choose(answer.key)
        await pilot.press("f")
        await until(lambda: app.controller.pane is not first and "đáp câu một" in app.shown, PATIENCE)
        assert "câu hai" not in app.shown
        await until(lambda: app.chat.prompt.has_focus)
        ollama.script("đáp khác")
        await app.ask(pilot, "câu khác")
        await until(lambda: "đáp khác" in app.shown, PATIENCE)
        said = [message["content"] for message in ollama.chats[-1].body["messages"]]
        assert "câu một" in said
        assert "câu hai" not in said
        await until(lambda: not app.controller.pane.running, PATIENCE)
        await pilot.press("alt+g")
        await until(lambda: app.controller.pane is first, PATIENCE)
        await settle(app, pilot)
        assert "câu hai" in app.shown


@pytest.mark.parametrize("reopened", [True, False])
async def test_a_branch_before_a_question_has_it_in_the_input(
    tmp_path: Path, ollama: OllamaDouble, reopened: bool
) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        await app.ask(pilot, "câu một")
        await until(lambda: not app.controller.pane.running, PATIENCE)
        first = app.controller.pane
        if reopened:
            first.messages, first.unloaded = [], True
            app.controller.show(first)
            await until(lambda: "câu một" in app.shown, PATIENCE)
        question = next(view for view in first.messages if view.who == "user")
        app.chat.transcript.focus()
        app.chat.transcript.choose(question.key)
        await pilot.press("f")
        await until(lambda: app.controller.pane is not first, PATIENCE)
        await until(lambda: app.chat.prompt.text == "câu một")


@pytest.mark.parametrize("keep", [True, False])
async def test_another_model_answers_beside_with_the_differences_marked(
    tmp_path: Path, ollama: OllamaDouble, keep: bool
) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        ollama.script("Máy còn 405 ngày.")
        await app.ask(pilot, "còn bao lâu?")
        await until(lambda: not app.controller.pane.running and app.controller.health.up, PATIENCE)
        first = app.controller.pane
        await app.run_action("message('compare')")
        await until(lambda: isinstance(app.screen, ChooseScreen), PATIENCE)
        ollama.script("Máy còn 12 ngày.")
        await pilot.press(*"qwen2.5:7b", "enter")
        await until(lambda: isinstance(app.screen, CompareScreen), PATIENCE)
        screen = app.screen
        assert isinstance(screen, CompareScreen)
        await until(lambda: any("found" in span.style for span in screen._second.text), PATIENCE)
        assert ollama.chats[-1].model.startswith("qwen2.5:7b")
        assert [span.text for span in screen._first.text if "found" in span.style] == ["405"]
        assert "Máy còn 12 ngày." in text_of(screen._second)
        await pilot.press("enter" if keep else "escape")
        await until(lambda: app.screen is app.chat)
        if keep:
            await until(
                lambda: app.controller.pane is not first and "Máy còn 12 ngày." in app.shown, PATIENCE
            )
            assert app.controller.pane.model.startswith("qwen2.5:7b")
        else:
            await until(lambda: len(app.controller.listed) == 1, PATIENCE)
            assert app.controller.pane is first
        assert "Máy còn 405 ngày." in [view.text for view in first.messages]
