"""The welcome of the first run: three lines, gone for good with the first question; what an empty pane leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.modes.made import registry_of
from tests.support.process.waiting import until
from tests.support.screen.fake_backend import MODES
from tests.support.screen.screens import Scene, begin, settle
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.plugin.events import TurnCompleted
from troly.tui import operations
from troly.tui.chat.empty import welcome_lines
from troly.tui.chat.view import HealthView, SessionInfo, Trouble
from troly.tui.keymap import Keymap
from troly.tui.render.spans import plain, width_of

NEW = SessionInfo(MODES, "an", (), True)
DONE = TurnCompleted("Xong.", {}, "rules", 0, 1.0)


async def test_the_welcome_ends_with_the_first_question() -> None:
    app = Scene("vi", info=NEW)
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        assert "Chào bạn!" in app.shown
        # The assistant greets by itself, before anything is asked (000-07).
        assert MODES[0].greetings["vi"][:30] in app.shown
        assert "F3 căn cứ" in app.shown
        (await app.ask(pilot, "hỏi")).say(DONE)
        await settle(app, pilot)
        await pilot.press("alt+2")
        await settle(app, pilot)
        assert MODES[1].names["vi"] in app.shown
        assert "Chào bạn!" not in app.shown
        assert app.fake.greeted == 1


def test_it_is_remembered(tmp_path: Path) -> None:
    with services_at(tmp_path) as services:
        session = Session(services, registry_of(), profile("an"))
        assert operations.describe_session(session).new_here
        operations.mark_welcomed(session)
        assert not operations.describe_session(session).new_here
        operations.mark_welcomed(session)


@pytest.mark.parametrize("lang", ["vi", "en"])
@pytest.mark.parametrize("width", [20, 40, 56, 72])
def test_it_is_four_lines_at_every_width_with_the_keys_in_force(lang: str, width: int) -> None:
    keymap = Keymap({"evidence": "f9", "help": "", "assistants": ""})
    lines = welcome_lines(keymap, width, lang)  # type: ignore[arg-type]
    text = "\n".join(map(plain, lines))
    assert len(lines) == 4
    assert all(width_of(line) <= width + 3 for line in lines)
    assert "F3" not in text
    assert "F1" not in text
    assert "Alt" not in text
    if width == 72:
        assert "F9" in text
        assert "/ingest" in text, "how one's own data comes in"
        assert "/pull" in text, "how a model comes in"
        assert "Alt+1…5" in plain(welcome_lines(Keymap(), width, lang)[1])  # type: ignore[arg-type]


async def test_where_not_all_fits_the_questions_stay_and_the_rest_goes() -> None:
    trouble = Trouble("Không thấy Ollama", "", "Chạy `ollama serve`. " * 6)
    app = Scene("vi", info=NEW, health=HealthView(known=True, trouble=trouble))
    async with app.run_test(size=(60, 20)) as pilot:
        await begin(app, pilot)
        assert app.shown.startswith(("\n", MODES[0].names["vi"]))
        assert MODES[0].questions["vi"][2] in app.shown
        assert "ollama serve" not in app.shown
        assert app.chat.transcript.max_scroll_y == 0
        await pilot.resize_terminal(80, 40)
        await until(lambda: "ollama serve" in app.shown)


async def test_without_a_model_it_is_said_once_how_to_get_one_and_commands_stand_out() -> None:
    trouble = Trouble("Không thấy Ollama", "", "Chạy `ollama serve` trước.")
    app = Scene("vi", health=HealthView(known=True, trouble=trouble))
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(app, pilot)
        await until(lambda: "Chạy ollama serve trước." in app.shown)
        assert "gõ /pull gpt-oss" in app.shown
        assert "`" not in app.shown
        bold = [span.text for line in app.chat.transcript.lines for span in line if "strong" in span.style]
        assert {"ollama serve", "/pull gpt-oss"} <= set(bold)
