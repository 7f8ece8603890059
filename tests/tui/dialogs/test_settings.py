"""Models, settings and memories on the screen: what is chosen holds at once, is written down, and is there again later."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.widgets import OptionList

from tests.support.ollama.double import OllamaDouble
from tests.support.process.waiting import until
from tests.support.screen.screens import settle, text_of
from tests.support.stores.services import profile, services_at
from tests.tui import test_backend
from tests.tui.test_backend import PATIENCE, Real, running
from troly.config.toml_file import with_value
from troly.conversation.session import Session
from troly.errors import ConfigError, InputError
from troly.plugin.contract import CommandRequest, CommandResult, Memories, MemoryItem
from troly.plugin.registry import Registry
from troly.tui import operations
from troly.tui.chat.jobs import RunningJob
from troly.tui.dialogs.browse import BrowseScreen
from troly.tui.dialogs.choose import ChooseScreen

KEPT: dict[str, str] = {}


def _found(_request: CommandRequest) -> Sequence[MemoryItem]:
    return [MemoryItem(name, text, "x", editable=True) for name, text in KEPT.items()]


def _forget(request: CommandRequest) -> CommandResult:
    KEPT.pop(request.text("id"))
    return CommandResult()


def _edit(request: CommandRequest) -> CommandResult:
    KEPT[request.text("id")] = request.text("text")
    return CommandResult()


def _is_kept(kept: bool) -> bool:
    return ("a" in KEPT) is kept


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaDouble]:
    with OllamaDouble() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


def chosen(app: Real) -> str:
    screen = app.screen
    assert isinstance(screen, BrowseScreen)
    return screen.chosen.key if screen.chosen else ""


def listed(app: Real) -> str:
    options = app.screen.query_one(OptionList)
    return "\n".join(str(options.get_option_at_index(at).prompt) for at in range(options.option_count))


async def test_a_model_for_this_conversation_answers_it_and_stays_with_it(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        await app.ask(pilot, "xin chào")
        await until(lambda: not app.controller.pane.running, PATIENCE)
        await pilot.press("alt+m")
        await until(lambda: isinstance(app.screen, BrowseScreen) and "○ qwen2.5" in listed(app), PATIENCE)
        assert chosen(app) == "here"
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ChooseScreen))
        await pilot.press(*"qwen2.5:7b", "enter")
        await until(lambda: app.controller.pane.model.startswith("qwen2.5:7b"))
        await pilot.press("escape")
        await app.ask(pilot, "còn đó không?")
        await until(lambda: not app.controller.pane.running, PATIENCE)
        assert [one.model for one in ollama.chats][-1].startswith("qwen2.5:7b")
        assert "qwen2.5:7b" in text_of(app.chat.modes)
        await until(lambda: app.controller.pane.kept_model == app.controller.pane.model)
        conversation = str(app.controller.pane.conversation)
    again = Real(tmp_path, ollama.url)
    async with running(again):
        again.controller.open(conversation)
        await until(lambda: again.controller.pane.model.startswith("qwen2.5:7b"), PATIENCE)


async def test_a_setting_is_refused_or_written_and_holds_at_once(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    config = tmp_path / "config" / "config.toml"
    config.parent.mkdir()
    config.write_text(
        '# mine\n[ollama]\nkeep_alive = "5m"  # short\n\n[budget]\ncalls = 4\n', encoding="utf-8"
    )
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        await pilot.press("alt+m", "tab")
        await until(lambda: isinstance(app.screen, BrowseScreen) and "keep_alive" in listed(app), PATIENCE)
        await pilot.press(*"ollama.keep_alive")
        await until(lambda: chosen(app) == "ollama.keep_alive")
        for typed in ("zzz", "2h"):
            await pilot.press("enter")
            await until(lambda: isinstance(app.screen, ChooseScreen))
            await pilot.press(*["backspace"] * 4, *typed, "enter")
            await until(lambda: isinstance(app.screen, BrowseScreen))
        await until(lambda: any("keep_alive" in str(one.message) for one in app._notifications))
        await until(lambda: "2h" in listed(app), PATIENCE)
        said = [str(one.message) for one in app._notifications]
        assert any("zzz" in text for text in said)
        await pilot.press("escape")
        await app.ask(pilot, "xin chào")
        await until(lambda: not app.controller.pane.running, PATIENCE)
        assert ollama.chats[-1].body["keep_alive"] == "2h"
    text = config.read_text(encoding="utf-8")
    assert text.startswith('# mine\n[ollama]\nkeep_alive = "2h"\n')
    assert tomllib.loads(text)["budget"] == {"calls": 4}


async def test_a_missing_model_is_pulled_from_here_with_its_progress(
    tmp_path: Path, ollama: OllamaDouble
) -> None:
    del ollama.models["bge-m3:latest"]
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        await pilot.press("alt+m")
        await until(lambda: isinstance(app.screen, BrowseScreen) and "↓ bge-m3" in listed(app), PATIENCE)
        await pilot.press(*"bge-m3", "down", "enter")
        await until(lambda: "bge-m3" in " ".join(ollama.models) and app.jobs.running is None, PATIENCE)
        app.jobs.running = RunningJob("bge-m3", app.controller.now(), lambda: None, 50, 100, "bytes")
        await until(lambda: "50 %" in listed(app))
        app.jobs.running = None
        await settle(app, pilot)


async def test_memories_are_corrected_and_forgotten_after_a_question(
    tmp_path: Path, ollama: OllamaDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        test_backend, "PLAIN", replace(test_backend.PLAIN, memories=Memories(_found, _forget, _edit))
    )
    KEPT.update({"a": "dị ứng penicilin", "b": "tên An"})
    app = Real(tmp_path, ollama.url)
    async with running(app) as pilot:
        await pilot.press("alt+m", "shift+tab")
        await until(
            lambda: isinstance(app.screen, BrowseScreen) and "dị ứng penicilin" in listed(app), PATIENCE
        )
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ChooseScreen))
        await pilot.press("end", *" nặng", "enter")
        await until(lambda: KEPT["a"].endswith("penicilin nặng") and "nặng" in listed(app), PATIENCE)
        for answer, left in (("enter", True), ("down", False)):
            await pilot.press("delete")
            await until(lambda: isinstance(app.screen, ChooseScreen))
            await pilot.press(*(["enter"] if answer == "enter" else ["down", "enter"]))
            await until(lambda: isinstance(app.screen, BrowseScreen))
            await until(partial(_is_kept, left), PATIENCE)
    KEPT.clear()


def test_what_the_assistants_remember_is_told_changed_and_forgotten(tmp_path: Path) -> None:
    from troly_dental.memory.store import MemoryStore
    from troly_dental.settings import DentalSettings

    registry = Registry()
    with services_at(tmp_path, registry) as services:
        session = Session(services, registry, profile("an"))
        conversation = services.conversations.create("an", "dental").id
        store = MemoryStore.of(services.state, services.clock, "an", services.settings.of(DentalSettings))
        store.add_message(conversation, "user", "tôi dị ứng penicillin")
        (one,) = operations.read_memories(session, "vi")
        assert (one.mode, one.kind, one.editable) == ("dental", "dị ứng", True)
        operations.change_memory(session, "dental", one.id, "tôi dị ứng ibuprofen", "vi")
        (changed,) = operations.read_memories(session, "vi")
        assert "ibuprofen" in changed.text
        operations.change_memory(session, "dental", changed.id, None, "vi")
        assert operations.read_memories(session, "vi") == []
        with pytest.raises(InputError):
            operations.change_memory(session, "dental", changed.id, None, "vi")
        with pytest.raises(InputError):
            operations.change_memory(session, "rental", "99", None, "vi")


@pytest.mark.parametrize(
    ("text", "key", "value", "written"),
    [
        ("", "theme", "light", 'theme = "light"\n'),
        ("[a]\nb = 1\n", "theme", "light", 'theme = "light"\n\n[a]\nb = 1\n'),
        ("[a]\nb = 1\n", "a.c", 2, "[a]\nc = 2\nb = 1\n"),
        ("[a]\nb = 1\n", "x.y", True, "[a]\nb = 1\n\n[x]\ny = true\n"),
        ("[a]\nb = 1\nc = 2\n", "a.b", None, "[a]\nc = 2\n"),
        ("[a]\n", "a.b", None, "[a]\n"),
    ],
)
def test_a_value_is_written_where_it_belongs(text: str, key: str, value: object, written: str) -> None:
    assert with_value(text, key, value) == written


def test_a_file_that_says_it_in_another_form_is_left_alone(tmp_path: Path) -> None:
    with services_at(tmp_path) as services:
        file = services.paths.config_file
        file.write_text('models = { chat = "x" }\n', encoding="utf-8")
        session = Session(services, Registry(), profile("an"))
        with pytest.raises(ConfigError):
            session.change_setting("models.chat", "y")
        assert file.read_text(encoding="utf-8") == 'models = { chat = "x" }\n'
