"""Scenes of what answers hold: every kind of content, long tables, a handover, and one real turn of every assistant."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tests.support import turns
from tests.support.scenes.base import scene, talk
from tests.support.screen.screens import settle
from troly.plugin.events import (
    Chart,
    Event,
    Evidence,
    Handoff,
    Item,
    ItemList,
    Notice,
    Series,
    Sources,
    Suggestions,
    Table,
    Token,
    TurnCompleted,
)

TYPED: list[Event] = [
    Notice("warning", "Bỏ qua một trang", "không đọc được.", "Thử lại sau."),
    ItemList((Item("Laptop Dell", "15 triệu", "**Chi tiết** ở đây"), Item("Chuột")), "Hàng gợi ý"),
    Chart("share", ("Laptop", "Chuột"), (Series("doanh thu", (1_200_000.0, 300_000.5)),), "Doanh thu", "VND"),
    Chart(
        "bar",
        ("Tháng 10", "Tháng 11"),
        (Series("2025", (30.5, 22.0)), Series("2026", (33.5, 29.0))),
        "Hai năm",
        "tỷ",
    ),
    Sources((Evidence(1, "Chính sách đổi trả", "7 ngày", "chinh-sach.md"), Evidence(2, "Sổ tay", "…"))),
    TurnCompleted("Đây ạ.", {}, "mixed", 2, 3210.0),
]
PRODUCTS = (
    "Laptop Dell Latitude 5440 Core i5",
    "Chuột không dây Logitech M331",
    "Màn hình LG 27 inch độ phân giải cao",
)
ROWS = tuple(
    (
        f"SN{n:05d}",
        PRODUCTS[n % 3],
        f"{n % 28 + 1:02d}/{n % 12 + 1:02d}/2026",
        f"{n * 13} ngày",
        ("Còn hạn", "Hết hạn")[n % 2],
    )
    for n in range(1, 61)
)
LISTED = "Dạ đây là các phiếu bảo hành ạ:"
LONG: list[Event] = [
    Token(LISTED),
    Table(
        ("Serial", "Sản phẩm", "Hết hạn", "Còn lại", "Tình trạng"), ROWS, "Phiếu bảo hành", (3,), total=5000
    ),
    TurnCompleted(LISTED, {}, "rules", 0, 12.0),
]
HANDED = "Dạ em chuyển quý khách cho nhân viên ngay ạ."
HANDOVER: list[Event] = [
    Token(HANDED),
    Handoff("Khách muốn gặp nhân viên.", ("Bạn: cho gặp nhân viên", "Em: dạ"), "1900 6000"),
    Suggestions(("Kiểm tra bảo hành", "Chính sách đổi trả như thế nào?")),
    TurnCompleted(HANDED, {}, "rules", 0, 12.0),
]


async def _told(pilot: Pilot[Any], question: str, told: list[Event]) -> None:
    app = scene(pilot)
    (await app.ask(pilot, question)).say(*told)
    await settle(app, pilot)


async def typed(pilot: Pilot[Any]) -> None:
    """A notice, a list, bars, sources."""
    await _told(pilot, "cho xem các loại", TYPED)


async def long_table(pilot: Pilot[Any]) -> None:
    """The head of a table that is longer than the screen."""
    await _told(pilot, "liệt kê phiếu bảo hành", LONG)


async def handed_over(pilot: Pilot[Any]) -> None:
    """A person takes over."""
    await _told(pilot, "cho gặp nhân viên", HANDOVER)


async def real(pilot: Pilot[Any]) -> None:
    """A real turn of the assistant that is shown, from its first line on."""
    app = scene(pilot)
    told = turns.read(app.controller.pane.mode)
    (await app.ask(pilot, turns.question(told))).say(*told)
    await settle(app, pilot)
    app.chat.transcript.action_scroll_home()
    await settle(app, pilot)


async def real_end(pilot: Pilot[Any]) -> None:
    """The end of a real turn."""
    await real(pilot)
    app = scene(pilot)
    app.chat.transcript.action_scroll_end()
    await settle(app, pilot)


async def real_evidence(pilot: Pilot[Any]) -> None:
    """The steps of a real turn."""
    await real(pilot)
    app = scene(pilot)
    await pilot.press("f3")
    await settle(app, pilot)


async def spoken(pilot: Pilot[Any]) -> None:
    """The other language, taken while an answer stands there and the evidence is open."""
    await talk(pilot)
    app = scene(pilot)
    await pilot.press("f3")
    app.action_language()
    await settle(app, pilot)


async def urgent(pilot: Pilot[Any]) -> None:
    """An emergency stays in sight above the input."""
    app = scene(pilot)
    asked = await app.ask(pilot, "mặt sưng to, khó thở sau khi nhổ răng")
    card = "**Đây là dấu hiệu cấp cứu.** Khó thở có thể là nhiễm trùng lan tới đường thở.\n\nLàm ngay:\n- Gọi **115** hoặc nhờ người đưa đến khoa Cấp cứu.\n- Ngồi thẳng, hơi cúi ra trước."
    asked.say(Token(card), TurnCompleted(card, {}, "rules", 0, 9.0, metadata={"urgent": True}))
    await settle(app, pilot)
