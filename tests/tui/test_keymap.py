"""Keys as the user set them: what runs, what the help, the palette and the status line show."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from tests.support.process.waiting import until
from tests.support.screen.screens import NOW, Scene, begin, burst, settle, text_of, warranty
from tests.tui.test_process import on_a_terminal, read_until
from troly.config.actions import ACTIONS, PLACES
from troly.config.key_names import SENDABLE
from troly.text.catalogue import LANGS, tr
from troly.tui.chat.find import FindBar
from troly.tui.chat.view import ConversationView
from troly.tui.dialogs.help import HelpLines
from troly.tui.dialogs.palette import commands
from troly.tui.dialogs.search import SearchScreen
from troly.tui.keymap import Keymap
from troly.tui.textual_internals import teach_alt_keys


class Keyed(Scene):
    """The app with changed keys."""

    def __init__(self, keys: dict[str, str]) -> None:
        super().__init__("vi", keys=keys)


async def test_a_changed_key_works_in_the_input_and_outside_and_is_shown() -> None:
    app = Keyed({"search": "shift+f7, alt+s", "evidence": "", "list_pin": "g"})
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        burst(app, "chữ\x1bs")
        await until(lambda: isinstance(app.screen, SearchScreen))
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)
        assert app.chat.prompt.text == "chữ"
        app.chat.transcript.focus()
        await pilot.press("shift+f7")
        await until(lambda: isinstance(app.screen, SearchScreen))
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)
        # The old keys do nothing any more.
        await pilot.press("ctrl+f", "f3")
        await settle(app, pilot)
        assert app.screen is app.chat
        assert not app.chat.has_class("-evidence")
        assert "F3" not in text_of(app.chat.status)
        await pilot.press("f1")
        await until(lambda: bool(app.screen.query(HelpLines)))
        assert "Shift+F7" not in text_of(app.screen.query_one(HelpLines)), (
            "the rest of the keys is a Tab away"
        )
        await pilot.press("tab")
        await pilot.pause()
        shown = text_of(app.screen.query_one(HelpLines))
        assert "Shift+F7  Alt+S" in shown
        assert "Ctrl+F" not in shown.replace("Esc  Ctrl+F", "")
        offered = {one.action: one.key for one in commands(app.controller, app.keymap)}
        assert offered["app.search"] == "Shift+F7"
        assert offered["app.evidence"] == ""


async def test_send_and_newline_can_change_places() -> None:
    app = Keyed({"send": "ctrl+s", "newline": "enter"})
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        burst(app, "một\rhai\x13")
        await until(lambda: app.fake.asked)
        assert app.fake.asked[0].question.text == "một\nhai"


async def test_assistants_by_other_keys() -> None:
    app = Keyed({"assistants": "shift+f6, shift+f8"})
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await pilot.press("shift+f8")
        await until(lambda: app.controller.pane.mode == "analysis")
        await pilot.press("alt+3")
        await settle(app, pilot)
        assert app.controller.pane.mode == "analysis"
        assert [one.key for one in commands(app.controller, app.keymap)][:3] == ["Shift+F6", "Shift+F8", ""]


@pytest.mark.parametrize(
    ("focus", "heading"), [("prompt", "Viết"), ("list", "Trong danh sách"), ("transcript", "Trong nội dung")]
)
async def test_help_begins_with_where_one_is(focus: str, heading: str) -> None:
    app = Scene("vi")
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        getattr(app.chat, focus).focus()
        await pilot.pause()
        await pilot.press("f1" if focus == "prompt" else "question_mark")
        await until(lambda: bool(app.screen.query(HelpLines)))
        assert text_of(app.screen.query_one(HelpLines)).startswith(heading)


def _is_shown(app: Scene, screen: object) -> bool:
    return app.screen is screen


async def test_help_of_a_screen_above_the_chat_begins_with_its_own_keys() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "kiểm tra")).say(*warranty())
        await settle(app, pilot)
        for opens, heading, key in (
            ("f5", "Trong bảng", "question_mark"),
            ("ctrl+f", "Trong phần tìm", "f1"),
        ):
            await pilot.press(opens)
            await until(lambda: app.screen is not app.chat)
            above = app.screen
            await pilot.press(key)
            await until(lambda: bool(app.screen.query(HelpLines)))
            assert text_of(app.screen.query_one(HelpLines)).startswith(heading)
            await pilot.press("escape")
            await until(partial(_is_shown, app, above))
            await pilot.press("escape")
            await until(lambda: app.screen is app.chat)


def test_every_action_is_in_the_palette_or_has_a_key() -> None:
    for action in ACTIONS:
        assert action.palette or action.keys, action.name


def test_the_palette_offers_every_action_of_the_app() -> None:
    of_app = {action.run for action in ACTIONS if action.run.startswith("app.") and action.place == "chat"}
    offered = {action.run for action in ACTIONS if action.palette}
    # The palette itself, the answer to Ctrl+C, and what the palette lists by name of the assistant.
    assert of_app - offered <= {"app.palette", "app.interrupt", "app.place({})", "app.step(1)"}


def test_the_help_tells_every_action_that_has_a_key() -> None:
    for lang in LANGS:
        for place in PLACES:
            groups = Keymap().help([place], lang)
            told = {(heading, entry.does) for heading, entries in groups for entry in entries}
            assert len(told) >= sum(bool(action.keys) for action in ACTIONS) - 2  # two say the same
            first = {action.group for action in ACTIONS if action.place == place}
            assert groups[0][0] in {tr(f"ui.help.{group}", lang) for group in first}


@pytest.mark.parametrize("command", ["palette", "panes", "rename", "wrong", "pull", "ingest", "find", "menu"])
async def test_help_opens_from_every_box_and_goes_back_to_it(command: str) -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "kiểm tra")).say(*warranty())
        await settle(app, pilot)
        app.controller.listed = [ConversationView("c1", "shopping", "x", NOW)]
        app.controller.pane.last_answer.turn = "t1"  # type: ignore[union-attr]
        app.fake.results["missing_models"] = []
        await app.run_action("message('menu')" if command == "menu" else command)
        await until(lambda: command == "find" or app.screen is not app.chat)
        await until(lambda: app.focused is not None and app.focused is not app.chat.prompt)
        before = app.screen
        await pilot.press("f1")
        await until(lambda: bool(app.screen.query(HelpLines)))
        heading = "Khi tìm trong hội thoại" if command == "find" else "Trong hộp đang mở"
        assert text_of(app.screen.query_one(HelpLines)).startswith(heading)
        await pilot.press("escape")
        await until(partial(_is_shown, app, before))


async def test_the_key_that_opened_the_palette_or_the_finding_closes_it() -> None:
    app = Keyed({"palette": "shift+f7", "find": "alt+f"})
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        (await app.ask(pilot, "kiểm tra")).say(*warranty())
        await settle(app, pilot)
        await pilot.press("shift+f7")
        await until(lambda: app.screen is not app.chat)
        await pilot.press("shift+f7")
        await until(lambda: app.screen is app.chat)
        await pilot.press("alt+f")
        await until(lambda: bool(app.chat.query(FindBar)))
        await pilot.press("alt+f")
        await until(lambda: not app.chat.query(FindBar))
        assert app.chat.prompt.has_focus


async def test_sentences_name_the_keys_of_the_settings() -> None:
    app = Keyed({"list_undelete": "z", "stop": "shift+f9", "again": "shift+f8"})
    async with app.run_test(size=(120, 30)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "kiểm tra")
        app.controller.listed = [ConversationView("c1", "shopping", "Một", NOW)]
        app.controller.pane.conversation = "c1"
        await app.run_action("delete")
        asked.say(*warranty())
        await settle(app, pilot)
        await app.run_action("message('continue')")
        app.controller.listed = [ConversationView("c1", "shopping", "Một", NOW)]
        await app.run_action("delete")
        await until(lambda: len(app._notifications) >= 3)
        told = " ".join(str(note.message) for note in app._notifications)
        assert "dừng (Shift+F9)" in told
        assert "Shift+F8 để hỏi lại" in told
        assert "z trong danh sách" in told


def test_keys_that_are_taken_can_be_sent() -> None:
    """Each has a byte sequence that the framework reads as that key."""
    teach_alt_keys([f"alt+{letter}" for letter in "abfz19"])
    sent = {"ctrl+a": "\x01", "ctrl+backslash": "\x1c", "f12": "\x1b[24~", "shift+f1": "\x1b[1;2P",
            "ctrl+shift+left": "\x1b[1;6D", "ctrl+pageup": "\x1b[5;5~", "alt+up": "\x1b[1;3A",
            "alt+b": "\x1bb", "alt+f": "\x1bf", "alt+z": "\x1bz", "alt+9": "\x1b9"}  # fmt: skip
    for key, sequence in sent.items():
        assert SENDABLE.fullmatch(key)
        read = [event.key for event in XTermParser().feed(sequence) if isinstance(event, events.Key)]
        assert read == [key]


def test_hints_leave_out_what_has_no_key() -> None:
    for lang in LANGS:
        hints = Keymap({"grid_export": ""}).hints(("grid_sort", "grid_export", "grid_close"), lang)
        assert hints.startswith("s ")
        assert "CSV" not in hints
        assert "Esc" in hints


def test_a_changed_key_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('[keys]\npalette = "shift+f7"\nquit = "alt+x"\n')
    code = "import sys; sys.argv[1:] = ['--lang', 'en']; from troly.__main__ import console; console()"
    master, process = on_a_terminal(code, tmp_path)
    try:
        read_until(master, b"sk something")
        os.write(master, b"\x1b[18;2~")
        read_until(master, b"ind a command")
        os.write(master, b"\x1bx")
        read_until(master, b"\x1b[?1049l")
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        os.close(master)
