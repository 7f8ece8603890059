"""What a reader is told of figures that no column holds, of empty cells, and of one place of a ranking."""

from __future__ import annotations

from pathlib import Path

from tests.support.modes.analysis import analyst_at

SHEET = (
    "Ngày bán,Món,Số lượng,Đơn giá,Ghi chú\n"
    "1/11/2026,Trà đào,2,30.000đ,\n"
    "2/11/2026,Cà phê,5,20.000đ,ít đường\n"
    "3/11/2026,Trà đào,1,30.000đ,\n"
    "4/11/2026,Bánh mì,4,15.000đ,không hành\n"
)


async def test_money_made_of_two_columns_has_its_unit_and_is_explained(own_home: Path) -> None:
    with analyst_at(own_home, SHEET) as analyst:
        told = await analyst.ask("tổng doanh thu tháng 11")
    assert "250.000 VND" in told.done.text
    assert "«Số lượng × Đơn giá»" in told.done.text


async def test_empty_cells_are_counted_and_said(own_home: Path) -> None:
    with analyst_at(own_home, SHEET) as analyst:
        told = await analyst.ask("bao nhiêu đơn không có ghi chú")
    assert told.state["result"]["value"] == 2
    assert "bỏ trống cột «Ghi chú»" in told.done.text


async def test_the_second_place_is_one_row(own_home: Path) -> None:
    with analyst_at(own_home, SHEET) as analyst:
        told = await analyst.ask("món nào bán chạy thứ nhì")
    assert told.state["result"]["rows"] == [["Bánh mì", 4]]


async def test_an_unknown_condition_is_asked_about(own_home: Path) -> None:
    with analyst_at(own_home, SHEET) as analyst:
        told = await analyst.ask("doanh thu của nhân viên Hương")
    assert told.state["result"] is None
    assert "Hương" in told.done.text
