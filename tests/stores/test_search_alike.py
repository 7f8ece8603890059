"""Search by words finds the same messages on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.stores.postgres import PostgresServer, needs_postgres
from tests.support.stores.real import utc_now
from troly.retrieval.memory import MemoryScope, messages_by_words
from troly.stores.conversations import Conversations
from troly.stores.postgres import PostgresDb
from troly.stores.state import StateDb

pytestmark = needs_postgres

# Syllables that differ only in their marks, prefixes of each other, codes, and what parts words.
_WORDS = ("bao", "bảo", "báo", "hành", "hanh", "hà", "đường", "duong", "ĐƯỜNG", "máy", "ma", "ABC123", "abc", "12", "O'Neil", "a_b", "học", "email@x.vn", "x\\y", "C++", "bảo", "q:*", "&", "|", "!", "''", '"')  # fmt: skip
_TEXT = st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join)
_NUMBERS = count()


@pytest.fixture
def both(tmp_path: Path, postgres: PostgresServer) -> Iterator[tuple[Conversations, Conversations]]:
    databases = (StateDb.open(tmp_path / "state.db", tmp_path)[0], PostgresDb.at(postgres.database()))
    for db in databases:
        db.migrate()
    yield tuple(Conversations(db, utc_now) for db in databases)  # type: ignore[misc]
    for db in databases:
        db.close()


@settings(max_examples=40)
@given(texts=st.lists(_TEXT, min_size=1, max_size=8), question=_TEXT)
@example(texts=["bảo hành", "bao hanh"], question="bảo hà")
def test_the_same_text_is_found_by_the_same_words(
    both: tuple[Conversations, Conversations], texts: list[str], question: str
) -> None:
    """All words and an unfinished one for the list of conversations, any word for the memory."""
    owner, found, remembered = f"an-{next(_NUMBERS)}", [], []
    for store in both:
        conversation = store.create(owner, "shopping").id
        place = {store.add_message(owner, conversation, "user", text).id: at for at, text in enumerate(texts)}
        found.append({place[hit.message_id] for hit in store.search(owner, question)})
        with store.db.read(owner) as connection:
            said = messages_by_words(connection, question, MemoryScope(owner, conversation)).said
        remembered.append({place[one.id] for one in said.values()})
    assert found[0] == found[1]
    assert remembered[0] == remembered[1]


def test_very_long_words_and_texts_are_kept(both: tuple[Conversations, Conversations]) -> None:
    for store in both:
        conversation = store.create("an", "shopping").id
        store.add_message(
            "an", conversation, "user", "x" * 5_000 + " sau " + " ".join(map(str, range(60_000)))
        )
        assert len(store.search("an", "x" * 5_000)) == 1
        assert len(store.search("an", "sau")) == 1
