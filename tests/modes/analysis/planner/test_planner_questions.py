"""What managers ask of ten quite different sheets: planned by the rules, run by the real tools, compared with SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.modes.analysis_questions import Desk, desk_at, questions

# For each sheet the short names of columns in the SQL of its questions.
SHORT: dict[str, dict[str, str]] = {
    "restaurant": {"D": "Ngày GD", "M": "Thành tiền (đ)"},
    "campaigns": {"D": "Date", "S": "Spend (VND)", "R": "Revenue"},
    "school": {"D": "Ngày nộp", "P": "Phải nộp", "N": "Đã nộp"},
    "warehouse": {"D": "Ngày CT", "Q": "Số lượng", "P": "Đơn giá"},
    "fleet": {"D": "Ngày đi", "K": "Số km"},
    "clinic": {"D": "Ngày khám", "V": "Viện phí (VNĐ)"},
    "tickets": {"D": "created_at"},
    "hotel": {"D": "Ngày đặt", "A": "Ngày đến", "M": "Tổng tiền"},
    "pharmacy": {"D": "Ngày bán", "M": "Thành tiền"},
    "payroll": {"D": "Kỳ lương", "L": "Thực lĩnh"},
    "farm": {"D": "Ngay thu hoach", "S": "San luong (kg)", "P": "Gia ban (d/kg)"},
    "bus": {"D": "Ngày đặt", "G": "Giờ khởi hành", "N": "Số vé", "P": "Giá vé"},
    "transfers": {"D": "shipped_on", "A": "arrived_on", "Q": "quantity", "W": "weight_kg", "P": "unit_price"},
    "library": {"D": "Ngày mượn", "H": "Hạn trả", "R": "Ngày trả", "F": "Tiền phạt", "L": "Số ngày trễ"},
    "apartments": {"D": "Kỳ", "E": "Số điện (kWh)", "M": "Tiền điện", "W": "Tiền nước"},
    "donations": {"D": "Received", "A": "Amount (USD)"},
    "tours": {"D": "Ngày đặt", "G": "Ngày khởi hành", "M": "Tổng tiền", "C": "Đã cọc"},
    "parcels": {"D": "Ngày gửi", "P": "Ngày phát", "C": "Cước", "H": "Tiền thu hộ"},
    "pets": {"D": "Giờ hẹn", "P": "Giá"},
    "garage": {"D": "Ngày nhận xe", "G": "Ngày giao xe", "C": "Tiền công", "P": "Tiền phụ tùng"},
    "coffee": {"D": "Date", "Q": "Qty", "P": "Unit Price"},
    "gym": {"D": "Ngày đăng ký", "E": "Ngày hết hạn", "P": "Phải đóng", "N": "Đã đóng"},
}


def ask_all(desk: Desk, name: str) -> list[str]:
    """Every question whose answer is not the right one, with what came of it."""
    bad = []
    for question in questions(name):
        verdict = desk.ask(question)
        if verdict.kind != "exact":
            bad.append(
                f"{verdict.kind}: {question.text} -> {[dict(call.arguments) for call in verdict.plan.calls]}"
            )
    return bad


@pytest.mark.parametrize("name", sorted(SHORT))
def test_every_question_is_answered_exactly_or_asked_back(tmp_path: Path, name: str) -> None:
    for desk in desk_at(tmp_path / "home", name, **SHORT[name]):
        assert ask_all(desk, name) == []
        about_data = desk.intents.count("data_query")
        assert about_data >= 0.95 * len(desk.intents), desk.intents


@pytest.mark.parametrize("name", sorted(SHORT))
def test_a_set_holds_enough_answers_that_are_figures(name: str) -> None:
    asked = questions(name)
    assert len(asked) >= 40
    assert sum(bool(question.right) for question in asked) >= 0.8 * len(asked)
