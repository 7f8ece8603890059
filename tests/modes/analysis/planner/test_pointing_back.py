"""What a message points at in the answer before: its one thing, its period, itself as the whole of a share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.modes.analysis import analyst_at


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (("sản phẩm nào bán chạy nhất", "món đó bán được bao nhiêu tiền"), "147.750.000 VND"),
        (("sản phẩm nào bán chạy nhất", "nó có mấy đơn"), "3 đơn"),
        (("doanh thu tháng 11/2026", "tháng đó có mấy đơn"), "4 đơn"),
        (("doanh thu tháng 11/2026", "tháng trước đó thì sao"), "9.500.000 VND"),
        (("revenue in November 2026", "and the month before that?"), "9,500,000 VND"),
        (("doanh thu theo sàn tháng 11/2026", "Shopee chiếm bao nhiêu phần trăm trong số đó"), "46,4%"),
        (("số đơn đã hủy tháng 11/2026", "vậy là chiếm mấy % tổng đơn tháng đó"), "25%"),
        (("số đơn Shopee tháng 11/2026", "tính doanh thu chứ không phải số đơn"), "50.000.000 VND"),
        (("số đơn không tính Shopee", "bỏ luôn cả đơn Lazada ra"), "2 đơn"),
    ],
)
async def test_the_answer_before_is_pointed_at(own_home: Path, asked: tuple[str, ...], answer: str) -> None:
    with analyst_at(own_home) as analyst:
        told = [await analyst.ask(text) for text in asked]
    assert answer in told[-1].answer


async def test_of_several_things_shown_none_is_meant_by_one_word(own_home: Path) -> None:
    with analyst_at(own_home) as analyst:
        await analyst.ask("top 3 sản phẩm bán chạy nhất")
        told = await analyst.ask("món đó bán được bao nhiêu tiền")
    assert told.state["tool_calls"] == []


async def test_a_change_to_a_question_that_was_not_understood_changes_no_older_one(own_home: Path) -> None:
    with analyst_at(own_home) as analyst:
        await analyst.ask("doanh thu tháng 11/2026")
        await analyst.ask("doanh thu xyzt tháng 10/2026")
        told = await analyst.ask("còn Lazada")
    assert told.state["tool_calls"] == []


CAFE = """Ngày,Giờ,Món,SL,Thành tiền
01/10/2026,07:15,Cà phê,2,50.000
01/10/2026,08:05,Trà,1,32.000
02/10/2026,08:40,Cà phê,3,75.000
02/10/2026,19:20,Trà,4,128.000
"""
STOCK = """Ngày,Loại,Mặt hàng,Số lượng
01/10/2026,Nhập,Mì,100
03/10/2026,Xuất,Mì,30
05/10/2026,Nhập,Gạo,50
06/10/2026,Xuất,Gạo,45
"""


@pytest.mark.parametrize(
    ("sheet", "text", "answer"),
    [
        (CAFE, "khung giờ nào đông khách nhất", "1. 8 giờ - 2"),
        (CAFE, "từ 7h đến 9h bán được bao nhiêu tiền", "157.000 VND"),
        (CAFE, "doanh thu sau 18h", "128.000 VND"),
        (STOCK, "mì còn bao nhiêu", ": 70"),
        (STOCK, "mặt hàng nào sắp hết", "1. Gạo - 5"),
    ],
)
async def test_hours_and_stock_of_ones_own_sheet(own_home: Path, sheet: str, text: str, answer: str) -> None:
    with analyst_at(own_home, sheet, names=("Sổ",)) as analyst:
        told = await analyst.ask(text)
    assert answer in told.answer
