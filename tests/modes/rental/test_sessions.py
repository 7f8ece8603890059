"""Session rules: 30 minutes idle, 20 messages, cleaned up every 10 minutes; the conversation itself is never cut."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from troly.stores.conversations import Conversations
from troly.stores.records import StoredMessage
from troly.stores.state import StateDb
from troly_rental import sessions

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateDb]:
    db, _ = StateDb.open(tmp_path / "state.db", tmp_path / "aside")
    db.migrate([sessions.MIGRATION, sessions.PROMPT_MIGRATION])
    yield db
    db.close()


@pytest.fixture
def conversation(state: StateDb) -> str:
    return Conversations(state, lambda: NOW).create("an", "rental").id


def kept(state: StateDb) -> int:
    with state.read() as connection:
        return int(connection.execute("SELECT count(*) FROM rental_sessions").fetchone()[0])


def test_names_of_sessions() -> None:
    assert sessions.session_id("user-123") == "user_user-123"
    assert sessions.session_id(None, "192.168.1.1") == "ip_192.168.1.1"
    assert sessions.session_id(None) == "local"


@pytest.mark.parametrize(("idle", "renewed"), [(MINUTE, False), (29 * MINUTE, False), (30 * MINUTE, True)])
def test_thirty_idle_minutes_end_a_session(
    state: StateDb, conversation: str, idle: timedelta, renewed: bool
) -> None:
    first = sessions.enter_session(state, conversation, "local", NOW, prompt="Bạn là trợ lý")
    second = sessions.enter_session(state, conversation, "local", NOW + idle, prompt="Em là trợ lý")
    assert first.renewed
    assert second.renewed is renewed
    assert second.prompt == ("Em là trợ lý" if renewed else "Bạn là trợ lý")
    assert second.begun_at == (NOW + idle if renewed else NOW)


def test_a_session_lives_on_while_it_is_used(state: StateDb, conversation: str) -> None:
    sessions.enter_session(state, conversation, "local", NOW)
    for step in range(1, 6):
        assert not sessions.enter_session(state, conversation, "local", NOW + step * 20 * MINUTE).renewed


def test_another_user_begins_another_session(state: StateDb, conversation: str) -> None:
    sessions.enter_session(state, conversation, "user_1", NOW)
    assert sessions.enter_session(state, conversation, "user_2", NOW + MINUTE).renewed


def test_ended_sessions_are_removed_every_ten_minutes(state: StateDb, conversation: str) -> None:
    others = [Conversations(state, lambda: NOW).create("an", "rental").id for _ in range(3)]
    for other in others:
        sessions.enter_session(state, other, "local", NOW)
    sessions.enter_session(state, conversation, "local", NOW + 9 * MINUTE)
    assert kept(state) == 4
    sessions.enter_session(state, conversation, "local", NOW + 35 * MINUTE)
    assert kept(state) == 1


def test_the_model_gets_twenty_messages_of_this_session(state: StateDb, conversation: str) -> None:
    def said(at: int) -> StoredMessage:
        return StoredMessage(str(at), conversation, None, "user", str(at), "", NOW + at * MINUTE, {})

    history = tuple(said(at) for at in range(-10, 30))
    session = sessions.enter_session(state, conversation, "local", NOW)
    assert [one.text for one in sessions.within(history, session, 20)] == [str(at) for at in range(10, 30)]
    assert [one.text for one in sessions.within(history[:15], session, 20)] == ["0", "1", "2", "3", "4"]
