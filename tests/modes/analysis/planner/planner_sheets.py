"""Sheets of four trades for the planner's tests, as an import would describe them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from troly.text.dates import HCM
from troly_analysis import planner
from troly_analysis.planner import Intent, Plan, analyse_question
from troly_analysis.planner.types import Lookup
from troly_analysis.types import Field, Kind, Metric, Sheet

NOW = datetime(2024, 6, 15, 9, 0, tzinfo=HCM)
SPAN = (date(2023, 1, 1), date(2024, 6, 14))


def column(name: str, kind: Kind, examples: tuple[str, ...] = (), distinct: int = 0) -> Field:
    """A column with its most frequent values."""
    unit = "VND" if kind == "money" else ""
    return Field(name, kind, unit, distinct=distinct or len(examples), examples=examples)


ORDERS = Sheet(
    "1", "lan", "Đơn hàng", "t1",
    (
        column("Mã đơn", "text", ("DH00001", "DH00002"), 20_000),
        column("Ngày đặt", "date", (), 500),
        column("Ngày giao", "date", (), 500),
        column("Nền tảng", "text", ("Shopee", "Lazada", "TikTok Shop", "Website")),
        column("Sản phẩm", "text", ("Áo thun basic", "Áo thun oversize", "Quần jean", "Giày sneaker", "Mũ lưỡi trai")),
        column("Mã khách hàng", "text", ("KH001", "KH002"), 900),
        column("Tỉnh thành", "text", ("Hồ Chí Minh", "Hà Nội", "Đà Nẵng", "Cần Thơ", "Bình Dương")),
        column("Số lượng", "integer", (), 10),
        column("Đơn giá", "money", (), 50),
        column("Doanh thu", "money", (), 900),
        column("Phí vận chuyển", "money", (), 10),
        column("Trạng thái", "text", ("Hoàn thành", "Đã hủy", "Đang giao", "Hoàn trả")),
        column("Thanh toán", "text", ("COD", "Chuyển khoản", "Ví điện tử")),
        column("Đánh giá", "integer", (), 5),
    ),
    20_000, NOW, date_field="Ngày đặt", span=SPAN,
    metrics=(Metric("doanh thu thuần", "sum", "Doanh thu", {"Trạng thái": "Hoàn thành"}),),
)  # fmt: skip
CUSTOMERS = Sheet(
    "2", "lan", "Khách hàng", "t2",
    (
        column("Mã khách hàng", "text", ("KH001", "KH002"), 900),
        column("Tên khách hàng", "text", ("Nguyễn Văn An", "Trần Thị Bình"), 890),
        column("Hạng", "text", ("Vàng", "Bạc", "Đồng")),
        column("Giới tính", "text", ("Nam", "Nữ")),
    ),
    900, NOW,
)  # fmt: skip
ATTENDANCE = Sheet(
    "3", "lan", "Chấm công", "t3",
    (
        column("Mã NV", "text", ("NV01", "NV02"), 50),
        column("Họ tên", "text", ("Nguyễn Văn An", "Trần Thị Bình", "Lê Hoàng Long"), 50),
        column("Phòng ban", "text", ("Kế toán", "Kinh doanh", "Kỹ thuật", "Nhân sự")),
        column("Ngày", "date", (), 120),
        column("Ca", "text", ("Sáng", "Chiều", "Tối")),
        column("Giờ làm", "number", (), 20),
        column("Tăng ca (giờ)", "number", (), 8),
        column("Đi muộn (phút)", "integer", (), 30),
        column("Trạng thái", "text", ("Đúng giờ", "Đi muộn", "Nghỉ phép", "Vắng")),
    ),
    6_000, NOW, date_field="Ngày", span=SPAN,
)  # fmt: skip
CLINIC = Sheet(
    "4", "lan", "clinic_visits", "t4",
    (
        column("visit_id", "integer", (), 4_000),
        column("visit_date", "datetime", (), 3_000),
        column("doctor", "text", ("Dr. Minh", "Dr. Lan", "Dr. Hùng")),
        column("patient_name", "text", ("Lê An", "Vũ Hoa"), 1_500),
        column("gender", "text", ("Male", "Female")),
        column("department", "text", ("Pediatrics", "Cardiology", "Dental")),
        column("service", "text", ("Checkup", "X-ray", "Cleaning")),
        column("fee", "money", (), 50),
        column("waiting_minutes", "integer", (), 60),
        column("rating", "number", (), 10),
        column("insured", "boolean"),
    ),
    4_000, NOW, date_field="visit_date", span=SPAN,
)  # fmt: skip
STOCK = Sheet(
    "5", "lan", "Phiếu kho", "t5",
    (
        column("Số phiếu", "text", ("PK0001", "PK0002"), 2_000),
        column("Ngày lập", "date", (), 300),
        column("Kho", "text", ("Kho Thủ Đức", "Kho Bình Tân", "Kho Biên Hòa")),
        column("Tên hàng", "text", ("Gạo ST25", "Dầu ăn Tường An", "Bia Sài Gòn")),
        column("Nhóm hàng", "text", ("Lương thực", "Gia vị", "Đồ uống")),
        column("Loại phiếu", "text", ("Nhập", "Xuất")),
        column("SL", "integer", (), 190),
        column("Đơn giá", "money", (), 6),
        column("Thành tiền", "money", (), 800),
        column("Nhà cung cấp", "text", ("Minh Long", "An Phát", "Tân Tiến")),
    ),
    2_000, NOW, date_field="Ngày lập", span=SPAN,
)  # fmt: skip
ALL = (ORDERS, ATTENDANCE, CLINIC, STOCK)


def plan(
    text: str,
    sheets: Sequence[Sheet],
    now: datetime = NOW,
    previous: Plan | None = None,
    values: Lookup | None = None,
) -> Plan:
    """The plan of a message over these sheets."""
    return analyse_question(text, sheets, now, previous=previous, values=values).plan


def classify(
    text: str, history: Sequence[object], sheets: Sequence[Sheet], previous: Plan | None = None
) -> Intent:
    """The intent of a message over these sheets."""
    return planner.classify(analyse_question(text, sheets, NOW, previous=previous), history)
