"""No text that can be typed makes a turn of the company assistant fail, alone or after another question."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.modes.rag import RagDesk, rag_desk, routed
from troly.paths import Paths
from troly.plugin.events import TurnCompleted
from troly_rag.config import RagConfig, load

CONFIG: RagConfig = load(Paths.resolve({"TROLY_HOME": "/nowhere/troly"}))
FACES = (
    "(づ｡◕‿‿◕｡)づ",
    "¯\\_(ツ)_/¯",
    "ʕ•ᴥ•ʔ",
    "٩(◕‿◕｡)۶",
    "🙃",
    "...",
    "\u0301",
    "\ufeff",
    "٣٤",
    "½ ⅓",
    "„“",
    "§§ 5",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


@pytest.fixture
async def desk(home: Path) -> AsyncIterator[RagDesk]:
    async with rag_desk(home) as opened:
        yield opened


@given(st.text(max_size=60), st.text(max_size=40))
@example("(づ｡◕‿‿◕｡)づ", "")
@example("ʕ•ᴥ•ʔ ½", "⅓ ngày")
def test_any_text_is_routed(text: str, before: str) -> None:
    found = routed(CONFIG, text, before)
    assert found.is_chitchat or (found.parts and found.tasks)


async def test_a_line_without_a_letter_is_a_turn_like_any_other(desk: RagDesk) -> None:
    for text in ("Nghỉ phép năm được mấy ngày?", *FACES):
        told = await desk.ask(text, offline=True)
        assert isinstance(told.events[-1], TurnCompleted), text
        assert told.answer
