"""Scenes of the boxes above the chat, and of the columns beside it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

from tests.support.process.waiting import until
from tests.support.scenes.base import empty, figures, scene, talk
from tests.support.scenes.cards import handed_over
from tests.support.scenes.evidence import answered
from tests.support.screen.screens import NOW, settle
from troly.config.schema import specs
from troly.conversation.jobs import MissingModel
from troly.plugin.events import Chart, Token, TurnCompleted
from troly.sandbox import SandboxError
from troly.text.catalogue import Lang, tr
from troly.tui.chat.view import (
    BranchView,
    MemoryView,
    ModelsView,
    ModelView,
    QueryNames,
    SettingView,
    WaitingView,
    message,
)
from troly.tui.dialogs.browse import BrowseScreen
from troly.tui.dialogs.compare import CompareScreen

MODELS = [
    MissingModel("gpt-oss", {"vi": "gpt-oss · cho chat, chưa có", "en": "gpt-oss · for chat, not here yet"}),
    MissingModel("bge-m3", {"vi": "bge-m3 · cho embed, chưa có", "en": "bge-m3 · for embed, not here yet"}),
]


async def _box(pilot: Pilot[Any]) -> Screen[Any]:
    app = scene(pilot)
    await until(lambda: app.screen is not app.chat)
    await settle(app, pilot)
    return app.screen


async def palette(pilot: Pilot[Any]) -> None:
    """All commands."""
    await talk(pilot)
    await pilot.press("ctrl+p")
    await _box(pilot)


async def palette_found(pilot: Pilot[Any]) -> None:
    """Commands found without accents."""
    await palette(pilot)
    await pilot.press(*("doi tro ly" if scene(pilot).controller.language == "vi" else "assistant"))
    await _box(pilot)


async def palette_none(pilot: Pilot[Any]) -> None:
    """No such command."""
    await palette(pilot)
    await pilot.press(*"xyzzy")
    await _box(pilot)


async def helped(pilot: Pilot[Any]) -> None:
    """The keys."""
    await empty(pilot)
    await pilot.press("f1")
    await _box(pilot)


async def searching(pilot: Pilot[Any]) -> None:
    """Nothing is looked for yet."""
    await empty(pilot)
    await pilot.press("ctrl+f")
    await _box(pilot)


async def listed(pilot: Pilot[Any]) -> None:
    """The keys are with the conversations; the third line is chosen."""
    await talk(pilot)
    app = scene(pilot)
    await pilot.press("f2")
    await until(lambda: app.chat.list.has_focus)
    await pilot.press("down", "down")
    await settle(app, pilot)


async def renaming(pilot: Pilot[Any]) -> None:
    """Another title for a conversation."""
    await listed(pilot)
    await pilot.press("alt+r")
    await _box(pilot)


async def pulling(pilot: Pilot[Any]) -> None:
    """Which model?"""
    await answered(pilot)
    app = scene(pilot)
    app.fake.results["missing_models"] = MODELS
    await app.run_action("pull")
    await _box(pilot)


INSTALLED = ModelsView(
    (
        ModelView(
            "gpt-oss:20b", 13_800_000_000, "20.9B", ("completion", "thinking", "tools"), 131_072, True, NOW
        ),
        ModelView("qwen2.5:7b-instruct", 4_700_000_000, "7.6B", ("completion", "tools"), 32_768),
    ),
    "0.12.3",
)
CHOSEN = {"chat": "gpt-oss:20b", "small": "qwen2.5:7b-instruct", "guard": "qwen2.5:3b-instruct", "embed": "bge-m3", "rental.chat": "qwen2.5:7b-instruct"}  # fmt: skip
REMEMBERED = [
    MemoryView("analysis", "a/1", "doanh thu thuần = sum(Doanh thu) where Trạng thái = 'Hoàn thành'", "Đơn hàng", "", True),
    MemoryView("rental", "3", "phòng dưới 3 triệu ở Gò Vấp", "dùng được", "SELECT id, price FROM rooms WHERE price < 3000000"),
    MemoryView("dental", "7", "tôi dị ứng penicillin", "dị ứng", "", True),
]  # fmt: skip


def settings_results(lang: Lang) -> dict[str, Any]:
    """What the pages of models, settings and memories ask for."""
    known = [
        SettingView(
            one.key,
            "24h" if one.key == "ollama.keep_alive" else str(one.default),
            "file" if one.key == "ollama.keep_alive" else "default",
            one.describe(lang),
            tr(f"setting.expects.{one.kind.name}", lang, **one.kind.limits),
            str(one.default),
            one.env,
        )
        for one in specs().values()
    ]
    return {
        "read_settings": known,
        "model_choices": CHOSEN,
        "read_models": INSTALLED,
        "read_memories": REMEMBERED,
    }


async def models(pilot: Pilot[Any]) -> None:
    """Which model answers where; the keys are on one of the server's."""
    await talk(pilot)
    app = scene(pilot)
    app.fake.results |= settings_results(app.controller.language)
    await pilot.press("alt+m")
    await _box(pilot)
    await pilot.press(*"20b", "down", "down", "down")
    await _box(pilot)


async def settings(pilot: Pilot[Any]) -> None:
    """A setting that was looked for."""
    await models(pilot)
    await pilot.press("tab", *"keep")
    await _box(pilot)


TABLES = QueryNames(
    (
        ("rooms", (("id", "BIGINT"), ("price", "BIGINT"), ("area", "DOUBLE"), ("district_id", "BIGINT"))),
        ("districts", (("id", "BIGINT"), ("name", "VARCHAR"))),
    ),
)
QUERY = """-- rẻ nhất ở Gò Vấp
SELECT d.name, count(*) AS n, min(r.pricce) AS least
FROM rooms r JOIN districts d ON d.id = r.district_id
WHERE d.name = 'Gò Vấp' AND r.price < 3000000
GROUP BY d.name
ORDER BY le"""


async def query(pilot: Pilot[Any]) -> None:
    """A query that was refused: the place is marked, and told below."""
    await empty(pilot)
    app = scene(pilot)
    app.queries["rental"] = QUERY
    app.fake.results |= {
        "query_names": TABLES,
        "run_query": SandboxError("sandbox.column", part="r.pricce", known="price"),
    }
    await pilot.press("alt+q")
    await _box(pilot)
    await pilot.press("f5")
    await _box(pilot)


async def memories(pilot: Pilot[Any]) -> None:
    """What is remembered."""
    await models(pilot)
    await pilot.press("shift+tab", "down")
    await _box(pilot)


WAITING = [
    WaitingView(
        "h1",
        "khach-07",
        "shopping",
        "khách muốn gặp nhân viên",
        NOW - timedelta(minutes=12),
        "",
        (
            message("user", NOW, "Tôi muốn gặp nhân viên."),
            message("assistant", NOW, "Dạ vâng, em đã ghi lại yêu cầu để nhân viên cửa hàng tiếp nhận ạ."),
            message("user", NOW, "Máy giao về bị vỡ màn hình, tôi cần đổi trong hôm nay."),
        ),
    ),
    WaitingView("h2", "khach-31", "shopping", "nhiều lần chưa tra được serial", NOW - timedelta(minutes=3), "lan", ()),
]  # fmt: skip


async def waiting(pilot: Pilot[Any]) -> None:
    """Who waits for a person: since when, who answers them, and what was said."""
    await empty(pilot)
    app = scene(pilot)
    app.fake.results["read_waiting"] = WAITING
    app.controller.look_for_people()
    await until(lambda: app.controller.waiting_people)
    await pilot.press("alt+c")
    await until(lambda: isinstance(app.screen, BrowseScreen) and app.screen.chosen is not None)
    await _box(pilot)


async def colleague(pilot: Pilot[Any]) -> None:
    """A colleague answers in a conversation that waits for a person."""
    await handed_over(pilot)
    app = scene(pilot)
    said = "Chào anh, em là Lan. Anh mang máy tới cửa hàng trước 21:00, em đổi máy mới cho anh ngay ạ."
    app.fake.staff_words["c1"] = [
        message("assistant", NOW, said, kind="staff", colleague="Trần Lan", saved="m1")
    ]
    app.controller.look_for_people()
    await until(lambda: any(view.colleague for view in app.controller.pane.messages))
    await settle(app, pilot)


async def comparing(pilot: Pilot[Any]) -> None:
    """The same question answered by two models; the words that differ are marked."""
    app = scene(pilot)
    await answered(pilot)
    app.fake.results |= {
        "read_models": INSTALLED,
        "branch_conversation": BranchView("c9", "rag", "Nghỉ phép (qwen2.5:7b-instruct)", "t1"),
    }
    await app.run_action("message('compare')")
    await _box(pilot)
    await pilot.press("down", "enter")
    await until(lambda: isinstance(app.screen, CompareScreen))
    asked = app.fake.asked[-1]
    said = "Nhân viên chính thức có 14 ngày phép năm; giám đốc duyệt."
    asked.say(Token(said), TurnCompleted(said, {}, "model", 1, 2100.0), conversation="c9")
    screen = app.screen
    assert isinstance(screen, CompareScreen)
    await until(lambda: any("found" in span.style for span in screen._second.text))
    await settle(app, pilot)


async def large(pilot: Pilot[Any]) -> None:
    """The plot of an answer on the whole screen."""
    app = scene(pilot)
    await figures(pilot)
    await pilot.press("f9")
    await until(lambda: app.chat.transcript.chosen_view is not None)
    answer = app.controller.pane.messages[-1]
    app.chat.transcript.choose(answer.key)
    while not isinstance(answer.parts[app.chat.transcript.chosen_part or 0], Chart):
        app.chat.transcript.block += 1
    await pilot.press("f5")
    await _box(pilot)
