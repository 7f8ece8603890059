"""Panes without a screen: their row, closing and opening again, what a pane forgets, two beside each other."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.screen.fake_backend import MODES, FakeBackend
from tests.support.screen.screens import NOW
from troly.plugin.events import Handoff, Token, TurnCompleted
from troly.tui.chat.controller import Change, Controller
from troly.tui.chat.view import AWAKE, CLOSED, Pane, ReadingPlace, SessionInfo, Tabs, message, restored_tabs

DONE = TurnCompleted("Dạ.", {}, "rules", 0, 1.0)


def opened() -> tuple[Controller, FakeBackend, list[tuple[Change, Pane | None]]]:
    told: list[tuple[Change, Pane | None]] = []
    backend = FakeBackend(lambda call: call())
    controller = Controller(
        backend,
        mode="shopping",
        language="vi",
        now=lambda: NOW,
        changed=lambda what, pane: told.append((what, pane)),
    )
    controller.take_session(SessionInfo(MODES, "an"))
    return controller, backend, told


def asked(controller: Controller, backend: FakeBackend, text: str, conversation: str) -> Pane:
    """A question that is answered, in the pane that is shown."""
    controller.submit(text)
    backend.asked[-1].say(DONE, conversation=conversation)
    return controller.pane


def test_a_mode_keeps_several_panes_and_its_key_goes_round_them() -> None:
    controller, backend, _ = opened()
    first = asked(controller, backend, "một", "c1")
    controller.new_conversation()
    second = asked(controller, backend, "hai", "c2")
    controller.switch("dental")
    controller.switch("shopping")
    assert controller.pane is second
    controller.switch("shopping")
    assert controller.pane is first
    controller.switch("shopping")
    assert controller.pane is second


def test_next_and_previous_go_round_the_row() -> None:
    controller, backend, _ = opened()
    row = [asked(controller, backend, "một", "c1")]
    for mode in ("analysis", "rag"):
        controller.switch(mode)
        row.append(asked(controller, backend, mode, mode))
    assert controller.tabs.beside(1) is row[0]
    assert controller.tabs.beside(-1) is row[1]
    assert controller.panes == row


def test_panes_that_were_only_looked_at_leave_no_tab() -> None:
    controller, backend, _ = opened()
    asked(controller, backend, "một", "c1")
    for mode in ("analysis", "rag", "dental"):
        controller.switch(mode)
    assert [pane.mode for pane in controller.panes] == ["shopping", "dental"]


def test_closing_while_an_answer_is_written_lets_it_go_on_and_says_when_it_is_there() -> None:
    controller, backend, told = opened()
    controller.submit("hỏi")
    backend.asked[0].say(Token("một "), conversation="c1")
    pane = controller.close()
    assert pane not in controller.panes
    assert not backend.asked[0].stopped
    assert controller.running("shopping")
    backend.saved["c1"] = ("shopping", [message("user", NOW, "hỏi"), message("assistant", NOW, "một hai")])
    backend.asked[0].say(TurnCompleted("một hai", {}, "model", 1, 1.0), conversation="c1")
    assert ("finished", pane) in told
    assert controller.reopen() is pane
    assert [view.text for view in controller.pane.messages] == ["hỏi", "một hai"]


def test_a_closed_pane_comes_back_with_its_draft_and_only_once() -> None:
    controller, backend, _ = opened()
    pane = asked(controller, backend, "một", "c1")
    backend.saved["c1"] = ("shopping", list(pane.messages))
    pane.draft = "nháp"
    controller.close()
    assert controller.pane is not pane
    assert pane.messages == []
    assert controller.reopen() is pane
    assert (pane.draft, [view.text for view in pane.messages]) == ("nháp", ["một", "Dạ."])
    assert controller.reopen() is None


def test_opening_a_conversation_that_was_closed_takes_its_pane() -> None:
    controller, backend, _ = opened()
    controller.submit("hỏi")
    backend.asked[0].say(Token("một "), conversation="c1")
    pane = controller.close()
    controller.open("c1")
    assert controller.pane is pane
    assert pane.running
    assert controller.tabs.closed == []


def test_closing_the_only_pane_leaves_an_empty_one_and_an_empty_one_is_not_kept() -> None:
    controller, backend, _ = opened()
    asked(controller, backend, "một", "c1")
    controller.close()
    assert (len(controller.panes), controller.pane.empty, controller.pane.mode) == (1, True, "shopping")
    controller.close()
    assert len(controller.panes) == 1
    assert len(controller.tabs.closed) == 1


def test_a_hundred_panes_keep_the_messages_of_a_dozen() -> None:
    controller, backend, _ = opened()
    for number in range(100):
        controller.show(Pane("rag"))
        pane = asked(controller, backend, f"câu {number}", f"c{number}")
        backend.saved[f"c{number}"] = ("rag", list(pane.messages))
    assert len(controller.panes) == 100
    assert sum(bool(pane.messages) for pane in controller.panes) == AWAKE
    controller.open("c3")
    assert [view.text for view in controller.pane.messages] == ["câu 3", "Dạ."]
    for _ in range(99):
        controller.close()
    assert len(controller.tabs.closed) == CLOSED


def test_a_question_to_a_pane_that_is_being_loaded_waits_for_its_messages() -> None:
    calls: list[Callable[[], None]] = []
    controller, backend, _ = opened()
    pane = asked(controller, backend, "một", "c1")
    backend.saved["c1"] = ("shopping", list(pane.messages))
    controller.close()
    backend.deliver = calls.append
    controller.reopen()
    controller.submit("hai")
    assert len(backend.asked) == 1
    backend.deliver = lambda call: call()
    for call in calls:
        call()
    assert [view.text for view in pane.messages] == ["một", "Dạ.", "hai", ""]
    assert len(backend.asked) == 2


def test_messages_that_cannot_be_loaded_again_say_why() -> None:
    controller, backend, _ = opened()
    asked(controller, backend, "một", "c1")
    controller.close()
    controller.reopen()
    assert controller.pane.messages[-1].trouble is not None
    assert not controller.pane.unloaded


def test_a_pane_with_something_unsaved_keeps_its_messages() -> None:
    controller, backend, _ = opened()
    controller.submit("hỏi")
    backend.asked[0].say(DONE, conversation="")
    pane = controller.close()
    assert len(pane.messages) == 2
    controller.reopen()
    controller.open("gone")
    kept = controller.close()
    assert kept.messages[-1].trouble is not None


def test_two_sides_take_turns_and_one_pane_is_never_on_both() -> None:
    controller, backend, _ = opened()
    first = asked(controller, backend, "một", "c1")
    controller.split()
    second = controller.pane
    assert controller.tabs.sides == [first, second]
    controller.turn()
    assert controller.pane is first
    controller.show(second)
    assert controller.tabs.sides == [first, second]
    assert controller.pane is second
    controller.switch("rag")
    assert [pane.mode for pane in controller.tabs.sides] == ["shopping", "rag"]
    controller.split()
    assert [pane.mode for pane in controller.tabs.sides] == ["rag"]


def test_an_answer_on_the_other_side_is_seen() -> None:
    controller, backend, told = opened()
    controller.submit("một")
    controller.split()
    backend.asked[0].say(DONE)
    assert not controller.unread("shopping")
    assert not [what for what, _ in told if what == "finished"]


def test_closing_a_side_leaves_the_other_and_deleting_one_too() -> None:
    controller, backend, _ = opened()
    first = asked(controller, backend, "một", "c1")
    controller.switch("rag")
    asked(controller, backend, "hai", "c2")
    controller.split()
    controller.close()
    assert len(controller.tabs.sides) == 1
    controller.reopen()
    controller.open("c2")
    controller.split()
    controller.forget("c1")
    assert first not in controller.tabs.everywhere
    assert [pane.conversation for pane in controller.tabs.sides] == ["c2"]


def test_a_deleted_conversation_leaves_the_closed_ones_too() -> None:
    controller, backend, _ = opened()
    asked(controller, backend, "một", "c1")
    controller.close()
    controller.forget("c1")
    assert controller.reopen() is None


def _beside(tabs: Tabs, _chosen: Pane) -> None:
    if len(tabs.sides) > 1:
        tabs.unsplit()
    else:
        tabs.split(next((pane for pane in tabs.recent if pane is not tabs.shown), Pane("rag")))


def _write(tabs: Tabs, _chosen: Pane) -> None:
    tabs.shown.draft = "x"


STEPS: dict[str, Callable[[Tabs, Pane], None]] = {
    "show": lambda tabs, chosen: tabs.show(chosen),
    "new": lambda tabs, _: tabs.show(Pane("dental")),
    "close": lambda tabs, chosen: tabs.close(chosen),
    "reopen": lambda tabs, _: tabs.show((tabs.closed or tabs.panes)[-1]),
    "split": _beside,
    "turn": lambda tabs, _: tabs.turn(),
    "write": _write,
    "drop": lambda tabs, chosen: tabs.drop(chosen, Pane("rag")),
}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9)), max_size=40))
def test_whatever_is_done_with_panes_the_row_stays_whole(steps: list[tuple[str, int]]) -> None:
    tabs = Tabs(Pane("rag"))
    for what, number in steps:
        STEPS[what](tabs, tabs.panes[number % len(tabs.panes)])
        assert tabs.shown in tabs.panes
        assert 1 <= len(tabs.sides) <= 2
        assert len({pane.key for pane in tabs.sides}) == len(tabs.sides)
        assert {pane.key for pane in tabs.sides} <= {pane.key for pane in tabs.panes}
        assert sorted(pane.key for pane in tabs.recent) == sorted(pane.key for pane in tabs.panes)
        assert tabs.recent[0] is tabs.shown
        assert not {pane.key for pane in tabs.closed} & {pane.key for pane in tabs.panes}


def test_the_next_start_has_the_same_tabs_sides_and_places() -> None:
    controller, backend, _ = opened()
    first = asked(controller, backend, "một", "c1")
    controller.new_conversation()
    second = asked(controller, backend, "hai", "c2")
    second.place = ReadingPlace("assistant", "t2", 5)
    controller.switch("dental")
    asked(controller, backend, "ba", "c3")
    controller.split()
    kept = json.loads(json.dumps(controller.tabs.kept()))
    modes = [mode.id for mode in MODES]
    found = restored_tabs(kept, {"c1": "một", "c2": "hai", "c3": "ba"}, modes)
    assert found is not None
    assert [(pane.mode, pane.conversation) for pane in found.panes] == [
        (pane.mode, pane.conversation) for pane in controller.panes
    ]
    assert [pane.conversation for pane in found.sides] == ["c3", "c2"]
    assert found.shown.place == second.place
    assert all(pane.unloaded for pane in found.panes)
    without = restored_tabs(kept, {"c1": "một"}, modes)
    assert without is not None
    assert [pane.conversation for pane in without.panes] == [first.conversation]
    assert restored_tabs(kept, {}, ["dental"]) is None


def test_whoever_began_to_type_or_named_an_assistant_goes_on_there_beside_the_tabs_of_before() -> None:
    before = Tabs(Pane("rag", "c9", "chín", unloaded=True))
    controller, _, _ = opened()
    controller.pane.draft = "dở"
    controller.take_session(SessionInfo(MODES, "an", tabs=before))
    assert controller.pane.draft == "dở"
    assert [pane.conversation for pane in controller.panes] == ["c9", None]


def test_what_is_urgent_stays_until_it_is_seen() -> None:
    controller, backend, _ = opened()
    controller.submit("khó thở")
    text = "**Cấp cứu.** Vì sao.\n\n- Gọi **115** ngay.\n- Ngồi thẳng."
    backend.asked[-1].say(TurnCompleted(text, {}, "rules", 0, 1.0, metadata={"urgent": True}))
    assert controller.pane.alarm == "Cấp cứu. Gọi 115 ngay."
    asked(controller, backend, "còn đau", "c1")
    assert controller.pane.alarm
    controller.submit("gặp người")
    backend.asked[-1].say(Handoff("Khách cần người", (), "1900"), DONE)
    assert controller.pane.alarm == "Khách cần người · 1900"
