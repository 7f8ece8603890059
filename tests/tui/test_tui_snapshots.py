"""How the screen looks, in both languages, at the sizes that people have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.fake_house import MODES
from tests.support.scenes import (
    HITS,
    LISTED,
    Before,
    company,
    empty,
    failed,
    figures,
    found,
    grid,
    rooms,
    scene,
    stream,
    talk,
)
from tests.support.screens import Scene, settle
from troly.errors import StoreError
from troly.plugin.events import (
    Chart,
    Evidence,
    Item,
    ItemList,
    Notice,
    Series,
    Sources,
    TurnCompleted,
)
from troly.text.catalogue import Lang
from troly.tui.port import Arrival
from troly.tui.view import HealthView, Trouble

SMALL, LARGE = (80, 24), (120, 40)
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
LANGS = pytest.mark.parametrize("lang", ["vi", "en"])
Snap = Callable[..., bool]


@SIZES
@LANGS
def test_empty_pane(snap_compare: Snap, size: tuple[int, int], lang: Lang) -> None:
    assert snap_compare(Scene(lang, listed=LISTED), terminal_size=size, run_before=empty)


@SIZES
@LANGS
def test_conversation_while_an_answer_is_written(
    snap_compare: Snap, size: tuple[int, int], lang: Lang
) -> None:
    assert snap_compare(Scene(lang, listed=LISTED), terminal_size=size, run_before=stream)


@SIZES
@LANGS
def test_failed_answer_with_its_evidence(snap_compare: Snap, size: tuple[int, int], lang: Lang) -> None:
    assert snap_compare(Scene(lang), terminal_size=size, run_before=failed)


@SIZES
@pytest.mark.parametrize("before", [figures, rooms, company, grid], ids=lambda scene: scene.__name__)
def test_what_an_answer_brings(snap_compare: Snap, size: tuple[int, int], before: Before) -> None:
    assert snap_compare(Scene("vi", mode="analysis", listed=LISTED), terminal_size=size, run_before=before)


@SIZES
@LANGS
def test_search_in_all_conversations(snap_compare: Snap, size: tuple[int, int], lang: Lang) -> None:
    assert snap_compare(Scene(lang, listed=LISTED, hits=HITS), terminal_size=size, run_before=found)


@SIZES
def test_typed_content(snap_compare: Snap, size: tuple[int, int]) -> None:
    async def cards(pilot: Pilot[Any]) -> None:
        app = scene(pilot)
        asked = await app.ask(pilot, "cho xem các loại")
        asked.say(
            Notice("warning", "Bỏ qua một trang", "không đọc được.", "Thử lại sau."),
            ItemList((Item("Laptop Dell", "15 triệu", "**Chi tiết** ở đây"), Item("Chuột")), "Hàng gợi ý"),
            Chart(
                "share",
                ("Laptop", "Chuột"),
                (Series("doanh thu", (1_200_000.0, 300_000.5)),),
                "Doanh thu",
                "VND",
            ),
            Sources(
                (Evidence(1, "Chính sách đổi trả", "7 ngày", "chinh-sach.md"), Evidence(2, "Sổ tay", "…"))
            ),
            TurnCompleted("Đây ạ.", {}, "mixed", 2, 3210.0),
        )
        await settle(app, pilot)

    assert snap_compare(Scene("vi"), terminal_size=size, run_before=cards)


@pytest.mark.parametrize("theme", ["light", "contrast"])
def test_themes(snap_compare: Snap, theme: str) -> None:
    assert snap_compare(Scene("vi", theme=theme, listed=LISTED), terminal_size=LARGE, run_before=talk)


def test_no_colour(snap_compare: Snap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(Scene("vi", listed=LISTED), terminal_size=SMALL, run_before=stream)


@pytest.mark.parametrize("size", [(60, 20), (40, 10), (46, 14)], ids=["60x20", "40x10", "46x14"])
def test_small_terminals(snap_compare: Snap, size: tuple[int, int]) -> None:
    assert snap_compare(Scene("vi"), terminal_size=size, run_before=talk)


def test_without_ollama(snap_compare: Snap) -> None:
    trouble = Trouble("Không thấy Ollama", "Không kết nối được.", "Chạy `ollama serve`.")
    app = Scene("vi", health=HealthView(known=True, trouble=trouble))
    assert snap_compare(app, terminal_size=SMALL, run_before=empty)


@LANGS
def test_services_that_cannot_be_opened(snap_compare: Snap, lang: Lang) -> None:
    app = Scene(lang, arrival=StoreError("paths.read_only", path="/data", variable="TROLY_HOME"))
    assert snap_compare(app, terminal_size=SMALL, run_before=empty)


def test_broken_and_damaged(snap_compare: Snap) -> None:
    broken = MODES[0]._replace(broken="ImportError: no module named x", ready=False)
    app = Scene("vi", arrival=Arrival((broken, *MODES[1:]), "an", ("/data/state.db",)))
    assert snap_compare(app, terminal_size=LARGE, run_before=empty)


@LANGS
def test_palette(snap_compare: Snap, lang: Lang) -> None:
    async def search(pilot: Pilot[Any]) -> None:
        await talk(pilot)
        await pilot.press("ctrl+p", *("doi tro ly" if lang == "vi" else "assistant"))
        await pilot.pause()

    assert snap_compare(Scene(lang), terminal_size=SMALL, run_before=search)


@LANGS
def test_help(snap_compare: Snap, lang: Lang) -> None:
    async def open_help(pilot: Pilot[Any]) -> None:
        await empty(pilot)
        await pilot.press("f1")
        await pilot.pause()

    assert snap_compare(Scene(lang), terminal_size=LARGE, run_before=open_help)


def test_conversation_list_over_the_chat(snap_compare: Snap) -> None:
    async def open_list(pilot: Pilot[Any]) -> None:
        await talk(pilot)
        await pilot.press("f2")
        await settle(scene(pilot), pilot)
        await pilot.press("down", "down")
        await pilot.pause()

    assert snap_compare(Scene("vi", listed=LISTED), terminal_size=SMALL, run_before=open_list)
