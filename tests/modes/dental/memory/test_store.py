"""The dental memory: context of six, whole history, owners, summary, facts in the user's hands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.dental_memory import dental_house, store_of
from tests.support.stores.services import profile
from troly.errors import AccessError, InputError
from troly_dental.memory.connection import open_memory
from troly_dental.memory.store import MemoryStore
from troly_dental.memory.types import Message, OldMessages


def fill(store: MemoryStore, pairs: int, conversation: str = "chat_1") -> None:
    for n in range(pairs):
        store.add_message(conversation, "user", f"câu hỏi {n}")
        store.add_message(conversation, "assistant", f"trả lời {n}")


def test_eight_messages_six_in_the_context_two_old_hidden_after_the_summary(own_home: Path) -> None:
    """003-45, as ruled in C4."""
    with dental_house(own_home) as services:
        store = store_of(services)
        fill(store, 4)
        assert [one["content"] for one in store.get_context("chat_1")] == [
            "câu hỏi 1", "trả lời 1", "câu hỏi 2", "trả lời 2", "câu hỏi 3", "trả lời 3",
        ]  # fmt: skip
        first: tuple[Message, ...] = (
            {"role": "user", "content": "câu hỏi 0"},
            {"role": "assistant", "content": "trả lời 0"},
        )
        assert store.get_old_messages("chat_1") == OldMessages(first, 8)
        store.set_summary("chat_1", "Tóm tắt", compress=True)
        assert store.get_old_messages("chat_1") == OldMessages((), 8)
        assert len(store.get_context("chat_1")) == 6
        assert len(store.get_all_messages("chat_1")) == 8


@given(said=st.integers(0, 30), asked=st.integers(0, 40), keep=st.integers(1, 12))
def test_the_context_is_the_smaller_of_both_numbers(
    tmp_path_factory: pytest.TempPathFactory, said: int, asked: int, keep: int
) -> None:
    with dental_house(tmp_path_factory.mktemp("home"), KEEP_RECENT_MESSAGES=str(keep)) as services:
        store = store_of(services)
        for n in range(said):
            store.add_message("c", "user", str(n))
        context = [one["content"] for one in store.get_context("c", asked)]
        assert context == [str(n) for n in range(said)][max(0, said - min(asked, keep)) :]
        old = store.get_old_messages("c")
        assert len(old.messages) == max(0, said - keep)
        assert old.total_count == said


def test_compression_can_be_forbidden_and_is_only_done_when_asked(own_home: Path) -> None:
    with dental_house(own_home, COMPRESS_AFTER_SUMMARY="false") as services:
        store = store_of(services)
        fill(store, 4)
        store.set_summary("chat_1", "Tóm tắt", compress=True)
        assert len(store.get_old_messages("chat_1").messages) == 2
    with dental_house(own_home) as services:
        store_of(services).set_summary("chat_1", "Tóm tắt")
        assert len(store_of(services).get_old_messages("chat_1").messages) == 2


def test_an_unknown_id_is_empty_to_read_and_created_when_asked_for(own_home: Path) -> None:
    with dental_house(own_home) as services:
        store = store_of(services)
        assert store.get_context("chat_x") == []
        assert store.get_summary("chat_x") == ""
        assert store.get_old_messages("chat_x") == OldMessages((), 0)
        assert store.get_or_create("chat_x") == "chat_x"
        assert store.get_or_create("chat_x") == "chat_x"
        fresh = {store.get_or_create(None), store.get_or_create("  ")}
        assert len(fresh) == 2


def test_somebody_elses_conversation_is_refused_by_every_method(own_home: Path) -> None:
    with dental_house(own_home) as services:
        store_of(services, "ba").add_message("chat_1", "user", "tôi dị ứng penicillin")
        house = services.conversations.create("ba", "dental").id
        mine = store_of(services, "an")
        for conversation in ("chat_1", house):
            calls: tuple[Callable[[str], object], ...] = (
                mine.get_or_create,
                mine.get_context,
                mine.get_old_messages,
                mine.get_all_messages,
                mine.get_summary,
                lambda c: mine.set_summary(c, "x"),
                lambda c: mine.add_message(c, "user", "x"),
                mine.facts,
            )
            for call in calls:
                with pytest.raises(AccessError):
                    call(conversation)
        assert mine.facts() == ()
        theirs = store_of(services, "ba").facts()[0]
        with pytest.raises(InputError):
            mine.forget(theirs.id)
        with pytest.raises(InputError):
            mine.correct(theirs.id, "x")


async def test_the_client_refuses_somebody_elses_conversation(own_home: Path) -> None:
    with dental_house(own_home) as services:
        store_of(services, "ba").add_message("chat_1", "user", "bí mật")
        async with open_memory(services, profile("an")) as memory:
            with pytest.raises(AccessError):
                await memory.get_context("chat_1")


def test_a_purged_conversation_takes_its_memory_along_a_deleted_one_hides_it(own_home: Path) -> None:
    with dental_house(own_home) as services:
        store = store_of(services)
        conversation = services.conversations.create("an", "dental").id
        store.add_message(conversation, "user", "tôi dị ứng latex")
        services.conversations.delete("an", conversation)
        assert store.facts() == ()
        with pytest.raises(AccessError):
            store.get_context(conversation)
        services.conversations.restore("an", conversation)
        assert len(store.facts()) == 1
        services.conversations.delete("an", conversation)
        with services.state.write() as connection:
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation,))
        with services.state.read() as connection:
            for table in ("dental_conversations", "dental_messages", "dental_facts"):
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


@pytest.mark.parametrize("conversation", ["", "a\x00b", "x" * 201, "a\nb", "\u202e1"])
def test_an_id_that_cannot_be_kept_is_refused(own_home: Path, conversation: str) -> None:
    with dental_house(own_home) as services, pytest.raises(InputError) as refused:
        store_of(services).add_message(conversation, "user", "x")
    assert refused.value.key == "dental.memory.id"


def test_wrong_roles_counts_and_sizes_change_nothing(own_home: Path) -> None:
    with dental_house(own_home) as services:
        store = store_of(services)
        wrong: tuple[Callable[[], object], ...] = (
            lambda: store.add_message("c", "system", "x"),
            lambda: store.add_message("c", "user", "x" * 200_001),
            lambda: store.set_summary("c", "x" * 200_001),
            lambda: store.get_context("c", -1),
        )
        for call in wrong:
            with pytest.raises(InputError):
                call()
        assert store.get_all_messages("c") == []
        store.add_message("c", "user", "half \ud800 point")
        assert len(store.get_all_messages("c")) == 1


def test_forgetting_takes_a_fact_out_of_facts_summary_and_context_but_not_out_of_the_history(
    own_home: Path,
) -> None:
    with dental_house(own_home) as services:
        store = store_of(services)
        store.add_message("c", "user", "Tôi dị ứng penicillin, răng số 6 đau")
        store.add_message("c", "assistant", "Bạn nên đi khám.")
        store.set_summary("c", "Đã nói về penicillin.\n\nĐã khuyên đi khám.")
        allergy = next(fact for fact in store.facts("c") if fact.kind == "allergy")
        store.forget(allergy.id)
        assert [fact.kind for fact in store.facts("c")] == ["tooth"]
        assert store.get_summary("c") == "Đã khuyên đi khám."
        assert [one["content"] for one in store.get_context("c")] == ["Bạn nên đi khám."]
        assert "penicillin" in store.get_all_messages("c")[0]["content"]
        with pytest.raises(InputError):
            store.forget(allergy.id)


def test_a_corrected_fact_says_the_new_thing_only(own_home: Path) -> None:
    with dental_house(own_home) as services:
        store = store_of(services)
        store.add_message("c", "user", "Tôi dị ứng penicillin")
        old = store.facts("c")[0]
        new = store.correct(old.id, "  dị ứng\nibuprofen ")
        assert (new.kind, new.value, new.text) == ("allergy", "ibuprofen", "dị ứng ibuprofen")
        assert store.facts("c") == (new,)
        assert store.get_context("c") == []
        with pytest.raises(InputError):
            store.correct(new.id, " ")
        assert store.facts("c") == (new,)


def test_a_fact_said_again_is_kept_once_in_its_newest_words(own_home: Path) -> None:
    with dental_house(own_home) as services:
        store = store_of(services)
        store.add_message("c", "user", "toi di ung penicillin")
        store.add_message("c", "user", "Tôi không còn dị ứng PENICILLIN")
        assert [fact.text for fact in store.facts("c")] == ["Tôi không còn dị ứng PENICILLIN"]
