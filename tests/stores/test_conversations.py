"""Conversations, messages and turns as their owner, somebody else, and the next start see them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.stores.real import Stores, open_stores
from troly.errors import AccessError, StoreError
from troly.stores.conversations import Conversations
from troly.stores.records import Conversation, NewMessage, StoredTurn

NOW = datetime(2026, 11, 22, 8, 30, 15, 123456, tzinfo=UTC)


@pytest.fixture
def store(stores: Stores) -> Conversations:
    return stores.conversations


def begin(store: Conversations, owner: str = "an") -> tuple[Conversation, StoredTurn]:
    conversation = store.create(owner, "shopping", language="vi")
    return conversation, store.begin_turn(owner, conversation.id, "Kiểm tra bảo hành")


def finish(store: Conversations, turn: StoredTurn, *texts: str, status: str = "completed") -> StoredTurn:
    answers = [NewMessage("assistant", text, "warranty_result", {"found": True}) for text in texts]
    return store.finish_turn(
        turn.owner, turn.id, status=status, messages=answers, source="rules", calls=2, ms=12.5,
        state={"lang": "vi"}, trace={"steps": [{"node": "warranty"}]},
    )  # fmt: skip


def test_a_conversation_keeps_what_it_was_given(home: Path) -> None:
    stores = open_stores(home, clock=lambda: NOW)
    made = stores.conversations.create("an", "rag", language="en", title="Nghỉ phép", metadata={"cute": True})
    stores.close()
    stores = open_stores(home)
    assert stores.conversations.get("an", made.id) == made
    assert (made.mode, made.language, made.title, made.metadata) == ("rag", "en", "Nghỉ phép", {"cute": True})
    assert made.created_at == made.updated_at == NOW
    assert not made.pinned
    stores.close()


def test_updating_changes_what_is_given_only(store: Conversations) -> None:
    made = store.create("an", "rag", language="vi", title="cũ", metadata={"a": 1})
    changed = store.update("an", made.id, title="mới", pinned=True)
    assert (changed.title, changed.pinned, changed.language, changed.metadata) == (
        "mới",
        True,
        "vi",
        {"a": 1},
    )
    assert store.update("an", made.id) == changed
    assert store.update("an", made.id, metadata={"b": 2}, pinned=False, title="").metadata == {"b": 2}
    assert store.get("an", made.id).title == ""


def test_the_list_has_pinned_ones_first_then_the_last_spoken_in(store: Conversations) -> None:
    first, second, third = (store.create("an", mode) for mode in ("rag", "shopping", "rag"))
    assert [c.id for c in store.list("an")] == [third.id, second.id, first.id]
    store.add_message("an", first.id, "user", "xin chào")
    assert [c.id for c in store.list("an")] == [first.id, third.id, second.id]
    store.update("an", second.id, pinned=True)
    assert [c.id for c in store.list("an")] == [second.id, first.id, third.id]
    assert [c.id for c in store.list("an", mode="rag")] == [first.id, third.id]
    assert [c.id for c in store.list("an", limit=1, before=second.id)] == [first.id]


def test_the_order_holds_when_the_clock_stands_still(home: Path) -> None:
    stores = open_stores(home, clock=lambda: NOW)
    made = [stores.conversations.create("an", "rag").id for _ in range(20)]
    said = [stores.conversations.add_message("an", made[0], "user", str(n)).id for n in range(20)]
    assert [c.id for c in stores.conversations.list("an")] == made[::-1]
    assert [m.id for m in stores.conversations.messages("an", made[0])] == said
    assert made + said == sorted(made + said)
    stores.close()


def test_the_question_is_saved_before_any_answer(store: Conversations, home: Path) -> None:
    conversation, turn = begin(store)
    other = open_stores(home)
    assert [m.text for m in other.conversations.messages("an", conversation.id)] == ["Kiểm tra bảo hành"]
    assert other.conversations.turn("an", turn.id) == turn
    assert (turn.status, turn.pid, turn.mode) == ("running", os.getpid(), "shopping")
    other.close()


def test_a_finished_turn_has_its_answers_and_its_trace(store: Conversations) -> None:
    conversation, turn = begin(store)
    done = finish(store, turn, "Dạ", "Còn bảo hành")
    assert (done.status, done.source, done.calls, done.ms) == ("completed", "rules", 2, 12.5)
    assert done.state == {"lang": "vi"}
    assert done.trace == {"steps": [{"node": "warranty"}]}
    messages = store.messages("an", conversation.id)
    assert [(m.sender, m.text, m.turn_id) for m in messages] == [
        ("user", "Kiểm tra bảo hành", turn.id),
        ("assistant", "Dạ", turn.id),
        ("assistant", "Còn bảo hành", turn.id),
    ]
    assert messages[1].metadata == {"found": True}
    assert messages[1].type == "warranty_result"
    assert store.turns("an", conversation.id) == [done]


def test_a_turn_ends_once(store: Conversations) -> None:
    conversation, turn = begin(store)
    finish(store, turn, "một")
    with pytest.raises(StoreError) as caught:
        finish(store, turn, "hai", status="failed")
    assert caught.value.key == "store.turn_finished"
    assert "completed" in caught.value.render("en").message
    assert [m.text for m in store.messages("an", conversation.id)][1:] == ["một"]
    with pytest.raises(ValueError, match="running"):
        finish(store, begin(store)[1], status="running")


def test_a_failed_turn_keeps_its_error(store: Conversations) -> None:
    _, turn = begin(store)
    error = {"code": "ollama.down", "title": "Ollama không chạy"}
    done = store.finish_turn("an", turn.id, status="failed", messages=[], error=error)
    assert (done.status, done.error, done.source) == ("failed", error, None)


def test_state_that_json_does_not_know_is_kept_as_text(store: Conversations) -> None:
    _, turn = begin(store)
    state: dict[str, Any] = {"when": NOW, "ids": {"b", "a"}, "bad": "nửa \ud83d chữ"}
    done = store.finish_turn("an", turn.id, status="completed", state=state)
    assert done.state == {"when": str(NOW), "ids": ["a", "b"], "bad": "nửa ? chữ"}


FORBIDDEN: tuple[Callable[[Conversations, str, str, str], object], ...] = (
    lambda s, c, t, m: s.get("binh", c),
    lambda s, c, t, m: s.messages("binh", c),
    lambda s, c, t, m: s.add_message("binh", c, "user", "x"),
    lambda s, c, t, m: s.update("binh", c, title="x"),
    lambda s, c, t, m: s.delete("binh", c),
    lambda s, c, t, m: s.restore("binh", c),
    lambda s, c, t, m: s.begin_turn("binh", c, "x"),
    lambda s, c, t, m: s.finish_turn("binh", t, status="completed"),
    lambda s, c, t, m: s.turn("binh", t),
    lambda s, c, t, m: s.turns("binh", c),
    lambda s, c, t, m: s.export("binh", c),
    lambda s, c, t, m: s.list("binh", before=c),
    lambda s, c, t, m: s.messages("binh", s.create("binh", "rag").id, before=m),
)


@pytest.mark.parametrize("attempt", FORBIDDEN)
def test_what_is_somebody_elses_looks_like_what_does_not_exist(
    store: Conversations, attempt: Callable[[Conversations, str, str, str], object]
) -> None:
    conversation, turn = begin(store)
    with pytest.raises(AccessError) as theirs:
        attempt(store, conversation.id, turn.id, turn.question_message_id)
    with pytest.raises(AccessError) as missing:
        attempt(store, "no-such-id", "no-such-id", "no-such-id")
    assert theirs.value.render("vi") == missing.value.render("vi")
    assert theirs.value.key == "store.not_yours"
    assert theirs.value.exit_code == 7
    assert store.turn("an", turn.id) == turn
    assert len(store.messages("an", conversation.id)) == 1


def test_deleting_hides_restoring_brings_back_purging_removes(store: Conversations, stores: Stores) -> None:
    conversation, turn = begin(store)
    finish(store, turn, "trả lời")
    store.delete("an", conversation.id)
    assert store.list("an") == []
    assert store.search("an", "bảo hành") == []
    for gone in (lambda: store.get("an", conversation.id), lambda: store.turn("an", turn.id)):
        with pytest.raises(AccessError):
            gone()
    assert store.restore("an", conversation.id).deleted_at is None
    assert len(store.messages("an", conversation.id)) == 2
    store.delete("an", conversation.id)
    assert store.purge_deleted(datetime.now(UTC) - timedelta(days=30)) == 0
    assert store.purge_deleted(datetime.now(UTC) + timedelta(seconds=1)) == 1
    with pytest.raises(AccessError):
        store.restore("an", conversation.id)
    with stores.db.read() as connection:
        for table in ("conversations", "messages", "turns", "messages_fts"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_an_export_holds_everything_in_order(store: Conversations) -> None:
    conversation, turn = begin(store)
    finish(store, turn, *(f"câu {n}" for n in range(250)))
    store.begin_turn("an", conversation.id, "tiếp")
    export = store.export("an", conversation.id)
    assert export.conversation.id == conversation.id
    assert [m.text for m in export.messages] == [
        "Kiểm tra bảo hành",
        *(f"câu {n}" for n in range(250)),
        "tiếp",
    ]
    assert [t.status for t in export.turns] == ["completed", "running"]


def test_a_turn_whose_process_died_is_interrupted_with_what_it_had_said(home: Path) -> None:
    script = (
        "import sys, pathlib, os\n"
        "from tests.support.stores.real import open_stores\n"
        "store = open_stores(pathlib.Path(sys.argv[1])).conversations\n"
        "conversation = store.create('an', 'shopping')\n"
        "turn = store.begin_turn('an', conversation.id, 'hỏi')\n"
        "store.save_partial('an', turn.id, 'Dạ em kiểm')\n"
        "store.save_partial('an', turn.id, 'Dạ em kiểm tra')\n"
        "print(turn.id, flush=True)\n"
        "os._exit(9)\n"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", script, str(home)]
    turn_id = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout.strip()
    stores = open_stores(home)
    mine = stores.conversations.begin_turn("an", stores.conversations.create("an", "rag").id, "vẫn chạy")
    (recovered,) = stores.conversations.recover()
    assert (recovered.id, recovered.status, recovered.owner) == (turn_id, "interrupted", "an")
    messages = stores.conversations.messages("an", recovered.conversation_id)
    assert [(m.text, m.status) for m in messages] == [("hỏi", "complete"), ("Dạ em kiểm tra", "interrupted")]
    assert stores.conversations.recover() == []
    assert stores.conversations.turn("an", mine.id).status == "running"
    with pytest.raises(StoreError):
        finish(stores.conversations, recovered, "muộn")
    stores.close()


def test_partial_answers_are_only_for_running_turns(store: Conversations) -> None:
    conversation, turn = begin(store)
    store.save_partial("an", turn.id, "Dạ")
    assert store.turn("an", turn.id).partial == "Dạ"
    finish(store, turn, "Dạ vâng")
    store.save_partial("an", turn.id, "muộn")
    assert store.turn("an", turn.id).partial == ""
    assert store.recover(alive=lambda _pid, _started: False) == []
    assert [m.text for m in store.messages("an", conversation.id)][1:] == ["Dạ vâng"]
