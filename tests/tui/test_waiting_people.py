"""Conversations that wait for a person: the customer's screen sees a colleague's words, a colleague's screen who waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.modes.made import registry_of
from tests.support.process.waiting import until
from tests.support.screen.fake_backend import MODES
from tests.support.screen.screens import NOW, Scene, begin
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.errors import AccessError
from troly.plugin.events import Handoff, TurnCompleted
from troly.stores.handovers import Handovers
from troly.tui import operations
from troly.tui.chat.view import MessageView, SessionInfo, WaitingView, message
from troly.tui.dialogs.browse import BrowseScreen
from troly.tui.dialogs.choose import ChooseScreen
from troly.tui.render.spans import plain


@pytest.fixture
def customer(tmp_path: Path) -> Iterator[Session]:
    with services_at(tmp_path) as services:
        yield Session(services, registry_of(), profile("an"))


def colleague_of(customer: Session) -> Session:
    return Session(customer.services, customer.registry, replace(profile("lan"), role="lead"))


def handed_over(customer: Session) -> str:
    store = customer.services.conversations
    conversation = store.create("an", "test").id
    store.add_message("an", conversation, "user", "cho gặp người")
    Handovers(store).add(conversation, "khách hỏi", "asked")
    return conversation


def words(text: str, number: str = "m1") -> MessageView:
    return message("assistant", NOW, text, kind="staff", colleague="lan", saved=number)


def test_who_waits_is_answered_and_the_customer_hears_it_once(customer: Session) -> None:
    conversation, lan = handed_over(customer), colleague_of(customer)
    (waiting,) = operations.read_waiting(lan)
    assert (waiting.customer, waiting.reason, waiting.taken_by) == ("an", "khách hỏi", "")
    assert [view.text for view in waiting.said] == ["cho gặp người"]
    assert operations.look_at_handovers(lan, {}).waiting == 1
    assert operations.look_at_handovers(customer, {conversation: ""}).words == {conversation: ([], True)}

    operations.answer_customer(lan, waiting.id, "Dạ em Lan đây ạ")
    assert operations.read_waiting(lan)[0].taken_by == "lan"
    assert operations.look_at_handovers(lan, {}).waiting == 0
    ((said,), waits) = operations.look_at_handovers(customer, {conversation: ""}).words[conversation]
    assert (said.text, said.colleague, said.who, waits) == ("Dạ em Lan đây ạ", "Lan", "assistant", True)
    assert operations.look_at_handovers(customer, {conversation: said.saved}).words[conversation] == (
        [],
        True,
    )

    operations.answer_customer(lan, waiting.id, "Xong rồi ạ")
    operations.close_handover(lan, waiting.id)
    ((last,), waits) = operations.look_at_handovers(customer, {conversation: said.saved}).words[conversation]
    assert (last.text, waits) == ("Xong rồi ạ", False)
    # Read again it is still the colleague's.
    _, views = operations.load_conversation(customer, conversation)
    assert [(view.text, view.colleague) for view in views[1:]] == [
        ("Dạ em Lan đây ạ", "Lan"),
        ("Xong rồi ạ", "Lan"),
    ]
    file = Path(operations.save_conversation(customer, conversation, "md", "vi"))
    assert "## Lan · " in file.read_text(encoding="utf-8")


def test_nobody_else_hears_or_answers_it(customer: Session) -> None:
    conversation, lan = handed_over(customer), colleague_of(customer)
    (waiting,) = operations.read_waiting(lan)
    operations.answer_customer(lan, waiting.id, "bí mật")
    stranger = Session(customer.services, customer.registry, profile("binh"))
    assert operations.look_at_handovers(stranger, {conversation: ""}).words[conversation] == ([], False)
    assert operations.read_waiting(stranger) == []
    for someone in (stranger, customer):
        with pytest.raises(AccessError):
            operations.answer_customer(someone, waiting.id, "x")
        with pytest.raises(AccessError):
            operations.close_handover(someone, waiting.id)


async def test_the_words_of_a_colleague_come_to_the_open_conversation_with_their_name() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 24)) as pilot:
        await begin(app, pilot)
        app.controller.submit("cho gặp người")
        handoff = Handoff("khách muốn gặp nhân viên", (), "1900 0000", "asked")
        app.fake.asked[0].say(handoff, TurnCompleted("Dạ em chuyển ạ.", {}, "rules", 0, 1.0))
        app.controller.submit("còn gì nữa không")
        await until(lambda: len(app.fake.asked) == 2)
        running = app.fake.asked[1]
        app.fake.staff_words["c1"] = [words("Chào anh, em là Lan")]
        app.controller.look_for_people()
        await until(lambda: "Chào anh, em là Lan" in shown(app))
        assert "lan  " in shown(app)
        running.say(TurnCompleted("Dạ còn ạ.", {}, "rules", 0, 1.0))
        await until(lambda: "Dạ còn ạ." in shown(app))
        # The clock of the screen fetches the next ones by itself, and each is shown once.
        app.fake.staff_words["c1"] = [words("Máy của anh đã xong", "m2")]
        await until(lambda: "Máy của anh đã xong" in shown(app))
        app.controller.look_for_people()
        assert shown(app).count("Chào anh, em là Lan") == 1
        # What a colleague wrote is no answer of the assistant: nothing of it can be asked again or marked as wrong.
        last = app.controller.pane.last_answer
        assert last is not None
        assert last.text == "Dạ còn ạ."


async def test_words_for_a_conversation_that_is_not_in_sight_mark_its_tab() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 24)) as pilot:
        await begin(app, pilot)
        app.controller.submit("cho gặp người")
        app.fake.asked[0].say(Handoff("r", (), "", "asked"), TurnCompleted("Dạ.", {}, "rules", 0, 1.0))
        left = app.controller.pane
        await until(lambda: left.for_person and not left.running)
        app.controller.new_conversation()
        app.fake.staff_words["c1"] = [words("Em đây ạ")]
        app.controller.look_for_people()
        await until(lambda: left.unread)
        assert left.messages[-1].text == "Em đây ạ"


async def test_a_colleague_sees_who_waits_answers_and_closes() -> None:
    app = Scene("vi", info=SessionInfo(MODES, "lan", answers_customers=True))
    said = (message("user", NOW, "máy hỏng rồi"),)
    app.fake.waiting = 1
    app.fake.results["read_waiting"] = [WaitingView("h1", "an", "shopping", "khách hỏi", NOW, "", said)]
    async with app.run_test(size=(120, 30)) as pilot:
        await begin(app, pilot)
        await until(lambda: "1 khách chờ người" in status(app))
        await pilot.press("alt+c")
        await until(lambda: isinstance(app.screen, BrowseScreen) and app.screen.chosen is not None)
        assert isinstance(app.screen, BrowseScreen)
        entry = app.screen.chosen
        assert entry is not None
        assert entry.title == "an"
        assert "chưa ai nhận" in entry.right
        assert "an: máy hỏng rồi" in [one.text for one in entry.detail]
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ChooseScreen))
        await pilot.press(*"em day", "enter")
        await until(lambda: app.fake.called("answer_customer"))
        assert app.fake.called("answer_customer") == [("answer_customer", ("h1", "em day"))]
        await pilot.press("delete")
        await until(lambda: isinstance(app.screen, ChooseScreen))
        await pilot.press("down", "enter")
        await until(lambda: app.fake.called("close_handover"))
        assert app.fake.called("close_handover") == [("close_handover", ("h1",))]


def shown(app: Scene) -> str:
    return "\n".join(plain(one) for one in app.chat.transcript.lines)


def status(app: Scene) -> str:
    return "\n".join(plain(one) for one in app.chat.status.lines)
