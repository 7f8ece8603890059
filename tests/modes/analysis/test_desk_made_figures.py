"""What a reader is told of figures that no column holds, of empty cells, and of one place of a ranking."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.modes.analysis import Analyst, analyst_at
from troly.text.catalogue import LANGS

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


PRICES = "Mã SP,Tên sản phẩm,Giá bán,Giá vốn,Tồn kho\nSP1,Áo hoodie,329.000đ,188.000đ,12\nSP2,Quần kaki,259.000đ,120.000đ,7\n"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("giá bán của Áo hoodie", "Giá bán (Tên sản phẩm: Áo hoodie): 329.000 VND"),
        ("giá bán trung bình", "Giá bán trung bình: 294.000 VND"),
    ],
)
async def test_the_price_of_one_product_is_no_mean(own_home: Path, asked: str, told: str) -> None:
    with analyst_at(own_home, PRICES, names=("Sản phẩm",)) as analyst:
        answer = await analyst.ask(asked)
    assert answer.done.text.startswith(told)


@pytest.mark.parametrize(
    ("asked", "columns"),
    [
        ("trạng thái đơn D004", {"Trạng thái"}),
        ("đơn D004 bán ở sàn nào, trạng thái gì", {"Sàn", "Trạng thái"}),
        ("đơn D004", {"Ngày đặt", "Sàn", "Sản phẩm", "Số lượng", "Doanh thu", "Trạng thái"}),
    ],
)
async def test_of_one_row_the_columns_that_are_asked_are_told_and_all_where_none_is(
    analyst: Analyst, asked: str, columns: set[str]
) -> None:
    answer = await analyst.ask(asked)
    assert set(re.findall(r"(?:- |, )([^:,]+):", answer.done.text)) == columns
    assert "D004" in answer.done.text


async def test_without_sheets_the_command_that_is_named_exists(own_home: Path) -> None:
    with analyst_at(own_home, "") as analyst:
        for language in LANGS:
            answer = await analyst.ask("doanh thu tháng này", language=language)
            assert "app data load samples" in answer.done.text
