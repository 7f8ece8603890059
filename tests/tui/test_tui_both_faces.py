"""Typed commands of the screen that the chat in lines has too; asking for a person; names with hints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.process.waiting import until
from tests.support.screen.fake_backend import MODES
from tests.support.screen.screens import Scene, begin, settle
from tests.support.stores.services import profile, services_at
from troly.config.actions import ACTIONS
from troly.conversation.commands import TYPED
from troly.plugin.mentioning import hint_language
from troly.text.catalogue import LANGS, Lang
from troly.tui.chat_commands import chat_commands
from troly.tui.port import Arrival

PERSON: dict[Lang, str] = {"vi": "Cho tôi gặp nhân viên.", "en": "I want to talk to a person."}
WITH_PERSON = (MODES[0]._replace(person=PERSON), *MODES[1:])


async def test_every_command_of_either_face_is_known_to_the_screen() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        known = {one.name: one for one in chat_commands(app.controller)}
        assert {one.name for one in TYPED} <= set(known)
        assert {action.name.replace("_", "-") for action in ACTIONS if action.palette} - set(known) <= {
            "language-vi", "language-en", "theme-dark", "theme-light", "theme-contrast",
        }  # fmt: skip
        for one in known.values():
            name = one.action.partition("(")[0].removeprefix("app.")
            assert hasattr(app, f"action_{name}"), one


@pytest.mark.parametrize("lang", LANGS)
async def test_a_person_is_asked_for_where_the_assistant_can_hand_over(lang: Lang) -> None:
    app = Scene(lang, arrival=Arrival(WITH_PERSON, "an"))
    async with app.run_test(size=(100, 24)) as pilot:
        await begin(app, pilot)
        app.chat.prompt.put("/handoff máy vẫn hỏng")
        await pilot.press("enter")
        await until(lambda: bool(app.fake.asked))
        assert app.fake.asked[0].question.text == f"{PERSON[lang]} máy vẫn hỏng"


async def test_elsewhere_it_is_said_who_can() -> None:
    app = Scene("en", arrival=Arrival(WITH_PERSON, "an"), mode="dental")
    async with app.run_test(size=(100, 24)) as pilot:
        await begin(app, pilot)
        app.chat.prompt.put("/handoff")
        await pilot.press("enter")
        await until(lambda: bool(app._notifications))
        told = " ".join(str(note.message) for note in app._notifications)
        assert "Dental cannot hand over" in told
        assert "/mode shopping" in told
        assert not app.fake.asked


async def test_hints_of_names_follow_the_language_that_was_switched_to() -> None:
    app = Scene("vi", names=[("Bảng A", "x")])
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await app.run_action("names('ba')")
        await until(lambda: app.chat.offers.shown)
        app.chat.prompt.put("")
        await app.run_action("language('en')")
        await app.run_action("names('bả')")
        await until(lambda: app.fake.spoken == ["vi", "en"])
        await settle(app, pilot)


def test_the_profile_says_the_language_of_hints(tmp_path: Path) -> None:
    with services_at(tmp_path, TROLY_LANGUAGE="vi") as services:
        assert hint_language(services, profile()) == "vi"
        assert hint_language(services, replace(profile(), language="en")) == "en"


async def test_a_conversation_is_opened_by_its_number_and_renamed_by_a_command() -> None:
    from tests.support.screen.screens import NOW
    from troly.tui.chat.view import ConversationView, message

    listed = [ConversationView("c7", "shopping", "Bảy", NOW)]
    saved = {"c7": ("shopping", [message("user", NOW, "câu bảy")])}
    app = Scene("vi", listed=listed, saved=saved)
    async with app.run_test(size=(100, 24)) as pilot:
        await begin(app, pilot)
        for text in ("/open 1", "/rename Tên khác", "/open 9"):
            app.chat.prompt.put(text)
            await pilot.press("escape", "enter")
            await settle(app, pilot)
        assert "câu bảy" in app.shown
        assert app.fake.altered[0].value == "Tên khác"
        assert any("số 9" in str(note.message) for note in app._notifications)
