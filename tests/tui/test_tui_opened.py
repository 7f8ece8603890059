"""What the screen asks of real services besides turns: whole conversations changed, messages found, tables saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.errors import AccessError
from troly.plugin.events import Table
from troly.tui.opened import OpenedHouse
from troly.tui.port import Alteration


@pytest.fixture
def house(tmp_path: Path) -> Iterator[OpenedHouse]:
    with services_at(tmp_path) as services:
        yield OpenedHouse(Session(services, registry_of(), profile("an")))


def begun(house: OpenedHouse, *texts: str, owner: str = "an") -> str:
    store = house.services.conversations
    conversation = store.create(owner, "test", title=texts[0]).id
    for text in texts:
        store.add_message(owner, conversation, "user", text)
    return conversation


def test_a_conversation_is_renamed_pinned_deleted_and_brought_back(house: OpenedHouse) -> None:
    first, second = begun(house, "một"), begun(house, "hai")
    house.alter(Alteration("rename", first, "Khách An"))
    house.alter(Alteration("pin", first))
    assert [(one.id, one.title, one.pinned) for one in house.conversations()] == [
        (first, "Khách An", True),
        (second, "hai", False),
    ]
    house.alter(Alteration("unpin", first))
    house.alter(Alteration("delete", first))
    assert [one.id for one in house.conversations()] == [second]
    house.alter(Alteration("restore", first))
    assert {one.id for one in house.conversations()} == {first, second}


def test_words_are_found_without_diacritics_in_ones_own_messages_only(house: OpenedHouse) -> None:
    mine = begun(house, "Bảo hành máy in", "máy in bị kẹt giấy")
    begun(house, "máy in của người khác", owner="binh")
    hits = house.search("may in ket")
    assert [(hit.conversation, hit.title) for hit in hits] == [(mine, "Bảo hành máy in")]
    start, end = hits[0].spans[0]
    assert hits[0].snippet[start:end] == "máy"
    assert house.search("   ") == []


@pytest.mark.parametrize("kind", ["rename", "pin", "delete"])
def test_another_users_conversation_cannot_be_changed(house: OpenedHouse, kind: str) -> None:
    theirs = begun(house, "riêng", owner="binh")
    with pytest.raises(AccessError):
        house.alter(Alteration(kind, theirs, "x"))  # type: ignore[arg-type]


def test_a_table_is_saved_as_a_file_of_its_own(house: OpenedHouse) -> None:
    table = Table(("Tên", "Giá"), (("=cmd|' /C calc'!A0", "-5"), ("Bàn", "1.000")), "Giá / bàn: ../../x")
    path = Path(house.export(table))
    assert path.parent == house.services.paths.exports
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
        house = OpenedHouse(Session(services, registry_of(test=mode), profile("an")))
        house.prepare("test")
        house.prepare("no such mode")
        OpenedHouse(Session(services, registry_of(test=replace(mode, warm=fail)), profile("an"))).prepare(
            "test"
        )
    assert warmed == ["test", "broken"]
