"""The controller without a screen: panes, questions that wait, turns that go on elsewhere, endings."""

from __future__ import annotations

import pytest

from tests.support.screen.fake_backend import MODES, FakeBackend
from tests.support.screen.screens import NOW, cut_off, warranty
from troly.errors import ConfigError
from troly.plugin.events import Progress, Say, StepStarted, Token, TurnCompleted, TurnFailed, TurnStarted
from troly.text.catalogue import Lang
from troly.tui.chat.controller import Change, Controller
from troly.tui.chat.view import HealthView, Pane, SessionInfo, Trouble, message, trouble_from
from troly.tui.render.message import MessageLines
from troly.tui.render.spans import plain


def make(mode: str = "shopping") -> tuple[Controller, FakeBackend]:
    backend = FakeBackend(lambda call: call())
    controller = Controller(
        backend, mode=mode, language="vi", now=lambda: NOW, changed=lambda _what, _pane: None
    )
    return controller, backend


def opened(mode: str = "shopping") -> tuple[Controller, FakeBackend]:
    controller, backend = make(mode)
    controller.take_session(SessionInfo(MODES, "an"))
    return controller, backend


def shown(pane: Pane) -> list[tuple[str, str, str]]:
    return [(view.who, view.state, view.text) for view in pane.messages]


def test_a_question_before_the_services_are_open_waits_and_is_then_asked() -> None:
    controller, backend = make()
    controller.submit("một")
    controller.submit("hai")
    assert [view.state for view in controller.pane.messages] == ["waiting", "waiting"]
    assert not backend.asked
    controller.take_session(SessionInfo(MODES, "an"))
    assert [asked.question.text for asked in backend.asked] == ["một"]
    backend.asked[0].say(TurnCompleted("Dạ.", {}, "rules", 0, 1.0))
    assert [asked.question.text for asked in backend.asked] == ["một", "hai"]
    assert [view.text for view in controller.pane.messages] == ["một", "Dạ.", "hai", ""]


def test_a_greeting_comes_before_the_question_and_typed_content_stays_in_order() -> None:
    controller, backend = opened()
    controller.submit("kiểm tra")
    backend.asked[0].say(*warranty("Dạ, đây ạ:"))
    kinds = [(view.who, view.kind) for view in controller.pane.messages]
    assert kinds == [("assistant", "greeting"), ("user", ""), ("assistant", "answer")]
    answer = controller.pane.messages[-1]
    assert [type(part).__name__ for part in answer.parts] == ["TextPart", "Table"]
    assert (answer.source, answer.calls, answer.ms) == ("rules", 0, 9.0)
    assert [(step.node, step.ms) for step in answer.steps] == [("classify", 2.0), ("warranty_stream", 1.0)]


def test_short_messages_are_not_said_twice() -> None:
    controller, backend = opened()
    controller.submit("xin chào")
    backend.asked[0].say(
        Say("Dạ em rất vui được giúp quý khách!", "cute"), Token("Em đây."),
        TurnCompleted("Dạ em rất vui được giúp quý khách!\n\nEm đây.", {}, "rules", 0, 1.0),
    )  # fmt: skip
    assert [view.text for view in controller.pane.messages] == [
        "xin chào",
        "Dạ em rất vui được giúp quý khách!",
        "Em đây.",
    ]


def test_a_question_its_answer_and_what_is_said_around_them_are_in_one_language() -> None:
    controller, backend = opened()
    controller.submit("hello")
    backend.asked[0].say(
        TurnStarted("hello", "en", "c1", "t1"), Say("Welcome!", "greeting"), Say("One moment.", "cute"),
        Token("Here."), TurnCompleted("Here.", {}, "rules", 0, 1.0),
    )  # fmt: skip
    assert [view.spoken("vi") for view in controller.pane.messages] == ["en"] * 4


def test_a_final_text_that_differs_replaces_what_was_streamed() -> None:
    controller, backend = opened()
    controller.submit("hỏi")
    backend.asked[0].say(Token("nháp"), TurnCompleted("bản cuối", {}, "model", 1, 1.0))
    assert controller.pane.messages[-1].text == "bản cuối"


def test_a_failed_answer_keeps_question_and_partial_text_and_the_next_one_works() -> None:
    controller, backend = opened()
    controller.submit("hỏi")
    backend.asked[0].say(*cut_off("nửa câu"))
    assert shown(controller.pane) == [("user", "done", "hỏi"), ("assistant", "failed", "nửa câu")]
    trouble = controller.pane.messages[-1].trouble
    assert trouble is not None
    assert trouble.title == "Ollama ngắt giữa chừng"
    assert controller.again()
    assert backend.asked[1].question == backend.asked[0].question._replace(conversation="c1")
    backend.asked[1].say(TurnCompleted("cả câu", {}, "model", 1, 1.0))
    assert shown(controller.pane)[-1] == ("assistant", "done", "cả câu")


def test_stopping_keeps_the_text_and_frees_the_pane() -> None:
    controller, backend = opened()
    assert not controller.stop()
    controller.submit("hỏi")
    backend.asked[0].say(StepStarted("respond"), Progress("đang đọc", 40.0), Token("nửa"))
    assert controller.stop()
    assert backend.asked[0].stopped
    backend.asked[0].say(TurnFailed("Đã dừng", "", "", "turn.stopped", "nửa"))
    answer = controller.pane.messages[-1]
    assert (answer.state, answer.text, answer.progress) == ("stopped", "nửa", None)
    assert answer.steps[0].failed
    assert not controller.pane.running


def test_switching_leaves_the_stream_running_and_marks_what_was_not_read() -> None:
    controller, backend = opened()
    controller.submit("hỏi")
    first = controller.pane
    controller.switch("dental")
    backend.asked[0].say(Token("một "))
    assert controller.running("shopping")
    assert not controller.unread("shopping")
    backend.asked[0].say(Token("hai"), TurnCompleted("một hai", {}, "model", 1, 1.0))
    assert first.messages[-1].text == "một hai"
    assert controller.unread("shopping")
    controller.switch("shopping")
    assert controller.pane is first
    assert not controller.unread("shopping")


def test_a_new_conversation_has_its_own_pane_and_the_old_one_goes_on() -> None:
    controller, backend = opened()
    controller.new_conversation()
    assert len(controller.panes) == 1
    controller.submit("hỏi")
    old = controller.pane
    controller.new_conversation()
    assert controller.pane is not old
    backend.asked[0].say(TurnCompleted("Dạ.", {}, "rules", 0, 1.0))
    assert old.conversation == "c1"
    assert controller.unread("shopping")
    controller.open("c1")
    assert controller.pane is old


def test_opening_a_saved_conversation_and_one_that_is_gone() -> None:
    controller, backend = opened()
    backend.saved["c9"] = ("rag", [message("user", NOW, "cũ")])
    controller.open("c9")
    assert (controller.pane.mode, controller.pane.conversation) == ("rag", "c9")
    controller.submit("mới")
    assert backend.asked[0].question.conversation == "c9"
    controller.open("c10")
    assert controller.pane.messages[-1].trouble is not None


def test_an_unknown_mode_shows_a_usable_one_and_says_so() -> None:
    controller, _ = opened("không-có")
    assert controller.pane.mode == "shopping"
    trouble = controller.pane.messages[0].trouble
    assert trouble is not None
    assert "không-có" in trouble.title
    assert "rag" in trouble.remedy


def test_editing_puts_the_question_into_the_draft() -> None:
    controller, backend = opened()
    assert not controller.edit()
    controller.submit("câu một")
    backend.asked[0].say(TurnCompleted("Dạ.", {}, "rules", 0, 1.0))
    assert controller.edit()
    assert controller.pane.draft == "câu một"


def test_services_that_fail_to_open_keep_the_question() -> None:
    controller, _ = make()
    controller.submit("một")
    controller.fail(trouble_from(ConfigError("mode.broken", mode="x", reason="y"), "vi"))
    assert controller.trouble is not None
    assert [view.state for view in controller.pane.messages] == ["waiting"]
    assert not controller.again()


@pytest.mark.parametrize(
    "error",
    [PermissionError("/data"), RuntimeError("[/b] x"), ConfigError("mode.unknown", mode="x", known="y")],
)
def test_every_failure_has_a_title(error: Exception) -> None:
    for lang in ("vi", "en"):
        assert trouble_from(error, lang).title


def test_health_is_told_once() -> None:
    told: list[Change] = []
    backend = FakeBackend(lambda call: call())
    controller = Controller(
        backend, mode="rag", language="en", now=lambda: NOW, changed=lambda what, _pane: told.append(what)
    )
    controller.take_health(HealthView(known=True, up=True, model="m"))
    controller.take_health(HealthView(known=True, up=True, model="m"))
    assert told == ["chrome"]


@pytest.mark.parametrize(("lang", "told"), [("vi", "bị ngắt giữa chừng"), ("en", "interrupted")])
def test_an_answer_that_a_crash_cut_off_says_so(lang: Lang, told: str) -> None:
    view = message("assistant", NOW, "nửa câu", state="stopped", trouble=Trouble(""))
    assert any(told in plain(line) for line in MessageLines(view).lines(60, lang))


def test_only_the_modes_that_are_shown_are_prepared_and_each_once() -> None:
    controller, backend = opened()
    assert backend.prepared == ["shopping"]
    controller.switch("rag")
    controller.switch("shopping")
    controller.switch("rag")
    assert backend.prepared == ["shopping", "rag"]
