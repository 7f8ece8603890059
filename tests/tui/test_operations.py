"""What the screen asks of real services besides turns: whole conversations changed, messages found, tables saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.errors import AccessError
from troly.plugin.events import Table
from troly.tui import operations


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with services_at(tmp_path) as services:
        yield Session(services, registry_of(), profile("an"))


def begun(session: Session, *texts: str, owner: str = "an") -> str:
    store = session.services.conversations
    conversation = store.create(owner, "test", title=texts[0]).id
    for text in texts:
        store.add_message(owner, conversation, "user", text)
    return conversation


def test_a_conversation_is_renamed_pinned_deleted_and_brought_back(session: Session) -> None:
    first, second = begun(session, "một"), begun(session, "hai")
    operations.rename_conversation(session, first, "Khách An")
    operations.pin_conversation(session, first, True)
    assert [(one.id, one.title, one.pinned) for one in operations.list_conversations(session)] == [
        (first, "Khách An", True),
        (second, "hai", False),
    ]
    operations.pin_conversation(session, first, False)
    operations.delete_conversation(session, first)
    assert [one.id for one in operations.list_conversations(session)] == [second]
    operations.restore_conversation(session, first)
    assert {one.id for one in operations.list_conversations(session)} == {first, second}


def test_words_are_found_without_diacritics_in_ones_own_messages_only(session: Session) -> None:
    mine = begun(session, "Bảo hành máy in", "máy in bị kẹt giấy")
    begun(session, "máy in của người khác", owner="binh")
    hits = operations.search_messages(session, "may in ket")
    assert [(hit.conversation, hit.title) for hit in hits] == [(mine, "Bảo hành máy in")]
    start, end = hits[0].spans[0]
    assert hits[0].snippet[start:end] == "máy"
    assert operations.search_messages(session, "   ") == []


@pytest.mark.parametrize(
    "change",
    [
        lambda session, one: operations.rename_conversation(session, one, "x"),
        lambda session, one: operations.pin_conversation(session, one, True),
        operations.delete_conversation,
    ],
    ids=["rename", "pin", "delete"],
)
def test_another_users_conversation_cannot_be_changed(
    session: Session, change: Callable[[Session, str], None]
) -> None:
    theirs = begun(session, "riêng", owner="binh")
    with pytest.raises(AccessError):
        change(session, theirs)


def test_a_table_is_saved_as_a_file_of_its_own(session: Session) -> None:
    table = Table(("Tên", "Giá"), (("=cmd|' /C calc'!A0", "-5"), ("Bàn", "1.000")), "Giá / bàn: ../../x")
    path = Path(operations.save_table(session, table))
    assert path.parent == session.services.paths.exports
    assert path.read_text(encoding="utf-8-sig").splitlines() == [
        "Tên,Giá",
        "'=cmd|' /C calc'!A0,-5",
        "Bàn,1.000",
    ]


def test_a_mode_that_is_shown_is_warmed_and_one_that_cannot_be_warmed_is_no_trouble(tmp_path: Path) -> None:
    warmed: list[str] = []

    def fail() -> None:
        warmed.append("broken")
        raise RuntimeError("no lexicon")

    mode = replace(planned_mode(Plan(), "test"), warm=lambda: warmed.append("test"))
    with services_at(tmp_path) as services:
        session = Session(services, registry_of(test=mode), profile("an"))
        operations.warm_up(session, "test")
        operations.warm_up(session, "no such mode")
        broken = registry_of(test=replace(mode, warm=fail))
        operations.warm_up(Session(services, broken, profile("an")), "test")
    assert warmed == ["test", "broken"]
