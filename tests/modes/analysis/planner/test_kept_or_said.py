"""What was asked before is kept by what goes on from it, or said to be left: subject, part of a share, a turn that was not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.modes.analysis.planner.planner_sheets import CUSTOMERS, NOW, ORDERS, plan
from tests.support.modes.analysis import analyst_at
from troly_analysis.planner import Plan

STAFF = """Mã NV,Họ tên,Phòng ban,Ngày tham gia
NV1,An Nguyễn,Kho,05/01/2024
NV2,Bình Trần,Kho,20/03/2024
NV3,Chi Lê,Quầy,01/07/2024
"""


def after(*texts: str) -> Plan:
    """The plan of the last of these messages."""
    made: Plan | None = None
    for text in texts:
        made = plan(text, (ORDERS, CUSTOMERS), NOW, made)
    assert made is not None
    return made


@pytest.mark.parametrize(
    "ask", ["khách nào nhiều nhất", "tên khách hàng nào nhiều nhất", "which customer is most frequent"]
)
def test_nothing_is_ranked_by_a_count_that_each_thing_has_once(ask: str) -> None:
    assert not plan(ask, (CUSTOMERS,), NOW, None).calls


@pytest.mark.parametrize("share", ["chiếm mấy % tổng đơn", "bằng bao nhiêu phần trăm tất cả đơn"])
@pytest.mark.parametrize(
    "last", ["kênh nào dính nhiều nhất", "sản phẩm nào bị nhiều nhất", "tinh nao nhieu nhat"]
)
@pytest.mark.parametrize(("said", "state"), [("bị hủy", "Đã hủy"), ("hoàn trả", "Hoàn trả")])
def test_the_part_of_a_share_and_what_was_counted_are_meant_still(
    said: str, state: str, share: str, last: str
) -> None:
    made = after(f"tháng 3/2024 có bao nhiêu đơn {said}?", share, last)
    assert made.ask is not None
    assert [(each.ref.name, each.value) for each in made.ask.conditions if each.value] == [
        ("Trạng thái", state)
    ]
    assert [(each.op, each.ref) for each in made.ask.measures] == [("count", None)]
    assert str(made.ask.period.start) == "2024-03-01" if made.ask.period else False


@pytest.mark.parametrize("typed", ["nền tảnng", "tỉnh thànhh"])
def test_a_slip_is_put_right_with_the_accents_of_the_sheet(typed: str) -> None:
    made = plan(f"doanh thu tháng 3/2024 theo {typed}", (ORDERS,), NOW, None)
    assert made.calls
    assert not made.missing


@pytest.mark.parametrize(
    "ask",
    ["trong đó ai chi nhiều nhất", "trong số họ người nào mua nhiều nhất", "who of them bought the most"],
)
def test_among_those_of_another_sheet_keeps_what_they_have_in_common(ask: str) -> None:
    made = after("có bao nhiêu khách hạng Vàng?", ask)
    held = [each.value for each in made.ask.conditions] if made.ask else []
    assert (made.sheet, held) == ("Đơn hàng", ["Vàng"]) or not made.calls


async def test_after_what_was_not_read_the_answer_says_what_stands(own_home: Path) -> None:
    with analyst_at(own_home) as analyst:
        asked = (
            "doanh thu tháng 11/2026 của Shopee",
            "khúc đó lạ ghê tính sao cho gọn ha",
            "còn tháng 10",
            "sản phẩm nào cao nhất",
        )
        told = [(await analyst.ask(text)).answer for text in asked]
    assert "Kết quả xem gần nhất là: Tổng doanh thu, Shopee" in told[1]
    assert "Câu trước («khúc đó lạ ghê tính sao cho gọn ha») tôi chưa đọc được" in told[2]
    assert "chưa đọc được" not in told[3]


@pytest.mark.parametrize(
    "ask", ["năm 2024 có bao nhiêu người tham gia", "có mấy nhân viên tham gia năm 2024"]
)
async def test_a_verb_that_names_the_date_of_a_sheet_is_asked_of_that_sheet(own_home: Path, ask: str) -> None:
    with analyst_at(own_home, STAFF, names=("Nhân viên",)) as analyst:
        assert "3" in (await analyst.ask(ask)).answer
