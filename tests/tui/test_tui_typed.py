"""What was typed is kept: drafts and earlier messages across restarts, by several programs, through damage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.process.waiting import until
from tests.support.screen.screens import NOW, Scene, begin, burst, settle
from troly.conversation.input_history import (
    LONGEST_FILE,
    LONGEST_MESSAGE,
    RECALLED,
    Draft,
    InputHistory,
    InputHistoryStore,
)
from troly.plugin.events import TurnCompleted
from troly.tui.chat.view import ConversationView, message

DONE = TurnCompleted("Xong.", {}, "rules", 0, 1.0)


def test_messages_and_drafts_come_back(tmp_path: Path) -> None:
    store = InputHistoryStore(tmp_path / "history", "an")
    assert store.load() == InputHistory((), {})
    store.add("một")
    store.add("hai\ndòng")
    store.add("  ")
    store.add("x" * (LONGEST_MESSAGE + 1))
    store.keep({"c1": Draft("nháp [dán]", {"[dán]": "dài\n"}), "new:rag": Draft("mới")})
    store.keep({"new:rag": None, "c2": Draft(" ")})
    found = InputHistoryStore(tmp_path / "history", "an").load()
    assert found.earlier == ("một", "hai\ndòng")
    assert found.drafts == {"c1": Draft("nháp [dán]", {"[dán]": "dài\n"})}
    assert InputHistoryStore(tmp_path / "history", "bình").load() == InputHistory((), {})
    assert all((path.stat().st_mode & 0o077) == 0 for path in (tmp_path / "history").iterdir())


def test_two_programs_keep_each_others_drafts(tmp_path: Path) -> None:
    first, second = InputHistoryStore(tmp_path, "an"), InputHistoryStore(tmp_path, "an")
    first.keep({"c1": Draft("một")})
    second.keep({"c2": Draft("hai")})
    first.keep({"c1": Draft("một nữa")})
    assert first.load().drafts == {"c1": Draft("một nữa"), "c2": Draft("hai")}
    assert not [path for path in tmp_path.iterdir() if path.suffix not in (".json", ".lock")]


def test_a_damaged_file_costs_only_what_is_damaged(tmp_path: Path) -> None:
    store = InputHistoryStore(tmp_path, "an")
    store.add("trước")
    store.keep({"c1": Draft("nháp")})
    (messages,) = tmp_path.glob("*.jsonl")
    with messages.open("ab") as file:
        file.write(b'"n\xffa\n[1]\n"c\xc3\xb2n"\n"b\xe1')
    assert store.load().earlier == ("trước", "còn")
    (drafts,) = tmp_path.glob("*.drafts.json")
    for text in ("{", "[]", '{"c1": 3, "c2": {"text": "giữ", "pasted": {}}}'):
        drafts.write_text(text)
        assert set(store.load().drafts) <= {"c2"}
    store.keep({"c3": Draft("mới")})
    assert set(store.load().drafts) == {"c2", "c3"}


def test_the_file_of_messages_is_shortened(tmp_path: Path) -> None:
    store = InputHistoryStore(tmp_path, "an")
    for number in range(LONGEST_FILE // 60_000 + 2):
        store.add(f"{number} " + "x" * 60_000)
    (messages,) = tmp_path.glob("*.jsonl")
    assert messages.stat().st_size <= LONGEST_FILE + 70_000
    assert store.load().earlier[-1].startswith(f"{LONGEST_FILE // 60_000 + 1} ")


@given(
    st.lists(st.text(max_size=40), max_size=6),
    st.dictionaries(st.text(max_size=8), st.text(max_size=30), max_size=4),
)
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, messages: list[str], drafts: dict[str, str]
) -> None:
    store = InputHistoryStore(tmp_path_factory.mktemp("typed"), "an")
    for one in messages:
        store.add(one)
    store.keep({key: Draft(text) for key, text in drafts.items()})
    found = store.load()
    assert list(found.earlier) == [message for message in messages if message.strip()][-RECALLED:]
    assert {key: draft.text for key, draft in found.drafts.items()} == {
        k: t for k, t in drafts.items() if t.strip()
    }


async def test_earlier_messages_and_the_draft_are_there_after_a_restart() -> None:
    before = InputHistory(
        ("cũ một", "cũ hai"),
        {"new:shopping": Draft("nháp [dán 9 dòng, 1 kB]", {"[dán 9 dòng, 1 kB]": "a\nb"})},
    )
    app = Scene("vi", typed_before=before)
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await until(lambda: app.chat.prompt.text.startswith("nháp"))
        assert app.chat.prompt.whole == "nháp a\nb"
        app.chat.prompt.put("")
        await pilot.press("up")
        assert app.chat.prompt.text == "cũ hai"
        await pilot.press("up", "up")
        assert app.chat.prompt.text == "cũ một"


async def test_each_pane_gets_its_own_draft_when_it_is_first_shown() -> None:
    before = InputHistory(
        (), {"new:shopping": Draft("một"), "new:analysis": Draft("hai"), "c7": Draft("bảy")}
    )
    app = Scene(
        "vi",
        typed_before=before,
        listed=[ConversationView("c7", "rag", "Cũ", NOW)],
        saved={"c7": ("rag", [message("user", NOW, "câu cũ")])},
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await until(lambda: app.chat.prompt.text == "một")
        await pilot.press("alt+2")
        await until(lambda: app.chat.prompt.text == "hai")
        app.controller.open("c7")
        await until(lambda: app.chat.prompt.text == "bảy")
        await pilot.press("alt+1")
        await until(lambda: app.chat.prompt.text == "một")
        app.chat.prompt.put("khác")
        await app.run_action("language('en')")
        await settle(app, pilot)
        assert app.chat.prompt.text == "khác"


async def test_what_is_typed_before_the_store_opens_wins() -> None:
    app = Scene("vi", arrival=None, typed_before=InputHistory((), {"new:shopping": Draft("nháp cũ")}))
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "đang gõ")
        await until(lambda: app.chat.prompt.text == "đang gõ")
        from tests.support.screen.fake_backend import MODES
        from troly.tui.port import Arrival

        app.fake.arrive(Arrival(MODES, "an"))
        await until(lambda: app.fake.kept_drafts.get("new:shopping") == Draft("đang gõ"))
        assert app.chat.prompt.text == "đang gõ"


async def test_drafts_are_kept_per_pane_while_typing_and_go_when_sent() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "nháp một\x1b2nháp hai")
        await until(lambda: {"new:shopping", "new:analysis"} <= set(app.fake.kept_drafts))
        assert app.fake.kept_drafts["new:shopping"] == Draft("nháp một")
        assert app.fake.kept_drafts["new:analysis"] == Draft("nháp hai")
        await pilot.press("enter")
        await until(lambda: app.fake.asked)
        assert app.fake.kept_messages == ["nháp hai"]
        await until(lambda: app.fake.kept_drafts["new:analysis"] is None)
        app.fake.asked[0].say(DONE)
        await settle(app, pilot)
        burst(app, "tiếp")
        await until(lambda: app.fake.kept_drafts.get("c1") == Draft("tiếp"))


async def test_the_last_keys_before_the_end_are_kept() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await until(lambda: app.drafting._ready)
        burst(app, "phím cuối")
        await until(lambda: app.chat.prompt.text == "phím cuối")
        assert app.drafting.changes() == {"new:shopping": Draft("phím cuối")}
        assert app.drafting.changes() == {}


def test_a_line_is_json(tmp_path: Path) -> None:
    InputHistoryStore(tmp_path, "an").add("tiếng Việt")
    (messages,) = tmp_path.glob("*.jsonl")
    assert json.loads(messages.read_text(encoding="utf-8")) == "tiếng Việt"
