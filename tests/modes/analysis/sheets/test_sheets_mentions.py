"""Sheets as names after @: the person's own only, and a name in quotes leads to its sheet."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from tests.support.modes.analysis import analyst_at
from tests.support.modes.sheets import load_text
from tests.support.stores.services import profile
from troly_analysis import MODE
from troly_analysis.planner.mentions import without_sheet
from troly_analysis.types import Sheet

SALES = "Ngày,Doanh thu\n2026-11-02,100\n2026-11-03,250\n"
SHEET = Sheet("s", "an", "x", "x", (), 1, datetime.fromisoformat("2026-11-22T09:00:00+07:00"))
STOCK = "Ngày,Doanh thu\n2026-11-02,7\n2026-11-03,9\n"


async def test_own_sheets_are_offered_and_the_quoted_name_picks_one(tmp_path: Path) -> None:
    with analyst_at(tmp_path, SALES, STOCK, names=("Cửa hàng Đông", "Cửa hàng Tây")) as desk:
        load_text(desk.services, SALES, "Bí mật của Bình", owner="binh")
        offered = MODE.mentions(desk.services, profile("an"), "cua hang", 8)
        assert [name for name, _ in offered] == ["Cửa hàng Tây", "Cửa hàng Đông"] or {
            name for name, _ in offered
        } == {"Cửa hàng Đông", "Cửa hàng Tây"}
        assert "2" in offered[0][1]
        assert MODE.mentions(desk.services, profile("an"), "bi mat", 8) == []
        assert [name for name, _ in MODE.mentions(desk.services, profile("an"), "tay", 8)] == ["Cửa hàng Tây"]
        east = await desk.ask('Tổng doanh thu của "Cửa hàng Đông"?', offline=True)
        assert "350" in east.answer
        desk.leave()
        west = await desk.ask('Tổng doanh thu của "Cửa hàng Tây"?', offline=True)
        assert "16" in west.answer


async def test_pipeline_is_a_command_of_the_input(tmp_path: Path) -> None:
    assert [one.name for one in MODE.talk] == ["pipeline"]
    with analyst_at(tmp_path, SALES, names=("Cửa hàng",)) as desk:
        told = await desk.ask('/pipeline [{"$match": {}}, {"$count": "n"}]', offline=True)
        assert "2" in told.answer or any(
            "2" in cell for table in told.tables for row in table.rows for cell in row
        )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('tổng của "cua hang dong" tuần này', "Cửa hàng Đông"),
        ("doanh thu trong bảng “Cửa hàng Tây”", "Cửa hàng Tây"),
        ('so "Cửa hàng Tây" với "Cửa hàng Đông"', ""),
        ('loại "Sắt" có bao nhiêu', ""),
    ],
)
def test_only_one_quoted_sheet_is_taken_out(text: str, name: str) -> None:
    sheets = [replace(SHEET, name=each) for each in ("Cửa hàng Đông", "Cửa hàng Tây")]
    spoken, found = without_sheet(text, sheets)
    assert found == name
    assert len(spoken) == len(text)
    assert ("Cửa" in spoken) == ("Cửa" in text and not name)
