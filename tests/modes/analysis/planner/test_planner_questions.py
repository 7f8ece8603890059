"""What managers ask of ten quite different sheets: planned by the rules, run by the real tools, compared with SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.modes.analysis.planner.planner_sheets import NOW, ORDERS, plan
from tests.support.modes.analysis_questions import desk_at, questions

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


@pytest.mark.parametrize("name", sorted(SHORT))
def test_what_is_answered_is_right_and_the_rest_is_asked_back(tmp_path: Path, name: str) -> None:
    """Of each set at least four in five are answered exactly, and hardly one is answered as another question."""
    asked = questions(name)
    for desk in desk_at(tmp_path / "home", name, **SHORT[name]):
        kinds = [(desk.ask(question).kind, question.text) for question in asked]
        wrong = [text for kind, text in kinds if kind not in {"exact", "asked"}]
        assert len(wrong) <= 0.03 * len(asked), wrong
        assert sum(kind == "exact" for kind, _ in kinds) >= 0.82 * len(asked), kinds
        assert desk.intents.count("data_query") >= 0.95 * len(desk.intents), desk.intents


@pytest.mark.parametrize("days", ["(16 tới 22/3)", "(16 đến 22/3)", "16-22/3", "(16 toi 22/3)"])
def test_days_in_brackets_of_one_month_are_both_read(days: str) -> None:
    call = plan(f"doanh thu {days} là bao nhiêu?", (ORDERS,), NOW).calls[0].arguments
    assert (call["date_from"], call["date_to"]) == ("2024-03-16", "2024-03-22")


@pytest.mark.parametrize("text", ["wich product sold the most", "whch product sold the most in 2024"])
def test_a_slip_in_a_word_of_asking_is_read(text: str) -> None:
    assert plan(text, (ORDERS,), NOW).calls


@pytest.mark.parametrize(
    "said", ["doanh thu tháng 3/2024 v", "doanh thu năm nay v b", "doanh thu nam nay v b"]
)
def test_the_last_letters_of_a_chat_say_nothing(said: str) -> None:
    assert plan(said, (ORDERS,), NOW).calls == plan(said.split(" v", maxsplit=1)[0], (ORDERS,), NOW).calls
