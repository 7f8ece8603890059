"""Answers with every kind of typed content, for scenes and tests of the screen."""

from __future__ import annotations

from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Event,
    Item,
    ItemList,
    Plan,
    Series,
    Side,
    Suggestions,
    Table,
    Task,
    Token,
    TurnCompleted,
)

SQL = """SELECT date_trunc('month', "Ngày đặt") AS "Tháng", sum("Doanh thu") AS "Doanh thu"
FROM "Đơn hàng"
WHERE "Ngày đặt" >= DATE '2026-01-01'
GROUP BY 1
ORDER BY 1"""
SAID = "Doanh thu năm 2026 đến nay là 9.515.000.000 VND, cao nhất là tháng 11 với 1.240.000.000 VND."
MONTHS = tuple(f"{month}/2026" for month in range(1, 12))
TAKINGS = (720.0, 540.0, 760.0, 805.0, 790.0, 850.0, 910.0, 880.0, 990.0, 1030.0, 1240.0)
FIGURES: list[Event] = [
    Token(SAID),
    Table(("Tháng", "Doanh thu"), tuple(zip(MONTHS, (f"{n:,.0f}.000.000 VND".replace(",", ".") for n in TAKINGS), strict=True)), "Doanh thu theo tháng", (1,)),
    Chart("line", MONTHS, (Series("Doanh thu", TAKINGS),), "Doanh thu theo tháng", "triệu VND"),
    Computation(
        "sql",
        SQL,
        ("Lấy các đơn từ 1/1/2026", "Gộp theo tháng", "Cộng doanh thu của mỗi tháng"),
        (("Công cụ", "execute_aggregation"), ("Bảng", "Đơn hàng"), ("Đã đọc", "20.431 dòng"), ("Thời gian", "1/1/2026 đến 22/11/2026")),
        "/pipeline ",
    ),
    Suggestions(("So sánh tháng 11 với tháng 10", "Sàn nào bán nhiều nhất năm nay?", "Top 5 sản phẩm tháng này")),
    TurnCompleted(SAID, {}, "rules", 0, 41.0),
]  # fmt: skip

FOUND = "Đây là 2 phòng rẻ nhất ở Gò Vấp, xếp theo giá tăng dần."
ROOMS: list[Event] = [
    Token(FOUND),
    ItemList(
        (
            Item(
                "Phòng trọ Lan Anh, hẻm 12 Quang Trung",
                "2.300.000 VND/tháng · 18 m² · Phường 10, Gò Vấp",
                fields=(("Đặt cọc", "2.300.000 VND"), ("Tiện nghi", "wifi, gác, chỗ để xe"), ("Đăng ngày", "20/11/2026")),
                path="/rooms/123",
            ),
            Item("Phòng gác lửng đường Lê Đức Thọ", "2.500.000 VND/tháng · 20 m² · Phường 15, Gò Vấp", fields=(("Đặt cọc", "2.500.000 VND"),), path="/rooms/845"),
        ),
        "Phòng trọ ở Gò Vấp",
        "TENANT",
        37,
    ),
    TurnCompleted(FOUND, {}, "rules", 0, 63.0),
]  # fmt: skip

COMPANY: list[Event] = [
    Plan(
        (
            Task(1, "hr", "rag", "Tìm quy định đi muộn", "done", 143.0),
            Task(2, "general", "rag", "Tìm giá trị cốt lõi", "running"),
            Task(3, "it", "log", "Xem nhật ký chấm công", "denied"),
            Task(4, "hr", "math", "Tính tiền trừ", "waiting"),
        )
    ),
    Conflict(
        (
            Side("Nội quy lao động, mục 4", "Quá 3 lần muộn trong tháng: trừ 200.000 VND mỗi lần.", (("Lĩnh vực", 1.0), ("Phạm vi", 0.9), ("Mới", 0.9)), (("Ngày", "01/11/2026"), ("Phạm vi", "private")), True),
            Side("Sổ tay chung 2024", "Quá 5 lần muộn trong tháng: nhắc nhở.", (("Lĩnh vực", 0.5), ("Phạm vi", 0.5), ("Mới", 0.5)), (("Ngày", "03/02/2024"), ("Phạm vi", "public"))),
        ),
        "nguồn nội bộ của phòng nhân sự được ưu tiên",
    ),
]  # fmt: skip
