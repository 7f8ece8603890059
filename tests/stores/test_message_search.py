"""Searching one's own messages, with diacritics, without, half-typed, and with anything that a person may type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stores.real import Stores
from troly.stores.conversations import Conversations
from troly.stores.message_search import RANKED


@pytest.fixture
def store(stores: Stores) -> Conversations:
    for text in (
        "Máy tính xách tay của anh Đường bị hỏng",
        "Chính sách bảo hành điện thoại",
        "bao hanh may giat",
        "Thẻ bảo hiểm y tế",
    ):
        conversation = stores.conversations.create("an", "shopping", title="Khách")
        stores.conversations.add_message("an", conversation.id, "user", text)
    return stores.conversations


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("duong", ["Máy tính xách tay của anh Đường bị hỏng"]),
        ("ĐƯỜNG", ["Máy tính xách tay của anh Đường bị hỏng"]),
        ("bảo hành", ["Chính sách bảo hành điện thoại", "bao hanh may giat"]),
        ("bao hanh dien", ["Chính sách bảo hành điện thoại"]),
        ("bao hi", ["Thẻ bảo hiểm y tế"]),
        ("ba\u0309o hie\u0302\u0309m", ["Thẻ bảo hiểm y tế"]),
        ("xe máy", []),
        ("", []),
        ('" OR * NEAR(', []),
    ],
)
def test_messages_are_found_however_they_are_typed(
    store: Conversations, typed: str, found: list[str]
) -> None:
    assert [hit.snippet for hit in store.search("an", typed)] == found
    assert store.search("binh", typed) == []


def test_a_hit_shows_where_the_words_are(store: Conversations) -> None:
    conversation = store.create("an", "rag", title="Dài")
    text = "mở đầu " * 60 + "có  chữ Quyết\nĐịnh nằm giữa " + "kết thúc " * 60
    message = store.add_message("an", conversation.id, "assistant", text)
    (hit,) = store.search("an", "quyet dinh")
    assert (hit.message_id, hit.conversation_id, hit.title) == (message.id, conversation.id, "Dài")
    assert [hit.snippet[a:b] for a, b in hit.spans] == ["Quyết", "Định"]
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) < 200


def test_the_limit_holds(store: Conversations) -> None:
    assert len(store.search("an", "b", limit=2)) == 2
    assert store.search("an", "b", limit=0) == []


@given(typed=st.text(max_size=40), said=st.text(max_size=60))
def test_anything_typed_is_words_and_never_syntax(stores: Stores, typed: str, said: str) -> None:
    conversation = stores.conversations.create("an", "rag")
    stores.conversations.add_message("an", conversation.id, "user", said)
    for hit in stores.conversations.search("an", typed):
        assert all(0 <= a < b <= len(hit.snippet) for a, b in hit.spans)


def test_of_very_many_matches_the_newest_come_first_and_the_same_marks_before_the_rest(
    stores: Stores,
) -> None:
    store = stores.conversations
    mine, theirs = (store.create(owner, "test", title=owner).id for owner in ("an", "binh"))
    gone = store.create("an", "test", title="xóa").id
    store.add_message("an", mine, "user", "bảo hành số đầu")
    for number in range(RANKED + 20):
        store.add_message("binh", theirs, "user", f"bảo hành của Bình {number}")
        store.add_message("an", mine, "user", f"bao hanh so {number}")
    store.add_message("an", gone, "user", "bảo hành đã xóa")
    store.add_message("an", mine, "user", "bảo hành số cuối")
    store.delete("an", gone)
    plain = [hit.snippet for hit in store.search("an", "bao hanh", limit=3)]
    assert plain == ["bảo hành số cuối", f"bao hanh so {RANKED + 19}", f"bao hanh so {RANKED + 18}"]
    marked = [hit.snippet for hit in store.search("an", "bảo hành", limit=3)]
    assert marked[0] == "bảo hành số cuối"
    assert all("Bình" not in hit.snippet for hit in store.search("an", "bảo hành", limit=50))
