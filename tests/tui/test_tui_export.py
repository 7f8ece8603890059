"""The shown conversation as a file: from the command, the palette, and of one's own conversations only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.made import registry_of
from tests.support.process.waiting import until
from tests.support.screen.screens import Scene, begin, burst, settle
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.errors import AccessError
from troly.plugin.events import TurnCompleted
from troly.tui.errands import ExportConversation, run
from troly.tui.opened import OpenedHouse

DONE = TurnCompleted("Xong.", {}, "rules", 0, 1.0)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[OpenedHouse]:
    with services_at(tmp_path) as services:
        yield OpenedHouse(Session(services, registry_of(), profile("an")))


def begun(house: OpenedHouse, owner: str) -> str:
    store = house.services.conversations
    conversation = store.create(owner, "test", title="Máy in: kẹt giấy?").id
    store.add_message(owner, conversation, "user", "=1+1 máy in kẹt giấy")
    return conversation


@pytest.mark.parametrize("form", ["md", "json", "csv"])
def test_a_conversation_becomes_a_new_file(house: OpenedHouse, form: str) -> None:
    conversation = begun(house, "an")
    first = Path(run(house, ExportConversation(conversation, form, "vi")))
    second = Path(run(house, ExportConversation(conversation, form, "en")))
    assert first != second
    assert first.parent == house.services.paths.exports
    text = first.read_text("utf-8-sig")
    assert "máy in kẹt giấy" in text
    if form == "json":
        assert json.loads(text)["title"] == "Máy in: kẹt giấy?"
    if form == "csv":
        assert "\n=1+1" not in text


def test_another_persons_conversation_is_not_written(house: OpenedHouse) -> None:
    theirs = begun(house, "binh")
    with pytest.raises(AccessError):
        run(house, ExportConversation(theirs, "md", "vi"))
    assert not list(house.services.paths.exports.glob("*"))


async def test_the_command_exports_what_is_shown() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await begin(app, pilot)
        burst(app, "/export csv\r")
        await until(lambda: bool(app._notifications))
        assert "chưa có gì" in next(iter(app._notifications)).message
        (await app.ask(pilot, "hỏi")).say(DONE)
        await settle(app, pilot)
        burst(app, "/export csv\r")
        await until(lambda: ExportConversation("c1", "csv", "vi") in app.fake.errands)
        burst(app, "/export\r")
        await until(lambda: ExportConversation("c1", "md", "vi") in app.fake.errands)
        burst(app, "/new gì đó\r")
        await until(lambda: app.chat.prompt.text == "/new gì đó")
